"""The wheel alone, in an empty environment without a checkout, does the main job."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
NEEDED = (
    "jms_scenarios/conftest.py",
    "jms_scenarios/requirements/starlight.toml",
    "jms_scenarios/requirements/jms.toml",
    "jms_scenarios/deviations/reference.toml",
    "jms_scenarios/interop/starlight-wire.json",
    "jms_scenarios/starlight/test_properties.py",
    "jmsapi/py.typed",
    "jvm_runtime/die_with_parent.py",
    "jvm_runtime/locks/pulsar-broker-4.0.7-linux-x86_64.lock",
    "pulsar_jms/selectors/grammar.lark",
    "touchstone/results/package-lock.json",
    "touchstone/catalogue/capabilities.toml",
    "touchstone/commands/listings.schema.json",
    "touchstone_reports/results.schema.json",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("wheel")
    build: list[str | Path] = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        out,
        PROJECT,
    ]
    subprocess.run(build, check=True, capture_output=True)
    [built] = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment with the wheel and what it locks."""
    home = tmp_path_factory.mktemp("environment") / "venv"
    uv: list[str | Path] = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, home], check=True)
    install = [*uv, "pip", "install", "--python", home / "bin" / "python"]
    locked = PROJECT / "locks" / "base.txt"
    subprocess.run([*install, "--require-hashes", "-r", locked], check=True)
    subprocess.run([*install, "--no-deps", wheel], check=True)
    return home / "bin"


def test_the_wheel_holds_its_data_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in NEEDED if name not in names] == []
    assert [name for name in names if "/tests/" in name or name.startswith("bench")] == []


def test_the_wheel_judges_without_a_checkout(environment: Path, tmp_path: Path) -> None:
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
