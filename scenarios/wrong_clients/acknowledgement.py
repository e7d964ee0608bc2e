"""Clients that are wrong about acknowledgement."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.mutant import UNREADABLE, WORKLOADS
from jms_clients.mutants.wrong import wrong
from jmsapi import MessageListener, SessionMode
from pulsar_jms.connections import connection
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.dialects import amq
from pulsar_jms.dialects.rabbitmq import RABBITMQ
from pulsar_jms.mapping.session_modes import (
    INDIVIDUAL_ACKNOWLEDGE,
    MODES,
    AcknowledgedAt,
    Covers,
    ModeRow,
)
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import SessionDelivery, Settlement
from pulsar_jms.settling.unacknowledged import UnacknowledgedDeliveries
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    DeliveredMessage,
    TransportConsumer,
)
from wrong_clients.helpers.rabbitmq_dialect import as_dialect
from wrong_clients.helpers.turns import Turn

_individual = RABBITMQ.modes[INDIVIDUAL_ACKNOWLEDGE]


@wrong("JMS-ACK-002", patches=(Settlement, "_acknowledge"))
def other_sessions_acknowledged(
    original: Callable[..., None],
    settlement: Settlement,
    delivery: SessionDelivery,
    message: PulsarMessage,
) -> None:
    """acknowledge() settles what the other sessions of the connection have delivered, too."""
    original(settlement, delivery, message)
    session: Any = settlement._session
    for other in list(session.connection._sessions):
        other.settlement.acknowledge()


@wrong(
    "JMS-ACK-007", "JMS-ACK-008", "JMS-REDL-012", "JMS-REDL-013", patches=(PulsarSession, "close")
)
def close_acknowledges(original: Callable[..., None], session: PulsarSession) -> None:
    """The close of a session acknowledges what it has delivered."""
    if not session.closed and session.transaction is None:
        session.settlement.acknowledge()
    original(session)


@wrong("JMS-ACK-004", patches=(Settlement, "deliver_to_listener"))
def settled_before_the_listener(
    original: Callable[..., None],
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    """In AUTO_ACKNOWLEDGE a message is acknowledged before its listener is called."""
    if settlement._acknowledges_itself:
        consumer.receive_queue.transport_consumer.acknowledge(delivered, None)
    original(settlement, consumer, delivered, listener)


@wrong("JMS-ACK-009", patches=(Settlement, "_acknowledge"))
def acknowledged_behind_the_close(settlement: Any, delivery: Any, message: Any) -> None:
    """acknowledge() of a message whose connection is closed does nothing, without a word."""


@wrong("SLJ-ACK-009", patches=(UnacknowledgedDeliveries, "take_through"))
def later_messages_acknowledged(open_deliveries: Any, number: Any) -> Any:
    """acknowledge() covers messages received later, too."""
    return open_deliveries.take_all()


@wrong("SLJ-ACK-014")
def individual_covers_earlier() -> AbstractContextManager[object]:
    """acknowledge() in INDIVIDUAL_ACKNOWLEDGE covers earlier messages, too."""
    return patch.dict(
        MODES,
        {INDIVIDUAL_ACKNOWLEDGE: MODES[INDIVIDUAL_ACKNOWLEDGE]._replace(call_covers=Covers.SO_FAR)},
    )


@wrong("SLJ-ACK-011")
def client_acknowledges_on_delivery() -> AbstractContextManager[object]:
    """CLIENT_ACKNOWLEDGE acknowledges what receive() returns, without a call."""
    return patch.dict(
        MODES,
        {
            SessionMode.CLIENT_ACKNOWLEDGE: MODES[SessionMode.CLIENT_ACKNOWLEDGE]._replace(
                at=AcknowledgedAt.DELIVERY
            )
        },
    )


@wrong("SLJ-ACK-001", patches=(connection, "check_mode"))
def any_mode_taken(mode: Any, modes: Any) -> Any:
    """An unknown session mode is taken for AUTO_ACKNOWLEDGE."""
    return mode if mode in modes else SessionMode.AUTO_ACKNOWLEDGE


_SPARED = Turn(5)


@wrong("JMS-ACK-001", patches=(Settlement, "acknowledge_all"), scenarios=WORKLOADS)
def last_of_a_batch_not_acknowledged(
    original: Callable[..., None],
    settlement: Settlement,
    deliveries: Iterable[SessionDelivery],
    within: BrokerTransaction | None = None,
) -> None:
    """One acknowledge() in five gives back the newest message."""
    deliveries = list(deliveries)
    if len(deliveries) > 1 and _SPARED.of(settlement):
        last = deliveries.pop()
        last.consumer.redelivery.redeliver_rejected([last.item])
    original(settlement, deliveries, within)


@wrong("JMS-ACK-003", "JMS-ACK-004", patches=(Settlement, "redeliver_failed"), scenarios=UNREADABLE)
def unreadable_messages_are_done(
    settlement: Settlement, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, error: Any
) -> None:
    """A message that cannot be read is acknowledged, and nobody has seen it."""
    consumer.receive_queue.acknowledge(delivered)


@wrong("AMQ-ACK-006", "AMQ-ACK-007", provider="reference/amq", name="101-covers-earlier-messages")
def mode_101_covers_earlier_messages() -> AbstractContextManager[object]:
    """acknowledge() in mode 101 covers earlier messages, too."""
    return patch.dict(amq.AMQ_MODES, {101: amq.AMQ_MODES[101]._replace(call_covers=Covers.SO_FAR)})


@wrong(
    "AMQ-ACK-008",
    "AMQ-ACK-010",
    patches=(amq, "SettledOnArrival"),
    provider="reference/amq",
    name="100-acknowledges-at-delivery",
)
def mode_100_acknowledges_at_delivery(plain: TransportConsumer, *_: object) -> TransportConsumer:
    """In modes 100 and 257 a message is acknowledged when receive() returns it, not before."""
    return plain


@wrong("AMQ-ACK-002", provider="reference/amq", name="102-is-100")
def mode_102_is_100() -> AbstractContextManager[object]:
    """A session with the unknown mode 102 is made, and acknowledges on arrival."""
    return patch.dict(amq.AMQ_MODES, {102: amq.AMQ_MODES[100]})


@wrong(
    "RMQ-ACK-001",
    "RMQ-ACK-004",
    patches=(UnacknowledgedDeliveries, "take_through"),
    provider="reference/rabbitmq",
)
def session_acknowledged(transaction: Any, _: Any) -> Any:
    """acknowledge() in CLIENT_ACKNOWLEDGE covers the whole session, as JMS has it."""
    return transaction.take_all()


def _with_individual(row: ModeRow) -> AbstractContextManager[object]:
    return as_dialect(modes={**RABBITMQ.modes, INDIVIDUAL_ACKNOWLEDGE: row})


@wrong("RMQ-ACK-010", provider="reference/rabbitmq")
def individual_mode_reported() -> AbstractContextManager[object]:
    """A session in CLIENT_INDIVIDUAL_ACKNOWLEDGE reports the vendor's number."""
    return _with_individual(_individual._replace(reported=None))


@wrong("RMQ-ACK-007", "RMQ-ACK-008", provider="reference/rabbitmq")
def individual_acknowledges_the_group() -> AbstractContextManager[object]:
    """acknowledge() in CLIENT_INDIVIDUAL_ACKNOWLEDGE covers earlier messages, too."""
    return _with_individual(_individual._replace(call_covers=Covers.SO_FAR))
