"""What the harness has of its own on a RabbitMQ broker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import as_client
from jms_brokers.families.rabbitmq import readiness as rabbitmq_readiness
from jms_brokers.families.rabbitmq.queues import RabbitQueues


class RabbitProbe:
    """A plain AMQP client and, on a node of our own, the node's counts.

    Names are random, so workers need no space of their own.
    """

    def __init__(self, address: BrokerAddress, queues: RabbitQueues) -> None:
        self.address = address
        self.queues = queues

    @property
    def settings(self) -> Mapping[str, object]:
        """None: names are random."""
        return {}

    def client_address(self, address: BrokerAddress) -> BrokerAddress:
        """`address` as the client's user, where there are users.

        It is without the secret that administers the node.
        """
        return replace(as_client(address), token=None, admin_url="")

    def round_trip(self) -> float:
        """Seconds of a message on a queue of its own; `BrokerError` when it is lost."""
        return rabbitmq_readiness.round_trip(self.address)

    def close(self) -> None:
        """Give the connections back."""
        self.queues.close()
