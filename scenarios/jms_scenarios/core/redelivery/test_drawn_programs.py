"""What comes again when a session ends or starts again, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn, judge_drawn_sessions, requirement, slow


@slow
@pytest.mark.usefixtures("quick")
@requirement(*ids("JMS-REDL", 12, 13, 15, 16))
def test_drawn_programs_on_messages_that_are_kept(at_hand):
    """What was received and not settled outlives its session, or comes again to its subscriber."""
    judge_drawn_sessions(at_hand, "kept messages", count=25)


@requirement("JMS-REDL-014")
def test_drawn_programs_on_messages_that_are_delivered_again(at_hand):
    """What is done with a message that was received shows in nothing that is delivered again."""
    kinds = ("message", "text", "object", "map", "stream", "bytes")
    judge_drawn(at_hand, "delivered again", kinds)
