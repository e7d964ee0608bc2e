"""How such programs are drawn: the model goes along, so that a receive has something to receive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.delivery.provider import QUEUE, TOPIC, Provider
from jms_model.delivery.rules import FACTORY, expect
from jms_model.delivery.session import (
    AUTO,
    CLIENT,
    DUPS_OK,
    TRANSACTED,
    Connection,
    Consumer,
    Received,
    Session,
)
from jms_model.delivery.session_rules import ASYNC
from touchstone.drawn.sessions.program import Program, Step

_LONGEST: Final = 24
"""Steps of a program, besides those that look at what is left."""
_SESSIONS: Final = 3
_CONSUMERS: Final = 4
_DELIVERIES: Final = 3
"""No message comes more often: brokers give up."""
_CLIENT_ID: Final = "a"
_SUBSCRIPTIONS: Final = {f"{TOPIC}0": ("d0", "d0", "d0"), f"{TOPIC}1": ("d1", "d1", "d0")}
"""The names of durable subscriptions of each topic, mostly one of its own."""
_MODES: Final = {
    "acknowledgement": (CLIENT, CLIENT, CLIENT, AUTO, DUPS_OK),
    "transactions": (TRANSACTED, TRANSACTED, TRANSACTED, AUTO, CLIENT),
    "subscriptions": (AUTO, CLIENT, TRANSACTED),
}
"""The session modes of programs on a subject."""
SUBJECTS: Final = tuple(_MODES)
_DESTINATIONS: Final = {
    "acknowledgement": (f"{QUEUE}0", f"{QUEUE}0", f"{TOPIC}0"),
    "transactions": (f"{QUEUE}0", f"{QUEUE}1", f"{TOPIC}0"),
    "subscriptions": (f"{TOPIC}0", f"{TOPIC}0", f"{TOPIC}1"),
}
_TEXTS: Final = st.sampled_from(["text", "größe", "5"])
"""What else a body may be is for programs on messages."""
_FORMS: Final = {False: ("producer", "unidentified", ASYNC), True: ("producer", "body", ASYNC)}
"""How messages are sent by the classic and by the simplified API."""
Weighted = tuple[int, Step]


@st.composite
def programs(draw: DrawFn, subjects: Sequence[str] = SUBJECTS) -> Program:
    """Programs about one of the subjects; behind what is drawn they look at what is left."""
    subject = draw(st.sampled_from(subjects))
    drawing = _Drawing(subject, Provider(draw(st.booleans())))
    drawing.adds(Step(FACTORY, "create_connection", (_CLIENT_ID,), "c0"))
    drawing.adds(Step("c0", "create_session", (_MODES[subject][0],), "s0"))
    drawing.adds(Step("c0", "start"))
    length = draw(st.integers(4, _LONGEST))
    while len(drawing.steps) < length:
        choices = [step for weight, step in drawing.choices() for _ in range(weight)]
        if not choices:
            break
        step = draw(st.sampled_from(choices))
        if step.method == "send":
            step = Step(step.on, "send", (*step.args[:1], draw(_TEXTS), *step.args[2:]))
        drawing.adds(step)
    drawing.looks_at_the_rest()
    return Program(drawing.model.simplified, drawing.steps)


@dataclass
class _Drawing:
    """A program in the making, and the model that says what makes sense next."""

    subject: str
    model: Provider
    steps: list[Step] = field(default_factory=list)

    def adds(self, step: Step) -> bool:
        """Whether the step makes sense; then it is one of the program."""
        expectation = expect(self.model, step.on, step.method, step.args, step.makes)
        if expectation is None:
            return False
        self.steps.append(step)
        expectation.permitted[0].effect()
        return True

    def choices(self) -> Sequence[Weighted]:
        """The steps that make sense now, and how likely each is."""
        every = (
            *self._on_connections(),
            *self._on_sessions(),
            *self._on_consumers(),
            *self._on_messages(),
        )
        return [(weight, step) for weight, step in every if self._makes_sense(step)]

    def _makes_sense(self, step: Step) -> bool:
        named = expect(self.model, step.on, step.method, step.args, step.makes)
        return named is not None and (bool(named.ids) or step.method in ("start", "stop", "change"))

    def _on_connections(self) -> Iterator[Weighted]:
        connections = self.model.of_kind(Connection)
        for name, connection in connections.items():
            if not connection.closed and len(self.model.of_kind(Session)) < _SESSIONS:
                for mode in _MODES[self.subject]:
                    yield 1, Step(name, "create_session", (mode,), self._new("s"))
            yield (1 if connection.started else 8), Step(name, "start")
            yield 1, Step(name, "stop")
            yield 1, Step(name, "close")

    def _on_sessions(self) -> Iterator[Weighted]:
        for name, session in self.model.of_kind(Session).items():
            if session.closed_by:
                if sum(step.on == name for step in self.steps[-3:]):
                    continue
                yield 1, Step(name, "close")
                yield 1, Step(name, "create_consumer", (f"{QUEUE}0", None), "k9")
                yield 1, Step(name, "commit")
                continue
            yield from self._consumers_for(name)
            for to in _DESTINATIONS[self.subject]:
                for form in _FORMS[self.model.simplified]:
                    for x in (1, 2):
                        yield 1, Step(name, "send", (to, "", x, form))
            yield (5 if session.transacted else 1), Step(name, "commit")
            if all(copy.deliveries < _DELIVERIES for _, copy in session.held):
                yield 5, Step(name, "rollback")
                yield (5 if session.held else 1), Step(name, "recover")
            yield (2 if session.mode == CLIENT else 1), Step(name, "acknowledge")
            yield 2, Step(name, "browse", (f"{QUEUE}0",))
            yield 1, Step(name, "close")
            if self.subject == "subscriptions":
                yield 1, Step(name, "unsubscribe", ("d0",))
                yield 1, Step(name, "unsubscribe", ("d1",))

    def _consumers_for(self, session: str) -> Iterator[Weighted]:
        open_ = [each for each in self.model.of_kind(Consumer).values() if not each.closed_by]
        if len(open_) >= _CONSUMERS:
            return
        name = self._new("k")
        for to in dict.fromkeys(_DESTINATIONS[self.subject]):
            likely = 3 if to.startswith(QUEUE) else 1
            yield likely, Step(session, "create_consumer", (to, None), name)
            yield 1, Step(session, "create_consumer", (to, 1), name)
            for durable in _SUBSCRIPTIONS[to] if self.subject == "subscriptions" else ():
                for selector in (None, None, None, 1):
                    yield 1, Step(session, "create_durable_consumer", (to, durable, selector), name)

    def _on_consumers(self) -> Iterator[Weighted]:
        for name, consumer in self.model.of_kind(Consumer).items():
            likely = not consumer.closed_by and consumer.session.connection.started
            yield (20 if likely else 1), Step(name, "receive", (), self._new("m"))
            yield 2, Step(name, "receive_body_as_map")
            yield 1, Step(name, "close")

    def _on_messages(self) -> Iterator[Weighted]:
        for name, message in [*self.model.of_kind(Received).items()][-3:]:
            unread = not any(step == Step(name, "delivery") for step in self.steps)
            yield (8 if unread else 0), Step(name, "delivery")
            yield (3 if message.deliveries > 1 else 1), Step(name, "text")
            yield 1, Step(name, "change")
            yield (3 if message.session.mode == CLIENT else 1), Step(name, "acknowledge")

    def _new(self, letter: str) -> str:
        return f"{letter}{sum(step.makes.startswith(letter) for step in self.steps)}"

    def looks_at_the_rest(self) -> None:
        """All that is left is received by another connection, and a message more."""
        for name, connection in self.model.of_kind(Connection).items():
            if not connection.closed:
                self.adds(Step(name, "close"))
        self.adds(Step(FACTORY, "create_connection", (_CLIENT_ID,), "c9"))
        self.adds(Step("c9", "create_session", (AUTO,), "s9"))
        self.adds(Step("c9", "start"))
        for queue, backlog in [*self.model.queues.items()]:
            if backlog.copies:
                self.adds(Step("s9", "create_consumer", (queue, None), f"k{queue}"))
                self._empties(queue, f"k{queue}")
        for (_, name), durable in [*self.model.durable.items()]:
            args = (durable.topic, name, durable.selector)
            self.adds(Step("s9", "create_durable_consumer", args, f"k{name}"))
            self._empties(durable.topic, f"k{name}")

    def _empties(self, destination: str, consumer: str) -> None:
        waiting = self.model.objects[consumer].backlog.waiting()
        for number in range(len(waiting)):
            self.adds(Step(consumer, "receive", (), f"m{consumer}{number}"))
            self.adds(Step(f"m{consumer}{number}", "delivery"))
        self.adds(Step("s9", "send", (destination, "last", 1, "producer")))
        self.adds(Step(consumer, "receive", (), f"m{consumer}"))
