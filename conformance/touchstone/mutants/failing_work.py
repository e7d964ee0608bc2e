"""Clients that are wrong with what was not settled when something failed: workloads tell."""

from __future__ import annotations

from functools import partial
from itertools import count
from unittest.mock import patch

from jmsapi import Message, MessageListener
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from touchstone.mutants.registry import WORKLOADS, Mutant
from touchstone.mutants.subscriptions import subscribed_afresh

_FLAGGED = 4
"""Repeats that are flagged as they should be: more than other scenarios look at."""

_close, _deliver_to_listener = PulsarSession.close, Settlement.deliver_to_listener
_closes, _repeats = count(1), count(1)


def _closed_over_the_oldest(session: PulsarSession) -> None:
    held = [] if session.closed else session.settlement.take_all()
    if held and next(_closes) % 2 == 0:
        held[0].consumer.receive_queue.acknowledge(held[0].item)
    _close(session)


def _later_as_if_fresh(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    def told(repeated: Message) -> None:
        if repeated.jms_redelivered and next(_repeats) > _FLAGGED:
            repeated.jms_redelivered = False
        listener(repeated)

    _deliver_to_listener(settlement, consumer, delivered, told)


OLDEST_ACKNOWLEDGED_BY_CLOSE = Mutant(
    name="oldest-acknowledged-by-close",
    area="redelivery",
    # a broker that is killed forgets such an acknowledgement: JMS-REDL-016 holds all the same
    violates=("JMS-REDL-012", "JMS-REDL-013"),
    doc="Every other session that is closed with open messages acknowledges the oldest.",
    apply=partial(patch.object, PulsarSession, "close", _closed_over_the_oldest),
    scenarios=WORKLOADS,
)
LATER_REPEATS_OF_LISTENERS_UNFLAGGED = Mutant(
    name="later-repeats-of-listeners-unflagged",
    area="redelivery",
    violates=("JMS-ACK-005", "JMS-REDL-008"),
    doc="Listeners see JMSRedelivered false from the fifth repeat on.",
    apply=partial(patch.object, Settlement, "deliver_to_listener", _later_as_if_fresh),
    scenarios=WORKLOADS,
)
REOPENED_WITHOUT_THE_OLD = Mutant(
    name="reopened-without-the-old",
    area="redelivery",
    violates=("JMS-REDL-016",),
    doc="A durable subscription that is opened again begins anew, without what it was owed.",
    apply=partial(patch.object, PulsarClientTransport, "subscribe", subscribed_afresh),
    scenarios="test_unacknowledged_messages_outlive",
)
