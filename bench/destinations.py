"""A client that answers to ever new destinations: its memory, and its producers at the broker.

One context sends a message to each, as what answers requests does to the JMSReplyTo of each. After
each step the broker is asked for the producers of every destination that it still has, and those
without one are deleted, which it would refuse for others: so the broker stays small, too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from jms_brokers.families.pulsar.admin import PulsarAdmin
from jms_brokers.families.pulsar.rest import PulsarRest
from jms_brokers.shared.settings import BrokerSettings
from jms_clients.registry import load_provider
from touchstone.brokers.broker_set import BrokerSet

STEPS = 10


@dataclass(frozen=True)
class DestinationStep:
    """What is seen when a share of the messages is sent."""

    sent: int
    producers: int
    """Destinations that have a producer at the broker."""
    resident: float
    """MiB of memory of the process that sends, those of a JVM in it included."""
    seconds: float
    """Of the sends since the step before."""


def steps(spelling: str, destinations: int, limit: int) -> Iterator[DestinationStep]:
    """Send to so many destinations with jms.maxNumOfProducers at `limit`, on an own broker."""
    provider = load_provider(spelling)
    with (
        BrokerSet(BrokerSettings(family=provider.broker_family)) as brokers,
        provider.open(brokers.address()) as client,
        closing(client.connection_factory({"jms.maxNumOfProducers": limit})) as factory,
        closing(PulsarRest(brokers.address())) as rest,
        closing(factory.create_context()) as context,
    ):
        admin = PulsarAdmin(rest, "public/default")
        left: list[str] = []
        size = max(1, destinations // STEPS)
        for sent in range(size, destinations + 1, size):
            begun = time.monotonic()
            names = [f"reply-{uuid4().hex}" for _ in range(size)]
            for name in names:
                context.create_producer().send(context.create_queue(name), name)
            seconds = time.monotonic() - begun
            resident = _resident()
            known = [*left, *names]
            left = [name for name in known if admin.producers(name)]
            for name in {*known} - {*left}:
                rest.request("DELETE", admin.topic(name).path)
            yield DestinationStep(sent, len(left), resident, round(seconds, 2))


def steps_as_dict(taken_steps: list[DestinationStep]) -> dict[str, object]:
    """As it is kept."""
    return {"load": os.getloadavg(), "steps": [asdict(step) for step in taken_steps]}


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)
