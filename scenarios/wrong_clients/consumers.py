"""Clients that are wrong about consumers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from jms_clients.mutants.mutant import UNREADABLE
from jms_clients.mutants.wrong import wrong
from jmsapi import Message
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from wrong_clients.helpers.unreadable import after_unreadable, struck

_deliver = Settlement.deliver


@wrong("JMS-CONS-001", patches=(PulsarMessageConsumer, "receive"))
def receive_of_zero_does_not_wait(
    original: Callable[..., Message | None],
    consumer: PulsarMessageConsumer,
    timeout: int | None = None,
) -> Message | None:
    """receive(0) gives what is there, or nothing."""
    return consumer.receive_no_wait() if timeout == 0 else original(consumer, timeout)


@wrong("JMS-CONS-002", patches=(PulsarMessageConsumer, "receive"))
def receive_overstays(
    original: Callable[..., Message | None],
    consumer: PulsarMessageConsumer,
    timeout: int | None = None,
) -> Message | None:
    """receive(timeout) waits two seconds more than it was told."""
    return original(consumer, timeout + 2000 if timeout else timeout)


@wrong("JMS-CONS-004", patches=(Dispatcher, "_wait"))
def consumer_leaves_its_listener_behind(dispatcher: Any, condition: Any) -> None:
    """close() does not wait for the listener that is at work."""


@wrong("JMS-CONS-008", patches=(ReceiveQueue, "close"))
def consumer_keeps_what_it_fetched(
    original: Callable[..., None], receive_queue: ReceiveQueue
) -> None:
    """What a consumer fetched ahead is gone with it."""
    while (delivered := receive_queue.transport_consumer.receive(100)) is not None:
        receive_queue.transport_consumer.acknowledge(delivered)
    original(receive_queue)


def _next_one_too(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    kind: type | None,
) -> PulsarMessage | None:
    if consumer not in struck:
        return _deliver(settlement, consumer, delivered, kind)
    struck.discard(consumer)
    consumer.receive_queue.acknowledge(delivered)
    return None


@wrong("JMS-CONS-001", scenarios=UNREADABLE)
def unreadable_messages_take_the_next() -> AbstractContextManager[object]:
    """With a message that cannot be read the one behind it is gone, too."""
    return after_unreadable("deliver", _next_one_too)
