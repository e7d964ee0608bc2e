"""What the harness has of its own on a broker of AMQP 1.0."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from jms_brokers.amqp.queues import AmqpQueues
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import as_client


class AmqpProbe:
    """A client of AMQP 1.0 of our own, and what it can ask the broker.

    Nothing keeps workers apart but the names, which are never used twice.
    """

    def __init__(self, address: BrokerAddress, queues: AmqpQueues) -> None:
        self.address = address
        self.queues = queues

    @property
    def settings(self) -> Mapping[str, object]:
        """None: what the client needs everywhere its provider gives it."""
        return {}

    def client_address(self, address: BrokerAddress) -> BrokerAddress:
        """`address` as the client's user, where there are users."""
        return as_client(address)

    def round_trip(self) -> float:
        """Seconds of a message on a fresh queue; `BrokerError` when it is lost."""
        return self.queues.round_trip(f"control-{uuid.uuid4().hex}")

    def close(self) -> None:
        """Give the connection back."""
        self.queues.close()
