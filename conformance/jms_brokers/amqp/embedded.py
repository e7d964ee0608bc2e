"""A broker in Java that speaks AMQP 1.0, as a child process: see `JavaBroker`."""

from __future__ import annotations

from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.shared.java_broker import JavaBroker


class JavaAmqpBroker(JavaBroker):
    """One broker of our own, which is asked over AMQP whether it is ready."""

    scheme = "amqp"

    def answers(self, address: BrokerAddress) -> bool:
        """Whether AMQP connections are opened."""
        return amqp_readiness.answers(address)

    def name_and_version(self, address: BrokerAddress) -> tuple[str, str]:
        """Who answers at `address`: AMQP's container id is the broker's name."""
        with amqp_readiness.connect(address) as connection:
            about = connection.peer.get("properties", {})
            return connection.peer.get("container-id"), str(about.get("version", ""))

    def pass_a_message(self) -> None:
        """Over a queue of its own."""
        amqp_readiness.pass_a_message(self.address)
