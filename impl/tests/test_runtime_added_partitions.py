"""Partitions that a topic gets while consumers and producers of it are open."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from jmsapi import Session
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.configuration import settings
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.pulsar_client import native_client

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

pytestmark = pytest.mark.thorough

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
CONSUMERS = "consumerConfig.autoUpdatePartitionsIntervalSeconds"
PRODUCERS = "producerConfig.autoUpdatePartitionsIntervalSeconds"
TRANSPORTS = pytest.mark.parametrize("transport", ["native", "java"])


class Partitions:
    """The partitions of a topic at the broker."""

    def __init__(self, address: BrokerAddress, topic: str) -> None:
        self._topic = f"{address.admin_url}/admin/v2/persistent/public/default/{topic}"
        httpx.put(f"{self._topic}/partitions", json=1).raise_for_status()

    def grow(self) -> None:
        """Add a second one."""
        httpx.post(f"{self._topic}/partitions", json=2).raise_for_status()

    def of_second(self, kind: str) -> Any:
        """What the broker reports of the second one: its publishers, subscriptions, or counters."""
        answer = httpx.get(f"{self._topic}-partition-1/stats", timeout=20)
        return answer.raise_for_status().json()[kind]


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until `condition` is true."""
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, "it did not come true within 30 s"
        threading.Event().wait(0.05)


@TRANSPORTS
@pytest.mark.parametrize("given", [{}, {CONSUMERS: 1}], ids=["by default", "each second"])
@pytest.mark.parametrize(
    "open_consumer",
    [
        lambda session, name: session.create_consumer(session.create_queue(name)),
        lambda session, name: session.create_shared_durable_consumer(
            session.create_topic(name), "s"
        ),
    ],
    ids=["queue", "topic"],
)
def test_an_open_consumer_reads_a_partition_that_is_added(
    factories: Factories,
    pulsar: BrokerAddress,
    name: Name,
    transport: str,
    given: dict[str, object],
    open_consumer: Callable[[Session, str], Any],
) -> None:
    partitions = Partitions(pulsar, where := name())
    connection = factories(given, transport=transport).create_connection()
    connection.client_id = name()
    connection.start()
    session = connection.create_session()
    consumer = open_consumer(session, where)
    partitions.grow()
    with factories().create_context() as other:
        other.create_producer().send(other.create_queue(f"{where}-partition-1"), "x")
    message = consumer.receive(30_000)
    assert message is not None
    assert message.text == "x"


@TRANSPORTS
def test_an_open_producer_sends_to_a_partition_that_is_added(
    factories: Factories, pulsar: BrokerAddress, name: Name, transport: str
) -> None:
    partitions = Partitions(pulsar, where := name())
    session = factories({PRODUCERS: 1}, transport=transport).create_connection().create_session()
    producer = session.create_producer(session.create_queue(where))
    producer.send(session.create_text_message())
    partitions.grow()

    def arrives() -> bool:
        producer.send(session.create_text_message())
        return int(partitions.of_second("msgInCounter")) > 0

    wait_for(arrives)


def test_a_client_that_cannot_be_told_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As where the library was built otherwise."""
    monkeypatch.setattr(native_client, "_ABI", b"another")
    url: dict[str, object] = {"brokerServiceUrl": "pulsar://127.0.0.1:1"}
    client = native_client.native_client(settings(url), Credentials())
    client.close()
    assert "looks for new partitions once a minute" in caplog.text
