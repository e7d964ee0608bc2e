"""Properties, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn, requirement


@requirement(
    *ids("JMS-PROP", range(1, 42), 43, 44, 45, 54),
    *ids("API-MSG", range(32, 42)),
    *ids("JMS-BODY", 4, 37),
)
def test_drawn_programs_on_properties(at_hand):
    """Properties are set, read as every type, listed, cleared and sent, in any order."""
    judge_drawn(at_hand, "properties", ("message", "text", "map"))
