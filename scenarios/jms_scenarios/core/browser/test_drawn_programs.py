"""Browsers, in drawn programs: what they show of a queue, and that it stays as it is."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_sessions, requirement, slow


@slow
@requirement(*ids("JMS-BRW", 1, 2, 3), "JMS-SEL-018", *ids("API-BRW", range(1, 8)))
def test_drawn_programs_on_browsers(at_hand):
    """Queues are browsed, sent to, consumed and browsed again, by selectors or without."""
    judge_drawn_sessions(at_hand, "browsers", count=24)
