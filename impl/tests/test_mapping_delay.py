"""Delivery delay as rules, and how a send carries it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import JMSException
from pulsar_jms.mapping.delay import deliver_at, delivery_time_of
from pulsar_jms.mapping.destinations import create_queue
from pulsar_jms.messages import PulsarTextMessage, SendParameters, encode
from pulsar_jms.transport.wire_messages import OutgoingMessage

LAST = 2**63 - 1


def encoded(message: PulsarTextMessage, delay: int, sent_at: int = 1000) -> OutgoingMessage:
    sending = SendParameters(create_queue("q"), sent_at, delivery_delay=delay)
    return encode(message, sending, "connection", "public/default")


@given(st.integers(0, 2**61), st.integers(1, 2**61))
def test_a_delayed_message_says_to_all_when_it_may_come(sent_at: int, delay: int) -> None:
    message = PulsarTextMessage("m")
    outgoing = encoded(message, delay, sent_at)
    assert outgoing.deliver_at == message.jms_delivery_time == sent_at + delay
    assert outgoing.properties["JMSDeliveryTime"] == str(sent_at + delay)
    assert outgoing.event_time == sent_at


def test_without_a_delay_the_broker_is_told_nothing() -> None:
    outgoing = encoded(PulsarTextMessage("m"), 0)
    assert outgoing.deliver_at is None
    assert outgoing.properties["JMSDeliveryTime"] == "1000"
    assert deliver_at(1000, 0) is None


def test_a_delay_may_last_as_long_as_a_long() -> None:
    assert delivery_time_of(1000, LAST - 1000) == LAST
    with pytest.raises(JMSException, match=f"delivery_delay {LAST - 999} .*JMSDeliveryTime"):
        delivery_time_of(1000, LAST - 999)


def test_a_refused_delay_leaves_the_message_as_it_was() -> None:
    message = PulsarTextMessage("m")
    with pytest.raises(JMSException, match="delivery_delay"):
        encoded(message, LAST)
    assert (message.jms_delivery_time, message.jms_timestamp) == (0, 0)
    assert message.jms_destination is None
