"""stop() and close() while listeners are at work and receives wait: what they wait for, and end.

Jakarta Messaging, 6.1.5, 6.1.8, 6.2.14, 6.2.15 and 8.8, and the javadoc of close() and stop().
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, gives, succeeds
from jms_model.delivery.session import CLIENT, TRANSACTED

PROGRAM: Final = "program"
"""The one object that is there before the program."""
LISTENER: Final = "listener"
RECEIVE: Final = "receive()"
RECEIVE_0: Final = "receive(0)"
RECEIVE_LONG: Final = "receive(60000)"
RECEIVE_BRIEF: Final = "receive(2000)"
RECEIVES: Final[Mapping[str, tuple[int, ...]]] = {
    RECEIVE: (),
    RECEIVE_0: (0,),
    RECEIVE_LONG: (60_000,),
    RECEIVE_BRIEF: (2000,),
}
"""By what a consumer receives, and with which arguments; all but the last outlast a program."""
SEND: Final = "send"
SETTLE: Final = "settle"
"""What a listener does: by acknowledge(), or by commit()."""
STOP: Final = "stop"
CLOSE: Final = "close"
WAITS_STILL: Final = "waits"
"""What a receive() that has not come back is said to give."""
FED: Final = 0
"""The number of the message that is sent for a receive() that waits."""


@dataclass(frozen=True)
class Statements:
    """What says a thing of stop(), of the close() of a connection, a session and a consumer."""

    awaits_listeners: Mapping[tuple[str, str], Sequence[str]]
    calls_nobody_later: Mapping[tuple[str, str], Sequence[str]]
    ends_receives: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    leaves_use: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    """That a listener at work has all that it needs."""
    limits_receives: Sequence[str] = ()
    """That the time of a receive() goes on while its connection is stopped."""
    holds_back: Sequence[str] = ()
    """That a stopped connection delivers nothing until it is started."""
    side_by_side: Sequence[str] = ()
    """That listeners of two sessions may be at work at the same time."""


CONNECTION: Final = "connection"
SESSION: Final = "session"
CONSUMER: Final = "consumer"
_OF_JMS: Final = Statements(
    awaits_listeners={
        (STOP, CONNECTION): ["JMS-CONN-009"],
        (CLOSE, CONNECTION): ["JMS-CONN-014"],
        (CLOSE, SESSION): ["JMS-SESS-002"],
        (CLOSE, CONSUMER): ["JMS-CONS-004"],
    },
    calls_nobody_later={
        (STOP, CONNECTION): ["JMS-CONN-008"],
        (CLOSE, CONNECTION): ["JMS-CONN-014"],
        (CLOSE, SESSION): ["JMS-SESS-002"],
        (CLOSE, CONSUMER): ["JMS-CONS-004"],
    },
    ends_receives={
        (CLOSE, CONNECTION): ["JMS-CONN-015"],
        (CLOSE, SESSION): ["JMS-SESS-003"],
        (CLOSE, CONSUMER): ["JMS-CONS-004"],
    },
    leaves_use={
        (STOP, CONNECTION): ["JMS-CONN-010"],
        (CLOSE, CONNECTION): ["JMS-CONN-013"],
    },
    limits_receives=["JMS-CONN-011"],
    holds_back=["JMS-CONN-008"],
    side_by_side=["JMS-LSN-003"],
)
_OF_STARLIGHT: Final = Statements(
    awaits_listeners={
        (CLOSE, CONNECTION): ["SLJ-LSN-007"],
        (CLOSE, SESSION): ["SLJ-LSN-006"],
    },
    calls_nobody_later={
        (CLOSE, CONNECTION): ["SLJ-LSN-007"],
        (CLOSE, SESSION): ["SLJ-LSN-006"],
    },
    side_by_side=["SLJ-LSN-003"],
)
STATEMENTS: Final[Mapping[str, Statements]] = {"JMS": _OF_JMS, "SLJ": _OF_STARLIGHT}
"""By the prefix of their documents."""


@dataclass(slots=True, eq=False)
class Consumer:
    """A consumer of a queue of its own, at which a listener or a receive() waits."""

    session: Session
    kind: str
    sent: int
    """How many messages its queue has had."""
    is_held: bool = False
    """Whether its listener is at work, with the first of them."""
    sends: int = 0
    """How many messages the listener has sent."""
    settles: bool = False
    """Whether the listener has acknowledged, or committed."""
    deeds_during: list[str] = field(default_factory=list)
    """The statements on what it did while something ended."""
    is_fed: bool = False
    got: bool = False
    """Whether the receive() has come back."""


@dataclass(slots=True, eq=False)
class Session:
    """A session with consumers, all of the same kind."""

    connection: Connection
    mode: int
    consumers: list[Consumer] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Connection:
    """A connection, or the contexts that share one."""

    by_context: bool
    sessions: list[Session] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class End:
    """A stop() or close() by a thread of its own."""

    what: str
    of: Connection | Session | Consumer
    is_over: bool = False
    undone: bool = False
    """Whether the connection was started again."""

    @property
    def consumers(self) -> list[Consumer]:
        """Those that it reaches."""
        match self.of:
            case Consumer():
                return [self.of]
            case Session() if self.what == STOP:
                return [*_all_of(self.of.connection)]
            case Session():
                return self.of.consumers
        return [*_all_of(self.of)]

    @property
    def kind(self) -> tuple[str, str]:
        """Which statements it is a matter of; stop() of a context stops its connection."""
        if self.what == STOP or isinstance(self.of, Connection):
            return self.what, CONNECTION
        return self.what, SESSION if isinstance(self.of, Session) else CONSUMER

    @property
    def words(self) -> str:
        """It, in words without values."""
        return f"of {self.what}() of a {self.kind[1]}"


def _all_of(connection: Connection) -> Iterator[Consumer]:
    return (consumer for session in connection.sessions for consumer in session.consumers)


@dataclass
class World:
    """What one program has made."""

    document: str
    objects: dict[str, Any] = field(default_factory=dict)

    @property
    def says(self) -> Statements:
        """What is said of it."""
        return STATEMENTS[self.document]

    @property
    def end(self) -> End | None:
        """What has been stopped or closed: one thing."""
        return next((each for each in self.objects.values() if isinstance(each, End)), None)

    def end_of(self, consumer: Consumer) -> End | None:
        """It, where it reaches a consumer and has not been started again."""
        end = self.end
        return end if end and consumer in end.consumers and not end.undone else None

    @property
    def is_anybody_held(self) -> bool:
        """Whether a listener is at work."""
        everybody = (each for each in self.objects.values() if isinstance(each, Consumer))
        return any(each.is_held for each in everybody)


def make_connection(world: World, by_context: bool, makes: str) -> Expectation:
    """A connection, or what contexts share; it is not started."""
    made = partial(world.objects.__setitem__, makes, Connection(by_context))
    return Expectation([succeeds(made)], ())


def make_session(world: World, connection: Connection, mode: int, makes: str) -> Expectation:
    """A session in a mode, or a context of the same connection."""
    session = Session(connection, mode)

    def made() -> None:
        connection.sessions.append(session)
        world.objects[makes] = session

    return Expectation([succeeds(made)], ())


def consume(world: World, session: Session, kind: str, sent: int, makes: str) -> Expectation:
    """A consumer of a queue with so many messages, which gets a listener, or begins to receive."""
    consumer = Consumer(session, kind, sent)

    def made() -> None:
        session.consumers.append(consumer)
        world.objects[makes] = consumer

    return Expectation([succeeds(made)], ())


def is_called(world: World, consumer: Consumer) -> Expectation:
    """Whether the listener is at work on its first message, and stays so: each has its thread."""
    held = partial(setattr, consumer, "is_held", True)
    ids = world.says.side_by_side if world.is_anybody_held else ()
    return Expectation([gives(True, held)], ids, "beside another" if ids else "")


def fill(_: World, consumer: Consumer, count: int) -> Expectation:
    """More messages are sent to its queue."""

    def done() -> None:
        consumer.sent += count

    return Expectation([succeeds(done)], ())


def begin(
    world: World, of: Connection | Session | Consumer, what: str, makes: str
) -> Expectation | None:
    """stop() or close() is called by a thread of its own."""
    end = End(what, of)
    return Expectation([succeeds(partial(world.objects.__setitem__, makes, end))], ())


def has_ended(world: World, end: End, _: float) -> Expectation | None:
    """Whether it has come back, looked at after a while: it has not while listeners are at work."""
    if end.is_over or not any(each.is_held for each in end.consumers):
        return None
    ids = world.says.awaits_listeners.get(end.kind, ())
    return Expectation([gives(False)], ids, end.words)


def end_comes_back(world: World, end: End) -> Expectation | None:
    """It comes back once no listener is at work and receives have ended."""
    if end.is_over or any(each.is_held for each in end.consumers):
        return None
    over = partial(setattr, end, "is_over", True)
    says, reaches = world.says, {each.kind for each in end.consumers}
    ids = dict.fromkeys(says.awaits_listeners.get(end.kind, ()) if LISTENER in reaches else ())
    if reaches & RECEIVES.keys():
        ids |= dict.fromkeys(says.ends_receives.get(end.kind, ()))
    is_said = not world.is_anybody_held and (end.what == CLOSE or not reaches & RECEIVES.keys())
    return Expectation([succeeds(over)], [*ids] if is_said else (), end.words)


def do(world: World, consumer: Consumer, deed: str) -> Expectation | None:
    """What a listener does at its work: it succeeds, while something waits for it, too."""
    session = consumer.session
    if not consumer.is_held or (deed == SETTLE and session.mode not in (CLIENT, TRANSACTED)):
        return None
    end = world.end_of(consumer)
    if end is None or not (ids := world.says.leaves_use.get(end.kind, ())):
        return None

    def done() -> None:
        consumer.deeds_during = [*ids]
        if deed == SETTLE:
            consumer.settles = True
        elif session.mode != TRANSACTED or not consumer.settles:
            consumer.sends += 1

    return Expectation([succeeds(done)], ids, end.words)


def come_to_end(_: World, consumer: Consumer) -> Expectation | None:
    """The listener returns; what comes to it later it takes at once."""
    if not consumer.is_held:
        return None
    return Expectation([succeeds(partial(setattr, consumer, "is_held", False))], ())


def calls_later(world: World, end: End, *_: object) -> Expectation | None:
    """How often listeners were called, a while after it came back: never."""
    if not end.is_over or end.undone:
        return None
    if not any(each.kind == LISTENER for each in end.consumers):
        return None
    return Expectation(
        [gives(0)],
        world.says.calls_nobody_later.get(end.kind, ()),
        end.words,
        name=lambda _: "gave more",
    )


def feed(_: World, consumer: Consumer) -> Expectation | None:
    """A message is sent for a receive() that waits on a stopped connection."""
    if consumer.kind not in RECEIVES or consumer.is_fed or consumer.got:
        return None
    return Expectation([succeeds(partial(setattr, consumer, "is_fed", True))], ())


def receive_gives(world: World, consumer: Consumer, _: float) -> Expectation | None:
    """What a receive() has given: nothing yet, null once it is closed, or what was sent for it.

    One that has its time gives null behind that, too, also where something was sent meanwhile.
    """
    if consumer.kind not in RECEIVES or consumer.got:
        return None
    end, says = world.end_of(consumer), world.says
    got = partial(setattr, consumer, "got", True)
    if consumer.kind == RECEIVE_BRIEF:
        if end is None or not end.is_over:
            return None
        ids = says.limits_receives if end.what == STOP else ()
        return Expectation([gives(None, got)], ids, "while stopped, behind its time")
    if end is None:
        again = [gives(FED, got)]
        return Expectation(again, says.holds_back, "started again") if consumer.is_fed else None
    if not end.is_over:
        return None
    if end.what == CLOSE:
        return Expectation([gives(None, got)], says.ends_receives.get(end.kind, ()), end.words)
    waits = [gives(WAITS_STILL)]
    return Expectation(waits, says.holds_back, "while stopped") if consumer.is_fed else None


def start(world: World, _: Connection) -> Expectation | None:
    """The connection begins, or goes on."""
    end = world.end
    if end is None:
        return Expectation([succeeds()], ())
    if end.what == CLOSE or not end.is_over:
        return None
    return Expectation([succeeds(partial(setattr, end, "undone", True))], ())


def called_in_all(world: World, session: Session) -> Expectation | None:
    """How often listeners of a session were called in the end: for each message, once started."""
    if world.end is None or not world.end.undone:
        return None
    if any(each.is_held or each.kind != LISTENER for each in session.consumers):
        return None
    if session.mode == TRANSACTED:
        return None
    wanted = sum(each.sent for each in session.consumers)
    return Expectation([gives(wanted)], world.says.holds_back, "started again")


def sent_by_listener(_: World, consumer: Consumer) -> Expectation | None:
    """How many messages of a listener's are on a queue once all is over."""
    if consumer.is_held or not consumer.deeds_during or not consumer.sends:
        return None
    if consumer.session.mode == TRANSACTED and not consumer.settles:
        return None
    return Expectation([gives(consumer.sends)], consumer.deeds_during, "of what a listener sent")


def settled_by_listener(_: World, consumer: Consumer) -> Expectation | None:
    """Whether what a listener acknowledged or committed is gone, once all is over."""
    if consumer.is_held or not consumer.settles or consumer.sent != 1:
        return None
    return Expectation([gives(True)], consumer.deeds_during, "of what a listener settled")


_RULES: Final[Mapping[str, Any]] = {
    "session": make_session,
    "consume": consume,
    "is_called": is_called,
    "fill": fill,
    "begin": begin,
    "has_ended": has_ended,
    "comes_back": end_comes_back,
    "does": do,
    "returns": come_to_end,
    "calls_later": calls_later,
    "feed": feed,
    "receive_gives": receive_gives,
    "start": start,
    "calls": called_in_all,
    "sent": sent_by_listener,
    "settled": settled_by_listener,
}


def expect(
    world: World, on: str, method: str, args: tuple[Any, ...], makes: str
) -> Expectation | None:
    """What is permitted of a call; None: it makes no sense, or nobody says anything of it."""
    if on == PROGRAM:
        (by_context,) = args
        return make_connection(world, by_context, makes)
    if (target := world.objects.get(on)) is None:
        return None
    given = (*args, makes) if makes else args
    expectation: Expectation | None = _RULES[method](world, target, *given)
    return expectation
