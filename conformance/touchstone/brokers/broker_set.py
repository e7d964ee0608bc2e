"""The brokers of one run: one per profile, started when first asked for, ended with the run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Self

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.shared.registry import broker_for
from jms_brokers.shared.settings import BrokerSettings

_ALIVE = 3


class BrokerSet:
    """At most three brokers at a time; the one that was asked for longest ago makes room.

    Brokers that somebody uses (`lease`) are never ended to make room. Safe for threads: while one
    broker starts or ends, the others are to be had.
    """

    def __init__(self, settings: BrokerSettings, *, alive: int = _ALIVE) -> None:
        self.settings = settings
        self._alive = alive
        self._lock = threading.Lock()
        self._starting: dict[str, threading.Lock] = {}
        self._brokers: dict[str, Broker] = {}  # the least recently asked for comes first
        self._leases: dict[str, int] = {}
        self._closed = False

    def address(self, profile: str = "plain") -> BrokerAddress:
        """Returns where the broker of `profile` is; starts it if need be; raises BrokerError."""
        with self._lock:
            starting = self._starting.setdefault(profile, threading.Lock())
        with starting:
            return self._running(profile) or self._start(profile)

    @contextmanager
    def lease(self, profile: str = "plain") -> Iterator[BrokerAddress]:
        """The broker of `profile`, which stays while the block runs; raises BrokerError."""
        with self._lock:
            self._leases[profile] = self._leases.get(profile, 0) + 1
        try:
            yield self.address(profile)
        finally:
            with self._lock:
                self._leases[profile] -= 1
            self._keep(self._alive)

    def exclusive(self, profile: str = "plain") -> Broker:
        """Returns a private broker, to be used as a context manager."""
        return broker_for(self.settings, profile)

    def close(self) -> None:
        """Ends all brokers of the set; one that cannot be ended keeps no other."""
        with self._lock:
            self._closed = True
            brokers, self._brokers = self._brokers, {}
        with ExitStack() as closing:
            for broker in brokers.values():
                closing.callback(broker.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _running(self, profile: str) -> BrokerAddress | None:
        with self._lock:
            broker = self._brokers.pop(profile, None)
            if broker is None:
                return None
            if getattr(broker, "alive", True):
                self._brokers[profile] = broker
                return broker.address
        broker.close()  # it ended by itself: what is judged next needs another
        return None

    def _start(self, profile: str) -> BrokerAddress:
        broker = broker_for(self.settings, profile)
        self._keep(self._alive - 1)
        broker.__enter__()
        with self._lock:
            if not self._closed:
                self._brokers[profile] = broker
                return broker.address
        broker.close()
        raise BrokerError(f"The broker {profile} is not needed any more", hint="The run has ended")

    def _keep(self, count: int) -> None:
        """Ends brokers that nobody uses, oldest first, until only `count` are left."""
        with self._lock:
            unused = [name for name in self._brokers if not self._leases.get(name)]
            ending = [
                self._brokers.pop(name) for name in unused[: max(0, len(self._brokers) - count)]
            ]
        for broker in ending:
            broker.close()
