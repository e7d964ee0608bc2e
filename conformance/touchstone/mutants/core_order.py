"""Clients that are wrong about what the core says of order and transactions."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import CompletionListener, DeliveryMode, Message
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.messages import mark_sent
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.settling.broker_transactions import RealTransaction
from pulsar_jms.settling.transactions import EmulatedTransaction
from pulsar_jms.transport.transport_protocol import DeliveredMessage, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage
from touchstone.mutants.registry import Mutant

_take = ReceiveQueue.take
_send = PulsarMessageProducer.send
_commit = EmulatedTransaction.commit
_overtaken: dict[ReceiveQueue, DeliveredMessage] = {}
_kept: dict[PulsarMessageProducer, tuple[Message, dict[str, Any]]] = {}
_waiting: dict[EmulatedTransaction, list[tuple[TransportProducer, OutgoingMessage, Message]]] = {}


def _second_first(receive_queue: ReceiveQueue, wait: float) -> DeliveredMessage | None:
    if receive_queue in _overtaken:
        return _overtaken.pop(receive_queue)
    first = _take(receive_queue, wait)
    second = None if first is None else _take(receive_queue, 0.0)
    if first is None or second is None:
        return first
    _overtaken[receive_queue] = first
    return second


def _later_in_pairs(producer: PulsarMessageProducer, message: Message, **options: Any) -> None:
    if options.get("delivery_mode") != DeliveryMode.NON_PERSISTENT:
        _send(producer, message, **options)
    elif producer not in _kept:
        _kept[producer] = (message, options)
    else:
        earlier, earlier_options = _kept.pop(producer)
        _send(producer, message, **options)
        _send(producer, earlier, **earlier_options)


def _at_commit(
    transaction: EmulatedTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    _waiting.setdefault(transaction, []).append((transport_producer, outgoing, message))


def _backwards(transaction: EmulatedTransaction) -> None:
    for transport_producer, outgoing, message in reversed(_waiting.pop(transaction, [])):
        mark_sent(message, transport_producer.send(outgoing))
    _commit(transaction)


def _commit_with(transaction: RealTransaction, consumer: PulsarMessageConsumer) -> None:
    transaction.commit()


PAIRS_TURNED = Mutant(
    name="pairs-turned",
    area="order",
    violates=("JMS-ORD-001", "JMS-ORD-004", "JMS-ORD-005"),
    doc="Of two messages that are there the later one comes first.",
    apply=partial(patch.object, ReceiveQueue, "take", _second_first),
)
NON_PERSISTENT_PAIRS_TURNED = Mutant(
    name="non-persistent-pairs-turned",
    area="order",
    violates=("JMS-ORD-002",),
    doc="Of two NON_PERSISTENT messages of a producer the later one is sent first.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _later_in_pairs),
)
COMMIT_SENDS_BACKWARDS = Mutant(
    name="commit-sends-backwards",
    area="order",
    violates=("JMS-ORD-003",),
    doc="commit() sends what the transaction holds in the reverse order.",
    apply=partial(patch.multiple, EmulatedTransaction, send=_at_commit, commit=_backwards),
)
DELAYED_IN_TURN = Mutant(
    name="delayed-in-turn",
    area="order",
    violates=("JMS-ORD-006",),
    doc="A delivery delay is accepted and forgotten.",
    apply=partial(
        patch.object,
        PulsarMessageProducer,
        "delivery_delay",
        property(lambda producer: 0, lambda producer, value: None),
    ),
)
CLOSE_COMMITS = Mutant(
    name="close-commits",
    area="transactions",
    violates=("JMS-TX-007", "JMS-TX-008"),
    doc="The close of a session commits its open transaction.",
    apply=partial(patch.object, RealTransaction, "drop", lambda one: one.commit()),
    provider="reference-java",
)
CONSUMER_CLOSE_COMMITS = Mutant(
    name="consumer-close-commits",
    area="transactions",
    violates=("JMS-TX-005",),
    doc="The close of a consumer commits the transaction of its session.",
    apply=partial(patch.object, RealTransaction, "leave", _commit_with),
    provider="reference-java",
)
