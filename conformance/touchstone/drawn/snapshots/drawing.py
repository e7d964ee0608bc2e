"""How programs with snapshots are drawn: limits change, queues change, and snapshots stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.delivery.choosing import CONDITIONS, KINDS, X_IS_1
from jms_model.snapshots.rules import PROGRAM, expect
from jms_model.snapshots.things import Browser, Connection, Factory, Session, Snapshot, World
from touchstone.drawn.snapshots.program import Program, Step

T = TypeVar("T")
_LIMITS: Final = st.sampled_from([0, 0, 0, -1, -1, 1, 2, 3, 3, 5, 2**31 - 1, -(2**31)])
_SELECTORS: Final = st.sampled_from([None, None, None, "", X_IS_1, X_IS_1, *CONDITIONS])
_QUEUES: Final = st.sampled_from(["q0", "q0", "q0", "q1"])
_BRIEF: Final = "q2"
"""The queue of messages that expire."""
_KINDS: Final = st.lists(st.sampled_from([*KINDS]), min_size=2, max_size=7)
_FEW: Final = st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=3)
_COUNT: Final = st.integers(0, 3)
_THEMES: Final = st.sampled_from(["limits", "limits", "events", "events", "all"])
"""What a program is about: what shows one thing shows it best where nothing else happens."""
_ROUNDS: Final = st.integers(2, 3)
_ONE_OF: Final = {count: st.integers(0, count - 1) for count in (2, 3, 4)}
_AT_MOST: Final = 30
"""More elements than any queue has."""


@st.composite
def programs(draw: DrawFn) -> Program:
    """Programs that take snapshots, by connections of several limits, and read them later."""
    drawing = _Drawing(draw, World(draw(st.booleans())))
    theme = draw(_THEMES)
    for _ in range(draw(_ROUNDS)):
        {"limits": drawing.compares_limits, "events": drawing.keeps, "all": drawing.mixes}[theme]()
    return Program(drawing.world.simplified, drawing.steps)


@dataclass
class _Drawing:
    """Such a program in the making."""

    draw: DrawFn
    world: World
    steps: list[Step] = field(default_factory=list)
    _made: int = 0

    def _one_of(self, count: int) -> bool:
        return self.draw(_ONE_OF[count]) == 0

    def _new(self, prefix: str) -> str:
        self._made += 1
        return f"{prefix}{self._made}"

    def _adds(self, on: str, method: str, *args: object, makes: str = "") -> None:
        """A step, if it makes sense."""
        expectation = expect(self.world, on, method, args, makes)
        if expectation is None:
            return
        self.steps.append(Step(on, method, args, makes))
        expectation.permitted[0].effect()

    def _any(self, kind: type[T], holds: Callable[[T], bool] = lambda _: True) -> str:
        """The name of one of a kind, the latest of them more often; "" for none."""
        names = [name for name, each in self.world.of_kind(kind).items() if holds(each)]
        return self.draw(st.sampled_from([*names, *names[-2:]])) if names else ""

    # Rounds

    def compares_limits(self) -> None:
        """Connections of factories whose limits change see the same queue, one after another."""
        self._adds(PROGRAM, "send", queue := self._new("q"), tuple(self.draw(_KINDS)))
        if self._one_of(2) or not self._any(Factory):
            self.makes_a_factory()
        self.connects()
        self._looks_at(queue)
        if self._one_of(2):
            self.makes_a_factory()
        self.connects()
        self._looks_at(queue)

    def _looks_at(self, queue: str) -> None:
        """Of all that is open, the latest sessions read a queue to its end."""
        is_open = (name for name, each in self.world.of_kind(Session).items() if not each.closed_by)
        for session in [*is_open][-3:]:
            selector = None if not self._one_of(4) else self.draw(_SELECTORS)
            self._adds(session, "create_browser", queue, selector, makes=(name := self._new("b")))
            self._adds(name, "enumeration", makes=(name := self._new("e")))
            self._reads(name, _AT_MOST)

    def keeps(self) -> None:
        """A snapshot by no limit is read, in part before something happens, the rest later."""
        self._adds(PROGRAM, "factory", makes=(factory := self._new("f")))
        self._adds(factory, "create_connection", makes=(connection := self._new("c")))
        self._adds(connection, "create_session", makes=(session := self._new("s")))
        if self._one_of(4):
            self._browses("t0")
        queue = self._new("q")
        is_late = self._one_of(4)
        args = queue, self.draw(_SELECTORS)
        browser = self._new("b")
        if is_late:
            self._adds(session, "create_browser", *args, makes=browser)
        if self._one_of(4):
            self._adds(PROGRAM, "send_brief", queue, tuple(self.draw(_FEW)))
        else:
            self._adds(PROGRAM, "send", queue, tuple(self.draw(_KINDS)))
        if not is_late:
            self._adds(session, "create_browser", *args, makes=browser)
        if self._one_of(4):
            self._adds(connection, "hold", queue, 1 + self.draw(_ONE_OF[2]))
        self._adds(browser, "enumeration", makes=(name := self._new("e")))
        if name not in self.world.objects:
            return
        self._reads(name, min(self.draw(_COUNT), len(self.world.objects[name].left) - 1))
        model = self.world.queue(queue)
        if any(each.is_brief for each in model.messages):
            self._adds(PROGRAM, "expire", queue)
        elif model.held:
            self._adds(PROGRAM, "put_back", queue)
        else:
            event = self.draw(st.integers(0, 6))
            more = tuple(self.draw(_FEW))
            (
                lambda: self._adds(PROGRAM, "consume", queue, len(model.ready)),
                lambda: self._adds(PROGRAM, "consume", queue, len(model.ready) - 1),
                lambda: self._adds(PROGRAM, "send", queue, more),
                lambda: self._adds(browser, "close"),
                lambda: self._adds(session, "close"),
                lambda: self._adds(connection, "close"),
                lambda: self._adds(PROGRAM, "send", queue, more),
            )[event]()
        self._reads(name, _AT_MOST)
        self._adds(browser, "enumeration", makes=(again := self._new("e")))
        if again in self.world.objects:
            self._reads(again, _AT_MOST)

    def mixes(self) -> None:
        """Everything, in any order."""
        if not self.steps:
            self.makes_a_factory()
            self.connects()
        self.prepares()
        self.takes_snapshots()
        self.begins_to_read()
        self.changes()
        self.reads()

    # Factories, connections, sessions

    def makes_a_factory(self) -> None:
        """A new one, which may tell its limit and be given another."""
        self._adds(PROGRAM, "factory", makes=(name := self._new("f")))
        if self._one_of(2):
            self._adds(name, "limit")
        if self._one_of(2):
            self._sets(name)

    def _sets(self, name: str) -> None:
        self._adds(name, "change", self.draw(_LIMITS))
        if self._one_of(2):
            self._adds(name, "limit")

    def connects(self) -> None:
        """A connection or two of a factory, whose limit may be changed between them."""
        factory = self._any(Factory)
        for _ in range(1 + self.draw(_ONE_OF[2])):
            self._adds(factory, "create_connection", makes=(name := self._new("c")))
            self._adds(name, "create_session", makes=self._new("s"))
            if self._one_of(3):
                self._sets(factory)

    def prepares(self) -> None:
        """Perhaps a factory, a connection, a session more, and messages."""
        if self._one_of(4):
            self.makes_a_factory()
        if self._one_of(3) or not self._any(Connection, lambda each: not each.is_closed):
            self.connects()
        if self._one_of(3) or not self._open_session():
            on = self._any(Connection, lambda each: not each.is_closed)
            self._adds(on, "create_session", makes=self._new("s"))
        if self._one_of(3):
            self._browses(self.draw(_QUEUES))
        if not self._one_of(4):
            self._adds(PROGRAM, "send", self.draw(_QUEUES), tuple(self.draw(_KINDS)))
        if self._one_of(4):
            self._browses("t0")

    def _open_session(self) -> str:
        return self._any(Session, lambda each: not each.closed_by)

    # Snapshots

    def _browses(self, queue: str) -> None:
        args = queue, self.draw(_SELECTORS)
        self._adds(self._open_session(), "create_browser", *args, makes=self._new("b"))

    def takes_snapshots(self) -> None:
        """Of a new browser, of the same once more, and of old ones, closed or not."""
        if self._one_of(4):
            self._adds(PROGRAM, "send_brief", _BRIEF, tuple(self.draw(_FEW)))
            self._browses(_BRIEF)
        elif not self._one_of(3):
            self._browses(self.draw(_QUEUES))
        if self._one_of(4):
            on = self._any(Connection, lambda each: not each.is_closed)
            self._adds(on, "hold", self.draw(_QUEUES), 1 + self.draw(_ONE_OF[2]))
        for _ in range(1 + self.draw(_ONE_OF[2])):
            self._adds(self._any(Browser), "enumeration", makes=self._new("e"))

    def begins_to_read(self) -> None:
        """An element or two."""
        if self._one_of(2) and (name := self._any(Snapshot)):
            self._reads(name, self.draw(_COUNT))

    def changes(self) -> None:
        """Of what may happen to a queue, or to what the snapshot is of, mostly one thing."""
        for _ in range(1 + self._one_of(4)):
            self.draw(st.sampled_from(self._events()))()

    def _events(self) -> Sequence[Callable[[], None]]:
        queue = self.draw(_QUEUES)
        return (
            lambda: self._adds(PROGRAM, "send", queue, tuple(self.draw(_FEW))),
            lambda: self._adds(PROGRAM, "consume", queue, 1 + self.draw(_COUNT)),
            lambda: self._adds(PROGRAM, "put_back", queue),
            lambda: self._adds(PROGRAM, "expire", _BRIEF),
            lambda: self._adds(self._any(Browser), "close"),
            self._closes_and_asks,
            lambda: self._adds(self._any(Connection), "close"),
            lambda: self._sets(self._any(Factory)),
        )

    def _closes_and_asks(self) -> None:
        """A session ends, and with it its browsers."""
        name = self._open_session()
        self._adds(name, "close")
        of = self.world.objects.get(name)
        if browser := self._any(Browser, lambda each: each.session is of):
            self._adds(browser, "enumeration", makes=self._new("e"))

    def reads(self) -> None:
        """The latest snapshots to their end, and beyond, some of them later."""
        for name in [*self.world.of_kind(Snapshot)][-3:]:
            if not self._one_of(4):
                self._reads(name, _AT_MOST)
        if self._one_of(3):
            self._adds(PROGRAM, "put_back", "q0")
        if self._one_of(3):
            self._adds(PROGRAM, "send", self.draw(_QUEUES), tuple(self.draw(_FEW)))
            if name := self._any(Snapshot, lambda each: each.is_exhausted):
                self._reads(name, 1)

    def _reads(self, name: str, count: int) -> None:
        for _ in range(count):
            is_left = bool(self.world.objects[name].left)
            if self._one_of(2):
                self._adds(name, "more")
            self._adds(name, "next")
            if not is_left:
                self._adds(name, "more")
                return
