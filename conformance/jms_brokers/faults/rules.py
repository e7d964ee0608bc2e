"""Fault rules: which frame of a connection meets which fate.

The same rules serve every proxy, byte-level or of any protocol: a proxy describes what passes as a
`Frame`, asks its `Rulebook` for a fate, and carries that out. Rules are tried in the order in which
they were added, like those of a packet filter; the first that matches and has times left decides,
and a frame that no rule matches passes. Nothing here does I/O.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from types import MappingProxyType

from jms_brokers.errors import HintedError

Forward = Callable[[], None]
"""Sends a held frame on its way; callable from any thread, harmless when its connection is gone."""
Predicate = Callable[["Frame"], bool]
"""Chooses frames; called on the thread of the proxy, so it must not block."""

REMEMBERED_FRAMES = 20_000
"""How many of the latest frames a rulebook, and each rule, remembers."""
REMEMBERED_BYTES = 1024
"""How much of a frame's payload is remembered."""


class FaultError(HintedError):
    """A fault could not be injected."""


class FaultTimeout(FaultError, TimeoutError):
    """What a scenario waited for did not pass the proxy in time."""


class Direction(Enum):
    """Which way a frame travels."""

    TO_BROKER = "client->broker"
    TO_CLIENT = "broker->client"

    @property
    def opposite(self) -> Direction:
        """The way of the answers."""
        return Direction.TO_CLIENT if self is Direction.TO_BROKER else Direction.TO_BROKER


@dataclass(frozen=True)
class Frame:
    """A unit of the protocol as rules see it."""

    direction: Direction
    type: str
    """The protocol's own name, as in "SEND"; "BYTES" where the proxy knows no protocol."""
    connection: int
    """Counts the connections of the proxy from 1."""
    size: int
    """Bytes on the wire, all headers included."""
    request_id: int | None = None
    fields: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """The decoded fields that are present, by the protocol's own names."""
    payload: bytes = b""
    """The first `REMEMBERED_BYTES` of what a message carries, where the proxy reads it."""


class Cut(Enum):
    """How a connection ends: orderly, or by a reset."""

    FIN = "FIN"
    RST = "RST"


@dataclass(frozen=True)
class Pass:
    """The frame goes on, whatever later rules say."""


@dataclass(frozen=True)
class Hold:
    """The frame waits for `release()`; those behind it that match no rule overtake it."""


@dataclass(frozen=True)
class Drop:
    """The frame disappears; the connection goes on."""


@dataclass(frozen=True)
class Answer:
    """The client gets this error instead; a request is not forwarded, an answer is replaced."""

    error: str
    """The protocol's own name of the error."""
    message: str = "injected by a fault rule"


@dataclass(frozen=True)
class CutBefore:
    """The connection ends on both sides after everything before the frame, and without it."""

    how: Cut = Cut.RST


@dataclass(frozen=True)
class CutAfter:
    """The connection ends right after the frame.

    The frame's receiver gets a FIN, so that it surely reads the frame; its sender the cut named.
    """

    how: Cut = Cut.RST


@dataclass(frozen=True)
class Delay:
    """The frame and everything behind it in its direction is late by `seconds`."""

    seconds: float


Action = Pass | Hold | Drop | Answer | CutBefore | CutAfter | Delay

PASS = Pass()
HOLD = Hold()
DROP = Drop()
CUT_BEFORE = CutBefore()
CUT_AFTER = CutAfter()


@dataclass(frozen=True)
class Rule:
    """A fate for the frames that are of one of `types`, in `direction`, and satisfy `where`."""

    action: Action
    types: frozenset[str] = frozenset()
    """Empty: every type."""
    direction: Direction | None = None
    where: Predicate | None = None
    times: int | None = None
    """For how many frames; None: for all."""

    def matches(self, frame: Frame) -> bool:
        """Whether this frame is meant, leaving `times` aside."""
        return (
            (not self.types or frame.type in self.types)
            and self.direction in (None, frame.direction)
            and (self.where is None or self.where(frame))
        )


def deciding(rules: Iterable[tuple[Rule, int]], frame: Frame) -> int | None:
    """The index of the rule that decides on `frame`, given (rule, frames it had so far)."""
    for index, (rule, hits) in enumerate(rules):
        if (rule.times is None or hits < rule.times) and rule.matches(frame):
            return index
    return None


class ArmedRule:
    """A rule at work in a proxy: what it hit, what it holds. Safe to use from any thread."""

    def __init__(self, rule: Rule, changed: threading.Condition) -> None:
        self.rule = rule
        self._changed = changed
        self._hits = 0
        self._frames: deque[Frame] = deque(maxlen=REMEMBERED_FRAMES)
        self._held: list[tuple[Frame, Forward]] = []
        self._armed = True

    @property
    def hits(self) -> int:
        """How many frames this rule decided on."""
        with self._changed:
            return self._hits

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames this rule decided on, in their order; the latest 20,000."""
        with self._changed:
            return tuple(self._frames)

    @property
    def held(self) -> tuple[Frame, ...]:
        """The frames that wait for `release()`."""
        with self._changed:
            return tuple(frame for frame, _ in self._held)

    @property
    def armed(self) -> bool:
        """Whether this rule may still decide on frames."""
        with self._changed:
            return self._armed

    def disarm(self) -> None:
        """Decide on no more frames; held ones stay held."""
        with self._changed:
            self._armed = False

    def release(self, count: int | None = None) -> None:
        """Let the first `count` held frames go on, in their order; by default all, for good.

        A rule released without a count holds nothing from then on. Frames of connections that
        have ended meanwhile are forgotten.
        """
        with self._changed:
            if count is None:
                self._armed = False
                count = len(self._held)
            freed, self._held = self._held[:count], self._held[count:]
            for _, forward in freed:
                forward()

    def wait_for_hit(self, timeout: float, hits: int = 1) -> Frame:
        """The frame of hit number `hits`, waiting `timeout` seconds; else `FaultTimeout`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._hits >= hits, timeout):
                raise FaultTimeout(
                    f"{describe(self.rule)} had {self._hits} of {hits} frames after {timeout} s",
                    hint="let the client do what sends such frames, or wait longer",
                )
            forgotten = self._hits - len(self._frames)
            return self._frames[max(0, hits - 1 - forgotten)]

    def _hit(self, frame: Frame) -> None:
        self._hits += 1
        self._frames.append(frame)
        self._changed.notify_all()

    def _keep(self, frame: Frame, forward: Forward) -> None:
        self._held.append((frame, forward))


class Rulebook:
    """The rules of one proxy and the frames that it saw. Safe to use from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.RLock())
        self._rules: list[ArmedRule] = []
        self._seen: deque[Frame] = deque(maxlen=REMEMBERED_FRAMES)
        self._total = 0

    def add(self, rule: Rule) -> ArmedRule:
        """Put `rule` behind the others."""
        armed = ArmedRule(rule, self._changed)
        with self._changed:
            self._rules.append(armed)
        return armed

    def decide(self, frame: Frame, forward: Forward) -> Action:
        """What happens to `frame`; one to be held is kept together with its `forward`."""
        with self._changed:
            self._seen.append(frame)
            self._total += 1
            self._changed.notify_all()
            candidates = [armed for armed in self._rules if armed._armed]
            index = deciding(((armed.rule, armed._hits) for armed in candidates), frame)
            if index is None:
                return PASS
            candidates[index]._hit(frame)
            action = candidates[index].rule.action
            if isinstance(action, Hold):
                candidates[index]._keep(frame, forward)
            return action

    def seen(
        self, *types: str, direction: Direction | None = None, where: Predicate | None = None
    ) -> tuple[Frame, ...]:
        """The frames so far, whatever became of them, that fit; the oldest first."""
        wanted = Rule(PASS, frozenset(types), direction, where)
        with self._changed:
            return tuple(frame for frame in self._seen if wanted.matches(frame))

    def wait_for(
        self,
        *types: str,
        timeout: float,
        count: int = 1,
        direction: Direction | None = None,
        where: Predicate | None = None,
    ) -> Frame:
        """The frame number `count` that fits, past ones included; else `FaultTimeout`."""
        wanted = Rule(PASS, frozenset(types), direction, where)
        matching: list[Frame] = []
        looked_at = 0

        def enough() -> bool:
            nonlocal looked_at
            fresh = min(self._total - looked_at, len(self._seen))
            matching.extend(
                frame
                for frame in islice(self._seen, len(self._seen) - fresh, None)
                if wanted.matches(frame)
            )
            looked_at = self._total
            return len(matching) >= count

        with self._changed:
            if not self._changed.wait_for(enough, timeout):
                raise FaultTimeout(
                    f"{describe(wanted)}: fewer than {count} frames after {timeout} s",
                    hint="let the client do what sends such frames, or wait longer",
                )
            return matching[count - 1]


def describe(rule: Rule) -> str:
    """One line for people: "Hold of SEND_RECEIPT broker->client"."""
    parts = [type(rule.action).__name__, "of", "/".join(sorted(rule.types)) or "any frame"]
    if rule.direction is not None:
        parts.append(rule.direction.value)
    if rule.where is not None:
        parts.append(f"where {getattr(rule.where, '__name__', repr(rule.where))}")
    return " ".join(parts)
