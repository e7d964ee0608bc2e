"""Clients that are wrong about the order of messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.mutant import WORKLOADS
from jms_clients.mutants.wrong import wrong
from jmsapi import CompletionListener, DeliveryMode, Message
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.messages import mark_sent
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.settling.transactions import EmulatedTransaction
from pulsar_jms.transport.transport_protocol import DeliveredMessage, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage
from wrong_clients.helpers.turns import Turn

_overtaken: dict[ReceiveQueue, DeliveredMessage] = {}
_kept: dict[PulsarMessageProducer, tuple[Message, dict[str, Any]]] = {}
_waiting: dict[EmulatedTransaction, list[tuple[TransportProducer, OutgoingMessage, Message]]] = {}
_commit = EmulatedTransaction.commit
_SOON = 0.05
"""Seconds that the second of two messages is waited for."""
_OVERTAKEN_BY = 5
"""Messages: of both delivery modes, and of several producers."""
_ahead: dict[ReceiveQueue, deque[DeliveredMessage]] = {}


@wrong("JMS-ORD-001", "JMS-ORD-004", "JMS-ORD-005", patches=(ReceiveQueue, "take"))
def pairs_turned(
    original: Callable[..., DeliveredMessage | None], receive_queue: ReceiveQueue, wait: float
) -> DeliveredMessage | None:
    """Of two messages that are there the later one comes first."""
    if receive_queue in _overtaken:
        return _overtaken.pop(receive_queue)
    first = original(receive_queue, wait)
    second = None if first is None else original(receive_queue, 0.0)
    if first is None or second is None:
        return first
    _overtaken[receive_queue] = first
    return second


@wrong("JMS-ORD-002", patches=(PulsarMessageProducer, "send"))
def non_persistent_pairs_turned(
    original: Callable[..., None], producer: PulsarMessageProducer, message: Message, **options: Any
) -> None:
    """Of two NON_PERSISTENT messages of a producer the later one is sent first."""
    if options.get("delivery_mode") != DeliveryMode.NON_PERSISTENT:
        original(producer, message, **options)
    elif producer not in _kept:
        _kept[producer] = (message, options)
    else:
        earlier, earlier_options = _kept.pop(producer)
        original(producer, message, **options)
        original(producer, earlier, **earlier_options)


def _at_commit(
    transaction: EmulatedTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    _waiting.setdefault(transaction, []).append((transport_producer, outgoing, message))


def _commit_reversed(transaction: EmulatedTransaction) -> None:
    for transport_producer, outgoing, message in reversed(_waiting.pop(transaction, [])):
        mark_sent(message, transport_producer.send(outgoing))
    _commit(transaction)


@wrong("JMS-ORD-003")
def commit_sends_backwards() -> AbstractContextManager[object]:
    """commit() sends what the transaction holds in the reverse order."""
    return patch.multiple(EmulatedTransaction, send=_at_commit, commit=_commit_reversed)


@wrong("JMS-ORD-006")
def delayed_in_turn() -> AbstractContextManager[object]:
    """A delivery delay is accepted and forgotten."""
    return patch.object(
        PulsarMessageProducer,
        "delivery_delay",
        property(lambda producer: 0, lambda producer, value: None),
    )


_TURNED = Turn(20)


@wrong(
    "SLJ-INTR-004",
    "JMS-ORD-001",
    "JMS-ORD-003",
    patches=(ReceiveQueue, "take"),
    scenarios=WORKLOADS,
)
def turns_one_pair_in_twenty(
    original: Callable[..., DeliveredMessage | None], receive_queue: ReceiveQueue, wait: float
) -> DeliveredMessage | None:
    """Now and then the later of two messages comes first."""
    if receive_queue in _overtaken:
        return _overtaken.pop(receive_queue)
    first = original(receive_queue, wait)
    second = (
        original(receive_queue, _SOON) if first is not None and _TURNED.of(receive_queue) else None
    )
    if first is None or second is None:
        return first
    _overtaken[receive_queue] = first
    return second


_LATE = Turn(20)


@wrong("JMS-ORD-002", patches=(ReceiveQueue, "take"), scenarios=WORKLOADS)
def one_in_twenty_held_up(
    original: Callable[..., DeliveredMessage | None], receive_queue: ReceiveQueue, wait: float
) -> DeliveredMessage | None:
    """One message in twenty comes after the next five."""
    if _ahead.get(receive_queue):
        return _ahead[receive_queue].popleft()
    first = original(receive_queue, wait)
    if first is None or not _LATE.of(receive_queue):
        return first
    others = (original(receive_queue, _SOON) for _ in range(_OVERTAKEN_BY))
    _ahead[receive_queue] = deque([*filter(None, others), first])
    return _ahead[receive_queue].popleft()
