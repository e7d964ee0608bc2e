"""Where the extra volume is not installed, all but histories works: those are one clear error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from touchstone.verdicts import ExitStatus, Verdict
from touchstone_reports.results import read

pytestmark = pytest.mark.thorough

PLAIN = "test_acknowledge_settles_nothing_of_another_session"
WORKLOAD = "test_workload_acknowledges_all_that_was_received"
PIP = "pip install 'jms-touchstone[volume]'"


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that hides NumPy and Arrow from every process that looks there first."""
    folder = tmp_path_factory.mktemp("nothing")
    for name in ("numpy", "pyarrow", "pandas", "pyspark"):
        (folder / f"{name}.py").write_text(f'raise ModuleNotFoundError("No module named {name}")\n')
    return folder


def touchstone(nothing: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "touchstone", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(nothing)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command",
    [
        ("list",),
        ("explain", "JMS-ACK-001"),
        ("doctor",),
        ("providers",),
        ("coverage",),
        ("deviations",),
        ("workload", "list"),
        ("verify", "--help"),
        ("history", "--help"),
        ("run", "--help"),
    ],
    ids=" ".join,
)
def test_commands_that_need_no_history_work(nothing: Path, command: tuple[str, ...]) -> None:
    done = touchstone(nothing, *command)
    assert done.stderr == ""
    assert done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("verify", "somewhere"),
        ("history", "show", "somewhere"),
        ("history", "make", "somewhere", "--messages", "1000"),
        ("history", "seal", "somewhere"),
        ("workload", "run"),
    ],
    ids=" ".join,
)
def test_histories_are_one_clear_error(nothing: Path, command: tuple[str, ...]) -> None:
    done = touchstone(nothing, *command)
    assert done.returncode == ExitStatus.FAULT
    assert "touchstone: Histories need the extra volume" in done.stderr
    assert f"hint: {PIP}" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_run_judges_all_but_workloads_and_says_why(nothing: Path, tmp_path: Path) -> None:
    chosen = f"{PLAIN} or {WORKLOAD}"
    done = touchstone(
        nothing, "run", "--provider", "reference", "--results", tmp_path, "-k", chosen
    )
    assert done.returncode == ExitStatus.COULD_NOT_JUDGE
    [folder] = (each.parent for each in tmp_path.glob("*/run.json"))
    judged = {
        each.scenario.rpartition("/")[2]: (each.verdict, each.reason)
        for each in read(folder).judgements
    }
    assert judged[PLAIN] == (Verdict.CONFORMS, None)
    verdict, reason = judged[WORKLOAD]
    assert verdict is Verdict.INCONCLUSIVE
    assert reason is not None
    assert "Histories need the extra volume" in reason
    assert PIP in reason
