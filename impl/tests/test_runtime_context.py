"""The simplified API: unchecked exceptions, fluent producers, bare bodies."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from jmsapi import (
    IllegalStateRuntimeException,
    InvalidDestinationRuntimeException,
    JMSRuntimeException,
    Message,
    MessageFormatRuntimeException,
    SessionMode,
    TextMessage,
)
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.contexts.context import PulsarJMSContext

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]


@pytest.fixture
def context(factories: Factories) -> PulsarJMSContext:
    """A context with the default settings."""
    return factories({"consumerConfig.negativeAckRedeliveryDelayMicros": 50_000}).create_context()


@pytest.mark.parametrize(
    ("body", "kind"),
    [("text", str), (b"bytes", bytes), ({"a": 1, "b": "x"}, dict), ([1, "x"], list)],
)
def test_bare_bodies_travel(
    context: PulsarJMSContext, name: Name, body: object, kind: type
) -> None:
    queue = context.create_queue(name())
    consumer = context.create_consumer(queue)
    context.create_producer().send(queue, body)
    assert consumer.receive_body(kind, 5000) == body


def test_headers_and_properties_of_the_producer_go_with_each_message(
    context: PulsarJMSContext, name: Name
) -> None:
    queue, reply = context.create_queue(name()), context.create_queue(name())
    consumer = context.create_consumer(queue)
    producer = context.create_producer()
    chained = (
        producer.set_property("size", 42)
        .set_jms_type("kind")
        .set_jms_correlation_id("c-1")
        .set_jms_reply_to(reply)
        .set_priority(7)
        .set_time_to_live(60_000)
        .send(queue, "first")
        .clear_properties()
        .send(queue, "second")
    )
    assert chained is producer
    first, second = (consumer.receive(5000) for _ in range(2))
    assert isinstance(first, TextMessage)
    assert isinstance(second, TextMessage)
    assert first.get_int_property("size") == 42
    assert (first.jms_type, first.jms_correlation_id, first.jms_priority) == ("kind", "c-1", 7)
    assert first.jms_reply_to is not None
    assert first.jms_expiration == first.jms_timestamp + 60_000
    assert not second.property_exists("size")


def test_a_body_of_the_wrong_kind_stays_as_it_was(context: PulsarJMSContext, name: Name) -> None:
    queue = context.create_queue(name())
    consumer = context.create_consumer(queue)
    context.create_producer().send(queue, "text").send(queue, "next")
    for _ in range(2):
        with pytest.raises(MessageFormatRuntimeException):
            consumer.receive_body(bytes, 5000)
    message = consumer.receive(5000)
    assert isinstance(message, TextMessage)
    assert (message.text, message.jms_redelivered) == ("text", False)
    assert consumer.receive_body(str, 5000) == "next"
    assert consumer.receive_body_no_wait(str) is None


@pytest.mark.parametrize("make", ["create_text_message", "create_object_message", "create_message"])
def test_a_message_without_a_body_has_none_to_receive(
    context: PulsarJMSContext, name: Name, make: str
) -> None:
    queue = context.create_queue(name())
    consumer = context.create_consumer(queue)
    context.create_producer().send(queue, getattr(context, make)())
    with pytest.raises(MessageFormatRuntimeException):
        consumer.receive_body(object, 5000)


def test_contexts_of_one_connection_close_it_with_the_last(
    context: PulsarJMSContext, name: Name
) -> None:
    second = context.create_context(SessionMode.CLIENT_ACKNOWLEDGE)
    context.close()
    queue = second.create_queue(name())
    consumer = second.create_consumer(queue)
    second.create_producer().send(queue, "x")
    assert consumer.receive(5000) is not None
    second.acknowledge()
    second.close()
    with pytest.raises(IllegalStateRuntimeException):
        second.create_text_message()


@pytest.mark.parametrize("name_of", ["client_id", "exception_listener", "meta_data"])
def test_closed_context_tells_nothing_of_a_connection_that_goes_on(
    context: PulsarJMSContext, name_of: str
) -> None:
    second = context.create_context(SessionMode.AUTO_ACKNOWLEDGE)
    second.close()
    with pytest.raises(IllegalStateRuntimeException):
        getattr(second, name_of)
    getattr(context, name_of)


def test_closed_context_sets_nothing_of_a_connection_that_goes_on(
    context: PulsarJMSContext, name: Name
) -> None:
    second = context.create_context(SessionMode.AUTO_ACKNOWLEDGE)
    second.close()
    with pytest.raises(IllegalStateRuntimeException):
        second.client_id = name()
    with pytest.raises(IllegalStateRuntimeException):
        second.exception_listener = print
    assert (context.client_id, context.exception_listener) == (None, None)


def test_a_context_without_auto_start_waits_for_start(
    context: PulsarJMSContext, name: Name
) -> None:
    context.auto_start = False
    queue = context.create_queue(name())
    consumer = context.create_consumer(queue)
    context.create_producer().send(queue, "x")
    assert consumer.receive(200) is None
    context.start()
    assert consumer.receive(5000) is not None


def test_a_context_takes_its_client_id_first(context: PulsarJMSContext, name: Name) -> None:
    context.client_id = client = name()
    assert context.client_id == client
    topic = context.create_topic(name())
    context.create_durable_consumer(topic, "s1").close()


def test_listeners_and_asynchronous_sends_work(context: PulsarJMSContext, name: Name) -> None:
    queue = context.create_queue(name())
    heard: list[Message] = []
    done = threading.Event()

    def listen(message: Message) -> None:
        heard.append(message)
        done.set()

    class Outcome:
        completed = 0

        def on_completion(self, message: Message) -> None:
            self.completed += 1

        def on_exception(self, message: Message, exception: Exception) -> None:
            raise exception

    context.create_consumer(queue).message_listener = listen
    outcome = Outcome()
    context.create_producer().set_async(outcome).send(queue, "x")
    assert done.wait(5)
    context.close()
    assert outcome.completed == 1


def test_errors_are_unchecked(context: PulsarJMSContext, factories: Factories, name: Name) -> None:
    with pytest.raises(InvalidDestinationRuntimeException):
        context.create_producer().send(None, "x")  # type: ignore[arg-type]
    with pytest.raises(JMSRuntimeException):
        context.create_producer().set_priority(10)
    with pytest.raises(InvalidDestinationRuntimeException):
        context.create_browser(context.create_topic(name()))  # type: ignore[arg-type]
    with pytest.raises(IllegalStateRuntimeException):
        context.commit()
    with pytest.raises(JMSRuntimeException, match="999"):
        factories().create_context(mode=999)


def test_a_body_is_typed_as_what_it_is_asked_for(context: PulsarJMSContext, name: Name) -> None:
    """The annotations are the test: mypy judges them."""
    queue = context.create_queue(name())
    consumer = context.create_consumer(queue)
    context.create_producer().send(queue, "first").send(queue, "second")
    body: str | None = consumer.receive_body(str, 5000)
    message = consumer.receive(5000)
    assert message is not None
    again: str | None = message.get_body(str)
    assert (body, again) == ("first", "second")
