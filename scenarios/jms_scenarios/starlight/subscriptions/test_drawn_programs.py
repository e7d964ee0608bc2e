"""Names and subscriptions at the broker, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_subscriptions, requirement, slow


@slow
@requirement(
    *ids("SLJ-IDN", range(1, 5), range(6, 9)),
    *ids("SLJ-DEST", range(1, 23)),
    *ids("SLJ-SUB", range(1, 30), 34),
    *ids("SLJ-DLY", 2, 3, 5),
    *ids("SLJ-VIRT", 1, 4, 5),
    "SLJ-SEL-001",
    "SLJ-NLOC-001",
    "SLJ-CFG-005",
)
def test_drawn_programs_on_subscriptions(at_hand):
    """Clients of all APIs open consumers of each kind, send, receive and close, in any order."""
    judge_drawn_subscriptions(at_hand)
