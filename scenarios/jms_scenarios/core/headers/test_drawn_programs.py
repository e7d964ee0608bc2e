"""Header fields, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn, requirement


@requirement(*ids("API-MSG", 18, 19, range(20, 32), 42), *ids("JMS-HDR", 13, range(15, 19), 24))
def test_drawn_programs_on_header_fields(at_hand):
    """Header fields are set, read, sent, and kept by what clears the rest, in any order."""
    judge_drawn(at_hand, "headers", ("message", "text", "bytes", "map", "stream", "object"))
