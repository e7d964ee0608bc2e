"""Sessions and what they deliver, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_sessions, requirement, slow

CONTENT = ("JMS-BODY-001", "JMS-PROP-011", "JMS-PROP-053", *ids("JMS-HDR", 13, 15, 17))
"""The statements that what arrives is what was sent."""


@slow
@pytest.mark.usefixtures("quick")
@requirement(
    *ids("JMS-ACK", 1, 3, range(5, 11)),
    *ids("JMS-REDL", range(1, 8), 9, 14),
    *CONTENT,
    *ids("JMS-TX", range(1, 5), range(6, 9)),
    *ids("JMS-CONS", 1, 2, range(6, 9)),
    *ids("JMS-CONN", 1, range(3, 9), 16, 17, 19, 20),
    *ids("JMS-SESS", 1, range(4, 8)),
    *ids("JMS-SUB", 1, 3, range(5, 9), 11, 13, 14, 15, 17, 26),
    *ids("JMS-CTX", range(11, 15)),
    *ids("JMS-ORD", 1, 4, 5),
    *ids("JMS-DEST", 1, 3),
    *("JMS-BRW-002", "JMS-SEL-003", "JMS-ERR-001"),
    *ids("API-CTX", 4, 6, range(12, 16)),
    *("JMS-NLOC-003", "API-SESS-003", *ids("API-CONS", 2, 3)),
)
def test_drawn_programs_on_sessions(at_hand):
    """Messages are sent, received, settled, given back and left, in any order."""
    judge_drawn_sessions(at_hand, "acknowledgement", "transactions", "subscriptions")


@slow
@pytest.mark.usefixtures("quick")
@requirement(
    *ids("JMS-ACK", 1, 3, range(5, 9), 10),
    *ids("JMS-REDL", range(1, 8), 9, 14),
    *CONTENT,
    *ids("JMS-TX", range(1, 5), 6, 7),
    *ids("JMS-CONS", 1, 2, range(6, 9)),
    *ids("JMS-CONN", 4, 7, 20),
    *ids("JMS-SUB", 1, 3, 5, 6),
    *ids("JMS-ORD", 1, 4),
    *ids("JMS-DEST", 1, 3),
    *("JMS-SESS-004", "JMS-SESS-007", "JMS-NLOC-003", "API-CTX-014"),
)
def test_drawn_programs_on_held_messages(at_hand):
    """A session gets messages of several consumers, and settles, gives back or leaves them."""
    judge_drawn_sessions(at_hand, "holding", count=60)


@slow
@pytest.mark.usefixtures("quick")
@requirement(
    *ids("JMS-LSN", 1, 2, range(4, 7)),
    *ids("JMS-ACK", 1, 4, 6),
    *ids("JMS-REDL", range(1, 8), 9, 14),
    *CONTENT,
    *ids("JMS-TX", range(1, 5)),
    *ids("JMS-CONN", 1, 6, 8, 20),
    *("JMS-CONS-005", "JMS-CONS-006", "JMS-SESS-007"),
    *("API-CTX-015", "JMS-CTX-005", "JMS-THR-004", "JMS-ORD-001", "JMS-ORD-004"),
)
def test_drawn_programs_on_listeners(at_hand):
    """Messages come to listeners, which settle, give back, send, close and throw, in any order."""
    judge_drawn_sessions(at_hand, "listeners")


@slow
@pytest.mark.usefixtures("quick")
@requirement(
    *ids("JMS-DEST", 1, 2, 3),
    *ids("JMS-PROD", 6, 7),
    *ids("JMS-SUB", 1, 3, range(5, 9), 11, 17, 26),
    *ids("JMS-NLOC", 1, 2, 3),
    *ids("JMS-ACK", 1, 3, 5, range(6, 9)),
    *ids("JMS-REDL", range(1, 8), 9, 14),
    *CONTENT,
    *ids("JMS-TX", range(1, 5), range(6, 9)),
    *ids("JMS-CONS", 1, 2, 8),
    *ids("JMS-CONN", 1, 4, 6, 7, 8, 16, 17, 19, 20),
    *ids("JMS-SESS", 1, 4, 6, 7),
    *ids("JMS-ORD", 4, 5),
    *("JMS-SEL-003", "JMS-ERR-001", "JMS-ERR-022", "API-SESS-003", *ids("API-CONS", 2, 3)),
)
def test_drawn_programs_by_interfaces_of_one_domain(at_hand):
    """Messages are sent and received by the interfaces that are for queues or for topics alone."""
    judge_drawn_sessions(at_hand, "queues alone", "topics alone", count=60)


@slow
@pytest.mark.usefixtures("quick")
@requirement(
    *ids("JMS-NLOC", 1, 2, 3),
    *CONTENT,
    *ids("JMS-SUB", 1, 3, range(5, 9), 17, 26),
    *ids("JMS-DEST", 3),
    *ids("JMS-ORD", 1),
)
def test_drawn_programs_on_own_messages(at_hand):
    """Subscriptions leave out what their own connection publishes, or do not."""
    judge_drawn_sessions(at_hand, "own messages", count=40)


@slow
@pytest.mark.usefixtures("quick", "shared_selectors")
@requirement(
    *ids("JMS-DEST", 1, 3, 4),
    *ids("JMS-SUB", 1, 3, range(5, 9), 10, 11, 17, range(19, 23), range(24, 29)),
    *ids("JMS-SEL", 3, 67, 68),
    *ids("JMS-CONS", 1, 2, 6, 8),
    *ids("JMS-ORD", 1, 5),
    *ids("JMS-ACK", 1, 3, 5, 7),
    *ids("JMS-REDL", range(1, 6), 7, 9, 14),
    *CONTENT,
    *ids("JMS-TX", 1, 3, 4, 6, 7),
    *ids("JMS-SESS", 1, 7),
)
def test_drawn_programs_on_consumers_side_by_side(at_hand):
    """Several consumers share a queue or a subscription, or have each its own, by selectors."""
    judge_drawn_sessions(at_hand, "side by side", count=60)
