"""An Artemis broker that somebody else runs: looked at, never started or ended."""

from __future__ import annotations

from dataclasses import replace

from touchstone.brokers.foreign import ForeignBroker, amqp_address
from touchstone.brokers.interface import BrokerAddress
from touchstone.brokers.profiles import served
from touchstone.brokers.settings import BrokerSettings
from touchstone.families.artemis import readiness as artemis_readiness


class ExternalArtemis(ForeignBroker):
    """The broker that `settings` name; `start` checks that it answers and which version it is.

    Scenarios about dead letters and expired messages need queues for both on it.
    """

    def __init__(self, settings: BrokerSettings, profile: str = "plain") -> None:
        served("artemis", profile)
        super().__init__(amqp_address(settings, "artemis", profile))

    def look_at(self, address: BrokerAddress) -> BrokerAddress:
        """Asks the broker who it is; raises BrokerError when it does not answer or is another."""
        return replace(address, version=artemis_readiness.version(address))
