"""What the adapter calls outside its tables: the method of Java, and what has it called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from java_adapter.java_fakes import Outcomes
from jmsapi import Byte, Double, Float, Int, Long, Short

Call = tuple[str, Callable[[Any], object]]
SELECTOR = "a = 1"
_OPTIONS = {"delivery_mode": 1, "priority": 7, "time_to_live": 5}


def _of(path: str, call: Callable[[Any], object]) -> Callable[[Any], object]:
    """`call` of what is found by this path."""
    return lambda on: call(attrgetter(path)(on))


def _with(name: str, call: Callable[[Any, Any], object]) -> Callable[[Any], object]:
    """`call` of what has this name, and of all."""
    return lambda on: call(getattr(on, name), on)


def _sending(body: object) -> Callable[[Any], object]:
    return lambda on: on.jms_producer.send(on.queue, body)


def _setting(value: object) -> Callable[[Any], object]:
    return lambda on: on.jms_producer.set_property("p", value)


def _factory() -> Iterator[Call]:
    yield "ConnectionFactory.createConnection()", lambda on: on.factory.create_connection()
    yield (
        "ConnectionFactory.createConnection(String,String)",
        lambda on: on.factory.create_connection("u", "p"),
    )
    for kind in ("Queue", "Topic"):
        make = f"create_{kind.lower()}_connection"
        method = f"{kind}ConnectionFactory.create{kind}Connection"
        yield f"{method}()", _of(f"factory.{make}", lambda by: by())
        yield f"{method}(String,String)", _of(f"factory.{make}", lambda by: by("u", "p"))
    yield "ConnectionFactory.createContext(int)", lambda on: on.factory.create_context()
    yield (
        "ConnectionFactory.createContext(String,String,int)",
        lambda on: on.factory.create_context("u", "p"),
    )


def _connections() -> Iterator[Call]:
    yield "Connection.createSession(boolean,int)", lambda on: on.connection.create_session()
    yield (
        "QueueConnection.createQueueSession(boolean,int)",
        lambda on: on.queue_connection.create_queue_session(),
    )
    yield (
        "TopicConnection.createTopicSession(boolean,int)",
        lambda on: on.topic_connection.create_topic_session(),
    )
    yield (
        "ConnectionMetaData.getJMSXPropertyNames()",
        lambda on: list(on.meta_data.jmsx_property_names),
    )
    for interface, name in (("Connection", "connection"), ("JMSContext", "context")):
        yield f"{interface}.getMetaData()", attrgetter(f"{name}.meta_data")
        yield from _listener(interface, name, "Exception")
    yield "JMSContext.createContext(int)", lambda on: on.context.create_context(1)


def _listener(interface: str, name: str, kind: str) -> Iterator[Call]:
    attribute = f"{kind.lower()}_listener"
    yield f"{interface}.get{kind}Listener()", lambda on: getattr(getattr(on, name), attribute)
    yield (
        f"{interface}.set{kind}Listener({kind}Listener)",
        lambda on: setattr(getattr(on, name), attribute, print),
    )


def _closing() -> Iterator[Call]:
    for interface, name in (
        ("Connection", "connection"),
        ("Session", "session"),
        ("JMSContext", "context"),
        ("MessageProducer", "producer"),
        ("MessageConsumer", "consumer"),
        ("JMSConsumer", "jms_consumer"),
        ("QueueBrowser", "browser"),
    ):
        yield f"{interface}.close()", _of(name, lambda by: by.close())


def _making(interface: str, name: str) -> Iterator[Call]:
    """What sessions and contexts make alike."""
    made: Mapping[str, Callable[[Any, Any], object]] = {
        "createObjectMessage()": lambda by, on: by.create_object_message(),
        "createObjectMessage(Serializable)": lambda by, on: by.create_object_message("text"),
        "createTextMessage()": lambda by, on: by.create_text_message(),
        "createTextMessage(String)": lambda by, on: by.create_text_message("text"),
        "createConsumer(Destination)": lambda by, on: by.create_consumer(on.queue),
        "createConsumer(Destination,String)": lambda by, on: by.create_consumer(on.queue, SELECTOR),
        "createConsumer(Destination,String,boolean)": lambda by, on: by.create_consumer(
            on.topic, SELECTOR, True
        ),
        "createSharedConsumer(Topic,String)": lambda by, on: by.create_shared_consumer(
            on.topic, "s"
        ),
        "createSharedConsumer(Topic,String,String)": lambda by, on: by.create_shared_consumer(
            on.topic, "s", SELECTOR
        ),
        "createDurableConsumer(Topic,String)": lambda by, on: by.create_durable_consumer(
            on.topic, "s"
        ),
        "createDurableConsumer(Topic,String,String,boolean)": lambda by, on: (
            by.create_durable_consumer(on.topic, "s", SELECTOR, True)
        ),
        "createSharedDurableConsumer(Topic,String)": lambda by, on: (
            by.create_shared_durable_consumer(on.topic, "s")
        ),
        "createSharedDurableConsumer(Topic,String,String)": lambda by, on: (
            by.create_shared_durable_consumer(on.topic, "s", SELECTOR)
        ),
        "createBrowser(Queue)": lambda by, on: by.create_browser(on.queue),
        "createBrowser(Queue,String)": lambda by, on: by.create_browser(on.queue, SELECTOR),
    }
    for method, make in made.items():
        yield f"{interface}.{method}", _with(name, make)


def _sessions() -> Iterator[Call]:
    yield from _making("Session", "session")
    yield from _making("JMSContext", "context")
    yield "Session.createProducer(Destination)", lambda on: on.session.create_producer(on.queue)
    yield "JMSContext.createProducer()", lambda on: on.context.create_producer()
    yield (
        "Session.createDurableSubscriber(Topic,String)",
        lambda on: on.session.create_durable_subscriber(on.topic, "s"),
    )
    yield (
        "Session.createDurableSubscriber(Topic,String,String,boolean)",
        lambda on: on.session.create_durable_subscriber(on.topic, "s", SELECTOR, True),
    )
    yield "QueueSession.createSender(Queue)", lambda on: on.queue_session.create_sender(on.queue)
    yield (
        "QueueSession.createReceiver(Queue)",
        lambda on: on.queue_session.create_receiver(on.queue),
    )
    yield (
        "QueueSession.createReceiver(Queue,String)",
        lambda on: on.queue_session.create_receiver(on.queue, SELECTOR),
    )
    yield (
        "TopicSession.createPublisher(Topic)",
        lambda on: on.topic_session.create_publisher(on.topic),
    )
    yield (
        "TopicSession.createSubscriber(Topic)",
        lambda on: on.topic_session.create_subscriber(on.topic),
    )
    yield (
        "TopicSession.createSubscriber(Topic,String,boolean)",
        lambda on: on.topic_session.create_subscriber(on.topic, SELECTOR, True),
    )
    yield from _listener("Session", "session", "Message")


def _sends() -> Iterator[Call]:
    """Every way to say how: to whom, by which options, and who is told."""
    for producer, interface, send, declared, target in (
        ("producer", "MessageProducer", "send", "Destination", "queue"),
        ("sender", "QueueSender", "send", "Queue", "queue"),
        ("publisher", "TopicPublisher", "publish", "Topic", "topic"),
    ):
        for said in (False, True):
            for options, types in (({}, ""), (_OPTIONS, ",int,int,long")):
                own = said or send == "publish"
                method = f"{interface if own else 'MessageProducer'}.{send}"

                def action(
                    on: Any,
                    producer: str = producer,
                    target: str = target,
                    options: Any = options,
                    to: bool = said,
                ) -> None:
                    where = {"destination": getattr(on, target)} if to else {}
                    getattr(on, producer).send(on.text, **where, **options)

                yield f"{method}({f'{declared},' if said else ''}Message{types})", action


def _sends_that_tell() -> Iterator[Call]:
    for to in (False, True):
        for options, types in (({}, ""), (_OPTIONS, ",int,int,long")):

            def action(on: Any, to: bool = to, options: Any = options) -> None:
                where = {"destination": on.queue} if to else {}
                on.producer.send(on.text, completion_listener=Outcomes(), **where, **options)

            where = "Destination," if to else ""
            yield f"MessageProducer.send({where}Message{types},CompletionListener)", action


def _jms_producer() -> Iterator[Call]:
    bodies = {"String": "text", "byte[]": b"bytes", "Map": {"a": 1}, "Serializable": [1]}
    for kind, body in bodies.items():
        yield (
            f"JMSProducer.send(Destination,{kind})",
            _sending(body),
        )
    yield (
        "JMSProducer.send(Destination,Message)",
        lambda on: on.jms_producer.send(on.queue, on.text),
    )
    values = {
        "boolean": True,
        "byte": Byte(1),
        "short": Short(1),
        "int": Int(1),
        "long": Long(1),
        "float": Float(1),
        "double": Double(1),
        "String": "text",
        "Object": b"bytes",
    }
    for kind, value in values.items():
        yield (
            f"JMSProducer.setProperty(String,{kind})",
            _setting(value),
        )
    settings: Mapping[str, Callable[[Any, Any], object]] = {
        "setDeliveryDelay(long)": lambda by, on: by.set_delivery_delay(1),
        "setDeliveryMode(int)": lambda by, on: by.set_delivery_mode(1),
        "setDisableMessageID(boolean)": lambda by, on: by.set_disable_message_id(True),
        "setDisableMessageTimestamp(boolean)": lambda by, on: by.set_disable_message_timestamp(
            True
        ),
        "setPriority(int)": lambda by, on: by.set_priority(1),
        "setTimeToLive(long)": lambda by, on: by.set_time_to_live(1),
        "setJMSCorrelationID(String)": lambda by, on: by.set_jms_correlation_id("text"),
        "setJMSCorrelationIDAsBytes(byte[])": lambda by, on: by.set_jms_correlation_id_as_bytes(
            b""
        ),
        "setJMSReplyTo(Destination)": lambda by, on: by.set_jms_reply_to(on.queue),
        "setJMSType(String)": lambda by, on: by.set_jms_type("text"),
        "setAsync(CompletionListener)": lambda by, on: by.set_async(Outcomes()),
        "getAsync()": lambda by, on: by.completion_listener,
        "clearProperties()": lambda by, on: by.clear_properties(),
        "getPropertyNames()": lambda by, on: by.property_names(),
    }
    for method, action in settings.items():
        yield f"JMSProducer.{method}", _with("jms_producer", action)


def _receiving() -> Iterator[Call]:
    for interface, name in (("MessageConsumer", "consumer"), ("JMSConsumer", "jms_consumer")):
        yield f"{interface}.receive()", _of(name, lambda by: by.receive())
        yield f"{interface}.receive(long)", _of(name, lambda by: by.receive(1))
        yield from _listener(interface, name, "Message")
    yield "JMSConsumer.receiveBody(Class)", lambda on: on.jms_consumer.receive_body(str)
    yield "JMSConsumer.receiveBody(Class,long)", lambda on: on.jms_consumer.receive_body(str, 1)
    yield "QueueBrowser.getEnumeration()", lambda on: on.browser.enumeration


def _messages() -> Iterator[Call]:
    yield "Message.getPropertyNames()", lambda on: list(on.plain.property_names())
    yield "MapMessage.getMapNames()", lambda on: on.map.map_names()
    yield "BytesMessage.readBytes(byte[])", lambda on: on.bytes.read_bytes(4)
    yield "StreamMessage.readBytes(byte[])", lambda on: on.stream.read_bytes(4)


WRITTEN: Mapping[str, Callable[[Any], object]] = {
    method: action
    for part in (
        _factory,
        _connections,
        _closing,
        _sessions,
        _sends,
        _sends_that_tell,
        _jms_producer,
        _receiving,
        _messages,
    )
    for method, action in part()
}
