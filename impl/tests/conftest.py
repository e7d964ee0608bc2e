"""Fixtures of the runtime's tests: factories and connections on the real broker."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from dead_letters import Place
from jms_brokers.faults.http_proxy import HttpProxy
from jmsapi import Queue, TemporaryTopic
from numbered_texts import Backlog, Look
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]


@pytest.fixture
def factories(pulsar: BrokerAddress) -> Iterator[Factories]:
    """Make factories for the broker from further settings; close them after the test."""
    made: list[PulsarConnectionFactory] = []

    def make(
        settings: dict[str, object] | None = None,
        transport: str = "native",
        dialect: str = "starlight",
    ) -> PulsarConnectionFactory:
        address: dict[str, object] = {
            "webServiceUrl": pulsar.admin_url,
            "brokerServiceUrl": pulsar.service_url,
        }
        given = {**address, **(settings or {})}
        made.append(PulsarConnectionFactory(given, transport=transport, dialect=dialect))
        return made[-1]

    yield make
    for factory in made:
        factory.close()


@pytest.fixture
def connect(factories: Factories) -> Callable[..., PulsarConnection]:
    """Make a started connection with further settings."""

    def make(settings: dict[str, object] | None = None) -> PulsarConnection:
        connection = factories(settings).create_connection()
        connection.start()
        return connection

    return make


@pytest.fixture
def connection(factories: Factories) -> PulsarConnection:
    """A connection with the default settings, not started."""
    return factories().create_connection()


@pytest.fixture
def name() -> Callable[[], str]:
    """Give a new name at each call."""
    unique = uuid.uuid4().hex[:12]
    numbers = itertools.count()
    return lambda: f"t-{unique}-{next(numbers)}"


@pytest.fixture
def only_subscription(pulsar: BrokerAddress) -> Look:
    """Give the statistics of the only subscription of a topic."""

    def look(topic: str) -> dict[str, Any]:
        url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic}/stats"
        subscriptions = httpx.get(url, params={"getPreciseBacklog": True}).json()["subscriptions"]
        [only] = subscriptions.values()
        return dict(only)

    return look


@pytest.fixture
def backlog(only_subscription: Look) -> Backlog:
    """Give how many messages the only subscription of a topic has not acknowledged."""
    return lambda topic: int(only_subscription(topic)["msgBacklog"])


@pytest.fixture
def exists(pulsar: BrokerAddress) -> Callable[[Queue | TemporaryTopic], bool]:
    """Whether the broker knows the topic of a destination."""

    def exists(destination: Queue | TemporaryTopic) -> bool:
        name = destination.queue_name if isinstance(destination, Queue) else destination.topic_name
        path = name.replace("://", "/")
        answer = httpx.get(f"{pulsar.admin_url}/admin/v2/{path}/stats", timeout=20)
        assert answer.status_code in (200, 404)
        return answer.is_success

    return exists


@pytest.fixture
def proxy(pulsar: BrokerAddress) -> Iterator[HttpProxy]:
    """A proxy in front of the administration."""
    url = httpx.URL(pulsar.admin_url)
    with closing(HttpProxy(url.host, url.port or 80)) as proxy:
        yield proxy


@pytest.fixture
def place(pulsar: BrokerAddress, name: Callable[[], str]) -> Place:
    return Place(name(), pulsar.admin_url)
