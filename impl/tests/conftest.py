"""Fixtures of the runtime's tests: factories and connections on the real broker."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection

if TYPE_CHECKING:
    from touchstone.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]


@pytest.fixture
def factories(pulsar: BrokerAddress) -> Iterator[Factories]:
    """Makes factories for the broker from further settings; closes them after the test."""
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
    """Makes a started connection with further settings."""

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
    """Gives a new name at each call."""
    unique = uuid.uuid4().hex[:12]
    numbers = itertools.count()
    return lambda: f"t-{unique}-{next(numbers)}"
