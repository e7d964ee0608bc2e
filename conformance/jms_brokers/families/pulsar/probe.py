"""What the harness has of its own on a Pulsar broker."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from functools import cached_property

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import as_client
from jms_brokers.families.pulsar import transactions
from jms_brokers.families.pulsar.admin import PulsarAdmin, topic_of
from jms_brokers.families.pulsar.client import IndependentClient
from jms_brokers.families.pulsar.queues import PulsarQueues
from jms_brokers.families.pulsar.rest import PulsarRest
from jms_brokers.families.pulsar.wire import PulsarWire
from jms_brokers.families.pulsar.withheld import withheld
from jmsapi import Queue


class PulsarProbe:
    """The admin API, a plain client, and a namespace of the worker's own."""

    def __init__(self, address: BrokerAddress, namespace: str) -> None:
        self.address = address
        self.namespace = namespace
        self.rest = PulsarRest(address)
        self.independent = IndependentClient(address)
        try:
            self.rest.create_namespace(namespace)
        except BaseException:
            self.close()
            raise

    @property
    def settings(self) -> Mapping[str, object]:
        """The namespace that simple names are in."""
        return {"jms.systemNamespace": self.namespace}

    @cached_property
    def wire(self) -> PulsarWire:
        """Messages as they lie on the broker."""
        return PulsarWire(self.rest, self.independent, self.namespace)

    @cached_property
    def admin(self) -> PulsarAdmin:
        """The broker's own view of topics and subscriptions."""
        return PulsarAdmin(self.rest, self.namespace)

    @cached_property
    def queues(self) -> PulsarQueues:
        """Queues as the broker sees them."""
        return PulsarQueues(self.admin, self.independent)

    def client_address(self, address: BrokerAddress) -> BrokerAddress:
        """`address` with the token of the client's role, where there are roles."""
        return as_client(address)

    def abort_transactions(self, queue: Queue) -> int:
        """Abort them as the broker does when their time is over; clients stay connected."""
        open_transactions = transactions.open_on(self.rest, topic_of(queue, self.namespace))
        for each in open_transactions:
            transactions.abort(self.rest, each)
        return len(open_transactions)

    def withheld(self, names: Iterable[str]) -> str | None:
        """What the broker keeps from consumers of topics of these names that wait for it."""
        asked = (withheld(self.rest, topic_of(name, self.namespace)) for name in names)
        return next((told for told in asked if told is not None), None)

    def round_trip(self) -> float:
        """Seconds of a message on a fresh topic; `BrokerError` when it is lost."""
        return self.independent.round_trip(
            f"persistent://{self.namespace}/control-{uuid.uuid4().hex}"
        )

    def close(self) -> None:
        """Give the connections back."""
        self.rest.close()
        self.independent.close()
