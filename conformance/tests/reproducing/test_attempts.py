"""How often a program is run before it is said what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from touchstone.catalogue.confirmations import ConfirmationOutcome
from touchstone.reproducing import attempts
from touchstone.reproducing.attempts import WRITTEN, Attempt, Trial
from touchstone.reproducing.confirming import Shown

SEEN = Shown(ConfirmationOutcome.CONFIRMED, "SEEN\n")
DIFFERS = Shown(ConfirmationOutcome.NOT_CONFIRMED, "    differs: shown was 3\nNOT SEEN\n")
ENDED_EARLY = Shown(
    ConfirmationOutcome.NOT_CONFIRMED, "it ended early: JMSException: reset\nNOT SEEN\n"
)
WAITED = Shown(ConfirmationOutcome.NOT_CONFIRMED, "not done within 180 s\n")


@pytest.mark.parametrize(
    ("by_chance", "shown", "runs"),
    [
        (False, [SEEN], 1),
        (False, [DIFFERS, SEEN], 1),
        (False, [WAITED, SEEN], 1),
        (False, [ENDED_EARLY, ENDED_EARLY, SEEN], 3),
        (False, [ENDED_EARLY, DIFFERS, SEEN], 2),
        (False, [ENDED_EARLY] * 9, 5),
        (True, [DIFFERS, SEEN], 2),
        (True, [DIFFERS] * 9, 5),
    ],
)
def test_a_program_is_run_until_it_says_something(
    by_chance: bool,
    shown: list[Shown],
    runs: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = [*shown]
    monkeypatch.setattr(attempts, "confirm", lambda *_: left.pop(0))
    monkeypatch.setattr(attempts, "add_output", lambda *_: None)
    accusation: Any = MagicMock(line={"by_chance": by_chance})
    ended = Trial(MagicMock()).run(0, Attempt(accusation, WRITTEN, tmp_path), MagicMock())
    assert len(shown) - len(left) == runs
    assert ended.outcome == shown[runs - 1].outcome
