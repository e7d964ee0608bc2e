"""Clients that are wrong about what the core says of acknowledgement and redelivery."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import MessageListener
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.messages import PulsarMessage, message, received_properties
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import SessionDelivery, Settlement
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from touchstone.mutants.registry import Mutant

_acknowledge = Settlement._acknowledge
_close = PulsarSession.close
_to_listener = Settlement.deliver_to_listener
_nack = ReceiveQueue.nack


def _with_other_sessions(
    settlement: Settlement, delivery: SessionDelivery, message: PulsarMessage
) -> None:
    _acknowledge(settlement, delivery, message)
    session: Any = settlement._session
    for other in list(session.connection._sessions):
        other.settlement.acknowledge()


def _acknowledging_close(session: PulsarSession) -> None:
    if not session.closed and session.transaction is None:
        session.settlement.acknowledge()
    _close(session)


def _settled_first(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    if settlement._acknowledges_itself:
        consumer.receive_queue.transport_consumer.acknowledge(delivered, None)
    _to_listener(settlement, consumer, delivered, listener)


def _newest_first(
    receive_queue: ReceiveQueue, items: Sequence[DeliveredMessage], wait: float, *, halt: bool
) -> None:
    if len(items) < 2:
        _nack(receive_queue, items, wait, halt=halt)
        return
    with receive_queue._lock:
        for item in items:
            receive_queue._settled += 1
            receive_queue._held.appendleft(item)
        receive_queue._slow_path = True


OTHER_SESSIONS_ACKNOWLEDGED = Mutant(
    name="other-sessions-acknowledged",
    area="acknowledgement",
    violates=("JMS-ACK-002",),
    doc="acknowledge() settles what the other sessions of the connection have delivered, too.",
    apply=partial(patch.object, Settlement, "_acknowledge", _with_other_sessions),
)
CLOSE_ACKNOWLEDGES = Mutant(
    name="close-acknowledges",
    area="acknowledgement",
    violates=("JMS-ACK-007", "JMS-ACK-008", "JMS-REDL-012", "JMS-REDL-013"),
    doc="The close of a session acknowledges what it has delivered.",
    apply=partial(patch.object, PulsarSession, "close", _acknowledging_close),
)
SETTLED_BEFORE_THE_LISTENER = Mutant(
    name="settled-before-the-listener",
    area="acknowledgement",
    violates=("JMS-ACK-004",),
    doc="In AUTO_ACKNOWLEDGE a message is acknowledged before its listener is called.",
    apply=partial(patch.object, Settlement, "deliver_to_listener", _settled_first),
)
ACKNOWLEDGED_BEHIND_THE_CLOSE = Mutant(
    name="acknowledged-behind-the-close",
    area="acknowledgement",
    violates=("JMS-ACK-009",),
    doc="acknowledge() of a message whose connection is closed does nothing, without a word.",
    apply=partial(
        patch.object, Settlement, "_acknowledge", lambda settlement, delivery, message: None
    ),
)
FLAG_COMES_LATE = Mutant(
    name="flag-comes-late",
    area="redelivery",
    violates=("JMS-REDL-001", "JMS-REDL-005", "JMS-TX-004"),
    doc="JMSRedelivered is true from the third delivery on.",
    apply=partial(
        patch.object, message, "is_redelivered", lambda redelivery_count: redelivery_count > 1
    ),
)
COUNT_STOPS_AT_TWO = Mutant(
    name="count-stops-at-two",
    area="redelivery",
    violates=("JMS-REDL-003",),
    doc="JMSXDeliveryCount says no more than that a message was delivered before.",
    apply=partial(
        patch.object,
        received_properties,
        "delivery_count",
        lambda redelivery_count: 2 if redelivery_count else 1,
    ),
)
RECOVERED_NEWEST_FIRST = Mutant(
    name="recovered-newest-first",
    area="redelivery",
    violates=("JMS-REDL-006", "JMS-TX-004"),
    doc="What is given back comes again in the reverse order.",
    apply=partial(patch.object, ReceiveQueue, "nack", _newest_first),
)
