"""A byte proxy whose faults are noted, in order with the calls of the client."""

from __future__ import annotations

from typing import Any

from jms_brokers.faults.byte_proxy import ByteProxy
from jms_brokers.faults.link import End
from jms_brokers.faults.rules import ArmedRule, Cut, Direction
from jms_clients.trace import Trace


class NotedProxy(ByteProxy):
    """The same proxy; the trace tells what was done by it, each before it takes effect."""

    def __init__(self, host: str, port: int, trace: Trace) -> None:
        """In front of the broker at `host`:`port`."""
        super().__init__(host, port)
        self._trace = trace
        self._number = trace.calls.relay(f"{host}:{port}", f"{self.host}:{self.port}")
        trace.add("note", "byte proxy", "start", f"{self.host}:{self.port}")

    def cut(self, how: Cut = Cut.RST) -> None:
        """As `Relay.cut`."""
        self._note("cut", how.name)
        super().cut(how)

    def stall(self, direction: Direction | None = None) -> None:
        """As `Relay.stall`."""
        self._note("stall", *_names(direction))
        super().stall(direction)

    def resume(self, direction: Direction | None = None) -> None:
        """As `Relay.resume`."""
        self._note("resume", *_names(direction))
        super().resume(direction)

    def down(self) -> None:
        """As `Relay.down`."""
        self._note("down")
        super().down()

    def up(self) -> None:
        """As `Relay.up`."""
        self._note("up")
        super().up()

    def fall_silent(self) -> None:
        """As `Relay.fall_silent`."""
        self._note("fall_silent")
        super().fall_silent()

    def half_open(self, gone: End) -> None:
        """As `Relay.half_open`."""
        self._note("half_open", gone.name)
        super().half_open(gone)

    def heal(self) -> None:
        """As `Relay.heal`."""
        self._note("heal")
        super().heal()

    def on(self, *types: str, **rule: Any) -> ArmedRule:
        """As `Relay.on`."""
        self._note("on", repr(rule.get("action")))
        return super().on(*types, **rule)

    def __setattr__(self, name: str, value: object) -> None:
        """As ever; `delay` and `rate` are noted."""
        if name in ("delay", "rate"):
            self._note(name, str(value))
        super().__setattr__(name, value)

    def _note(self, does: str, *given: str) -> None:
        self._trace.calls.fault(self._number, does, given)
        self._trace.add("call", "byte proxy", does, [*given])


def _names(direction: Direction | None) -> list[str]:
    """The directions of one fault, by their names."""
    return [each.name for each in ([direction] if direction else Direction)]
