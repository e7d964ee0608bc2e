"""Selectors, noLocal and expiration on the real broker, beyond what the catalogue judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from jmsapi import (
    Destination,
    Message,
    TextMessage,
)
from pulsar_jms.connection import PulsarConnection
from pulsar_jms.session import PulsarSession

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
NACK_DELAY = "consumerConfig.negativeAckRedeliveryDelayMicros"
LONG, SHORT = {NACK_DELAY: 3_600_000_000}, {NACK_DELAY: 50_000}


def send(session: PulsarSession, to: Destination, xs: Iterable[int]) -> None:
    """Send one message for each x; its text is the number, so is its property x."""
    with session.create_producer(to) as producer:
        for x in xs:
            message = session.create_text_message(str(x))
            message.set_int_property("x", x)
            producer.send(message)


def text(message: Message | None) -> str | None:
    """The text of a message that must be there."""
    assert isinstance(message, TextMessage)
    return message.text


def test_selector_is_told_and_the_empty_one_is_none(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue, topic = session.create_queue(name()), session.create_topic(name())
    assert session.create_consumer(queue, "x = 1").message_selector == "x = 1"
    assert session.create_consumer(queue, "").message_selector is None
    assert session.create_consumer(topic, None).message_selector is None


def test_given_back_messages_do_not_hide_later_ones(connect: Connect, name: Name) -> None:
    session = connect(LONG).create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue, "x = 1")
    send(session, queue, [2] * 500 + [1] + [2] * 500 + [1])
    assert [text(consumer.receive(30_000)) for _ in range(2)] == ["1", "1"]


def test_receive_no_wait_looks_behind_what_does_not_match(connect: Connect, name: Name) -> None:
    session = connect(LONG).create_session()
    queue = session.create_queue(name())
    send(session, queue, [2, 2, 2, 1])
    consumer = session.create_consumer(queue, "x = 1 OR x = 3")
    assert text(consumer.receive(10_000)) == "1"
    send(session, queue, [2, 2, 2, 3])
    found = None
    while found is None:
        found = consumer.receive_no_wait()
    assert text(found) == "3"
