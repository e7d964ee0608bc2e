"""The plain Pulsar client as a partner: it writes and reads raw messages, and knows nothing of JMS.

What it sends has the raw form that the documents give a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import _pulsar

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar.client import IndependentClient
from touchstone.interop.parts import Reading, SendRecord, View, Waiting
from touchstone.interop.raw import consuming, producing
from touchstone.interop.raw.access import RawAccess
from touchstone.interop.raw.messages import view_of
from touchstone.interop.samples import LAST, NAME

_PATIENCE = 15_000
_AFTER_THE_LAST = 2_000


class RawPartner(RawAccess):
    """The parts that it plays."""

    def send(self, queue: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Send the samples of these names, and the last one."""
        with closing(self.client.create_producer(self.full_name(queue))) as producer:
            told = {name: self.send_sample(producer, self.samples[name]) for name in names}
            self.send_sample(producer, LAST)
        return told

    def read(self, queue: str, subscription: str, names: Sequence[str]) -> dict[str, Any]:
        """A `Reading` of the queue by a subscription of its own, up to the last sample."""
        views: dict[str, list[View]] = {}
        unknown: list[View] = []
        whole = False
        patience = _PATIENCE
        with closing(self.subscribe(queue, subscription)) as consumer:
            while not whole or len(views) < len(names):
                try:
                    message = consumer.receive(patience)
                except _pulsar.Timeout:
                    break
                consumer.acknowledge(message)
                name, view = message.properties().get(NAME), view_of(message)
                if name == LAST.name:
                    whole, patience = True, _AFTER_THE_LAST
                elif name in names:
                    views.setdefault(name, []).append(view)
                else:
                    unknown.append(view)
        return Reading(views, (), unknown, whole).as_dict()

    def prepare(self, behaviour: str, name: str) -> Waiting | None:
        """A consumer for a behaviour; None where it takes more than a Pulsar client."""
        make = consuming.CONSUMERS.get(behaviour)
        return make(self, name) if make else None

    def act(self, behaviour: str, name: str) -> dict[str, Any] | None:
        """The producer's part of a behaviour; None where it takes more than a Pulsar client."""
        do = producing.PRODUCERS.get(behaviour)
        return (do(self, name) or SendRecord().as_dict()) if do else None

    def after(self, behaviour: str, name: str) -> View:
        """What the producer sees when the consumer has done its part."""
        return producing.after(self, behaviour, name)


class _Opened:
    def __init__(self, namespace: str) -> None:
        self._namespace = namespace

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[RawPartner]:
        independent = IndependentClient(broker)
        try:
            yield RawPartner(independent.client, self._namespace)
        finally:
            independent.close()


def partner(spec: str) -> _Opened:
    """What `OtherProcess` opens: `spec` is the namespace, a blank and a name of no account."""
    return _Opened(spec.partition(" ")[0])
