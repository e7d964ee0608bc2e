"""Selectors, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_selectors, requirement, slow


@slow
@requirement(
    *ids("JMS-SEL", 1, 2, range(4, 9), range(11, 18), range(19, 39), range(40, 66)),
    *("JMS-BRW-002", "JMS-PROP-041", "JMS-PROP-042"),
)
def test_drawn_selectors(at_hand):
    """A browser shows the messages of a queue for which its selector is true."""
    judge_drawn_selectors(at_hand)
