"""What a factory makes, as far as no message is delivered, in drawn programs."""

import pytest

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn_resources, needs, not_applicable, prefers, requirement, slow

CLOSED = (
    *ids("JMS-CONN", 16, 17, 19),
    *ids("JMS-SESS", 4, 6),
    *ids("API-CTX", 12, 13),
    *ids("API-CONS", 2, 3),
)
"""The statements on what is closed, and closed again."""
UNCHECKED = "JMS-CTX-015"
"""The statement that contexts raise unchecked exceptions."""
REFUSED_SELECTORS = ids("JMS-SEL", 9, 10, 39, 66)


@slow
@requirement(
    *CLOSED[:-2],
    *ids("API-SESS", 1, 2),
    *ids("API-CTX", range(1, 6)),
    *("API-CF-001", "JMS-CONN-023", "JMS-CTX-003", UNCHECKED, "JMS-DEST-006"),
    *ids("JMS-META", 1, 2),
    *ids("API-PROD", range(13, 16)),
)
def test_drawn_programs_on_connections_and_sessions(at_hand):
    """Connections, sessions and contexts are made, asked, set and closed, in any order."""
    judge_drawn_resources(at_hand, "objects", count=200)


@slow
@pytest.mark.usefixtures("shared_selectors")
@requirement(
    *CLOSED,
    *ids("API-SESS", range(4, 9)),
    *ids("API-CTX", range(7, 12)),
    *("API-CONS-001", "API-JCONS-001", *ids("API-BRW", 1, 2, 3, 6, 7)),
    *REFUSED_SELECTORS,
    *("JMS-ERR-002", "JMS-IDN-005", *ids("JMS-SUB", 29, 30), UNCHECKED),
)
def test_drawn_programs_on_consumers_and_browsers(at_hand):
    """Consumers and browsers of everything, of null, of nobody's, and by texts of all kinds."""
    judge_drawn_resources(at_hand, "consumers", count=200)


@slow
@pytest.mark.usefixtures("shared_selectors")
@requirement(*ids("JMS-ERR", 12, range(16, 26)))
def test_drawn_programs_on_calls_of_the_other_domain(at_hand):
    """A session for queues alone refuses what is for topics, or the other way, and goes on."""
    judge_drawn_resources(at_hand, "the other domain", count=120)


@slow
@needs("connection-consumers")
@requirement(*ids("JMS-ERR", range(13, 16)))
def test_drawn_programs_on_connection_consumers(at_hand):
    """A connection for queues alone makes no consumers of subscriptions."""
    judge_drawn_resources(at_hand, "connection consumers", count=30)


@slow
@requirement(*ids("JMS-TEMP", range(1, 9)), "JMS-ERR-002")
def test_drawn_programs_on_temporary_destinations(at_hand):
    """They are made, named, consumed from, sent to, deleted and left, by two connections."""
    judge_drawn_resources(at_hand, "temporary destinations", count=24)


@slow
@pytest.mark.usefixtures("shared_selectors")
@requirement(
    *ids("JMS-IDN", 2, 5, 6),
    *ids("JMS-SUB", 9, 29, 30, 31),
    *("JMS-CTX-003", "API-SESS-003", "API-CTX-006", UNCHECKED),
)
def test_drawn_programs_on_client_ids(at_hand):
    """They are set and asked for, first, late and twice, and have subscriptions of their own."""
    judge_drawn_resources(at_hand, "client ids", count=160)


@pytest.fixture
@prefers("client-id")
def administered(at_hand):
    """The factory has a client id, where there is a setting for that."""


@slow
@pytest.mark.usefixtures("administered")
@requirement("JMS-IDN-001")
def test_drawn_programs_on_administered_client_ids(at_hand):
    """Where the factory is configured with a client id no connection gets another."""
    with at_hand.jms.factory().create_connection() as connection:
        if connection.client_id is None:
            not_applicable("no setting of this client gives a client id")
    judge_drawn_resources(at_hand, "administered client ids", count=20)
