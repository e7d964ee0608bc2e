"""Delays and expiry by Starlight's documents, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_times, requirement, slow


@slow
@requirement(*ids("SLJ-DLY", 1, 4, 6), "SLJ-EXP-002")
def test_drawn_programs_on_delays_of_subscriptions(at_hand):
    """Messages of any delay and time to live come when the subscription's type lets them."""
    judge_drawn_times(at_hand, document="SLJ")
