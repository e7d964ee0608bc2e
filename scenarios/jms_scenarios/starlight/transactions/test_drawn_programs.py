"""Transactions by Starlight's documents, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from jms_scenarios.starlight.transactions.test_transactions import REAL
from jmsapi import SessionMode
from touchstone.api import judge_drawn_sessions, requirement, slow


@slow
@pytest.mark.usefixtures("quick")
@requirement(*ids("SLJ-TX", 1, 2, 6, 7))
def test_drawn_programs_on_transactions(jms, at_hand):
    """What transactions send and receive is committed, rolled back and left, in any order."""
    jms.connection(REAL).create_session(True, SessionMode.SESSION_TRANSACTED)
    judge_drawn_sessions(at_hand, "transactions", count=40, settings=REAL, document="SLJ")
