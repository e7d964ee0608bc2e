"""Asynchronous sends, in drawn programs: what is told of them, when, and what arrives."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_async_sends, requirement, slow


@slow
@requirement(*ids("JMS-ASY", range(1, 15)), "API-PROD-012", "JMS-PROD-005")
def test_drawn_programs_on_asynchronous_sends(at_hand):
    """Sends are told, mixed with others, and ended, by callbacks that read, throw, send, close."""
    judge_drawn_async_sends(at_hand)
