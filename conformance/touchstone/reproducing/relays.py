"""What a trace keeps of the relays between client and broker, and of the faults by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_EXPRESSIBLE: Final = frozenset({"cut", "stall", "resume", "down", "up"})
"""What the relay of a program can do."""
_BEYOND: Final = {
    "on": "a fault is a rule about what passes between client and broker",
    "cut": "a connection is ended in order, not cut",
}


@dataclass(frozen=True)
class BrokerPlace:
    """Where a broker is; `admin_port`, of its administration by HTTP, is 0 where it has none."""

    host: str
    port: int
    admin_port: int = 0

    @property
    def address(self) -> str:
        """As HOST:PORT."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Fault:
    """What a relay does to its connections."""

    relay: int
    does: str
    given: tuple[str, ...]
    moment: int
    at: float
    thread: int

    @property
    def back(self) -> float:
        """It has taken effect at once."""
        return self.at

    @property
    def beyond(self) -> str:
        """Why no relay of a program can do it; "" where one can."""
        if self.does in _EXPRESSIBLE and "FIN" not in self.given:
            return ""
        return _BEYOND.get(self.does, f"a fault between client and broker is {self.does!r}")


def faults(events: Iterable[Mapping[str, Any]]) -> Sequence[Fault]:
    """Those of a trace, in order."""
    return [
        Fault(
            event["number"],
            event["does"],
            tuple(event["given"]),
            event["moment"],
            event["at"],
            event["thread"],
        )
        for event in events
        if event["java"] == "fault"
    ]


def relays(events: Iterable[Mapping[str, Any]]) -> Mapping[int, BrokerPlace]:
    """By the number of each relay where it was."""
    made = (event for event in events if event["java"] == "relay")
    return {event["number"]: place_of(event["here"]) for event in made}


def place_of(address: str) -> BrokerPlace:
    """The place that is written as HOST:PORT."""
    host, _, port = address.rpartition(":")
    return BrokerPlace(host.strip("[]"), int(port))
