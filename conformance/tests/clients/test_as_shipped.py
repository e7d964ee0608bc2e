"""What the harness adds to the settings of a client shortens waiting, and changes no verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from touchstone.cli import main
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

pytestmark = pytest.mark.thorough

WAITING = (
    "async-send/test_failure_is_told_in_its_turn",
    "exceptions/test_sender_over_the_limit_is_refused[connections]",
    "redelivery/test_settled_messages_stay_settled[client]",
)
"""In these a call of Artemis' client waits for an answer that never comes, as long as it may."""


def verdicts(folder: Path, *options: str) -> dict[tuple[str, str], Verdict]:
    """By scenario and requirement; nothing unexpected is among them, nor a stale deviation."""
    chosen = [part for scenario in WAITING for part in ("--scenario", scenario)]
    # As shipped a call waits for 30 seconds, in some scenarios four times.
    chosen += ["--touchstone-timeout", "240"]
    status = main(["run", "--provider", "artemis", "--results-dir", str(folder), *options, *chosen])
    assert status == ExitStatus.NOTHING_UNEXPECTED
    [run] = folder.iterdir()
    return {(line.scenario, line.requirement): line.verdict for line in read(run).judgements}


def test_a_client_as_shipped_has_the_same_verdicts(tmp_path: Path) -> None:
    driven = verdicts(tmp_path / "driven")
    assert len(driven) >= len(WAITING)
    assert set(driven.values()) == {Verdict.CONFORMS}
    assert verdicts(tmp_path / "shipped", "--as-shipped") == driven
