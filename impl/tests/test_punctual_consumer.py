"""Messages that the broker delivers early wait for the rest of their delay."""

from __future__ import annotations

from collections import deque
from typing import Any

from pulsar_jms.deliveries.punctual_consumer import PunctualConsumer
from pulsar_jms.mapping.delay import time_until_delivery
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

SENT = 1_000


class Item:
    """A delivered message, known by its text, that was sent with a delay."""

    def __init__(self, text: str, delay: int) -> None:
        self.message = IncomingMessage(
            text.encode(),
            False,
            {"JMSDeliveryTime": str(SENT + delay)},
            MessagePosition(1, 1),
            event_time=SENT,
            publish_time=SENT,
            topic="t",
        )

    def without_content(self) -> Item:
        return self


class FakeConsumer:
    """A consumer whose waiting moves the clock."""

    def __init__(self, now: int, *waiting: Item) -> None:
        self.now = now
        self.waiting = deque(waiting)
        self.calls: list[str] = []

    def clock(self) -> int:
        return self.now

    def receive(self, timeout: int) -> DeliveredMessage | None:
        if self.waiting:
            return self.waiting.popleft()
        self.now += timeout
        return None

    def nack_all(self) -> None:
        self.calls.append("nack_all")

    def close(self) -> None:
        self.calls.append("close")

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append(name)


def punctual(consumer: FakeConsumer) -> PunctualConsumer:
    return PunctualConsumer(consumer, consumer.clock)


def taken(consumer: PunctualConsumer, timeout: int) -> str | None:
    delivered = consumer.receive(timeout)
    return None if delivered is None else delivered.message.payload.decode()


def test_a_message_comes_when_it_is_due_and_no_sooner() -> None:
    consumer = FakeConsumer(SENT + 450, Item("early", 500))
    assert taken(punctual(consumer), 200) == "early"
    assert consumer.now == SENT + 500


def test_other_messages_pass_one_that_is_early() -> None:
    consumer = FakeConsumer(SENT + 450, Item("early", 500), Item("at once", 0), Item("due", 450))
    wrapped = punctual(consumer)
    assert [taken(wrapped, 100) for _ in range(4)] == ["at once", "due", "early", None]
    assert consumer.now == SENT + 600


def test_early_messages_come_in_the_order_in_which_they_are_due() -> None:
    consumer = FakeConsumer(SENT, Item("third", 50), Item("first", 10), Item("second", 10))
    wrapped = punctual(consumer)
    assert [taken(wrapped, 100) for _ in range(3)] == ["first", "second", "third"]


def test_no_wait_is_longer_than_was_asked_for() -> None:
    consumer = FakeConsumer(SENT, Item("early", 500))
    wrapped = punctual(consumer)
    assert taken(wrapped, 0) is None
    assert taken(wrapped, 300) is None
    assert consumer.now == SENT + 300


def test_what_is_given_back_with_everything_comes_only_from_the_broker() -> None:
    consumer = FakeConsumer(SENT, Item("early", 500))
    wrapped = punctual(consumer)
    assert taken(wrapped, 0) is None
    wrapped.nack_all()
    assert taken(wrapped, 1_000) is None
    wrapped.close()
    assert consumer.calls == ["nack_all", "close"]


def test_the_broker_decides_about_clocks_that_differ() -> None:
    assert time_until_delivery(SENT + 1_000, SENT, SENT) == 1_000
    assert time_until_delivery(SENT + 1_001, SENT, SENT) == 0
    assert time_until_delivery(SENT, SENT, SENT - 500) == 0
    assert time_until_delivery(SENT + 1, SENT, SENT + 1) == 0
