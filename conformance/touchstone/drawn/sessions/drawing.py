"""How such programs are drawn: the model goes along, so that a receive has something to receive."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.delivery.choosing import X_IS_1
from jms_model.delivery.provider import QUEUE, TOPIC, ModelProvider
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
from jms_model.delivery.vendors import INDIVIDUAL, NONE, Vendor
from touchstone.drawn.sessions.program import APART, Program, Step
from touchstone.drawn.sessions.scripts import Names, listener_scripts, scripts

_SHORTEST: Final = 10
_LONGEST: Final = 40
"""Steps of a program, besides those that look at what is left."""
_SESSIONS: Final = 3
_CONSUMERS: Final = 4
_DELIVERIES: Final = 3
"""No message comes more often: brokers give up."""
CLIENT_ID: Final = "a"
QUEUES_ALONE: Final = "queues alone"
TOPICS_ALONE: Final = "topics alone"
"""The subjects of programs by the interfaces of one domain."""
OWN_MESSAGES: Final = "own messages"
"""The subject of programs with two connections, of which one leaves out what is its own."""
EMULATED: Final = "emulated transactions"
EMULATED_LISTENERS: Final = "listeners in emulated transactions"
"""The subjects of programs whose transactions are emulated."""
INDIVIDUALLY: Final = "individually"
"""The subject of programs whose sessions acknowledge message by message."""
HOLDING: Final = "holding"
"""The subject of programs in which a session holds messages of several consumers."""
LISTENERS: Final = "listeners"
_LISTENING: Final = (LISTENERS, EMULATED_LISTENERS)
"""The subjects of programs with listeners."""
KEPT: Final = "kept messages"
"""The subject of programs in which it has got all that there is when it starts again or ends."""
BROWSERS: Final = "browsers"
"""The subject of programs in which browsers look at a queue meanwhile."""
SIDE_BY_SIDE: Final = "side by side"
"""The subject of programs with several consumers of one queue or shared subscription."""
_SUBSCRIPTIONS: Final = {f"{TOPIC}0": ("d0", "d0", "d0"), f"{TOPIC}1": ("d1", "d1", "d0")}
"""The names of durable subscriptions of each topic, mostly one of its own."""
_MODES: Final = {
    "acknowledgement": (CLIENT, CLIENT, CLIENT, AUTO, AUTO, DUPS_OK),
    "transactions": (TRANSACTED, TRANSACTED, TRANSACTED, AUTO),
    "subscriptions": (CLIENT, AUTO, TRANSACTED),
    "listeners": (CLIENT, CLIENT, AUTO, AUTO, TRANSACTED, DUPS_OK),
    QUEUES_ALONE: (CLIENT, AUTO, TRANSACTED, DUPS_OK),
    TOPICS_ALONE: (CLIENT, AUTO, TRANSACTED, DUPS_OK),
    OWN_MESSAGES: (AUTO, AUTO, CLIENT, TRANSACTED),
    EMULATED: (TRANSACTED, TRANSACTED, TRANSACTED, AUTO),
    EMULATED_LISTENERS: (TRANSACTED,),
    INDIVIDUALLY: (INDIVIDUAL, INDIVIDUAL, INDIVIDUAL, CLIENT),
    SIDE_BY_SIDE: (CLIENT, CLIENT, AUTO, TRANSACTED, DUPS_OK),
}
"""The session modes of programs on a subject."""
MODE: Final = {subject: st.sampled_from(modes) for subject, modes in _MODES.items()}
_DESTINATIONS: Final = {
    "acknowledgement": (f"{QUEUE}0", f"{QUEUE}0", f"{TOPIC}0"),
    "transactions": (f"{QUEUE}0", f"{QUEUE}1", f"{TOPIC}0"),
    "subscriptions": (f"{TOPIC}0", f"{TOPIC}0", f"{TOPIC}1"),
    "listeners": (f"{QUEUE}0", f"{QUEUE}0", f"{QUEUE}0", f"{TOPIC}0"),
    QUEUES_ALONE: (f"{QUEUE}0", f"{QUEUE}0", f"{QUEUE}1"),
    TOPICS_ALONE: (f"{TOPIC}0", f"{TOPIC}0", f"{TOPIC}1"),
    OWN_MESSAGES: (f"{TOPIC}0",),
    EMULATED: (f"{QUEUE}0", f"{QUEUE}1", f"{TOPIC}0"),
    EMULATED_LISTENERS: (f"{QUEUE}0",),
    INDIVIDUALLY: (f"{QUEUE}0", f"{QUEUE}0", f"{TOPIC}0"),
    SIDE_BY_SIDE: (f"{QUEUE}0", f"{TOPIC}0"),
}
_DOMAINS: Final = {QUEUES_ALONE: QUEUE, TOPICS_ALONE: TOPIC}
_DURABLE: Final = ("subscriptions", TOPICS_ALONE, OWN_MESSAGES)
"""The subjects of programs with durable subscriptions."""
_APART: Final = (TOPICS_ALONE, OWN_MESSAGES)
"""Those of programs that publish over another connection, too."""
TEXTS: Final = st.sampled_from(["text", "größe", "5"])
"""What else a body may be is for programs on messages."""
_FORMS: Final = {False: ("producer", "unidentified", ASYNC), True: ("producer", "body", ASYNC)}
"""How messages are sent by the classic and by the simplified API."""
Grouped = tuple[str, Step]
"""A step and the group that it is drawn from."""
SHARES: Final = {
    "start": 20,
    "send": 6,
    "receive": 8,
    "script": 20,
    "settle": 5,
    "read": 3,
    "open": 4,
    "close": 1,
    "look": 1,
    "refused": 1,
    "listen": 6,
    "end": 8,
}
"""How often a step of each group is drawn, where there is one that makes sense."""


_IS_STARTED: Final = st.sampled_from([True, True, True, False])
_IS_SENT_BEFORE: Final = st.booleans()
"""Whether a consumer that was made before the start is sent a message by then."""


@st.composite
def programs(draw: DrawFn, *subjects: str, vendor: Vendor = NONE) -> Program:
    """Programs about one of the subjects; behind what is drawn they look at what is left."""
    subject = draw(st.sampled_from(subjects))
    domain = _DOMAINS.get(subject, "")
    simplified = not domain and draw(st.booleans())
    emulated = subject in (EMULATED, EMULATED_LISTENERS)
    model = ModelProvider(simplified, domain=domain, emulated=emulated, vendor=vendor)
    drawing = Drawing(subject, model)
    drawing.adds(Step(FACTORY, "create_connection", (CLIENT_ID,), "c0"))
    drawing.adds(Step("c0", "create_session", (draw(MODE[subject]),), "s0"))
    listens = subject in _LISTENING
    if listens or not draw(_IS_STARTED):
        destination = draw(st.sampled_from(_DESTINATIONS[subject]))
        drawing.adds(Step("s0", "create_consumer", (destination, None), "k0"))
        drawing.adds(Step("k0", "listen") if listens else Step("k0", "receive", (), "m0"))
        if (sends := draw(_IS_SENT_BEFORE)) or listens:
            drawing.adds(Step("c0", "create_session", (AUTO,), "s1"))
        if sends:
            drawing.adds(Step("s1", "send", (destination, "before the start", 1, "producer")))
    drawing.adds(Step("c0", "start"))
    if subject in _APART:
        drawing.connects_another("c1", APART)
    length = draw(st.integers(_SHORTEST, _LONGEST))
    while len(drawing.steps) < length and (groups := drawing.groups()):
        name = draw(st.sampled_from([name for name in groups for _ in range(SHARES[name])]))
        if name == "script":
            for each in draw(st.sampled_from(drawing.scripts(draw(st.sampled_from(groups[name]))))):
                drawing.adds(each)
            continue
        step = draw(st.sampled_from(groups[name]))
        if step.method == "send":
            step = Step(step.on, "send", (*step.args[:1], draw(TEXTS), *step.args[2:]))
        drawing.adds(step)
    drawing.hears_the_rest()
    drawing.looks_at_the_rest()
    return Program(simplified, drawing.steps, domain=domain, emulated=model.emulated, vendor=vendor)


@dataclass
class Drawing:
    """A program in the making, and the model that says what makes sense next."""

    subject: str
    model: ModelProvider
    steps: list[Step] = field(default_factory=list)
    kinds: ClassVar[Sequence[int]] = (1, 2)
    """Of the messages that are sent."""

    def adds(self, step: Step) -> None:
        """The step is one of the program, if it makes sense."""
        expectation = expect(self.model, step.on, step.method, step.args, step.makes)
        if expectation is not None:
            self.steps.append(step)
            expectation.permitted[0].effect()

    def connects_another(self, connection: str, session: str) -> None:
        """A session of a connection that has no client id."""
        self.adds(Step(FACTORY, "create_connection", (None,), connection))
        self.adds(Step(connection, "create_session", (AUTO,), session))
        self.adds(Step(connection, "start"))

    def groups(self) -> Mapping[str, Sequence[Step]]:
        """The steps that make sense now; whether a send does depends on its session alone."""
        by_group: dict[str, list[Step]] = {}
        every = (self._on_connections(), self._on_sessions(), self._on_consumers())
        sensible: dict[tuple[object, ...], bool] = {}
        for group, step in itertools.chain(*every, self._on_messages()):
            asked = (step.on, step.method, step.args, step.makes)
            which = asked[:2] if step.method == "send" else asked
            if which not in sensible:
                sensible[which] = expect(self.model, *asked) is not None
            if sensible[which]:
                by_group.setdefault(group, []).append(step)
        return by_group

    def _on_connections(self) -> Iterator[Grouped]:
        for name, connection in self.model.of_kind(Connection).items():
            if connection.closed:
                yield from (("refused", Step(name, method)) for method in ("start", "close"))
                continue
            if len(self.model.of_kind(Session)) < _SESSIONS:
                for mode in _MODES[self.subject]:
                    yield "open", Step(name, "create_session", (mode,), self.new("s"))
            yield "look" if connection.started else "start", Step(name, "start")
            yield "close", Step(name, "stop")
            yield "close", Step(name, "close")

    def _on_sessions(self) -> Iterator[Grouped]:
        for name, session in self.model.of_kind(Session).items():
            if session.closed_by:
                yield "refused", Step(name, "close")
                yield "refused", Step(name, "commit")
                to = f"{self.model.domain or QUEUE}0"
                yield "refused", Step(name, "create_consumer", (to, None), self.new("k"))
                continue
            yield from self._sends(name)
            yield from self._settles(name, session)
            yield from self._consumers_for(name)
            if self.model.domain != TOPIC:
                yield "look", Step(name, "browse", (f"{QUEUE}0",))
            yield "receive", Step(name, "hear", (), self.new("m"))
            yield "close", Step(name, "close")
            if self.subject in (*_DURABLE, QUEUES_ALONE):
                yield from (("look", Step(name, "unsubscribe", (each,))) for each in ("d0", "d1"))

    def _sends(self, session: str) -> Iterator[Grouped]:
        for to in _DESTINATIONS[self.subject]:
            for form in _FORMS[self.model.simplified]:
                for kind in self.kinds:
                    yield "send", Step(session, "send", (to, "", kind, form))

    def _settles(self, name: str, session: Session) -> Iterator[Grouped]:
        has_work = bool(session.held or session.produced)
        ends = ("commit", "rollback") if session.transacted else ("recover", "acknowledge")
        comes_too_often = any(copy.deliveries >= _DELIVERIES for _, copy in session.held)
        for method in ("commit", "rollback", "recover", "acknowledge"):
            if not (comes_too_often and method in ("rollback", "recover")):
                yield "settle" if has_work and method in ends else "refused", Step(name, method)

    def _consumers_for(self, session: str) -> Iterator[Grouped]:
        if len(self.open_consumers()) >= _CONSUMERS:
            return
        name = self.new("k")
        for to in _DESTINATIONS[self.subject]:
            for selector in (None, None, X_IS_1):
                yield "open", Step(session, "create_consumer", (to, selector), name)
                if self.subject in _APART:
                    yield "open", Step(session, "create_consumer_no_local", (to, selector), name)
            for durable in _SUBSCRIPTIONS[to] if self.subject in _DURABLE else ():
                for selector in (None, None, None, X_IS_1):
                    args = (to, durable, selector)
                    yield "open", Step(session, "create_durable_consumer", args, name)
                    if self.subject in _APART:
                        yield "open", Step(session, "create_durable_consumer_no_local", args, name)

    def _on_consumers(self) -> Iterator[Grouped]:
        for name, consumer in self.model.of_kind(Consumer).items():
            receive = Step(name, "receive", (), self.new("m"))
            yield "refused" if consumer.closed_by else "receive", receive
            if not consumer.closed_by and consumer.session.connection.started:
                yield "script", receive
                yield "script", Step(consumer.session.name, "hear", (), self.new("m"))
            yield "look", Step(name, "receive_body_as_map")
            if self.subject in _LISTENING:
                yield "listen", Step(name, "listen")
            yield "refused" if consumer.closed_by else "close", Step(name, "close")

    def _on_messages(self) -> Iterator[Grouped]:
        for name, message in [*self.model.of_kind(Received).items()][-3:]:
            if Step(name, "delivery") not in self.steps:
                yield "read", Step(name, "delivery")
            yield "read" if message.deliveries > 1 else "look", Step(name, "text")
            yield "look", Step(name, "change")
            yield "end", Step(name, "returns")
            if message.copy.deliveries < _DELIVERIES:
                yield "end", Step(name, "throws")
            has_work = message.session.mode in (CLIENT, INDIVIDUAL) and bool(message.session.held)
            yield "settle" if has_work else "refused", Step(name, "acknowledge")

    def scripts(self, receive: Step) -> Sequence[Sequence[Step]]:
        """Calls that only together show something, about the consumer that may receive now.

        Or about one of those whose listener will be called.
        """
        session = self.model.objects[receive.on]
        hears = isinstance(session, Session)
        on = next(iter(session.listeners)) if hears else receive.on
        session = session if hears else session.session
        [connection] = [
            name
            for name, each in self.model.of_kind(Connection).items()
            if each is session.connection
        ]
        [made_by] = [step for step in self.steps if step.makes == on]
        names = Names(
            connection,
            session.name,
            on,
            made_by,
            session.mode,
            self.model.simplified,
            len(self.steps),
        )
        make = listener_scripts if hears else scripts
        if session.transacted:
            return make(names, "rollback", "commit")
        return make(names, "recover", "acknowledge")

    def hears_the_rest(self) -> None:
        """All that comes to listeners, so that nothing is on its way when their sessions close."""
        for session in self.model.of_kind(Session):
            before = -1
            while before < len(self.steps):
                before = len(self.steps)
                for message in self.model.of_kind(Received):
                    self.adds(Step(message, "returns"))
                self.adds(Step(session, "hear", (), self.new("m")))

    def open_consumers(self) -> list[str]:
        """Their names, in the order in which they were made."""
        return [name for name, each in self.model.of_kind(Consumer).items() if not each.closed_by]

    def new(self, letter: str) -> str:
        """A free name."""
        return f"{letter}{len(self.steps)}"

    def looks_at_the_rest(self) -> None:
        """All that is left is received by another connection, and a message more."""
        for name, connection in self.model.of_kind(Connection).items():
            if not connection.closed:
                self.adds(Step(name, "close"))
        self.adds(Step(FACTORY, "create_connection", (CLIENT_ID,), "c9"))
        self.adds(Step("c9", "create_session", (AUTO,), "s9"))
        self.adds(Step("c9", "start"))
        if self.subject in _APART:
            self.connects_another("c8", "s8")
        for queue, backlog in [*self.model.queues.items()]:
            if backlog.copies:
                self.adds(Step("s9", "create_consumer", (queue, None), f"k{queue}"))
                self._empties(queue, f"k{queue}")
        for (_, name), durable in [*self.model.durable.items()]:
            args = (durable.topic, name, durable.selector)
            kind = "shared_durable" if durable.backlog.is_shared else "durable"
            no_local = "_no_local" * durable.backlog.no_local
            self.adds(Step("s9", f"create_{kind}_consumer{no_local}", args, f"k{name}"))
            self._empties(durable.topic, f"k{name}")

    def _empties(self, destination: str, consumer: str) -> None:
        waiting = self.model.objects[consumer].backlog.waiting()
        for number in range(len(waiting)):
            self.adds(Step(consumer, "receive", (), f"m{consumer}{number}"))
            self.adds(Step(f"m{consumer}{number}", "delivery"))
            self.adds(Step(f"m{consumer}{number}", "content"))
        no_local = self.model.objects[consumer].backlog.no_local
        for sender in ("s9", "s8") if no_local else ("s9",):
            self.adds(Step(sender, "send", (destination, "last", 1, "producer")))
        self.adds(Step(consumer, "receive", (), f"m{consumer}"))
