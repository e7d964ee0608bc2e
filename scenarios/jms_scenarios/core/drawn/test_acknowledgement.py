"""What sessions settle and give back, in drawn programs."""

from jms_scenarios.core.drawn import ids
from touchstone.api import judge_drawn_sessions, requirement

DELIVERED = (
    *ids("JMS-REDL", range(1, 8), 9, 14),
    *("JMS-DEST-001", "JMS-DEST-003", "JMS-SUB-001", "JMS-SUB-003", "JMS-BRW-002"),
    *ids("JMS-CONS", 1, 2, 8),
    *ids("JMS-CONN", 1, range(3, 9), 16, 17, 19, 20),
    *ids("JMS-SESS", 1, 4, 6, 7),
    *ids("JMS-CTX", 11, 12),
    *ids("API-CTX", 4, 12, 13),
    *ids("API-CONS", 2, 3),
    *("JMS-SEL-003", "JMS-SUB-017", "JMS-ERR-001", "JMS-BODY-001"),
    *ids("JMS-ORD", 1, 4, 5),
)


@requirement(
    *ids("JMS-ACK", 1, 3, 5, 6, 7, 8, 9),
    *("JMS-SESS-005", "JMS-CONS-006", "JMS-CTX-013", "API-CTX-014", "API-CTX-015"),
    *DELIVERED,
)
def test_drawn_programs_on_acknowledgement(at_hand):
    """Messages are sent, received, acknowledged, recovered and left, in any order."""
    judge_drawn_sessions(at_hand, "acknowledgement")


@requirement(
    *ids("JMS-TX", 1, 2, 3, 4, 6, 7, 8),
    *("JMS-ACK-010", "JMS-CONS-007", "JMS-CTX-014", "JMS-ACK-006", "API-CTX-015"),
    *DELIVERED,
)
def test_drawn_programs_on_transactions(at_hand):
    """Messages are sent and received in transactions, which end in every way."""
    judge_drawn_sessions(at_hand, "transactions")


@requirement(
    *ids("JMS-SUB", 5, 6, 8, 11, 13, 14, 15, 26), "API-SESS-003", "API-CTX-006", *DELIVERED
)
def test_drawn_programs_on_subscriptions(at_hand):
    """Durable subscriptions are made, left, taken up, replaced and removed, in any order."""
    judge_drawn_sessions(at_hand, "subscriptions")
