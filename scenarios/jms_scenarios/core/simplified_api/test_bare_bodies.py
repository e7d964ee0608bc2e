"""Bare bodies: sent and received by the simplified API without a message around them."""

from collections.abc import Mapping

import pytest

from jms_scenarios.traffic import texts
from jmsapi import MessageFormatRuntimeException, SessionMode
from touchstone.api import (
    content_of,
    eventually,
    kind_of,
    receive,
    receive_all,
    refuses,
    requirement,
)

PATIENCE = 5.0
"""Seconds after which what is due at once does not come any more."""
WITHIN = 10_000
"""Milliseconds within which a message comes."""
BODIES = {
    "text": "a text",
    "map": {"name": "value"},
    "bytes": b"\x00\x01\xff",
    "object": ["one", "two"],
}
"""By the kind of message that fits."""
CLASSES = {"text": str, "map": Mapping, "bytes": bytes, "object": list}


@requirement("JMS-CTX-006")
def test_bare_body_becomes_a_message_of_its_kind(context_of, queue):
    """A text, a map, bytes and another value arrive as messages of these kinds, with the value."""
    context = context_of()
    producer = context.create_producer()
    for body in BODIES.values():
        producer.send(queue, body)

    received = receive_all(context.create_consumer(queue), len(BODIES))

    assert {kind_of(message): content_of(message) for message in received} == BODIES


@requirement("JMS-CTX-006")
def test_bare_text_is_no_other_at_the_broker(context_of, queue, queues):
    """The independent client reads a bare text as it reads that of a created message."""
    context = context_of()
    producer = context.create_producer()

    producer.send(queue, "a text").send(queue, context.create_text_message("a text"))
    eventually(lambda: queues.ready(queue) == 2)

    assert queues.take(queue) == ["a text", "a text"]


@pytest.fixture
def typed_queue(context_of, queue):
    """`typed_queue(*bodies)`: the queue, with a message for each bare body."""

    def typed_queue(*bodies):
        producer = context_of().create_producer()
        for body in bodies:
            producer.send(queue, body)
        return queue

    return typed_queue


@requirement("JMS-CTX-010")
def test_body_is_received_as_its_class(context_of, typed_queue):
    """As its own class, and as any; None when nothing comes in time."""
    twice = [body for body in BODIES.values() for _ in range(2)]
    consumer = context_of().create_consumer(typed_queue(*twice))

    for kind, body in BODIES.items():
        assert (kind, consumer.receive_body(CLASSES[kind], WITHIN)) == (kind, body)
        assert (kind, consumer.receive_body(object, WITHIN)) == (kind, body)
    assert consumer.receive_body(str, 1) is None
    assert consumer.receive_body_no_wait(str) is None


UNFIT = {
    "stream": (lambda context: context.create_stream_message(), str),
    "no-body": (lambda context: context.create_message(), str),
    "no-text": (lambda context: context.create_text_message(), str),
    "no-object": (lambda context: context.create_object_message(), str),
    "text-as-map": (lambda context: context.create_text_message("a text"), Mapping),
}


@requirement("JMS-CTX-011")
@pytest.mark.parametrize(("make", "kind"), UNFIT.values(), ids=UNFIT.keys())
def test_body_of_another_class_is_refused(context_of, queue, make, kind):
    """A stream, a message without a body, one without text and another class are refused."""
    context = context_of(SessionMode.CLIENT_ACKNOWLEDGE)
    context.create_producer().send(queue, make(context))
    consumer = context.create_consumer(queue)

    with refuses(MessageFormatRuntimeException):
        consumer.receive_body(kind, WITHIN)


def refused_body(context_of, typed_queue, mode):
    """A context and its consumer, which failed to give the first of two texts as a map."""
    context = context_of(mode)
    consumer = context.create_consumer(typed_queue("first", "second"))
    with refuses(MessageFormatRuntimeException):
        consumer.receive_body(Mapping, WITHIN)
    return context, consumer


def seen(message):
    """What a delivery shows: text, flag and count."""
    count = message.get_int_property("JMSXDeliveryCount")
    return message.text, message.jms_redelivered, count


@requirement("JMS-CTX-012")
def test_refused_body_comes_again_as_if_for_the_first_time(context_of, typed_queue):
    """In the modes without acknowledge() it is the next to come, neither flagged nor counted."""
    for mode in (SessionMode.AUTO_ACKNOWLEDGE, SessionMode.DUPS_OK_ACKNOWLEDGE):
        context, consumer = refused_body(context_of, typed_queue, mode)

        first, second = receive_all(consumer, 2, PATIENCE)

        assert (first.text, second.text) == ("first", "second")
        assert seen(first)[1:] == (False, 1)
        context.close()


@pytest.mark.usefixtures("quick")
@requirement("JMS-CTX-013")
def test_refused_body_waits_for_recover(context_of, typed_queue):
    """Where the client acknowledges the next comes, and recover() brings the first, flagged."""
    context, consumer = refused_body(context_of, typed_queue, SessionMode.CLIENT_ACKNOWLEDGE)
    assert texts([receive(consumer)]) == ["second"]

    context.recover()

    again = sorted(map(seen, receive_all(consumer, 2, PATIENCE)))
    assert again == [("first", True, 2), ("second", True, 2)]


@requirement("JMS-CTX-014")
@pytest.mark.parametrize("ending", ["rollback", "commit"])
def test_refused_body_belongs_to_the_transaction(context_of, typed_queue, queue, queues, ending):
    """The next comes; rollback() brings both again, flagged, and commit() settles both."""
    context, consumer = refused_body(context_of, typed_queue, SessionMode.SESSION_TRANSACTED)
    assert texts([receive(consumer)]) == ["second"]

    if ending == "commit":
        context.commit()
        eventually(lambda: queues.pending(queue) == 0, PATIENCE)
    else:
        context.rollback()
        again = sorted(map(seen, receive_all(consumer, 2, PATIENCE)))
        assert again == [("first", True, 2), ("second", True, 2)]
