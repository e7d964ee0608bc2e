"""Acknowledgement and redelivery by Starlight's documents, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from jms_scenarios.starlight.transactions.test_transactions import EMULATED
from touchstone.api import (
    judge_drawn_session_modes,
    judge_drawn_sessions,
    requirement,
    slow,
)


@slow
@pytest.mark.usefixtures("quick")
@requirement(*ids("SLJ-ACK", 2, 9, 11, 14, 15), *ids("SLJ-REDL", 14, 16, 17), "SLJ-SEL-001")
def test_drawn_programs_on_acknowledgement(at_hand):
    """Messages are acknowledged alone, with all others, by themselves or not, in any order."""
    judge_drawn_sessions(at_hand, "individually", "acknowledgement", count=80, document="SLJ")


@slow
@pytest.mark.usefixtures("quick")
@requirement(*ids("SLJ-ACK", range(9, 12)), *ids("SLJ-REDL", 14, 16, 17))
def test_drawn_programs_on_acknowledgement_over_consumers(at_hand):
    """A session gets messages of several consumers, and settles, gives back or leaves them."""
    judge_drawn_sessions(at_hand, "holding", count=30, document="SLJ", settings=EMULATED)


@slow
@requirement(*ids("SLJ-ACK", 1, 4, 8, 13, 16, 17), *ids("SLJ-TX", 8, 9))
def test_drawn_programs_on_modes_and_listeners(at_hand):
    """Sessions in all modes, and in none, get messages by listeners, too, and acknowledge them."""
    judge_drawn_session_modes(at_hand, "SLJ", EMULATED)
