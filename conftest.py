"""The fixture of every test that needs a real broker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from touchstone.brokers.interface import BrokerAddress


@pytest.fixture(scope="session")
def pulsar() -> Iterator[BrokerAddress]:
    """The address of an embedded Pulsar broker (profile `plain`), one per test process."""
    from touchstone.brokers.broker_set import BrokerSet
    from touchstone.brokers.settings import BrokerSettings

    with BrokerSet(BrokerSettings()) as brokers:
        yield brokers.address("plain")
