"""Texts that are not UTF-8, which any producer can send, show U+FFFD on both transports."""

from __future__ import annotations

import queue as queues
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import _pulsar
import httpx
import pulsar as pulsar_client
import pytest

from jmsapi import Message, MessageFormatException, SessionMode, TextMessage
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.transport.pulsar_client.texts import text_of
from pulsar_jms.transport.wire_messages import MessagePosition, OutgoingMessage

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]

transports = pytest.mark.parametrize("transport", ["native", "java"])
BAD: dict[bytes, bytes] = {
    b"JMSPulsarMessageType": b"text",
    b"na\xffme": b"plain",
    b"value": b"a\xffb\xc3(",
    b"surrogate": b"\xed\xa0\x80|\xed\xbf",
    b"far": "好".encode(),
    b"JMSPriority": b"\xf0\x9f",
    b"JMSDeliveryTime": b"\xfe9",
}
SHOWN = {
    "na\ufffdme": "plain",
    "value": "a\ufffdb\ufffd(",
    "surrogate": "\ufffd|\ufffd",
    "far": "好",
}


def raw(content: bytes, properties: dict[bytes, bytes], key: bytes = b"") -> Any:
    """A message of pulsar-client, which takes bytes for texts."""
    builder = _pulsar.MessageBuilder()
    builder.content(content)
    for name, value in properties.items():
        builder.property(name, value)
    if key:
        builder.partition_key(key)
    return builder.build()


@pytest.fixture
def sends(pulsar: BrokerAddress) -> Callable[..., None]:
    """Send raw messages to a topic; in one batch where that is asked for."""

    def send(topic: str, *messages: Any, batched: bool = False) -> None:
        client = pulsar_client.Client(pulsar.service_url)
        producer = client.create_producer(
            topic, batching_enabled=batched, batching_max_publish_delay_ms=1000
        )
        outcomes: list[Any] = []
        for message in messages:
            producer._producer.send_async(message, lambda result, _: outcomes.append(result))
        producer.flush()
        client.close()
        assert [int(each) for each in outcomes] == [0] * len(messages)

    return send


def shown(message: Message | None) -> dict[str, object]:
    """The properties that `SHOWN` knows."""
    assert isinstance(message, TextMessage)
    return {name: message.get_object_property(name) for name in SHOWN}


@transports
@pytest.mark.parametrize("batched", [False, True], ids=["alone", "batched"])
@pytest.mark.parametrize("settings", [{}, {"jms.enableJMSPriority": True}], ids=["plain", "prio"])
def test_a_consumer_gets_them(
    factories: Factories,
    sends: Callable[..., None],
    name: Name,
    transport: str,
    settings: dict[str, object],
    *,
    batched: bool,
) -> None:
    connection = factories(settings, transport=transport).create_connection()
    session = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue, "far = '好'")
    connection.start()
    messages = [raw(b"%d" % number, BAD, b"k\xffey") for number in range(3)]
    sends(queue.queue_name, *messages, batched=batched)

    received = [consumer.receive(10_000) for _ in messages]

    assert [shown(message) for message in received] == [SHOWN] * 3
    assert [message.text for message in received if isinstance(message, TextMessage)] == [
        "0",
        "1",
        "2",
    ]
    assert {
        message.get_string_property("JMSXGroupID") for message in received if message is not None
    } == {"k\ufffdey"}


@transports
def test_a_listener_and_a_browser_get_them(
    factories: Factories, sends: Callable[..., None], name: Name, transport: str
) -> None:
    connection = factories(transport=transport).create_connection()
    session = connection.create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    sends(queue.queue_name, raw(b"x", BAD), raw(b"y", {b"JMSPulsarMessageType": b"text"}))
    with session.create_browser(queue) as browser:
        first, second = browser.enumeration
    assert shown(first) == SHOWN
    assert second.get_body(str) == "y"
    consumer.close()

    heard: queues.Queue[Message] = queues.Queue()
    session.create_consumer(queue).message_listener = heard.put
    connection.start()
    assert shown(heard.get(timeout=10)) == SHOWN
    assert heard.get(timeout=10).get_body(str) == "y"


@transports
def test_a_dead_letter_of_a_partition_has_them(
    factories: Factories,
    pulsar: BrokerAddress,
    sends: Callable[..., None],
    name: Name,
    transport: str,
) -> None:
    topic, letters = name(), name()
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic}/partitions"
    httpx.put(url, json=2).raise_for_status()
    policy = {"maxRedeliverCount": 1, "deadLetterTopic": f"persistent://public/default/{letters}"}
    settings: dict[str, object] = {
        "consumerConfig": {
            "deadLetterPolicy": policy,
            "negativeAckRedeliveryDelayMicros": 100_000,
        }
    }
    connection = factories(settings, transport=transport).create_connection()
    session = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    connection.start()
    dead = session.create_consumer(session.create_queue(letters))
    consumer = session.create_consumer(session.create_queue(topic))
    sends(f"{topic}-partition-1", raw(b"x", BAD))
    for _ in range(2):
        assert shown(consumer.receive(10_000)) == SHOWN
        session.recover()
    assert shown(dead.receive(10_000)) == SHOWN


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\xed\xa0\x80", "\ufffd"),
        (b"\xed\xa0\x80\xed\xb0\x80", "\ufffd\ufffd"),
        (b"\xed\x9f\xbf", "\ud7ff"),
        (b"\xf4\x90\x80\x80", "\ufffd" * 4),
        (b"\xe2\x82", "\ufffd"),
        (b"\xc0\x80", "\ufffd\ufffd"),
    ],
)
def test_bytes_are_read_as_by_java(raw: bytes, text: str) -> None:
    assert text_of(raw) == text


def test_they_are_read_with_the_credentials_of_the_client(
    guarded: BrokerAddress, name: Name
) -> None:
    plugin = "org.apache.pulsar.client.impl.auth.AuthenticationToken"
    factory = PulsarConnectionFactory(
        {
            "webServiceUrl": guarded.admin_url,
            "brokerServiceUrl": guarded.service_url,
            "authPlugin": plugin,
            "authParams": f"token:{guarded.token}",
        }
    )
    with factory, factory.create_context() as context:
        queue = context.create_queue(name())
        consumer = context.create_consumer(queue)
        client = pulsar_client.Client(
            guarded.service_url, authentication=pulsar_client.AuthenticationToken(guarded.token)
        )
        client.create_producer(queue.queue_name)._producer.send(raw(b"x", BAD))
        client.close()
        assert shown(consumer.receive(10_000)) == SHOWN


def test_what_is_gone_when_it_is_read_anew_cannot_be_read(factories: Factories, name: Name) -> None:
    with factories().create_connection() as connection:
        transport: Any = connection.client.transport
        topic = f"persistent://public/default/{name()}"
        transport.producer(topic).send(OutgoingMessage(b"x", {}))
        with pytest.raises(MessageFormatException, match=r"1:5 of .*cannot be read once more"):
            transport._lenient.properties(topic, MessagePosition(1, 5), None)
