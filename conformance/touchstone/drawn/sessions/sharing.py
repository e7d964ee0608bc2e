"""How programs with consumers side by side are drawn, which share a queue or a subscription."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.delivery.choosing import CONDITIONS, KINDS
from jms_model.delivery.provider import QUEUE, TOPIC, ModelProvider
from jms_model.delivery.rules import FACTORY
from jms_model.delivery.session import AUTO, Consumer
from touchstone.drawn.sessions.drawing import (
    CLIENT_ID,
    MODE,
    SHARES,
    SIDE_BY_SIDE,
    TEXTS,
    Drawing,
    Grouped,
)
from touchstone.drawn.sessions.program import Program, Step

_SHORTEST: Final = 14
_LONGEST: Final = 36
_CONSUMERS: Final = 4
_SENDER: Final = "s8"
"""The session that scripts send by."""
Opening = tuple[str, tuple[str, ...]]
"""How a consumer is made, but for its selector: a method, and of what."""
_ON_A_QUEUE: Final[Opening] = "create_consumer", (f"{QUEUE}0",)
_ON_A_TOPIC: Final[Opening] = "create_consumer", (f"{TOPIC}0",)
_DURABLE: Final[Opening] = "create_durable_consumer", (f"{TOPIC}0", "d1")
_SHARED: Final[Opening] = "create_shared_consumer", (f"{TOPIC}0", "n0")
_SHARED_DURABLE: Final[Opening] = "create_shared_durable_consumer", (f"{TOPIC}0", "d0")
_UNSHARED_NAME: Final[Opening] = "create_shared_durable_consumer", (f"{TOPIC}0", "d1")
_SHARED_NAME: Final[Opening] = "create_durable_consumer", (f"{TOPIC}0", "d0")
_OPENINGS: Final[Sequence[Sequence[Opening]]] = (
    (_ON_A_QUEUE,),
    (_ON_A_QUEUE,),
    (_SHARED,),
    (_SHARED_DURABLE,),
    (_SHARED, _ON_A_TOPIC, _SHARED_DURABLE),
    (_SHARED_DURABLE, _DURABLE, _SHARED_NAME, _UNSHARED_NAME),
    (_ON_A_TOPIC, _DURABLE),
)
"""The first is what a program is about."""
_SELECTORS: Final = st.sampled_from([None, None, "", *CONDITIONS])
_OTHERS: Final = st.sampled_from([*CONDITIONS])
_SCRIPTS: Final = (
    "send, get, other gets, get, drain",
    "open, send, get, other gets, get, other gets, drain",
    "send, get, other gets, give back, drain",
    "send, get, other gets, other gives back, settle, drain",
    "send, get, get, close other, drain",
    "open, send, get, close, drain",
    "send, get, get, close, give back, drain",
    "send, get, end other, drain",
    "send, get, settle, give back, other gets, other gives back, drain",
    "open all, send, get, other gets, drain",
    "send, get, open all, drain",
    "send, get, close, close other, open all, drain",
    "close, close other, send, open, drain",
    "close, close other, open differently, send, drain",
    "open differently, send, get, other gets",
)
"""Calls that only together show something, on a consumer and another beside it."""


@st.composite
def programs_side_by_side(draw: DrawFn) -> Program:
    """Programs with several consumers; behind what is drawn they look at what is left."""
    openings = draw(st.sampled_from(_OPENINGS))
    selectors = (draw(_SELECTORS), draw(_OTHERS))
    model = ModelProvider(draw(st.booleans()), side_by_side=True)
    drawing = SideBySide(SIDE_BY_SIDE, model, openings=openings, selectors=selectors)
    drawing.adds(Step(FACTORY, "create_connection", (CLIENT_ID,), "c0"))
    drawing.adds(Step("c0", "create_session", (AUTO,), _SENDER))
    for number in range(2):
        mode = draw(MODE[SIDE_BY_SIDE])
        drawing.adds(Step("c0", "create_session", (mode,), f"s{number}"))
        drawing.adds(drawing.opens(f"s{number}", openings[0], draw(st.sampled_from(selectors))))
    drawing.adds(Step("c0", "start"))
    length = draw(st.integers(_SHORTEST, _LONGEST))
    while len(drawing.steps) < length and (groups := drawing.groups()):
        name = draw(st.sampled_from([name for name in groups for _ in range(SHARES[name])]))
        step = draw(st.sampled_from(groups[name]))
        if name == "script":
            drawing.plays(draw(st.sampled_from(_SCRIPTS)), step.on)
            continue
        if step.method == "send":
            step = Step(step.on, "send", (*step.args[:1], draw(TEXTS), *step.args[2:]))
        drawing.adds(step)
    drawing.looks_at_the_rest()
    return Program(model.simplified, drawing.steps, side_by_side=True)


@dataclass
class SideBySide(Drawing):
    """Such a program in the making."""

    openings: Sequence[Opening] = ()
    selectors: tuple[str | None, str] = (None, "")
    """That of most consumers, and another one."""
    kinds: ClassVar[Sequence[int]] = tuple(KINDS)
    _kind: int = field(default=0)

    def opens(self, session: str, opening: Opening, selector: str | None) -> Step:
        """Make a consumer."""
        method, args = opening
        return Step(session, method, (*args, selector), self.new("k"))

    def _sends(self, session: str) -> Iterator[Grouped]:
        about = self.openings[0][1][0]
        return (each for each in super()._sends(session) if each[1].args[0] == about)

    def _consumers_for(self, session: str) -> Iterator[Grouped]:
        if session == _SENDER or len(self.open_consumers()) >= _CONSUMERS:
            return
        for opening in self.openings:
            for selector in (self.selectors[0], *self.selectors, None):
                yield "open", self.opens(session, opening, selector)

    def _on_consumers(self) -> Iterator[Grouped]:
        for name, consumer in self.model.of_kind(Consumer).items():
            if not consumer.closed_by:
                yield "receive", self._receive(name)
                yield "close", Step(name, "close")
                if consumer.session.connection.started:
                    yield "script", self._receive(name)
            yield "refused", Step(name, "close")

    def _beside(self, name: str) -> Sequence[str]:
        """The other consumers of the same queue or subscription."""
        consumers = self.model.of_kind(Consumer)
        readers = consumers[name].backlog.readers
        names = {id(each): reader for reader, each in consumers.items()}
        return [names[id(each)] for each in readers if names[id(each)] != name]

    def _receive(self, name: str) -> Step:
        others = tuple(self._beside(name))
        return Step(name, "receive_from" if others else "receive", others, self.new("m"))

    # Scripts

    def plays(self, script: str, name: str) -> None:
        """What a script says, about a consumer, and another one beside it."""
        consumers = self.model.of_kind(Consumer)
        [other, *_] = [*self._beside(name), name]
        [made_by] = [step for step in self.steps if step.makes == name]
        session, other_session = (consumers[each].session.name for each in (name, other))
        backlog = consumers[name].backlog
        for word in script.split(", "):
            match word:
                case "send":
                    self._sends_some(made_by.args[0])
                case "get" | "other gets":
                    self._gets(name if word == "get" else other, other)
                case "give back" | "other gives back":
                    on = session if word == "give back" else other_session
                    back = "rollback" if self.model.objects[on].transacted else "recover"
                    self.adds(Step(on, back))
                case "settle":
                    transacted = self.model.objects[session].transacted
                    self.adds(Step(session, "commit" if transacted else "acknowledge"))
                case "close" | "close other":
                    self.adds(Step(name if word == "close" else other, "close"))
                case "end other":
                    self.adds(Step(other_session, "close"))
                case "open" | "open all" | "open differently":
                    wanted = {"open": made_by.args[-1], "open all": None}
                    selector = wanted.get(word, self.selectors[1])
                    args = (*made_by.args[:-1], selector)
                    self.adds(Step(session, made_by.method, args, self.new("k")))
                case "drain":
                    for _ in range(len(backlog.waiting())):
                        self._gets(name, other)

    def _sends_some(self, destination: str) -> None:
        for _ in range(3):
            self._kind = self._kind % len(self.kinds) + 1
            self.adds(Step(_SENDER, "send", (destination, "text", self._kind, "producer")))

    def _gets(self, first: str, second: str) -> None:
        """The next message of a consumer, or of another."""
        open_ = [each for each in (first, second) if not self.model.objects[each].closed_by]
        for name in [*open_, *self.open_consumers()[::-1]][:1]:
            step = self._receive(name)
            self.adds(step)
            self.adds(Step(step.makes, "delivery"))

    # What is left

    def _empties(self, destination: str, consumer: str) -> None:
        """As many are received as there may be: which of them are there, only the client tells."""
        for number in range(len(self.model.objects[consumer].backlog.copies)):
            self.steps.append(Step(consumer, "receive", (), f"m{consumer}{number}"))
            self.steps.append(Step(f"m{consumer}{number}", "delivery"))
            self.steps.append(Step(f"m{consumer}{number}", "content"))
        self.adds(Step("s9", "send", (destination, "last", 1, "producer")))
        self.steps.append(Step(consumer, "receive", (), f"m{consumer}"))
