"""A program in which something ends while others are at work, as data, and how it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.closing import (
    CLOSE,
    LISTENER,
    PROGRAM,
    RECEIVE,
    RECEIVE_0,
    RECEIVE_BRIEF,
    RECEIVE_LONG,
    RECEIVES,
    SEND,
    SETTLE,
    STOP,
    Consumer,
    Session,
    World,
    expect,
)
from jms_model.delivery.session import AUTO, CLIENT, TRANSACTED
from touchstone.drawn import lockstep
from touchstone.drawn.lockstep import Program

_MODES: Final = st.sampled_from([AUTO, CLIENT, CLIENT, TRANSACTED, TRANSACTED])
_KINDS: Final = st.lists(st.sampled_from([LISTENER, LISTENER, RECEIVE]), min_size=2, max_size=3)
_RECEIVES: Final = st.lists(
    st.sampled_from([RECEIVE_BRIEF, RECEIVE_BRIEF, RECEIVE_LONG, RECEIVE_0]), min_size=2, max_size=3
)
_SENT: Final = st.sampled_from([1, 1, 1, 3])
_MORE: Final = st.sampled_from([0, 0, 0, 2])
_PATIENCE: Final = st.sampled_from([1] * 11 + [8])
"""How many times longer than usual it is looked whether something waits: some do, but not long."""
_SOON: Final = 0.1
_END: Final = "e"
"""The name of what is stopped or closed."""
_AT_MOST: Final = 10.0
"""Seconds in which a receive() has come back."""
_LATER: Final = 0.2
"""Seconds in which a listener would have been called."""
_DEEDS: Final = st.sampled_from([(), (SEND,), (SETTLE,), (SEND, SETTLE), (SETTLE, SEND)])
_ENDS_OF_RECEIVES: Final = st.sampled_from([*["stop", "session"] * 2, "connection", "consumer"])
_ENDS: Final = st.sampled_from([*["stop", "connection", "consumer"] * 2, "session"])


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call, or one look."""

    def __str__(self) -> str:
        match self.method, self.args:
            case "create", (by_context,):
                return f"{self.makes} = {'contexts' if by_context else 'a connection'}"
            case "session", (mode,):
                return f"{self.makes} = a session of {self.on} in mode {mode}"
            case "consume", (kind, sent):
                how = "a listener" if kind == LISTENER else f"a {kind} that waits"
                return f"{self.makes} = {self.on} with {how} for a queue with {sent} messages"
            case "begin", (what,):
                return f"{self.makes} = {self.on}.{what}() by a thread of its own"
            case "is_called", _:
                return f"the listener of {self.on} is at work"
            case "fill", (count,):
                return f"{count} more messages for {self.on}"
            case "does", (deed,):
                return f"the listener of {self.on} {deed}s"
            case "returns", _:
                return f"the listener of {self.on} returns"
            case "has_ended" | "calls_later" | "receive_gives", (seconds, *_):
                return f"{self.on}.{self.method} after {seconds} s"
        return f"{self.on}.{self.method}"


class _Drawing:
    """A program as it grows, and what is so by then."""

    def __init__(self, document: str) -> None:
        self.model = World(document)
        self.steps: list[Step] = []

    def adds(self, on: str, method: str, args: tuple[Any, ...] = (), makes: str = "") -> None:
        """A step, if it makes sense now."""
        expectation = expect(self.model, on, method, args, makes)
        if expectation is not None:
            expectation.permitted[0].effect()
            self.steps.append(Step(on, method, args, makes))

    def of_kind(self, kind: type[Any]) -> list[str]:
        """The names of all that are of a kind."""
        return [name for name, each in self.model.objects.items() if isinstance(each, kind)]

    def consumers(self, *kinds: str) -> list[str]:
        """The names of those at which listeners wait, or receives of these kinds."""
        return [name for name in self.of_kind(Consumer) if self.model.objects[name].kind in kinds]

    def held(self) -> list[str]:
        """The names of those whose listeners are at work."""
        return [name for name in self.of_kind(Consumer) if self.model.objects[name].is_held]

    def ends(self, kind: str) -> list[tuple[str, str]]:
        """What can be stopped or closed of a kind; of consumers only what is at work."""
        contexts = self.model.objects["c0"].by_context
        match kind:
            case "stop":
                return [("s0" if contexts else "c0", STOP)]
            case "connection" if not contexts:
                return [("c0", CLOSE)]
            case "consumer":
                return [(name, CLOSE) for name in (*self.held(), *self.consumers(*RECEIVES))]
        return [(name, CLOSE) for name in self.of_kind(Session)]


@st.composite
def programs(draw: DrawFn, document: str) -> Program:
    """Sessions are at work; something is stopped or closed, and then their listeners return."""
    drawing = _Drawing(document)
    _begin_to_work(draw, drawing, draw(st.booleans()), draw(_KINDS))
    return _ended(draw, drawing, draw(_ENDS))


@st.composite
def programs_on_receives(draw: DrawFn, document: str) -> Program:
    """The same with receives of every form, which have their time or wait for ever."""
    drawing = _Drawing(document)
    _begin_to_work(draw, drawing, draw(st.booleans()), draw(_RECEIVES))
    return _ended(draw, drawing, draw(_ENDS_OF_RECEIVES))


def _ended(draw: DrawFn, drawing: _Drawing, kind: str) -> Program:
    on, what = draw(st.sampled_from(drawing.ends(kind)))
    drawing.adds(on, "begin", (what,), _END)
    drawing.adds(_END, "has_ended", (_SOON * draw(_PATIENCE),))
    for name in draw(st.permutations(drawing.held())):
        for deed in draw(_DEEDS):
            drawing.adds(name, "does", (deed,))
        drawing.adds(name, "returns")
        drawing.adds(_END, "has_ended", (_SOON,))
    drawing.adds(_END, "comes_back")
    _look_around(drawing)
    return Program(drawing.steps)


def _begin_to_work(draw: DrawFn, drawing: _Drawing, by_context: bool, kinds: Sequence[str]) -> None:
    """Listeners are at work, and receives wait."""
    drawing.adds(PROGRAM, "create", (by_context,), "c0")
    for number, kind in enumerate(kinds):
        session = f"s{number}"
        drawing.adds("c0", "session", (draw(_MODES),), session)
        sent = draw(_SENT) if kind == LISTENER else 0
        drawing.adds(session, "consume", (kind, sent), f"k{number}")
        if kind == LISTENER and draw(st.booleans()):
            drawing.adds(session, "consume", (kind, 0), f"l{number}")
    drawing.adds("c0", "start")
    for name in drawing.consumers(LISTENER):
        if drawing.model.objects[name].sent:
            drawing.adds(name, "is_called")
    for name in drawing.consumers(LISTENER):
        if count := draw(_MORE):
            drawing.adds(name, "fill", (count,))


def _look_around(drawing: _Drawing) -> None:
    """What was called, received, sent and settled behind it, and when all is started again."""
    end = drawing.model.objects[_END]
    objects = drawing.model.objects
    reached = [name for name in drawing.consumers(LISTENER) if objects[name] in end.consumers]
    drawing.adds(_END, "calls_later", (_LATER, tuple(reached)))
    for name in drawing.consumers(*RECEIVES) if end.what == STOP else ():
        drawing.adds(name, "feed")
        is_brief = objects[name].kind == RECEIVE_BRIEF
        drawing.adds(name, "receive_gives", (_AT_MOST if is_brief else _LATER,))
    drawing.adds("c0", "start")
    for name in drawing.of_kind(Session):
        drawing.adds(name, "calls")
    for name in drawing.of_kind(Consumer):
        for look, args in (("receive_gives", (_AT_MOST,)), ("sent", ()), ("settled", ())):
            drawing.adds(name, look, args)
