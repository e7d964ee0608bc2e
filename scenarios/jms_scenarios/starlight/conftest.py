"""What many scenarios do: make a message with typed properties, send it, look at what arrived."""

from __future__ import annotations

import pytest

from jms_scenarios.deliveries import Watched
from jmsapi import Byte, Double, Float, Int, Long, Short
from touchstone.api import receive

_SETTERS = {
    bool: "set_boolean_property",
    Byte: "set_byte_property",
    Short: "set_short_property",
    Int: "set_int_property",
    Long: "set_long_property",
    Float: "set_float_property",
    Double: "set_double_property",
    str: "set_string_property",
}


@pytest.fixture
def message_with(jms):
    """`message_with({name: value})`: a message with each property set by its type's own setter."""

    def message_with(properties):
        message = jms.session().create_message()
        for name, value in properties.items():
            getattr(message, _SETTERS[type(value)])(name, value)
        return message

    return message_with


@pytest.fixture
def sent(jms, queue, wire):
    """`sent(message)`: sends it to `queue` and gives the one raw message that it became."""

    def sent(message, **options):
        jms.producer(queue).send(message, **options)
        return wire.only_message(queue)

    return sent


@pytest.fixture
def published(queue, wire, inbox):
    """`published(payload, ...)`: a foreign client's message as a JMS consumer receives it."""

    def published(payload, **options):
        consumer = inbox()
        wire.send(queue, payload, **options)
        return receive(consumer)

    return published


@pytest.fixture
def watched(faults, jms_at):
    """The client under test, behind a proxy that notes what the broker delivers to it."""
    proxy, address = faults.frame_proxy()
    return Watched(jms_at(address), proxy)
