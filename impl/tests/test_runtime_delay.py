"""Delivery delay on a real broker."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from jmsapi import JMSException, JMSRuntimeException, Message, TextMessage
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection

Connect = Callable[..., PulsarConnection]
Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
PATIENCE = 20_000
"""Milliseconds for something that has to happen on a loaded machine."""
DELAY, EARLY = 600, 100
"""Milliseconds; the broker, as the tests start it, may be so much early."""


def is_due(message: Message | None) -> bool:
    assert message is not None
    assert message.jms_delivery_time == message.jms_timestamp + DELAY
    return time.time() * 1000 >= message.jms_delivery_time - EARLY


def test_a_queue_hands_out_a_delayed_message_when_it_is_due(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    producer = session.create_producer(queue)
    producer.delivery_delay = DELAY
    producer.send(session.create_text_message("late"))
    assert is_due(consumer.receive(PATIENCE))


def test_the_simplified_producer_delays_too(factories: Factories, name: Name) -> None:
    with factories().create_context() as context:
        queue = context.create_queue(name())
        consumer = context.create_consumer(queue)
        context.create_producer().set_delivery_delay(DELAY).send(queue, "late")
        assert is_due(consumer.receive(PATIENCE))


@pytest.mark.parametrize("delay", [-1, 1.5, "1", True, None])
def test_a_delay_that_is_no_number_of_milliseconds_is_refused(
    connect: Connect, factories: Factories, name: Name, delay: object
) -> None:
    session = connect().create_session()
    producer = session.create_producer(session.create_queue(name()))
    with pytest.raises(JMSException, match=r"delivery_delay.*0 or more"):
        producer.delivery_delay = delay  # type: ignore[assignment]
    assert producer.delivery_delay == 0
    with (
        factories().create_context() as context,
        pytest.raises(JMSRuntimeException, match=r"delivery_delay.*0 or more"),
    ):
        context.create_producer().set_delivery_delay(delay)  # type: ignore[arg-type]


def test_a_delay_beyond_all_times_is_refused_and_nothing_is_sent(
    connect: Connect, name: Name
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    producer = session.create_producer(queue)
    producer.delivery_delay = 2**63 - 1
    with pytest.raises(JMSException, match="delivery_delay"):
        producer.send(session.create_text_message("never"))
    producer.delivery_delay = 0
    producer.send(session.create_text_message("now"))
    message = consumer.receive(PATIENCE)
    assert isinstance(message, TextMessage)
    assert message.text == "now"
