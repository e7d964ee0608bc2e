"""Producers, in drawn programs: what is set, what is sent, and what arrives with which header."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn, requirement, slow

KINDS = ("text", "map", "bytes", "object", "message")
SENT = [
    *ids("JMS-HDR", range(1, 23), 25, 26),
    *ids("JMS-EXP", 3, 4, 5),
    *ids("JMS-DLY", 1, 2),
    *ids("JMS-REDL", 2, 3),
    *ids("JMS-BODY", 1, 2),
    *ids("JMS-PROP", 11),
    *ids("JMS-PRIO", 1),
]


@slow
@requirement(*ids("API-PROD", range(1, 12), range(13, 16)), *ids("JMS-PROD", range(1, 5)), *SENT)
def test_drawn_programs_on_message_producers(at_hand):
    """Producers are set, send in every form, are refused and closed, in any order."""
    judge_drawn(at_hand, "producers", KINDS)


@slow
@requirement(*ids("API-JPROD", range(1, 40)), *ids("JMS-CTX", range(6, 10)), "JMS-CTX-015", *SENT)
def test_drawn_programs_on_jms_producers(at_hand):
    """Producers of contexts are set, and send messages and bare bodies, in any order."""
    judge_drawn(at_hand, "JMSProducers", KINDS)
