"""Each call of the adapter reaches the method that an application compiled against JMS reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import jpype
import pytest

from java_adapter.calls_by_hand import WRITTEN
from java_adapter.misleading import MARK, compiled, signatures
from jms_clients.java import objects
from jms_clients.java.connections import (
    JavaConnectionFactory,
    JavaQueueConnection,
    JavaTopicConnection,
)
from jms_clients.java.destinations import (
    DESTINATION,
    JavaTemporaryQueue,
    JavaTemporaryTopic,
)
from jms_clients.java.messages import MESSAGE, JavaMessage
from jms_clients.java.objects import (
    JavaAttribute,
    JavaConversion,
    JavaMethod,
    JavaObject,
    Jms,
)
from jms_clients.java.sessions import JavaQueueSession, JavaTopicSession
from jmsapi import Byte, Char, Double, Float, Int, Long, Short

SAMPLES: Mapping[JavaConversion, Any] = {
    objects.BOOLEAN: True,
    objects.BYTE: Byte(1),
    objects.SHORT: Short(1),
    objects.INT: Int(1),
    objects.LONG: Long(1),
    objects.FLOAT: Float(1),
    objects.DOUBLE: Double(1),
    objects.NUMBER: 1,
    objects.MILLISECONDS: 1,
    objects.CHAR: Char("c"),
    objects.TEXT: "text",
    objects.BYTES: b"bytes",
    objects.OBJECT: "text",
    objects.SERIALIZABLE: "text",
    objects.CLASS: str,
    objects.NOTHING: None,
}
"""An argument of each kind, but destinations and messages, which are made in Java."""
LEFT_OUT = {
    # jmsapi has one way to say each of these.
    "ConnectionFactory.createContext()",
    "ConnectionFactory.createContext(String,String)",
    "Connection.createSession()",
    "Connection.createSession(int)",
    "BytesMessage.readBytes(byte[],int)",
    "BytesMessage.writeBytes(byte[],int,int)",
    "StreamMessage.writeBytes(byte[],int,int)",
    "MapMessage.setBytes(String,byte[],int,int)",
    "QueueSender.getQueue()",
    "TopicPublisher.getTopic()",
    # An application server's, made by scenarios for their exceptions alone.
    "Connection.createConnectionConsumer(Destination,String,ServerSessionPool,int)",
    "QueueConnection.createConnectionConsumer(Queue,String,ServerSessionPool,int)",
    "TopicConnection.createConnectionConsumer(Topic,String,ServerSessionPool,int)",
    "ConnectionConsumer.close()",
    "ConnectionConsumer.getServerSessionPool()",
    "Session.run()",
    # Of every object in Java.
    "Queue.toString()",
    "Topic.toString()",
}
"""What applications in Java may call and scenarios do not."""


class Stubs:
    """The objects of the adapter around one misleading object of each class."""

    def __init__(self, jms: Jms) -> None:
        folder = Path(mkdtemp())
        self.package = compiled(jms, folder)
        jpype.addClassPath(str(folder))
        self.jms = jms
        self.made = jpype.JClass(f"{self.package}.Calls").MADE
        self.factory = JavaConnectionFactory(jms, self.java("ConnectionFactory"))
        self.connection = self.factory.create_connection()
        self.queue_connection: JavaQueueConnection = self.factory.create_queue_connection()
        self.topic_connection: JavaTopicConnection = self.factory.create_topic_connection()
        self.session = self.connection.create_session()
        self.queue_session: JavaQueueSession = self.queue_connection.create_queue_session()
        self.topic_session: JavaTopicSession = self.topic_connection.create_topic_session()
        self.context = self.factory.create_context()
        self.queue: JavaTemporaryQueue = self.session.create_temporary_queue()
        self.topic: JavaTemporaryTopic = self.session.create_temporary_topic()
        self.producer = self.session.create_producer(self.queue)
        self.sender = self.queue_session.create_sender(self.queue)
        self.publisher = self.topic_session.create_publisher(self.topic)
        self.jms_producer = self.context.create_producer()
        self.consumer = self.session.create_consumer(self.queue)
        self.receiver = self.queue_session.create_receiver(self.queue)
        self.subscriber = self.topic_session.create_subscriber(self.topic)
        self.jms_consumer = self.context.create_consumer(self.queue)
        self.browser = self.session.create_browser(self.queue)
        self.meta_data = self.connection.meta_data
        self.text = self.message("TextMessage")
        self.object = self.message("ObjectMessage")
        self.bytes = self.message("BytesMessage")
        self.stream = self.message("StreamMessage")
        self.map = self.message("MapMessage")
        self.plain = self.message("Message")

    def java(self, name: str) -> Any:
        """A new misleading object."""
        return jpype.JClass(f"{self.package}.{name}Stub")()

    def message(self, kind: str) -> JavaMessage:
        """A message of a kind."""
        adapted: JavaMessage = MESSAGE.from_java(self.jms, self.java(kind))
        return adapted

    def calls(self, action: Callable[[], object]) -> list[str]:
        """What of Java an action calls."""
        self.made.clear()
        action()
        return [str(each) for each in self.made]


@cache
def stubs(jms: Jms) -> Stubs:
    """Compiled once for each namespace."""
    return Stubs(jms)


@pytest.fixture
def stub(jms: Jms) -> Stubs:
    return stubs(jms)


OBJECTS = (
    "connection",
    "queue_connection",
    "topic_connection",
    "session",
    "queue_session",
    "topic_session",
    "context",
    "queue",
    "topic",
    "producer",
    "sender",
    "publisher",
    "jms_producer",
    "consumer",
    "receiver",
    "subscriber",
    "jms_consumer",
    "browser",
    "meta_data",
    "text",
    "object",
    "bytes",
    "stream",
    "map",
    "plain",
)
"""Whose tables are gone through."""


def tabled(stub: Stubs, name: str) -> Iterator[tuple[JavaMethod, Callable[[], object]]]:
    """The methods of Java in the tables of an object, each with what calls it."""
    adapted: JavaObject = getattr(stub, name)

    def sample(kind: JavaConversion) -> Any:
        return stub.topic if kind is DESTINATION else SAMPLES[kind]

    for each in dir(type(adapted)):
        member = getattr(type(adapted), each)
        if isinstance(member, JavaAttribute):
            yield member.reads, partial(getattr, adapted, each)
            if member.sets is not None:
                (kind,) = member.sets.takes
                yield member.sets, partial(setattr, adapted, each, sample(kind))
        elif isinstance(java := getattr(member, "java", None), JavaMethod):
            yield java, partial(getattr(adapted, each), *map(sample, java.takes))


@pytest.mark.parametrize("name", OBJECTS)
def test_what_stands_in_a_table_calls_the_method_of_the_interface(stub: Stubs, name: str) -> None:
    for method, action in tabled(stub, name):
        (made,) = stub.calls(action)
        assert made.partition("(")[0].partition(".")[2] == method.name
        assert made.count(",") + (not made.endswith("()")) == len(method.takes)
        assert not made.endswith(MARK), made


@pytest.mark.parametrize(("expected", "action"), WRITTEN.items())
def test_what_is_written_out_calls_the_method_of_the_interface(
    stub: Stubs, expected: str, action: Callable[[Any], object]
) -> None:
    made = stub.calls(lambda: action(stub))
    assert expected in made
    assert not [each for each in made if each.endswith(MARK)]


def test_nothing_that_an_application_may_call_is_left_out_unsaid(stub: Stubs) -> None:
    tables = [
        made for name in OBJECTS for _, call in tabled(stub, name) for made in stub.calls(call)
    ]
    assert signatures(stub.jms) - set(tables) - WRITTEN.keys() == LEFT_OUT


def test_by_the_class_of_the_client_other_methods_are_taken(stub: Stubs) -> None:
    producer = stub.java("MessageProducer")
    made = stub.calls(lambda: producer.send(stub.java("TemporaryQueue"), stub.java("TextMessage")))
    assert [each[-1] for each in made] == [MARK]
