"""The wheels alone, in an empty environment without a checkout, do the main job."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

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
    out = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    for folder in (PROJECT / "impl", PROJECT):
        subprocess.run([*build, str(folder)], check=True, capture_output=True)
    return {wheel.name.partition("-")[0]: wheel for wheel in out.glob("*.whl")}


@pytest.fixture(scope="module")
def environment(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment with the wheels and what they lock."""
    home = tmp_path_factory.mktemp("environment") / "venv"
    uv: list[str | Path] = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, home], check=True)
    install = [*uv, "pip", "install", "--python", home / "bin" / "python"]
    locked = PROJECT / "locks" / "base.txt"
    subprocess.run([*install, "--require-hashes", "-r", locked], check=True)
    subprocess.run([*install, "--no-deps", *wheels.values()], check=True)
    return home / "bin"


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
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYTEST", "VIRTUAL_ENV"))
    }
    done = subprocess.run(
        [environment / "touchstone", "run", "--requirement", "SLJ-PROP-002"],
        cwd=tmp_path, env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    [report] = tmp_path.glob("results/*/report.html")
    assert "SLJ-PROP-002" in report.read_text(encoding="utf-8")
