"""Consumers that read bodies by schema, against messages of native producers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest

from jms_brokers.families.pulsar.schema import Schema, send_with_schema
from jmsapi import (
    BytesMessage,
    JMSException,
    MapMessage,
    MessageFormatException,
    ObjectMessage,
    SessionMode,
    TextMessage,
)
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
Publish = Callable[..., None]
WITHIN = 20_000
FIELD: dict[str, object] = {"name": "id", "type": "int"}
RECORD = {"type": "record", "name": "R", "fields": [FIELD]}
BY_SCHEMA = {"consumerConfig": {"useSchema": "true"}}


@pytest.fixture
def publish(pulsar: BrokerAddress) -> Publish:
    """Send a message with a schema to a topic of public/default."""

    def publish(topic: str, schema: Schema, payload: bytes | None, **properties: str) -> None:
        full = f"persistent://public/default/{topic}"
        send_with_schema(pulsar, full, schema, payload, properties, None, None)

    return publish


@pytest.fixture
def session(connect: Connect) -> PulsarSession:
    return connect(BY_SCHEMA).create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)


def test_each_message_is_read_by_its_own_version(
    session: PulsarSession, publish: Publish, name: Name
) -> None:
    topic = name()
    publish(topic, Schema("AVRO", json.dumps(RECORD)), b"\x02")
    more = {**RECORD, "fields": [{"name": "x", "type": "int", "default": 0}, FIELD]}
    publish(topic, Schema("AVRO", json.dumps(more)), b"\x04\x06")
    publish(topic, Schema("AVRO", json.dumps(RECORD)), b"\x08")
    consumer = session.create_consumer(session.create_queue(topic))
    bodies = [m.get_body(dict) for m in (consumer.receive(WITHIN) for _ in range(3)) if m]
    assert bodies == [{"id": 1}, {"x": 2, "id": 3}, {"id": 4}]


def test_the_schema_of_a_partitioned_topic_serves_its_partitions(
    session: PulsarSession, publish: Publish, name: Name, pulsar: BrokerAddress
) -> None:
    topic = name()
    path = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic}/partitions"
    httpx.put(path, json=2).raise_for_status()
    for number in range(2):
        publish(f"{topic}-partition-{number}", Schema("STRING"), b"x")
    consumer = session.create_consumer(session.create_queue(topic))
    for _ in range(2):
        assert isinstance(consumer.receive(WITHIN), TextMessage)


def test_what_does_not_follow_its_schema_is_refused_and_not_lost(
    session: PulsarSession, publish: Publish, name: Name
) -> None:
    topic = name()
    queue = session.create_queue(topic)
    schema = Schema("AVRO", json.dumps(RECORD))
    publish(topic, schema, b"")
    publish(topic, schema, b"\x02")
    with session.create_consumer(queue) as consumer:
        with pytest.raises(MessageFormatException, match="do not follow the AVRO schema"):
            consumer.receive(WITHIN)
        following = consumer.receive(WITHIN)
        assert isinstance(following, MapMessage)
        following.acknowledge()
    with (
        session.create_consumer(queue) as consumer,
        pytest.raises(MessageFormatException, match="AVRO"),
    ):
        consumer.receive(WITHIN)


def test_messages_of_jms_clients_are_what_they_were_sent_as(
    session: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    producer = session.create_producer(queue)
    producer.send(session.create_text_message("hello"))
    producer.send(session.create_map_message())
    consumer = session.create_consumer(queue)
    text = consumer.receive(WITHIN)
    assert isinstance(text, TextMessage)
    assert text.text == "hello"
    assert isinstance(consumer.receive(WITHIN), MapMessage)


def test_without_a_version_the_topics_schema_counts(
    session: PulsarSession, publish: Publish, name: Name, pulsar: BrokerAddress
) -> None:
    with_schema, without = name(), name()
    publish(with_schema, Schema("INT32"), b"\0\0\0\1")
    consumer = session.create_consumer(session.create_queue(f"multi:{with_schema},{without}"))
    first = consumer.receive(WITHIN)
    assert isinstance(first, ObjectMessage)
    url = f"{pulsar.admin_url}/topics/persistent/public/default/{with_schema}"
    schema = json.dumps({"name": "INT32", "schema": "", "type": "INT32", "properties": {}})
    body = {"valueSchema": schema, "messages": [{"payload": "2"}]}
    httpx.post(url, json=body).raise_for_status()
    second = consumer.receive(WITHIN)
    assert isinstance(second, ObjectMessage)
    assert second.object == 2
    publish(without, Schema("NONE"), b"raw")
    assert isinstance(consumer.receive(WITHIN), BytesMessage)


def test_a_destination_may_ask_for_schemas_and_browsers_read_by_them(
    connect: Connect, publish: Publish, name: Name
) -> None:
    session = connect().create_session()
    topic = name()
    publish(topic, Schema("STRING"), b"hello")
    asking = session.create_queue(f"{topic}?consumerConfig.useSchema=true")
    with session.create_browser(asking) as browser:
        assert [isinstance(message, TextMessage) for message in browser.enumeration] == [True]
    with session.create_consumer(asking) as consumer:
        assert isinstance(consumer.receive(WITHIN), TextMessage)
    publish(topic, Schema("STRING"), b"hello")
    plain = session.create_consumer(session.create_queue(topic))
    assert isinstance(plain.receive(WITHIN), BytesMessage)


def test_schemas_need_the_administration(connect: Connect, name: Name) -> None:
    session = connect({**BY_SCHEMA, "jms.usePulsarAdmin": False}).create_session()
    with pytest.raises(JMSException, match=r"useSchema.*jms\.usePulsarAdmin"):
        session.create_consumer(session.create_queue(name()))
