"""Listeners by Starlight's documents, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from jms_scenarios.starlight.transactions.test_transactions import EMULATED
from touchstone.api import judge_drawn_closing, judge_drawn_sessions, requirement, slow


@slow
@pytest.mark.usefixtures("quick")
@requirement(*ids("SLJ-LSN", 2, 4, 5))
def test_drawn_programs_on_listeners_and_start(at_hand):
    """Listeners are called one by one, and none before start() or behind stop()."""
    judge_drawn_sessions(at_hand, "listeners", count=60, document="SLJ", settings=EMULATED)


@slow
@requirement(*ids("SLJ-LSN", 3, 6, 7))
def test_drawn_programs_on_listeners_and_close(at_hand):
    """A connection, session or context is closed by another thread while listeners are at work."""
    judge_drawn_closing(at_hand, "SLJ", EMULATED)
