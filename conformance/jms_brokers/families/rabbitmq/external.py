"""A RabbitMQ broker that somebody else runs: looked at, never started or ended."""

from __future__ import annotations

from dataclasses import replace

from jms_brokers.brokers.foreign import ForeignBroker
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import PLAIN_ALONE, profile_of
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq import readiness
from jms_brokers.families.rabbitmq.product import NAME
from jms_brokers.shared.foreign import foreign_address
from jms_brokers.shared.settings import BrokerSettings


class ExternalRabbitMQ(ForeignBroker):
    """The broker that `settings` name; `start` checks that a message goes through."""

    def __init__(self, settings: BrokerSettings, profile: str = "plain") -> None:
        profile_of(NAME, PLAIN_ALONE, profile)
        super().__init__(foreign_address(settings, profile))

    def look_at(self, address: BrokerAddress) -> BrokerAddress:
        """Pass a message; raises BrokerError that says why none goes through."""
        identity = readiness.pass_a_message(address)
        if identity.product != "RabbitMQ":
            raise BrokerError(
                f"{address.service_url} is {identity.product or 'no RabbitMQ'}, not RabbitMQ",
                hint="Name a RabbitMQ broker: --broker rabbitmq=amqp://HOST:PORT",
            )
        return replace(address, version=identity.version)
