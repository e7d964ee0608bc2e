"""What comes again when a session ends or starts again, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_sessions, requirement, slow


@slow
@pytest.mark.usefixtures("quick")
@requirement(*ids("JMS-REDL", 12, 13, 15, 16))
def test_drawn_programs_on_messages_that_are_kept(at_hand):
    """What was received and not settled outlives its session, or comes again to its subscriber."""
    judge_drawn_sessions(at_hand, "kept messages", count=25)
