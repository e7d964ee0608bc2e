"""The delivery mode: carried where it is not the default, and without effect on storage."""

import pytest

from jmsapi import DeliveryMode
from touchstone.api import broker, content_of, portable, receive, requirement, slow


@requirement("SLJ-MODE-001")
def test_non_persistent_is_a_raw_property(jms, sent):
    """NON_PERSISTENT travels as its number in the raw property JMSDeliveryMode."""
    raw = sent(jms.text(), delivery_mode=DeliveryMode.NON_PERSISTENT)

    assert raw.properties.get("JMSDeliveryMode") == "1"


@requirement("SLJ-MODE-002")
@pytest.mark.parametrize(
    "chosen", [{"delivery_mode": DeliveryMode.PERSISTENT}, {}], ids=["chosen", "default"]
)
def test_persistent_leaves_no_trace(jms, queue, delivered, wire, chosen):
    """PERSISTENT, chosen or by default, leaves nothing on the wire, and the receiver reads it."""
    received = delivered(jms.text(), **chosen)

    assert received.jms_delivery_mode == DeliveryMode.PERSISTENT
    assert "JMSDeliveryMode" not in wire.only_message(queue).properties


@portable
@requirement("SLJ-MODE-003")
def test_receiver_sees_non_persistent(jms, delivered):
    """The receiver reads the NON_PERSISTENT that the sender chose."""
    received = delivered(jms.text(), delivery_mode=DeliveryMode.NON_PERSISTENT)

    assert received.jms_delivery_mode == DeliveryMode.NON_PERSISTENT


@slow
@requirement("SLJ-MODE-004")
@broker("plain", exclusive=True)
def test_non_persistent_survives_a_restart(jms, topic, name, broker_control):
    """A NON_PERSISTENT message waits for its durable subscriber through a restart of the broker."""
    client_id = name("subscriber")
    with jms.connection(client_id=client_id) as connection:
        connection.create_session().create_durable_consumer(topic, "kept").close()
    jms.producer(topic).send(jms.text("kept"), delivery_mode=DeliveryMode.NON_PERSISTENT)

    broker_control.restart()

    session = jms.connection(client_id=client_id).create_session()
    assert content_of(receive(session.create_durable_consumer(topic, "kept"))) == "kept"
