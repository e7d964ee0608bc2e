"""To which partitions messages go, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_partitions, requirement, slow


@slow
@requirement(*ids("SLJ-PRIO", 7, range(14, 40)), "SLJ-PROP-022")
def test_drawn_messages_go_to_partitions(at_hand):
    """Messages of some levels or groups go to the partitions that the mapping gives them."""
    judge_drawn_partitions(at_hand)
