"""The java transport: what it can do that pulsar-client cannot, and how it fails."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from jmsapi import (
    InvalidDestinationException,
    JMSException,
    JMSSecurityException,
    ResourceAllocationException,
    TransactionRolledBackException,
)
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.mapping.headers import message_id_text
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.transport.java_client.classes import PLAIN_PACKAGE, java_classes
from pulsar_jms.transport.java_client.java_errors import commit_error, jms_error
from pulsar_jms.transport.transport_protocol import SubscriptionRequest, SubscriptionType, Transport
from pulsar_jms.transport.wire_messages import MessagePosition, OutgoingMessage

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]


@pytest.fixture
def connection(factories: Factories) -> PulsarConnection:
    """A started connection on the java transport."""
    connection = factories(transport="java").create_connection()
    connection.start()
    return connection


@pytest.fixture
def transport(connection: PulsarConnection) -> Transport:
    """A java transport in use."""
    return connection.client.transport


def full(name: str) -> str:
    """The full name of a topic."""
    return f"persistent://public/default/{name}"


def request(topic: str, name: str = "s", **changed: object) -> SubscriptionRequest:
    """A request for a durable shared consumer from the first message on."""
    plain: dict[str, object] = {"durable": True, "earliest": True, "properties": {}}
    kind = changed.pop("kind", SubscriptionType.SHARED)
    return SubscriptionRequest((topic,), name, kind, **{**plain, **changed})  # type: ignore[arg-type]


MESSAGE = OutgoingMessage(
    "grün \U0001f600\0".encode(),
    {"name": "grün \U0001f600", "empty": "", " with blank": "\0"},
    partition_key="",
    event_time=1_700_000_000_123,
)


def test_every_field_of_a_message_crosses(transport: Transport, name: Name) -> None:
    topic = full(name())
    stored = transport.producer(topic).send(MESSAGE)
    delivered = transport.subscribe(request(topic)).receive(10_000)
    assert delivered is not None
    incoming = delivered.message
    assert (incoming.payload, incoming.null_value) == (MESSAGE.payload, False)
    assert incoming.properties == MESSAGE.properties
    assert (incoming.partition_key, incoming.event_time) == ("", 1_700_000_000_123)
    assert incoming.position == stored.position
    assert incoming.publish_time > 1_700_000_000_123
    assert (incoming.redelivery_count, incoming.topic) == (0, topic)
    assert (incoming.schema_version, incoming.sequence_id) == (None, 0)


def test_what_was_not_sent_is_not_there(transport: Transport, name: Name) -> None:
    topic = full(name())
    transport.producer(topic).send(OutgoingMessage(None, {}))
    delivered = transport.subscribe(request(topic)).receive(10_000)
    assert delivered is not None
    incoming = delivered.message
    assert (incoming.payload, incoming.null_value) == (b"", True)
    assert (incoming.partition_key, incoming.event_time) == (None, None)


def test_a_message_given_back_comes_again_without_a_delay(transport: Transport, name: Name) -> None:
    topic = full(name())
    transport.producer(topic).send(MESSAGE)
    consumer = transport.subscribe(request(topic))
    first = consumer.receive(10_000)
    assert first is not None
    consumer.nack(first)
    again = consumer.receive(10_000)
    assert again is not None
    assert (again.message.position, again.message.redelivery_count) == (first.message.position, 1)
    assert transport.redelivery_floor == 0.0


def test_a_reader_starts_where_it_is_told(transport: Transport, name: Name) -> None:
    topic = full(name())
    positions = [
        transport.producer(topic).send(MESSAGE._replace(payload=text)).position
        for text in (b"1", b"2", b"3")
    ]
    read: list[list[bytes]] = []
    for start in (None, positions[1], MessagePosition(*positions[2][:2])):
        reader = transport.reader(topic, start)
        read.append([])
        while reader.has_next():
            message = reader.read(10_000)
            assert message is not None
            read[-1].append(message.payload)
        reader.close()
        assert reader.read(0) is None
    assert read == [[b"1", b"2", b"3"], [b"2", b"3"], [b"3"]]


def test_a_router_chooses_the_partition(
    transport: Transport, pulsar: BrokerAddress, name: Name
) -> None:
    import httpx

    short = name()
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{short}/partitions"
    httpx.put(url, json=4).raise_for_status()
    topic = full(short)
    assert transport.partitions(topic) == tuple(f"{topic}-partition-{i}" for i in range(4))
    producer = transport.producer(topic, lambda properties, count: int(properties["to"]) % count)
    sent = [producer.send(OutgoingMessage(b"x", {"to": to})).position for to in ("2", "7", "0")]
    assert [position.partition for position in sent] == [2, 3, 0]


def test_a_second_exclusive_consumer_is_refused_with_advice(
    transport: Transport, name: Name
) -> None:
    topic = full(name())
    wanted = request(topic, kind=SubscriptionType.EXCLUSIVE)
    transport.subscribe(wanted)
    with pytest.raises(JMSException, match=f"{topic}.*'s': ConsumerBusy.*close that first"):
        transport.subscribe(wanted)


def test_what_was_closed_says_so_and_gives_nothing(transport: Transport, name: Name) -> None:
    topic = full(name())
    producer, consumer = transport.producer(topic), transport.subscribe(request(topic))
    producer.send(MESSAGE)
    delivered = consumer.receive(10_000)
    assert delivered is not None
    consumer.close()
    consumer.close()
    assert consumer.receive(0) is None
    consumer.nack(delivered)
    consumer.nack_all()
    with pytest.raises(JMSException, match=f"acknowledge a message of {topic}"):
        consumer.acknowledge(delivered)
    transport.forget(producer)
    producer.close()
    with pytest.raises(JMSException, match=f"Cannot send to {topic}: AlreadyClosed"):
        producer.send(MESSAGE)
    unused = transport.producer(full(name()))
    transport.forget(unused)
    unused.close()
    with pytest.raises(JMSException, match="closed before"):
        unused.send(MESSAGE)


def test_a_failed_asynchronous_acknowledgement_is_told(transport: Transport, name: Name) -> None:
    topic = full(name())
    transport.producer(topic).send(MESSAGE)
    consumer = transport.subscribe(request(topic))
    delivered = consumer.receive(10_000)
    assert delivered is not None
    consumer.close()
    told: list[JMSException] = []
    heard = threading.Event()

    def failed(error: JMSException) -> None:
        told.append(error)
        heard.set()

    consumer.acknowledge_async(delivered, failed)
    assert heard.wait(30)
    assert f"Cannot acknowledge a message of {topic}" in str(told[0])


def test_a_message_that_is_too_large_is_refused_with_advice(
    transport: Transport, name: Name
) -> None:
    with pytest.raises(JMSException, match=r"InvalidMessage.*maxMessageSize"):
        transport.producer(full(name())).send(OutgoingMessage(bytes(6 << 20), {}))


def test_asynchronous_outcomes_tell_where_the_message_is(transport: Transport, name: Name) -> None:
    topic = full(name())
    producer = transport.producer(topic)
    outcomes: list[tuple[object, ...]] = []
    all_told = threading.Event()

    def outcome(*result: object) -> None:
        outcomes.append(result)
        if len(outcomes) == 20:
            all_told.set()

    for _ in range(20):
        producer.send_async(MESSAGE, outcome)
    assert all_told.wait(30)
    told = [producer.read_outcome(*result).position for result in outcomes]
    consumer = transport.subscribe(request(topic))
    received = [consumer.receive(10_000) for _ in range(20)]
    assert told == [each and each.message.position for each in received]


@pytest.mark.parametrize(
    ("java", "kind"),
    [
        ("PulsarClientException$AuthorizationException", JMSSecurityException),
        ("PulsarClientException$TopicDoesNotExistException", InvalidDestinationException),
        ("PulsarClientException$ProducerQueueIsFullError", ResourceAllocationException),
        ("PulsarClientException$TimeoutException", JMSException),
    ],
)
def test_errors_of_the_client_are_those_of_jms(
    transport: Transport, java: str, kind: type[JMSException]
) -> None:
    classes = java_classes(PLAIN_PACKAGE)
    original = classes.pulsar(f"client.api.{java}")('{"errorMsg":"no way","reqId":7}')
    wrapped = classes.java_class("java.util.concurrent.ExecutionException")(original)
    error = jms_error(wrapped, "Cannot do it")
    assert type(error) is kind
    assert error.error_code == java.partition("$")[2]
    assert str(error).startswith(f"Cannot do it: {error.error_code} (no way)")


@pytest.mark.parametrize(
    ("java", "kind", "says"),
    [
        ("InvalidTxnStatusException", TransactionRolledBackException, "did not commit"),
        ("CoordinatorNotFoundException", JMSException, "is unknown"),
    ],
)
def test_a_failed_commit_says_what_is_known(
    transport: Transport, java: str, kind: type[JMSException], says: str
) -> None:
    name = f"client.api.transaction.TransactionCoordinatorClientException${java}"
    error = commit_error(java_classes(PLAIN_PACKAGE).pulsar(name)("because"))
    assert type(error) is kind
    assert says in str(error)
    assert "because" in str(error)


def test_message_ids_have_the_form_of_the_real_client(
    connection: PulsarConnection, transport: Transport, name: Name, caplog: pytest.LogCaptureFixture
) -> None:
    session = connection.create_session()
    queue = session.create_queue(name())
    message = session.create_text_message("x")
    with caplog.at_level(logging.WARNING):
        session.create_producer(queue).send(message)
        received = session.create_consumer(queue).receive(10_000)
    assert isinstance(received, PulsarMessage)
    assert received.jms_message_id == message.jms_message_id
    identified = str(message.jms_message_id).removeprefix("ID:").split(":")
    assert message_id_text((int(identified[0]), int(identified[1]), -1, -1)) == str(
        message.jms_message_id
    )
    assert caplog.records == []


@pytest.mark.parametrize("transport", ["native", "java"])
def test_the_id_of_a_message_in_chunks_names_the_first_and_the_last(
    factories: Factories, name: Name, transport: str
) -> None:
    in_parts = {"chunkingEnabled": True, "batchingEnabled": False}
    connection = factories({"producerConfig": in_parts}, transport=transport).create_connection()
    connection.start()
    session = connection.create_session()
    queue = session.create_queue(name())
    message = session.create_text_message("x" * 6_000_000)
    session.create_producer(queue).send(message)
    received = session.create_consumer(queue).receive(20_000)

    assert received is not None
    assert received.get_body(str) == message.text
    assert received.jms_message_id == message.jms_message_id
    first, last = str(message.jms_message_id).removeprefix("ID:").split(";")
    ledger, entry, partition = map(int, first.split(":"))
    assert last == f"{ledger}:{entry + 1}:{partition}"


def test_a_jvm_with_other_jars_is_said(transport: Transport) -> None:
    with pytest.raises(JMSException, match=r"without other\.place\.client"):
        java_classes("other.place")
