"""An Artemis broker that somebody else runs: looked at, never started or ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from touchstone.brokers import artemis_readiness
from touchstone.brokers.interface import BrokerAddress
from touchstone.brokers.ownership import OwnedBroker
from touchstone.brokers.profiles import require_plain
from touchstone.brokers.settings import BrokerSettings
from touchstone.errors import BrokerError


class ExternalArtemis(OwnedBroker):
    """The broker that `settings` name; `start` checks that it answers and which version it is.

    Scenarios about dead letters and expired messages need queues for both on it.
    """

    def __init__(self, settings: BrokerSettings, profile: str = "plain") -> None:
        require_plain("artemis", profile)
        self._unchecked = BrokerAddress(
            service_url=settings.service_url,
            admin_url="",
            profile=profile,
            way="external",
            version="",
            family="artemis",
            trust_certificate=settings.trust_certificate,
            user_name=settings.user_name,
            password=settings.password,
        )
        self._address: BrokerAddress | None = None

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is; raises BrokerError before `start`."""
        if self._address is None:
            raise BrokerError(
                f"The broker {self._unchecked.service_url} has not been looked at",
                hint="Start it first",
            )
        return self._address

    @property
    def log(self) -> Path | None:
        """None: the log is elsewhere."""
        return None

    def start(self) -> BrokerAddress:
        """Checks that the broker answers, and who it is; raises BrokerError."""
        version = artemis_readiness.version(self._unchecked)
        self._address = replace(self._unchecked, version=version)
        return self._address

    def stop(self) -> None:
        """Refused."""
        self._refuse("stopped")

    def kill(self) -> None:
        """Refused."""
        self._refuse("killed")

    def restart(self) -> BrokerAddress:
        """Refused."""
        self._refuse("restarted")

    def pause(self) -> None:
        """Refused."""
        self._refuse("paused")

    def resume(self) -> None:
        """Refused."""
        self._refuse("resumed")

    def close(self) -> None:
        """Leaves the broker as it is."""

    def _refuse(self, what: str) -> NoReturn:
        raise BrokerError(
            f"The external broker {self._unchecked.service_url} may not be {what}",
            hint="Run with --broker embedded or --broker container for this",
        )
