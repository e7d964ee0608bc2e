"""A broker that somebody else runs: looked at, never started or ended, whatever its family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError

HINT = "Run with --broker embedded or --broker container for this"


class ForeignBroker(ABC):
    """A `Broker` for an address that is known; subclasses say how it is looked at."""

    def __init__(self, unchecked: BrokerAddress) -> None:
        self._unchecked = unchecked
        self._address: BrokerAddress | None = None

    @abstractmethod
    def look_at(self, address: BrokerAddress) -> BrokerAddress:
        """`address` with what the broker says of itself; raises BrokerError that says what fails
        and why.
        """

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
        """Check that the broker answers; raises BrokerError that says what does not and why."""
        self._address = self.look_at(self._unchecked)
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

    def close(self) -> None:  # noqa: B027 - nothing to do is the point
        """Leave the broker as it is."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _refuse(self, what: str) -> NoReturn:
        raise BrokerError(
            f"The external broker {self._unchecked.service_url} may not be {what}", hint=HINT
        )
