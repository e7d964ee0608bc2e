"""An Artemis broker that somebody else runs: looked at, never started or ended."""

from __future__ import annotations

from dataclasses import replace

from jms_brokers.brokers.foreign import ForeignBroker
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import PLAIN_ALONE, profile_of
from jms_brokers.families.artemis import readiness as artemis_readiness
from jms_brokers.families.artemis.product import NAME
from jms_brokers.shared.foreign import foreign_address
from jms_brokers.shared.settings import BrokerSettings


class ExternalArtemis(ForeignBroker):
    """The broker that `settings` name; `start` checks that it answers and which version it is.

    Scenarios about dead letters and expired messages need queues for both on it.
    """

    def __init__(self, settings: BrokerSettings, profile: str = "plain") -> None:
        profile_of(NAME, PLAIN_ALONE, profile)
        super().__init__(foreign_address(settings, profile))

    def look_at(self, address: BrokerAddress) -> BrokerAddress:
        """Ask the broker who it is; raises BrokerError when it does not answer or is another."""
        return replace(address, version=artemis_readiness.version(address))
