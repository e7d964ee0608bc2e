"""Back-offs, time-outs, dead letters and rejections by Starlight's documents, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_redelivery_limits, requirement, slow


@slow
@requirement(
    *ids("SLJ-REDL", range(1, 16)),
    *ids("SLJ-DLQ", range(1, 14)),
    *ids("SLJ-SEL", 3, 4, 9),
    *ids("SLJ-NLOC", 3, 4),
)
def test_drawn_programs_on_redelivery_limits(at_hand):
    """Messages of every kind fail, time out or are rejected, under other settings each."""
    judge_drawn_redelivery_limits(at_hand)
