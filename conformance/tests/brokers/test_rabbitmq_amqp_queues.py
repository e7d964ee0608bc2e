"""Messages of AMQP 1.0 as the plug-in of RabbitMQ 3.x keeps them are read in the terms of JMS."""

from __future__ import annotations

import pika
import pytest

from jms_brokers.amqp import messages
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.amqp.queues import carried_message
from jms_brokers.amqp.values import AmqpError
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq.amqp_queues import QueuesOfAmqp, stored_message
from jms_brokers.shared.registry import probe_for
from jms_clients.registry import load_provider

ADDRESS = BrokerAddress("amqp://127.0.0.1:1", "", "plain", "embedded", "", family="rabbitmq")
BODY = messages.write(AmqpMessage("höllo"))
PROPERTIES = composite("properties", subject="type", **{"correlation-id": "c"})
SENT = messages.write(AmqpMessage("", properties=PROPERTIES, application={"size": 7}))
SECTIONS = SENT.removesuffix(messages.write(AmqpMessage("")))
"""Properties and application properties, without a body."""


def kept(**told: object) -> pika.BasicProperties:
    """What AMQP 0-9-1 tells of a persistent message."""
    return pika.BasicProperties(delivery_mode=2, **told)


def test_a_text_is_read_with_its_properties() -> None:
    told = kept(type="amqp-1.0", headers={"x-amqp-1.0-properties": SECTIONS})

    message = carried_message(stored_message(told, BODY))

    assert (message.text, message.jms_type, message.correlation_id) == ("höllo", "type", "c")
    assert (message.properties, message.durable) == ({"size": "7"}, True)


def test_what_pika_gives_as_a_text_is_read_as_the_bytes_that_came() -> None:
    empty = "\x00\x53\x73\x45"  # a section of properties, without any: valid in UTF-8
    told = kept(type="amqp-1.0", headers={"x-amqp-1.0-properties": empty})

    assert carried_message(stored_message(told, BODY)).text == "höllo"


def test_data_is_kept_bare() -> None:
    message = stored_message(kept(type="binary"), b"\x00\xff")

    assert (message.data, message.text) == (b"\x00\xff", None)


def test_a_body_that_is_no_section_is_said() -> None:
    with pytest.raises(AmqpError):
        stored_message(kept(type="amqp-1.0"), b"\x00\xff")


def test_the_view_is_chosen_by_the_protocol_of_the_client() -> None:
    there = load_provider("qpid+on:rabbitmq")
    protocol = getattr(there, "own_protocol", "")

    assert isinstance(probe_for(ADDRESS, "", protocol).queues, QueuesOfAmqp)
    assert not isinstance(probe_for(ADDRESS, "").queues, QueuesOfAmqp)
    assert getattr(load_provider("qpid"), "own_protocol", "") == ""


def test_nothing_damaged_is_sent() -> None:
    queues = QueuesOfAmqp(ADDRESS)

    assert queues.poisons("body") == ()
    with pytest.raises(BrokerError, match="Nothing damaged"):
        queues.send_poisoned(None, ["good"])  # type: ignore[arg-type]
