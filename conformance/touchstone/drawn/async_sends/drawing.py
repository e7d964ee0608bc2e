"""How programs on asynchronous sends are drawn: in each something is told, and something waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.async_sends.rules import LISTENERS, OUTSIDE
from jms_model.async_sends.state import (
    AGAIN,
    BARE,
    CLOSES_CONNECTION,
    CLOSES_PRODUCER,
    CONNECTION,
    HELD,
    LARGE,
    LASTS,
    NULL,
    READS,
    REFUSED_ACTS,
    SENDS,
    THROWS,
)
from jms_model.delivery.provider import QUEUE
from jmsapi import Int, SessionMode
from touchstone.drawn.async_sends.making import TOUCHES
from touchstone.drawn.async_sends.program import Program, Step

T = TypeVar("T")
_TEXTS: Final = ("a", "b", "", "größe", "\U0001f600", "null", "42", None, " x ", "a\0b")
_BYTES: Final = (b"", b"\0\xff", b"a")
_MAPS: Final[Sequence[dict[str, Any]]] = ({}, {"k": Int(7)}, {"k": "", "l": True})
_BODIES: Final = (*_TEXTS[:7], *_BYTES, *_MAPS, Int(7), None)
_MESSAGES: Final[Sequence[tuple[Any, ...]]] = (
    *(("text", text) for text in _TEXTS),
    *(("text", text) for text in ("a", "b", "c", "d")),
    *(("bytes", value) for value in _BYTES),
    *(("map", value) for value in _MAPS),
    *(("object", value) for value in (Int(7), "a", None)),
    *(("stream", value) for value in ((), ("a", Int(1)))),
    ("message",),
)
_OPTIONS: Final = (
    (2, 4, 0),
    (1, 4, 0),
    (2, 9, 60_000),
    (2, 0, 0),
    (1, 5, 3_600_000),
    (2, 4, 2**40),
)
_QUEUES: Final = ("q0", "q0", "q1")
_MODES: Final = (
    SessionMode.AUTO_ACKNOWLEDGE,
    SessionMode.SESSION_TRANSACTED,
    SessionMode.AUTO_ACKNOWLEDGE,
    SessionMode.CLIENT_ACKNOWLEDGE,
)
_ACTS: Final = (READS, READS, LASTS, HELD, THROWS)
_LONGEST: Final = 6
"""Parts of a program, some of which are several calls."""


@dataclass
class _Drawn:
    """A program that is being drawn."""

    draw: DrawFn
    simplified: bool
    steps: list[Step] = field(default_factory=list)
    sessions: dict[str, int] = field(default_factory=dict)
    """Their modes."""
    producers: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By name, the session and the queue."""
    listeners: dict[str, str] = field(default_factory=dict)
    """By name, what they do."""
    sends: dict[str, str] = field(default_factory=dict)
    """By name, the listener; empty where it is synchronous or refused."""

    def pick(self, values: Sequence[T]) -> T:
        """One of these."""
        return values[self.draw(st.integers(0, len(values) - 1))]

    def one_of(self, count: int) -> bool:
        """Whether it is the one of so many."""
        return self.draw(st.integers(0, count - 1)) == 0

    def call(self, on: str, method: str, *args: Any, makes: str = "") -> None:
        """One step more."""
        self.steps.append(Step(on, method, args, makes))

    def begin(self) -> None:
        """Sessions, their producers, and listeners of each usual kind."""
        for _ in range(self.pick([1, 2])):
            name = f"s{len(self.sessions)}"
            mode = self.pick(_MODES)
            self.call(CONNECTION, "create_session", int(mode), makes=name)
            self.sessions[name] = mode
            for _ in range(self.pick([1, 1, 2])):
                self.producer(name)

    def producer(self, session: str) -> str:
        """A producer for a queue, or for none."""
        name = f"p{len(self.producers)}"
        queue = "" if self.simplified else self.pick([*_QUEUES, ""])
        self.producers[name] = (session, queue)
        self.call(session, "create_producer", queue, makes=name)
        return name

    def listener(self, act: str) -> str:
        """A listener that does this: one that is there, or another."""
        known = [name for name, each in self.listeners.items() if each == act]
        if known and self.one_of(2):
            return self.pick(known)
        name = f"l{len(self.listeners)}"
        self.listeners[name] = act
        self.call(LISTENERS, "listener", act, makes=name)
        return name

    def send(self, producer: str, act: str, what: tuple[Any, ...] | None = None) -> str:
        """A send that a listener is told of, or, of no act, one that waits."""
        by = self.listener(act) if act else ""
        name = f"a{len(self.sends)}"
        _, queue = self.producers[producer]
        to = "" if queue else self.pick(_QUEUES)
        options = self.pick([None, None, *_OPTIONS])
        self.call(producer, "send", what or self.what(), to, options, by, makes=name)
        self.sends[name] = by
        return name

    def what(self) -> tuple[Any, ...]:
        """What is sent."""
        if self.sends and self.one_of(8):
            return (AGAIN, self.pick([*self.sends]))
        if self.simplified and self.one_of(2):
            return (BARE, self.pick(_BODIES))
        return self.pick(_MESSAGES)

    def of_transactions(self, producer: str) -> bool:
        """Whether its session works in transactions."""
        return self.sessions[self.producers[producer][0]] == SessionMode.SESSION_TRANSACTED

    def part(self) -> None:
        """Some calls that belong together."""
        producer = self.pick([*self.producers])
        session = self.producers[producer][0]
        match self.pick(_PARTS):
            case "burst":
                self.burst(producer)
            case "told":
                name = self.send(producer, self.pick(_ACTS))
                self.call(name, "told")
                for queue in ("q0", "q1"):
                    self.call(OUTSIDE, "browse", queue)
            case "waits":
                self.send(producer, "")
                for queue in ("q0", "q1"):
                    self.call(OUTSIDE, "browse", queue)
            case "acts":
                self.acts(producer)
            case "refused":
                self.refused(producer)
            case "set":
                name = self.pick(["priority", "delivery_mode", "time_to_live"])
                value = {
                    "priority": [0, 9, 5],
                    "delivery_mode": [1, 2],
                    "time_to_live": [0, 60_000],
                }
                self.call(producer, "set", name, self.pick(value[name]))
            case "large":
                self.large(producer)
            case "use":
                self.send(producer, self.pick([HELD, LASTS]))
                self.call(session, "use")
            case "end":
                self.end(producer)
            case _:
                self.producer(session)

    def burst(self, producer: str) -> None:
        """Several sends while the first callback is held, and something that waits for all."""
        self.send(producer, self.pick([HELD, HELD, LASTS]))
        behind = []
        for _ in range(self.pick([1, 2, 2, 3, 4])):
            mine = [
                name
                for name, each in self.producers.items()
                if each[0] == self.producers[producer][0]
            ]
            by = self.pick([producer, producer, *mine])
            behind.append(self.send(by, self.pick([READS, LASTS, LASTS, THROWS, ""])))
        for _ in range(self.pick([0, 0, 1, 2])):
            self.call(self.pick(behind), "touch", self.pick(TOUCHES))
        if self.one_of(3):
            self.call(self.pick(behind), "told")
        else:
            self.end(producer)

    def end(self, producer: str) -> None:
        """The end of a transaction, or a close."""
        session = self.producers[producer][0]
        if self.of_transactions(producer) and not self.one_of(3):
            self.call(session, self.pick(["commit", "commit", "rollback"]))
        elif not self.one_of(3):
            self.call(producer if not self.simplified else session, "close")
        else:
            self.call(session, "close")

    def acts(self, producer: str) -> None:
        """A callback that calls its own objects, which mostly has to be refused."""
        of_contexts = (CLOSES_PRODUCER, CLOSES_CONNECTION)
        refused = [each for each in REFUSED_ACTS if not (self.simplified and each in of_contexts)]
        for _ in range(self.pick([1, 1, 2])):
            self.call(self.send(producer, self.pick([*refused, SENDS, SENDS])), "does")

    def refused(self, producer: str) -> None:
        """A send that has to be refused, and another one."""
        _, queue = self.producers[producer]
        act = self.pick([READS, READS, LASTS, ""])
        by = self.listener(act) if act else ""
        options = self.pick([None, *_OPTIONS])
        way = self.pick(["null", "null", "destination", "closed"])
        name = f"a{len(self.sends)}"
        if way == "closed":
            self.call(producer if not self.simplified else self.producers[producer][0], "close")
        if way == "null" and not self.simplified:
            what: tuple[Any, ...] = (NULL,)
            to = "" if queue else self.pick(_QUEUES)
        else:
            what = self.pick(_MESSAGES)
            to = "" if bool(queue) == (way == "closed") else self.pick(_QUEUES)
        self.call(producer, "send", what, to, options, by, makes=name)
        self.sends[name] = ""
        other = self.producer(self.producers[producer][0])
        self.call(self.send(other, READS), "told")

    def large(self, producer: str) -> None:
        """What may be larger than the broker takes, between others."""
        if self.of_transactions(producer):
            return
        self.send(producer, READS)
        self.call(self.send(producer, READS, (LARGE,)), "told")
        self.send(producer, READS)

    def looks(self) -> None:
        """All is closed, and all that was told and sent is looked at."""
        if not self.simplified and self.one_of(2):
            self.call(CONNECTION, "close")
        else:
            for name in self.sessions:
                self.call(name, "close")
        told = [name for name, by in self.sends.items() if by]
        for name in told:
            self.call(name, "told")
        for queue in ("q0", "q1"):
            self.call(OUTSIDE, "left", queue)
        for method in ("message", "failure", "headers"):
            for name in told:
                self.call(name, method)
        for name in self.sends:
            self.call(name, "times")
        for name in self.producers:
            self.call(name, "turns")
        for name in self.sessions:
            self.call(name, "overlaps")
            self.call(name, "by_the_sender")


_PARTS: Final = (
    *("burst", "burst", "burst", "burst", "told", "told", "waits", "acts", "acts"),
    *("refused", "refused", "set", "use", "end", "producer", "large", "large"),
)


@st.composite
def _programs(draw: DrawFn) -> Program:
    simplified = draw(st.booleans())
    drawn = _Drawn(draw, simplified)
    drawn.begin()
    for _ in range(draw(st.integers(1, _LONGEST))):
        drawn.part()
    drawn.looks()
    domain = QUEUE if not simplified and drawn.one_of(4) else ""
    return Program(simplified, drawn.steps, domain)


def programs() -> SearchStrategy[Program]:
    """Programs on asynchronous sends."""
    return _programs()
