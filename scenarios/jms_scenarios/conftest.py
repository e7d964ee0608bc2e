"""What scenarios of every document share besides the fixtures that Touchstone offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from jms_scenarios.property_values import set_property
from jms_scenarios.traffic import numbered, send
from jmsapi import Message, PropertyValue, Queue
from touchstone.api import QueueView, UnderTest, until


@pytest.fixture
def full_queue(
    jms: UnderTest, queues: QueueView, name: Callable[[str], str]
) -> Callable[[int], Queue]:
    """`full_queue(3)`: a fresh queue with so many messages, by the broker's account.

    Their texts are `numbered(3, queue.queue_name)`.
    """

    def full_queue(count: int) -> Queue:
        queue = jms.queue(name("queue"))
        send(jms.connected, queue, numbered(count, queue.queue_name))
        if count:  # some brokers know a queue only when it has had a message
            until(lambda: queues.pending(queue) == count)
        return queue

    return full_queue


@pytest.fixture
def message_with(jms: UnderTest) -> Callable[[Mapping[str, PropertyValue]], Message]:
    """`message_with({name: value})`: a message with each property set by its type's own setter."""

    def message_with(properties: Mapping[str, PropertyValue]) -> Message:
        message = jms.session().create_message()
        for name, value in properties.items():
            set_property(message, name, value)
        return message

    return message_with


@pytest.fixture(params=["fresh", "received"])
def shown(
    request: pytest.FixtureRequest, delivered: Callable[..., Message]
) -> Callable[[Message], Message]:
    """`shown(message)`: the message itself, or as it is received."""
    return delivered if request.param == "received" else lambda message: message
