"""Clients that go wrong once they have met a message that they cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from weakref import WeakSet

from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.transport_protocol import DeliveredMessage

_undelivered = Settlement.redeliver_failed


struck: WeakSet[object] = WeakSet()
"""Consumers and settlements that have met a message that they could not read."""


def note(
    settlement: Settlement, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, error: Any
) -> None:
    struck.add(consumer)
    struck.add(settlement)
    _undelivered(settlement, consumer, delivered, error)


@contextmanager
def after_unreadable(
    attribute: str, replacement: object, owner: type = Settlement
) -> Iterator[None]:
    """Messages that cannot be read are noted, and what follows them is wrong."""
    with (
        patch.object(Settlement, "redeliver_failed", note),
        patch.object(owner, attribute, replacement),
    ):
        yield
