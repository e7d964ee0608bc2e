"""Commands whose output breaks: what nobody reads is a fault, never the status of a violation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from touchstone.verdicts import ExitStatus

pytestmark = pytest.mark.thorough

TOUCHSTONE = f"{sys.executable} -m touchstone"
OWN_PYTEST = Path(__file__).parents[1] / "touchstone" / "judging" / "own_pytest.py"
PASSES = "def test_passes(): assert 1\n"


def shell(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("ending", ["> /dev/full", "| true; exit ${PIPESTATUS[0]}"])
@pytest.mark.parametrize("command", [f"{TOUCHSTONE} list", f"{sys.executable} {OWN_PYTEST} t.py"])
def test_an_output_that_breaks_is_a_fault(tmp_path: Path, command: str, ending: str) -> None:
    (tmp_path / "t.py").write_text(PASSES * 20_000)

    assert shell(f"{command} {ending}", tmp_path).returncode == ExitStatus.FAULT


def test_an_output_that_is_closed_leads_nowhere(tmp_path: Path) -> None:
    done = shell(f"{TOUCHSTONE} list > file >&-", tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_children_have_an_output_where_theirs_is_closed(tmp_path: Path) -> None:
    child = "import sys; sys.exit(sys.stdout is None)"
    program = (
        "import subprocess, sys; from jms_brokers.machine import standard_streams;"
        f" standard_streams.prepare(); sys.exit(subprocess.call([sys.executable, '-c', '{child}']))"
    )

    assert shell(f'{sys.executable} -c "{program}" >&-', tmp_path).returncode == 0


def test_what_an_encoding_lacks_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text("def test_fails(): assert 'ü✓' == ''\n", encoding="utf-8")

    done = shell(f"{sys.executable} {OWN_PYTEST} t.py", tmp_path, PYTHONIOENCODING="ascii")

    assert done.returncode == 1
    assert r"assert '\xfc\u2713' == ''" in done.stdout


def test_what_breaks_pytest_itself_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "def pytest_unconfigure(): raise RuntimeError('broken')\n"
    )
    (tmp_path / "t.py").write_text(PASSES)

    done = shell(f"{sys.executable} {OWN_PYTEST} t.py", tmp_path)

    assert done.returncode == ExitStatus.FAULT
    assert "RuntimeError: broken" in done.stderr
