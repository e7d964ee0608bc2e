"""Producers: how sends of pulsar-client travel, and when a producer is closed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from jmsapi import JMSException
from pulsar_jms.shared_producers import SharedProducers
from pulsar_jms.transport.pulsar_client.pulsar_producer import PulsarClientProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage


class Producer:
    """Counts what is sent by it."""

    def __init__(self) -> None:
        self.sent = 0

    def send(self, message: object) -> object:
        """Sent, and waited for."""
        self.sent += 1
        return object()

    def send_async(self, message: object, outcome: object) -> None:
        """Started."""
        self.sent += 1

    def flush(self) -> None:
        """All arrive."""

    def close(self) -> None:
        """Nothing to give back."""


@pytest.mark.parametrize(("batches", "made"), [(True, [True, False]), (False, [False])])
def test_asynchronous_sends_go_in_batches_unless_these_are_switched_off(
    batches: bool, made: list[bool]
) -> None:
    """Without batches one producer, which makes none, does for both kinds of sends."""
    producers: list[tuple[bool, Producer]] = []

    def make(topic: str, *, batching: bool) -> Producer:
        producers.append((batching, Producer()))
        return producers[-1][1]

    producer = PulsarClientProducer(
        make, "orders", lambda error, text: JMSException(text), batches=batches
    )
    producer.send_async(_message(), lambda *_: None)
    producer.send(_message())
    producer.send_async(_message(), lambda *_: None)

    assert [batching for batching, _ in producers] == made
    assert sum(producer.sent for _, producer in producers) == 3


def _message() -> Any:
    return OutgoingMessage(b"body", {}, None, None)


class Made:
    """A producer that notes its close, and a transport of such."""

    def __init__(self) -> None:
        self.known: dict[str, Made] = {}
        self.closed = threading.Event()

    def producer(self, topic: str, router: object) -> Made:
        """The one of a topic."""
        return self.known.setdefault(topic, Made())

    def forget(self, producer: Made) -> None:
        """Make another one the next time."""
        self.known = {topic: each for topic, each in self.known.items() if each is not producer}

    def close(self) -> None:
        """Note it."""
        self.closed.set()


class Clock:
    """A timer by which time passes when it is told to."""

    def __init__(self) -> None:
        self._due: list[Callable[[], None]] = []

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Keep it."""
        self._due.append(action)

    def passes(self) -> None:
        """Do all that was kept."""
        due, self._due = self._due, []
        for action in due:
            action()


def test_a_producer_is_closed_when_its_last_user_has_been_gone_for_a_while() -> None:
    transport, clock = Made(), Clock()
    producers: Any = SharedProducers(cast(Any, transport), cast(Any, clock))
    shared = producers.producer("a", "orders", None)
    assert producers.producer("b", "orders", None) is shared
    other = producers.producer("b", "news", None)

    producers.leave("a")
    clock.passes()
    assert not shared.closed.is_set()

    producers.leave("b")
    assert not shared.closed.is_set()
    assert producers.producer("c", "orders", None) is shared
    clock.passes()
    assert not shared.closed.is_set()
    assert other.closed.is_set()

    producers.leave("c")
    producers.leave("c")
    clock.passes()
    assert shared.closed.is_set()
    assert producers.producer("d", "orders", None) is not shared
