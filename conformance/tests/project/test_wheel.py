"""The wheels alone, in an empty environment without a checkout, do the main job."""

from __future__ import annotations

import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from releasing import distributions, trial

pytestmark = pytest.mark.thorough

PROJECT = Path(__file__).resolve().parents[3]
VERSION = version("jms-touchstone")
REFERENCE = (
    "jmsapi/py.typed",
    "jvm_runtime/die_with_parent.py",
    "jvm_runtime/locks/pulsar-broker-4.0.7-linux-x86_64.lock",
    "pulsar_jms/selectors/grammar.lark",
)
SUITE = (
    "jms_scenarios/conftest.py",
    "jms_scenarios/documents.toml",
    "jms_scenarios/requirements/starlight.toml",
    "jms_scenarios/requirements/jms.toml",
    "jms_scenarios/requirements/api.toml",
    "jms_scenarios/deviations/reference.toml",
    "jms_scenarios/interop/starlight-wire.json",
    "jms_scenarios/starlight/properties/test_properties.py",
    "wrong_clients/headers.py",
    "wrong_clients/noticing.json",
    "touchstone/results/package-lock.json",
    "touchstone/skeletons/catalogue/.github/workflows/conformance.yml.template",
    "touchstone/skeletons/catalogue/.gitignore.template",
    "touchstone/skeletons/provider/PACKAGE/NAME-6.3.1.lock.template",
    "touchstone/skeletons/broker/tests/test_broker.py.template",
    "touchstone/catalogue/capabilities.toml",
    "touchstone/commands/listings.schema.json",
    "touchstone_reports/results.schema.json",
)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels of this checkout, by their distributions."""
    built = distributions.build(tmp_path_factory.mktemp("wheels"))
    return {each.name.partition("-")[0]: each for each in built if each.suffix == ".whl"}


@pytest.fixture(scope="module")
def environment(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment with the wheels and what they lock."""
    return trial.environment(tmp_path_factory.mktemp("environment") / "venv", wheels.values())


def test_the_same_files_are_built_each_time(wheels: dict[str, Path], tmp_path: Path) -> None:
    first = next(iter(wheels.values())).parent
    again = distributions.build(tmp_path)

    assert len(again) == 4
    assert distributions.sums(again, tmp_path) == distributions.sums(first.iterdir(), first)


@pytest.mark.parametrize(
    ("distribution", "needed"), [("jms_touchstone_reference", REFERENCE), ("jms_touchstone", SUITE)]
)
def test_a_wheel_holds_its_data_and_licence_and_no_tests(
    wheels: dict[str, Path], distribution: str, needed: tuple[str, ...]
) -> None:
    wheel = zipfile.ZipFile(wheels[distribution])
    names = wheel.namelist()
    assert [name for name in needed if name not in names] == []
    licence = wheel.read(f"{distribution}-{VERSION}.dist-info/licenses/LICENSE")
    assert licence == (PROJECT / "LICENSE").read_bytes()
    tests = [name for name in names if "/tests/" in name and not name.endswith(".template")]
    assert tests + [name for name in names if name.startswith("bench")] == []


def test_no_file_is_in_both_wheels(wheels: dict[str, Path]) -> None:
    one, other = (set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels.values())
    assert one
    assert one.isdisjoint(other)


def test_the_wheels_judge_without_a_checkout(environment: Path, tmp_path: Path) -> None:
    done = trial.touchstone(environment, ["run", "--requirement", "SLJ-PROP-002"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    [report] = tmp_path.glob("results/*/report.html")
    assert "SLJ-PROP-002" in report.read_text(encoding="utf-8")


def test_what_a_release_tries_works(environment: Path, tmp_path: Path) -> None:
    assert trial.failures(environment, VERSION, tmp_path) == []
    assert trial.failures(environment, "9.9", tmp_path) == [f"It says it is {VERSION}, not 9.9"]
