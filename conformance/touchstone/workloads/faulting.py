"""Faults of a whole run: its broker dies and comes again, its connections are cut."""

from __future__ import annotations

from typing import Protocol

from jms_brokers.brokers.interface import Broker
from jms_brokers.faults.byte_proxy import ByteProxy
from jms_brokers.faults.rules import FaultError
from jms_histories.values import FaultKind


class Faulting(Protocol):
    """What faults are done by."""

    def inject(self, kind: FaultKind) -> None:
        """Let a fault happen; returns when it is over."""
        ...


class BrokerFaults:
    """Kills and starts a private broker, and cuts the connections that go through a proxy."""

    def __init__(self, broker: Broker | None, proxy: ByteProxy | None) -> None:
        """None for what this run has not got."""
        self._broker = broker
        self._proxy = proxy

    def inject(self, kind: FaultKind) -> None:
        """Let a fault happen; BrokerError when the broker does not come again."""
        if kind is FaultKind.BROKER_RESTART and self._broker is not None:
            self._broker.kill()
            self._broker.start()
        elif kind is FaultKind.CUT and self._proxy is not None:
            self._proxy.cut()
        else:
            raise FaultError(
                f"{kind.name} cannot be done in this run",
                hint="It needs a broker of the run's own: leave out --broker.",
            )
