"""Listeners at work while what calls them is stopped or closed, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_closing, requirement, slow


@slow
@requirement(
    *ids("JMS-CONN", range(8, 12), 13, 14, 15),
    *ids("JMS-SESS", 2, 3),
    "JMS-CONS-004",
    "JMS-LSN-003",
)
def test_drawn_programs_on_what_ends_meanwhile(at_hand):
    """stop() and close() by another thread while listeners are at work and receives wait."""
    judge_drawn_closing(at_hand)
