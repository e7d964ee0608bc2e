"""noLocal by Starlight's documents, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from jms_scenarios.starlight.transactions.test_transactions import EMULATED
from touchstone.api import judge_drawn_sessions, requirement, slow


@slow
@pytest.mark.usefixtures("quick")
@requirement(*ids("SLJ-NLOC", 1, 2))
def test_drawn_programs_on_messages_of_the_own_connection(at_hand):
    """noLocal consumers leave out what their connection sends, and get what others send."""
    judge_drawn_sessions(at_hand, "own messages", count=30, document="SLJ", settings=EMULATED)
