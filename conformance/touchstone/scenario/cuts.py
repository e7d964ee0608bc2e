"""Breaking the client's connection at a point of the protocol, whatever the protocol is.

The client under test is connected through a proxy. A cut resets every connection of the proxy and
refuses new ones for as long as the broker is to be away; the frame at which it happens is lost.
What was sent, confirmed and acknowledged is read from the frames, by the texts of the messages, so
these must be unlike any other part of a message.

A connection has *lives*: 1 until the first cut, 2 from there to the second, and so on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from types import TracebackType
from typing import Self

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import HintedError
from jms_brokers.faults.relay import Relay
from jms_brokers.faults.rules import HOLD, ArmedRule, FaultError, FaultTimeout, Frame
from jms_brokers.machine.polling import until
from jms_brokers.shared.cut_frames import CutFrames, Point
from jms_brokers.shared.registry import families, family_named
from jmsapi import Connection
from touchstone.errors import HarnessError
from touchstone.scenario.faults import Faults
from touchstone.scenario.under_test import UnderTest

FOR_GOOD = float("inf")
"""How long the broker stays away when nobody brings it back."""
_HAPPENS_WITHIN = 30.0
_BACK_WITHIN = 60.0


class Cuts:
    """The client under test behind a proxy that breaks its connection on purpose."""

    def __init__(
        self,
        frames: CutFrames,
        faults: Faults,
        jms_at: Callable[[BrokerAddress], UnderTest],
        broker: BrokerAddress,
    ) -> None:
        """Cuts between the client that `jms_at` opens and the broker of `faults`.

        `broker` is the same one with the harness's own rights.
        """
        self._frames = frames
        self._broker = broker
        self._faults = faults
        self._jms_at = jms_at
        self._lock = threading.Lock()
        self._last_of_life: list[int] = []
        """The number of the proxy's last connection in each life that is over."""
        self._stays_away = False
        self._watchers: list[threading.Thread] = []
        self._timers: list[threading.Timer] = []
        self._ended = threading.Event()
        self._failure: HintedError | None = None

    @cached_property
    def _opened(self) -> tuple[Relay, BrokerAddress]:
        return self._faults.frame_proxy()

    @property
    def _proxy(self) -> Relay:
        return self._opened[0]

    # -- the client ----------------------------------------------------------------------------

    def connection(
        self, *, send_timeout: float | None = None, reconnects: bool = True
    ) -> Connection:
        """A started connection of the client under test through the proxy; one in a scenario.

        `send_timeout` is the client's, in seconds. Without `reconnects` the client does not come
        back after a cut: because it is told not to, or because the broker stays away.
        """
        _, address = self._opened
        self._stays_away = not reconnects
        client = self._jms_at(self._frames.address(address, reconnects))
        return client.connection(self._frames.settings(send_timeout, reconnects))

    # -- cutting -------------------------------------------------------------------------------

    def now(self, *, away: float = 0.0) -> None:
        """Cut; the broker then refuses connections for `away` seconds."""
        self._cut(away)

    def at(self, point: Point, *, away: float = 0.0) -> None:
        """Cut when the client or the broker gets to `point` the next time."""
        rule = self._proxy.on(action=HOLD, where=partial(self._frames.is_at, point), times=1)
        watcher = threading.Thread(
            target=self._cut_at, args=(rule, point, away), name=f"cut-at-{point.name}", daemon=True
        )
        self._watchers.append(watcher)
        watcher.start()

    def back(self) -> None:
        """Let the broker accept connections again."""
        self._proxy.up()

    @property
    def count(self) -> int:
        """How many cuts there were so far."""
        with self._lock:
            return len(self._last_of_life)

    def wait_for_cut(self, count: int = 1) -> None:
        """Return when there were so many cuts; `FaultTimeout` when that does not happen."""
        self._until(lambda: self.count >= count, _HAPPENS_WITHIN, f"cut number {count}")

    def wait_until_back(self) -> None:
        """Return when the client has open again all that it had before the last cut.

        `FaultTimeout` when the client does not come back.
        """
        with self._lock:
            if not self._last_of_life:
                raise FaultError("There was no cut", hint="Cut, then wait until the client is back")
            over, first = self._last_of_life[-1], [0, *self._last_of_life][-2]
        earlier = [f for f in self._proxy.seen() if first < f.connection <= over]
        lost = self._frames.attached(earlier)

        def is_back() -> bool:
            later = self._proxy.seen(where=lambda frame: frame.connection > over)
            return bool(later) and lost <= self._frames.attached(later)

        self._until(is_back, _BACK_WITHIN, f"all of {len(lost)} things open again")

    # -- what was seen -------------------------------------------------------------------------

    def transfers(self, text: str) -> list[int]:
        """In which lives the client sent the message, in order: [1, 2] is once before the cut and
        once after it. The frame that was lost counts."""
        return self._lives(self._frames.transfers, text)

    def confirmed(self, text: str) -> bool:
        """Whether the broker has confirmed the message to its sender."""
        return bool(self._frames.confirmations(self._proxy.seen(), text))

    def acknowledgements(self, text: str) -> list[int]:
        """In which lives the client acknowledged the message, in order."""
        return self._lives(self._frames.acknowledgements, text)

    # -- life ----------------------------------------------------------------------------------

    def close(self) -> None:
        """End what waits for a point of the protocol; raises what went wrong at one."""
        self._ended.set()
        for timer in self._timers:
            timer.cancel()
        for watcher in self._watchers:
            watcher.join()
        if self._failure is not None:
            raise self._failure

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _cut_at(self, rule: ArmedRule, point: Point, away: float) -> None:
        while not self._ended.is_set():
            try:
                frame = rule.wait_for_hit(0.2)
            except FaultTimeout:
                continue
            self._cut(away, frame if point is Point.COMMIT else None)
            return
        rule.disarm()

    def _cut(self, away: float, commit: Frame | None = None) -> None:
        proxy = self._proxy
        proxy.down()
        if commit is not None:
            self._discard(commit)
        with self._lock:
            self._last_of_life.append(proxy.accepted)
        if self._stays_away or away == FOR_GOOD:
            return
        if away <= 0:
            proxy.up()
            return
        timer = threading.Timer(away, self._come_back)
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    def _discard(self, commit: Frame) -> None:
        try:
            self._frames.discard(commit, self._broker)
        except HintedError as error:
            self._failure = error

    def _come_back(self) -> None:
        if not self._ended.is_set():
            self._proxy.up()

    def _lives(self, find: Callable[[Sequence[Frame], str], list[Frame]], text: str) -> list[int]:
        frames = find(self._proxy.seen(), text)
        with self._lock:
            ends = list(self._last_of_life)
        return [1 + sum(frame.connection > end for end in ends) for frame in frames]

    def _until(self, condition: Callable[[], bool], within: float, what: str) -> None:
        try:
            until(condition, within)
        except AssertionError as error:
            raise FaultTimeout(
                f"{what}: not within {within:g} s", hint="see the frames in the scenario's trace"
            ) from error


def cut_frames(family: str) -> CutFrames:
    """The protocol of a broker family; `HarnessError` where no proxy can read it."""
    frames = family_named(family).frames
    if frames is None:
        readable = [name for name, other in families().items() if other.frames is not None]
        raise HarnessError(
            f"No proxy reads the protocol of {family}", hint=f"Known: {', '.join(readable)}."
        )
    return frames()
