"""What the harness has of its own on one broker, beside the client under test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import BrokerError
from touchstone.families.queue_view import QueueView


class Surroundings(Protocol):
    """The harness's own clients on one broker; `close` gives their connections back."""

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is, with the harness's own rights."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """What each factory of the client under test is given, such as a namespace of its own."""
        ...

    @property
    def queues(self) -> QueueView:
        """Queues as the broker sees them."""
        ...

    def client_address(self, address: BrokerAddress) -> BrokerAddress:
        """`address` as the client under test gets it: without the harness's own rights."""
        ...

    def round_trip(self) -> float:
        """Seconds that a message of the independent client took; `BrokerError` when it is lost."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


def surroundings(address: BrokerAddress, space: str) -> Surroundings:
    """The harness's clients on the broker at `address`.

    `space` is a name of the worker's own, tenant/name, for brokers that keep users apart.
    """
    match address.family:
        case "pulsar":
            from touchstone.families.pulsar.probe import PulsarSurroundings

            return PulsarSurroundings(address, space)
        case "artemis":
            from touchstone.families.amqp.probe import AmqpSurroundings
            from touchstone.families.artemis.queues import ArtemisQueues

            return AmqpSurroundings(address, ArtemisQueues(address))
        case "activemq":
            from touchstone.families.activemq.queues import ActiveMqQueues
            from touchstone.families.amqp.probe import AmqpSurroundings

            return AmqpSurroundings(address, ActiveMqQueues(address))
        case "rabbitmq":
            from touchstone.families.rabbitmq.probe import RabbitSurroundings

            return RabbitSurroundings(address)
        case family:
            raise BrokerError(
                f"The harness cannot look into brokers of the family {family}",
                hint="See touchstone.families.probe.",
            )
