"""Delays and times to live, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_times, prefers, requirement, slow


@pytest.fixture
@prefers("transactions")
def prefer(at_hand):
    """Transactions, where they are a setting."""


@slow
@pytest.mark.usefixtures("prefer")
@requirement(
    *ids("JMS-DLY", range(1, 7)), *ids("JMS-EXP", range(1, 7)), "JMS-BRW-004", "JMS-ORD-006"
)
def test_drawn_programs_on_time(at_hand):
    """Messages of any delay and time to live are sent in each form, and come when they may."""
    judge_drawn_times(at_hand)
