"""How JMS messages travel as Pulsar messages, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_foreign_messages, judge_drawn_wire, requirement, slow


@slow
@requirement(
    *ids("SLJ-PROP", range(1, 17), range(19, 22), range(23, 32)),
    *ids("SLJ-HDR", range(1, 8), 9),
    *ids("SLJ-BODY", range(1, 8)),
    *ids("SLJ-MODE", range(1, 5)),
    *ids("SLJ-PRIO", range(1, 5), 40),
    *ids("SLJ-EXP", 1, 3, 4),
    *ids("SLJ-REDL", range(1, 4)),
    *("SLJ-INTR-001", "SLJ-DLY-007"),
)
def test_drawn_messages_travel(at_hand):
    """Messages of every kind are sent in each form, looked at on the wire, and received."""
    judge_drawn_wire(at_hand)


@slow
@requirement(
    *ids("SLJ-PROP", range(5, 10), range(13, 18), 21, range(26, 32)),
    *ids("SLJ-HDR", 1, range(3, 10)),
    *ids("SLJ-INTR", 2, 3),
    *ids("SLJ-MODE", 2, 3),
    *ids("SLJ-PRIO", 2, 3),
    *ids("SLJ-EXP", 1, 4),
    "SLJ-DLY-007",
)
def test_drawn_foreign_messages_arrive(at_hand):
    """Another Pulsar client writes messages, with all that documents tell or with none of it."""
    judge_drawn_foreign_messages(at_hand)
