"""Temporary destinations by Starlight's documents, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_resources, requirement, slow


@slow
@requirement(*ids("SLJ-TEMP", 1, 2, 3))
def test_drawn_programs_on_temporary_destinations_at_the_broker(at_hand):
    """The broker has them as long as the connection that made them, whatever else is closed."""
    judge_drawn_resources(at_hand, "temporary destinations", count=24)
