"""Interop: messages of native clients, and messages of another JMS provider."""

import pytest

from jms_scenarios.core.exchange import CLIENT
from jms_scenarios.foreign_messages import ForeignText
from jms_scenarios.traffic import texts
from jmsapi import Queue
from touchstone.api import (
    content_of,
    eventually,
    kind_of,
    not_applicable,
    observe,
    permissive,
    receive,
    requirement,
)


@requirement("JMS-INTR-001")
@pytest.mark.parametrize(
    ("body", "fitting"),
    [
        ("hello", {"text": "hello", "bytes": b"hello"}),
        (b"\x00\xff", {"bytes": b"\x00\xff"}),
        ({"a": 1}, {"map": {"a": 1}}),
        ([1, 2], {"stream": [1, 2]}),
    ],
    ids=["text", "bytes", "map", "list"],
)
def test_native_message_is_of_the_most_fitting_kind(jms, queue, queues, body, fitting):
    """What a client of the broker's own protocol sends is of a kind that holds it, and settled."""
    consumer = jms.consumer(queue, jms.session(CLIENT))
    if not queues.send_native(queue, body):
        not_applicable("messages of the broker's own protocol have no such bodies")
    received = receive(consumer)

    observe(f"a native {type(body).__name__} is received as", kind_of(received))
    assert kind_of(received) in fitting
    assert content_of(received) == fitting[kind_of(received)]
    received.acknowledge()
    eventually(lambda: queues.pending(queue) == 0)


class HandMade(Queue):
    """A queue of another provider, which is none of ours."""

    def __init__(self, name):
        self._name = name

    @property
    def queue_name(self):
        return self._name


@permissive
@requirement("JMS-INTR-002")
def test_reply_destination_of_another_provider_may_be_dropped(jms, name, delivered):
    """A foreign message with one is sent; its receiver reads null or a destination to reply to."""
    reply_queue = jms.queue(name("reply"))
    foreign = ForeignText("hello", reply_to=HandMade(reply_queue.queue_name))

    received = delivered(foreign)

    reply_to = received.jms_reply_to
    observe("the reply destination of another provider", "dropped" if reply_to is None else "kept")
    assert texts([received]) == ["hello"]
    if reply_to is not None:
        jms.producer(reply_to).send(jms.text("reply"))
        assert texts([receive(jms.consumer(reply_queue))]) == ["reply"]
