"""Messages of other classes, in drawn programs: what is rebuilt of them, and what is dropped."""

from jms_scenarios.foreign_messages import Unreadable, foreign_message
from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_messages_of_others, requirement, slow


@slow
@requirement(*ids("RMQ-INTR", range(1, 14)))
def test_drawn_messages_of_other_classes_are_rebuilt(at_hand):
    """All kinds of messages arrive but for JMSReplyTo and what cannot be rebuilt."""
    judge_drawn_messages_of_others(at_hand, foreign_message, Unreadable, document="RMQ")
