"""Destinations, sends, foreign messages, consumers and closing, in both namespaces."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import jpype
import pytest

import jmsapi
from java_adapter.java_fakes import TYPED, Fake, Outcomes, java_call
from jms_clients.java.connections import Domain, JavaConnectionFactory, Jms
from jms_clients.java.destinations import (
    DESTINATION,
    JavaQueue,
    JavaTemporaryQueue,
    JavaTemporaryTopic,
    JavaTopic,
    kind_told,
)
from jms_clients.java.foreign import java_message
from jms_clients.java.messages import MESSAGE
from jms_clients.java.producers import JavaJMSProducer, JavaMessageProducer
from jms_clients.java.sessions import JavaSession
from jmsapi import (
    Int,
    Message,
    Queue,
    Short,
    TextMessage,
    Topic,
)
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
)
from touchstone.scenario.deadline import within


def test_a_destination_has_its_type_name_and_equality(jms: Jms) -> None:
    name = jpype.JString("q")
    java = Fake(jms, "Queue", getQueueName=lambda: name).java
    queue = DESTINATION.from_java(jms, java)
    assert isinstance(queue, Queue)
    assert not isinstance(queue, Topic)
    assert queue.queue_name == "q"
    assert queue == DESTINATION.from_java(jms, java)
    assert queue != DESTINATION.from_java(jms, Fake(jms, "Queue").java)


def test_a_destination_of_no_kind_is_an_object_of_the_interface(jms: Jms) -> None:
    class Nowhere(jmsapi.Destination):
        def __repr__(self) -> str:
            return "nowhere"

    java = jpype.JObject(DESTINATION.to_java(jms, Nowhere()), jms.interface("Destination"))

    assert str(java.toString()) == "nowhere"
    assert not isinstance(java, jms.interface("Queue"))
    with pytest.raises(TypeError, match="is no destination"):
        DESTINATION.to_java(jms, "nowhere")


def test_a_destination_of_every_kind_is_what_it_tells() -> None:
    kinds: list[type] = [
        kind_told(queue, temporary) for queue in (True, False) for temporary in (True, False)
    ]

    assert kinds == [JavaTemporaryQueue, JavaQueue, JavaTemporaryTopic, JavaTopic]


SENDS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({}, ("Message",)),
    ({"destination": True}, ("Destination", "Message")),
    ({"priority": 7}, ("Message", "int", "int", "long")),
    (
        {"destination": True, "delivery_mode": 1, "time_to_live": 5},
        ("Destination", "Message", "int", "int", "long"),
    ),
    ({"completion_listener": Outcomes()}, ("Message", "CompletionListener")),
    (
        {"destination": True, "priority": 7, "completion_listener": Outcomes()},
        ("Destination", "Message", "int", "int", "long", "CompletionListener"),
    ),
]


@pytest.mark.parametrize(("options", "signature"), SENDS)
def test_a_send_is_the_one_of_java_that_takes_its_options(
    jms: Jms, options: dict[str, Any], signature: tuple[str, ...]
) -> None:
    fake = Fake(jms, "MessageProducer", **DEFAULTS)
    if "destination" in options:
        options = options | {"destination": DESTINATION.from_java(jms, Fake(jms, "Topic").java)}
    producer = JavaMessageProducer(jms, fake.java)
    producer.send(MESSAGE.from_java(jms, Fake(jms, "Message").java), **options)
    (send,) = (method for method in fake.called if method.getName() == "send")
    assert tuple(str(kind.getSimpleName()) for kind in send.getParameterTypes()) == signature


DEFAULTS: dict[str, Callable[..., Any]] = {
    "getDeliveryMode": lambda: jpype.java.lang.Integer(2),
    "getPriority": lambda: jpype.java.lang.Integer(4),
    "getTimeToLive": lambda: jpype.java.lang.Long(0),
}


def test_what_a_send_leaves_open_is_taken_from_the_producer(jms: Jms) -> None:
    fake = Fake(jms, "MessageProducer", **DEFAULTS)
    producer = JavaMessageProducer(jms, fake.java)
    producer.send(MESSAGE.from_java(jms, Fake(jms, "Message").java), priority=7)
    _, *options = fake.arguments["send"]
    assert [int(each) for each in options] == [2, 7, 0]


def seen_by_java(jms: Jms, message: Message, kind: str) -> Any:
    """`message` as a client in Java sees it, through the interface `kind`."""
    return MESSAGE.from_java(jms, jms.cast(java_message(jms, message), f"{jms.namespace}.{kind}"))


def test_a_message_of_another_client_answers_for_itself(jms: Jms) -> None:
    message = PulsarTextMessage("hello")
    message.set_short_property("size", 3)
    message.jms_type = "kind"
    seen = seen_by_java(jms, message, "TextMessage")

    assert isinstance(seen, TextMessage)
    assert (seen.text, seen.jms_type, seen.jms_reply_to) == ("hello", "kind", None)
    assert list(seen.property_names()) == ["size"]
    assert type(seen.get_object_property("size")) is Short
    seen.jms_message_id = "ID:7"
    seen.jms_priority = 9
    assert (message.jms_message_id, message.jms_priority) == ("ID:7", 9)


def test_a_completion_listener_is_told_of_the_foreign_message(jms: Jms) -> None:
    message, outcomes = PulsarTextMessage("hello"), Outcomes()
    fake = Fake(jms, "MessageProducer")
    JavaMessageProducer(jms, fake.java).send(message, completion_listener=outcomes)
    sent, told = fake.arguments["send"]
    java_call(jms, "CompletionListener", "onCompletion", told, sent)

    ((confirmed,),) = outcomes.told
    assert confirmed is message


def test_a_foreign_message_throws_the_exceptions_of_jms(jms: Jms) -> None:
    message = PulsarStreamMessage()
    message.write_int(7)
    message.reset()
    seen = seen_by_java(jms, message, "StreamMessage")

    assert seen.read_object() == Int(7)
    with pytest.raises(jmsapi.MessageEOFException):
        seen.read_object()


def test_a_foreign_message_gives_its_bytes(jms: Jms) -> None:
    message = PulsarBytesMessage()
    message.write_bytes(b"\x00\x01\xff")
    message.reset()
    seen = seen_by_java(jms, message, "BytesMessage")

    assert seen.body_length == 3
    assert seen.read_bytes(2) == b"\x00\x01"
    assert seen.read_bytes(2) == b"\xff"
    assert seen.read_bytes(2) is None


def test_a_foreign_map_gives_its_items(jms: Jms) -> None:
    message = PulsarMapMessage()
    message.set_int("i", 7)
    seen = seen_by_java(jms, message, "MapMessage")

    assert seen.map_names() == ["i"]
    assert type(seen.get_object("i")) is Int


BODIES = [
    ("text", "String"),
    (b"bytes", "byte[]"),
    ({"a": 1}, "Map"),
    ([1], "Serializable"),
    (Int(1), "Serializable"),
    (None, "Serializable"),
]


@pytest.mark.parametrize(("body", "java_class"), BODIES)
def test_a_bare_body_goes_to_the_send_of_its_kind(jms: Jms, body: object, java_class: str) -> None:
    fake = Fake(jms, "JMSProducer")
    queue = DESTINATION.from_java(jms, Fake(jms, "Queue").java)
    producer = JavaJMSProducer(jms, fake.java)
    assert producer.send(queue, body) is producer
    (send,) = fake.called
    assert str(send.getParameterTypes()[1].getSimpleName()) == java_class


@pytest.mark.parametrize(("value", "java_class"), [(v, c) for _, v, c in TYPED] + [(b"", "")])
def test_a_property_of_a_producer_is_set_in_the_type_of_its_value(
    jms: Jms, value: Any, java_class: str
) -> None:
    fake = Fake(jms, "JMSProducer")
    producer = JavaJMSProducer(jms, fake.java)
    assert producer.set_property("p", value) is producer
    (setter,) = fake.called
    expected = {"Integer": "int", "String": "String", "": "Object"}
    kind = str(setter.getParameterTypes()[1].getSimpleName())
    assert kind == expected.get(java_class, java_class.lower())


CONSUMERS: list[tuple[tuple[Any, ...], tuple[str, ...]]] = [
    ((), ("Destination",)),
    ((None, False), ("Destination",)),
    (("a = 1",), ("Destination", "String")),
    (("", False), ("Destination", "String")),
    ((None, True), ("Destination", "String", "boolean")),
]


@pytest.mark.parametrize(("options", "signature"), CONSUMERS)
def test_a_consumer_is_made_with_as_few_arguments_as_say_it(
    jms: Jms, options: tuple[Any, ...], signature: tuple[str, ...]
) -> None:
    fake = Fake(jms, "Session")
    topic = DESTINATION.from_java(jms, Fake(jms, "Topic").java)
    JavaSession(jms, fake.java).create_consumer(topic, *options)
    (method,) = fake.called
    assert tuple(str(kind.getSimpleName()) for kind in method.getParameterTypes()) == signature


def test_a_factory_keeps_nothing_of_what_was_closed(jms: Jms) -> None:
    fake = Fake(jms, "Connection", close=lambda: None)
    java = Fake(jms, "ConnectionFactory", createConnection=lambda: fake.java).java
    factory = JavaConnectionFactory(jms, java)
    made = factory.create_connection()
    kept = weakref.ref(made)
    made.close()
    del made
    assert kept() is None
    factory.close()
    assert fake.calls == [("close",)]


def test_a_factory_closes_its_connections_then_itself(jms: Jms) -> None:
    def refuse() -> None:
        raise jms.interface("JMSException")("does not close")

    order: list[str] = []
    connections = [
        Fake(jms, "Connection", close=lambda: order.append("connection")),
        Fake(jms, "Connection", close=refuse),
    ]
    made = iter(connections)
    java = Fake(jms, "ConnectionFactory", createConnection=lambda: next(made).java).java
    factory = JavaConnectionFactory(jms, java, lambda _: order.append("factory"))
    factory.create_connection()
    factory.create_connection()
    factory.close()
    factory.close()
    assert order == ["connection", "factory"]
    assert [fake.calls for fake in connections] == [[("close",)], [("close",)]]


def test_an_older_api_has_a_factory_of_its_own_where_the_client_has_a_class_for_it(
    jms: Jms,
) -> None:
    def made(domain: Domain) -> Any:
        connection = Fake(jms, f"{domain}Connection").java
        create = {f"create{domain}Connection": lambda: connection}
        factories.append(Fake(jms, f"{domain}ConnectionFactory", **create).java)
        return factories[-1]

    factories = [Fake(jms, "ConnectionFactory").java]
    closed: list[Any] = []
    factory = JavaConnectionFactory(jms, factories[0], closed.append, of_domain=made)
    for create in (factory.create_queue_connection, factory.create_topic_connection) * 2:
        create()
    factory.close()
    assert len(factories) == 3
    assert closed == factories


def test_a_call_with_a_deadline_leaves_no_thread_in_the_jvm(jms: Jms) -> None:
    java = jpype.JClass("java.lang.Thread")
    seen: list[int] = []

    def call() -> None:
        seen.append(int(java.currentThread().getId()))

    for _ in range(5):
        within(10.0, call, "a call of Java")

    alive = {int(each.getId()) for each in java.getAllStackTraces().keySet()}
    assert len(seen) == 5
    assert not alive & set(seen)
