"""How programs are drawn in which a session holds messages of several consumers at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Self

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.delivery.provider import QUEUE, TOPIC, ModelProvider
from jms_model.delivery.rules import FACTORY
from jms_model.delivery.session import AUTO, CLIENT, DUPS_OK, TRANSACTED, Consumer, Received
from touchstone.drawn.sessions.drawing import CLIENT_ID, HOLDING, KEPT, TEXTS, Drawing
from touchstone.drawn.sessions.program import Program, Step

SENDER: Final = "s1"
"""Another session of the connection, which sends to the consumers."""
_MODES: Final = st.sampled_from([CLIENT, CLIENT, CLIENT, TRANSACTED, TRANSACTED, AUTO, DUPS_OK])
SOURCES: Final = (
    ("create_consumer", (f"{QUEUE}0", None)),
    ("create_consumer", (f"{QUEUE}1", None)),
    ("create_consumer", (f"{TOPIC}0", None)),
    ("create_durable_consumer", (f"{TOPIC}1", "d1", None)),
)
"""How consumers are made, and of what."""
_CONSUMERS: Final = st.lists(st.sampled_from(SOURCES), min_size=1, max_size=3, unique=True)
_COUNT: Final = st.integers(1, 3)
_OWN: Final = st.sampled_from([0, 0, 1, 2])
"""How many messages the session sends itself."""
_DEEDS: Final = (
    *("settle", "settle", "give back", "give back", "give back", "settle by the first"),
    *("settle by the last", "close a consumer", "close the session", "close the connection"),
    *("stop and start", "send", "wrong"),
)
_DEED: Final = st.sampled_from(_DEEDS)
_AGAIN: Final = st.sampled_from(["give back", "give back", "settle", "settle by the first"])
_END: Final = st.sampled_from(["close the session", "close the connection"])
_FEW: Final = st.sampled_from([1, 1, 2])
_ROUNDS: Final = st.integers(1, 3)


@st.composite
def programs_on_held_messages(draw: DrawFn) -> Program:
    """Programs that fill a session, do something with it, and receive what comes then."""
    holding = Holding.begun(HOLDING, draw(st.booleans()), draw(_MODES))
    holding.consumes(draw(_CONSUMERS))
    for _ in range(draw(_ROUNDS)):
        holding.fills([draw(_COUNT) for _ in range(3)], draw(TEXTS))
        for name in draw(st.permutations([*holding.model.of_kind(Consumer)])):
            for _ in range(draw(st.integers(0, 3))):
                holding.gets(name)
        holding.sends_itself(draw(_OWN))
        holding.does(draw(_DEED), draw(st.integers(0, 2)))
        if draw(st.booleans()):
            holding.gets_all()
            holding.does(draw(_DEED), draw(st.integers(0, 2)))
    holding.gets_all()
    holding.looks_at_the_rest()
    return Program(holding.model.simplified, holding.steps)


@st.composite
def programs_on_kept_messages(draw: DrawFn) -> Program:
    """Programs in which a session gets all that there is, and then starts again or ends."""
    holding = Holding.begun(KEPT, draw(st.booleans()), CLIENT)
    holding.consumes(draw(_CONSUMERS))
    for _ in range(draw(_ROUNDS)):
        holding.fills([draw(_FEW) for _ in range(3)], draw(TEXTS))
        holding.gets_all()
        holding.does(draw(_AGAIN), draw(st.integers(0, 2)))
        holding.gets_all()
    holding.does(draw(_END), 0)
    holding.looks_at_the_rest()
    return Program(holding.model.simplified, holding.steps)


class Holding(Drawing):
    """Such a program in the making."""

    @classmethod
    def begun(cls, subject: str, simplified: bool, mode: int) -> Self:
        """With a connection, a session of this mode, and another one that sends."""
        holding = cls(subject, ModelProvider(simplified))
        holding.adds(Step(FACTORY, "create_connection", (CLIENT_ID,), "c0"))
        holding.adds(Step("c0", "create_session", (mode,), "s0"))
        holding.adds(Step("c0", "create_session", (AUTO,), SENDER))
        return holding

    def consumes(self, sources: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        """A consumer of each source is made, and the connection started."""
        for method, args in sources:
            self.adds(Step("s0", method, args, self.new("k")))
        self.adds(Step("c0", "start"))

    def fills(self, counts: list[int], text: str) -> None:
        """Some messages are sent to what each consumer consumes from, in turn."""
        made = [step.args[0] for step in self.steps if step.makes in self.open_consumers()]
        for turn in range(max(counts)):
            for to, count in zip(made, counts, strict=False):
                if turn < count:
                    self.adds(Step(SENDER, "send", (to, text, 1 + turn % 2, "producer")))

    def gets(self, consumer: str) -> None:
        """The next message of a consumer."""
        received = Step(consumer, "receive", (), self.new("m"))
        self.adds(received)
        self.adds(Step(received.makes, "delivery"))
        self.adds(Step(received.makes, "content"))

    def gets_all(self) -> None:
        """All that there is now, a message of each consumer in turn."""
        before = -1
        while before < len(self.steps):
            before = len(self.steps)
            for consumer in self.open_consumers():
                self.gets(consumer)

    def sends_itself(self, count: int) -> None:
        """The session sends to a queue that it may consume from."""
        for _ in range(count):
            self.adds(Step("s0", "send", (f"{QUEUE}0", "own", 1, "unidentified")))

    def does(self, deed: str, number: int) -> None:
        """Something that concerns what the session holds."""
        transacted = self.model.objects["s0"].transacted
        got = [*self.model.of_kind(Received)]
        open_ = self.open_consumers()
        match deed:
            case "settle" if transacted:
                self.adds(Step("s0", "commit"))
            case "settle" if self.model.simplified:
                self.adds(Step("s0", "acknowledge"))
            case "settle" | "settle by the last" | "settle by the first" if got:
                self.adds(Step(got[0 if deed.endswith("first") else -1], "acknowledge"))
            case "give back":
                self.adds(Step("s0", "rollback" if transacted else "recover"))
            case "close a consumer" if open_:
                closed = open_[number % len(open_)]
                self.adds(Step(closed, "close"))
                self._opens_again(closed)
            case "close the session":
                self.adds(Step("s0", "close"))
            case "close the connection":
                self.adds(Step("c0", "close"))
            case "stop and start":
                self.adds(Step("c0", "stop"))
                self.adds(Step("c0", "start"))
            case "send":
                self.sends_itself(1)
            case "wrong":
                self.adds(Step("s0", "recover" if transacted else "commit"))

    def _opens_again(self, consumer: str) -> None:
        [made_by] = [step for step in self.steps if step.makes == consumer]
        self.adds(Step("s0", made_by.method, made_by.args, self.new("k")))
