"""Browsers that take snapshots, and their limits, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_snapshots, requirement, slow


@slow
@requirement(
    *ids("RMQ-BRW", 2, 6, 7, 8, 9, 14, 15, range(16, 24), 26),
    *ids("RMQ-CFG", range(1, 9), 10),
)
def test_drawn_programs_on_what_snapshots_show(jms, at_hand):
    """Snapshots by limits of all sizes show what was there, whatever happens meanwhile."""
    with jms.process_property("rabbit.jms.queueBrowserReadMax", None):
        judge_drawn_snapshots(at_hand)
