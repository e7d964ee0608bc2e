"""Keys of Pulsar's Java client: each is known, and what can be carried out is carried out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from jmsapi import TextMessage
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.configuration.keys import PARSERS
from pulsar_jms.transport.java_client.classes import PLAIN_PACKAGE, java_classes

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]

TUNED: dict[str, object] = {
    "lookupTimeoutMs": 20_000,
    "connectionsPerBroker": 3,
    "connectionMaxIdleSeconds": 90,
    "useTcpNoDelay": "false",
    "maxLookupRedirects": 7,
    "maxNumberOfRejectedRequestPerConnection": 17,
    "keepAliveIntervalSeconds": 11,
    "requestTimeoutMs": 21_000,
    "initialBackoffIntervalNanos": 1_000_000,
    "maxBackoffIntervalNanos": "2000000000",
    "memoryLimitBytes": 1 << 26,
    "description": "tuned",
    "producerConfig": {
        "batchingPartitionSwitchFrequencyByPublishDelay": 5,
        "autoUpdatePartitionsIntervalSeconds": 30,
    },
    "consumerConfig": {
        "maxPendingChunkedMessage": 3,
        "expireTimeOfIncompleteChunkedMessageMillis": 30_000,
        "autoUpdatePartitionsIntervalSeconds": 30,
    },
}
BOTH = pytest.mark.parametrize("transport", ["native", "java"])


@pytest.mark.parametrize(
    ("kind", "section"),
    [
        ("ClientConfigurationData", ""),
        ("ProducerConfigurationData", "producerConfig."),
        ("ConsumerConfigurationData", "consumerConfig."),
    ],
)
def test_every_key_of_the_java_client_is_known(kind: str, section: str) -> None:
    names = settable(java_classes(PLAIN_PACKAGE).pulsar(f"client.impl.conf.{kind}"))
    assert len(names) > 20
    assert [
        name
        for name in names
        if section + name not in PARSERS
        and not any(key.startswith(f"{section}{name}.") for key in PARSERS)
    ] == []


def settable(kind: Any) -> list[str]:
    """The fields that its configuration can be loaded with."""
    static, transient = 0x8, 0x80
    return [
        str(field.getName())
        for field in kind.class_.getDeclaredFields()
        if not field.getModifiers() & (static | transient)
        and not any("JsonIgnore" in str(each) for each in field.getAnnotations())
    ]


@BOTH
def test_tuning_is_accepted(factories: Factories, name: Name, transport: str) -> None:
    factory = factories(TUNED, transport=transport)
    with factory.create_context() as context:
        queue = context.create_queue(name())
        consumer = context.create_consumer(queue)
        context.create_producer().send(queue, "x")
        assert consumer.receive_body(str, 30_000) == "x"


def test_tuning_reaches_the_java_client(factories: Factories) -> None:
    connection = factories(TUNED, transport="java").create_connection()
    client: Any = connection.client.transport
    configuration = client._client.getConfiguration()
    assert (
        configuration.getConnectionsPerBroker(),
        configuration.isUseTcpNoDelay(),
        configuration.getKeepAliveIntervalSeconds(),
        configuration.getMaxBackoffIntervalNanos(),
        configuration.getMemoryLimitBytes(),
        str(configuration.getDescription()),
    ) == (3, False, 11, 2_000_000_000, 1 << 26, "tuned")


@BOTH
def test_a_compacted_topic_is_read_as_such(
    factories: Factories, pulsar: BrokerAddress, name: Name, transport: str
) -> None:
    """A subscription whose topic was compacted has the newest message of each key alone."""
    settings = {"consumerConfig": {"readCompacted": True}}
    connection = factories(settings, transport=transport).create_connection()
    connection.client_id = name()
    connection.start()
    session = connection.create_session()
    topic = session.create_topic(name())
    session.create_durable_consumer(topic, "s").close()
    producer = session.create_producer(topic)
    for text, group in (("old", "g"), ("other", "h"), ("new", "g")):
        message = session.create_text_message(text)
        message.set_string_property("JMSXGroupID", group)
        producer.send(message)
    compact(pulsar, topic.topic_name)
    consumer = session.create_durable_consumer(topic, "s")
    arrived = [consumer.receive(30_000) for _ in range(2)]
    texts = {message.text for message in arrived if isinstance(message, TextMessage)}
    assert texts == {"new", "other"}
    assert consumer.receive_no_wait() is None


def compact(pulsar: BrokerAddress, topic: str) -> None:
    """Have the broker compact a topic, and wait for it."""
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic}/compaction"
    httpx.put(url).raise_for_status()
    wait_until(lambda: httpx.get(url).raise_for_status().json()["status"] == "SUCCESS")


@BOTH
def test_the_state_of_a_subscription_is_replicated(
    factories: Factories, pulsar: BrokerAddress, name: Name, transport: str
) -> None:
    settings = {"consumerConfig": {"replicateSubscriptionState": "true"}}
    session = factories(settings, transport=transport).create_connection().create_session()
    topic = session.create_topic(name())
    session.create_shared_durable_consumer(topic, "s")
    subscription = stats(pulsar, topic.topic_name)["subscriptions"]["s"]
    assert subscription["isReplicated"] is True


@BOTH
def test_producers_of_partitions_start_when_they_are_needed(
    factories: Factories, pulsar: BrokerAddress, name: Name, transport: str
) -> None:
    settings = {"producerConfig": {"lazyStartPartitionedProducers": True}}
    session = factories(settings, transport=transport).create_connection().create_session()
    topic = session.create_topic(name())
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic.topic_name}/partitions"
    httpx.put(url, json=8).raise_for_status()
    message = session.create_text_message("x")
    message.set_string_property("JMSXGroupID", "g")
    session.create_producer(topic).send(message)
    publishers = [
        len(stats(pulsar, f"{topic.topic_name}-partition-{number}")["publishers"])
        for number in range(8)
    ]
    assert 1 <= sum(publishers) < 8


def stats(pulsar: BrokerAddress, topic: str) -> Any:
    """What the broker reports of a topic."""
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic}/stats"
    return httpx.get(url).raise_for_status().json()


def wait_until(has_unacknowledged: Callable[[], bool]) -> None:
    """Wait for a condition, for a minute at most."""
    until = time.monotonic() + 60
    while not has_unacknowledged():
        assert time.monotonic() < until
        time.sleep(0.05)
