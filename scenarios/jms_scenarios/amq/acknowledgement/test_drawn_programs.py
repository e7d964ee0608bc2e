"""The modes of sessions by Red Hat's document, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_session_modes, requirement, slow


@slow
@requirement(*ids("AMQ-ACK", 1, 2, 8, 9, 11, 12))
def test_drawn_programs_on_modes_without_acknowledgement(at_hand):
    """Sessions in all modes, and in none, get messages, acknowledge some, and leave others."""
    judge_drawn_session_modes(at_hand, "AMQ")
