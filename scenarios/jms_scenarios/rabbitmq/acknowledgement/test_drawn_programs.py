"""The modes of sessions by RabbitMQ's document, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_session_modes, requirement, slow


@slow
@requirement(*ids("RMQ-ACK", 5, 6, 10))
def test_drawn_programs_on_modes_side_by_side(at_hand):
    """Sessions in all modes get messages side by side, acknowledge some, and leave others."""
    judge_drawn_session_modes(at_hand, "RMQ")
