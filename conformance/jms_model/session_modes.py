"""The modes of sessions that vendors' documents name: offered or refused, and what they settle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, gives, gives_what, raises, succeeds
from jms_model.delivery.session import AUTO, CLIENT, DUPS_OK, TRANSACTED
from jms_model.delivery.vendors import INDIVIDUAL
from jmsapi.errors import JMSException, JMSRuntimeException

PROGRAM: Final = "program"
"""The one object that is there before the program."""
NO_ACKNOWLEDGE: Final = (100, 257)
"""The modes of Red Hat's document in which nothing is acknowledged."""
OF_JMS: Final = (TRANSACTED, AUTO, CLIENT, DUPS_OK)
LISTENER: Final = "listener"
RECEIVE: Final = "receive"


@dataclass(frozen=True)
class Modes:
    """What a document says of modes; each by its statements."""

    offers: Mapping[int, Sequence[str]]
    """The modes that sessions can be made in."""
    refuses: Sequence[str] = ()
    """That those of no meaning are refused."""
    reports: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    """What a session in a mode reports instead of it."""
    left: Mapping[tuple[int, str], Sequence[str]] = field(default_factory=dict)
    """What is settled in a mode by who receives so."""
    untouched: Sequence[str] = ()
    """That an acknowledge leaves what other sessions got."""
    settles_up_to: bool = False
    """Whether an acknowledge in CLIENT_ACKNOWLEDGE leaves what came later."""
    transacted: Sequence[str] = ()
    """That a transacted session says so, and can be committed."""
    at_once: Sequence[str] = ()
    """That the broker is done with a message before anybody receives it, in NO_ACKNOWLEDGE."""


_STARLIGHT: Final = Modes(
    offers={
        **{mode: ["SLJ-ACK-001"] for mode in OF_JMS},
        TRANSACTED: ["SLJ-ACK-001", "SLJ-TX-008"],
        INDIVIDUAL: ["SLJ-ACK-001", "SLJ-ACK-016"],
    },
    refuses=["SLJ-ACK-001"],
    left={
        (AUTO, LISTENER): ["SLJ-ACK-004"],
        (DUPS_OK, LISTENER): ["SLJ-ACK-008"],
        (CLIENT, LISTENER): ["SLJ-ACK-013"],
        (INDIVIDUAL, LISTENER): ["SLJ-ACK-017"],
    },
    transacted=["SLJ-TX-009"],
)
_AMQ: Final = Modes(
    offers={
        INDIVIDUAL: ["AMQ-ACK-001"],
        100: ["AMQ-ACK-001", "AMQ-ACK-011"],
        257: ["AMQ-ACK-001", "AMQ-ACK-012"],
        **dict.fromkeys(OF_JMS, ()),
    },
    refuses=["AMQ-ACK-002"],
    left={
        **{(100, how): ["AMQ-ACK-009", "AMQ-ACK-011"] for how in (LISTENER, RECEIVE)},
        **{(257, how): ["AMQ-ACK-009", "AMQ-ACK-012"] for how in (LISTENER, RECEIVE)},
    },
    at_once=["AMQ-ACK-008"],
)
_RABBITMQ: Final = Modes(
    offers={INDIVIDUAL: ["RMQ-ACK-006"], **dict.fromkeys(OF_JMS, ())},
    reports={INDIVIDUAL: (CLIENT, "RMQ-ACK-010")},
    untouched=["RMQ-ACK-005"],
    settles_up_to=True,
)
MODES: Final[Mapping[str, Modes]] = {"SLJ": _STARLIGHT, "AMQ": _AMQ, "RMQ": _RABBITMQ}
"""By the prefix of their documents."""


@dataclass(slots=True, eq=False)
class Session:
    """A session with a consumer of a queue of its own."""

    mode: int
    sent: int
    """How many messages its queue has had."""
    got: bool = False
    how: str = ""
    acknowledged: tuple[int, ...] = ()
    """The numbers of those of which acknowledge() was called, in their order."""
    beside: bool = False
    """Whether another session acknowledged, since it got what it has not settled."""
    committed: bool = False
    ended: bool = False


@dataclass
class World:
    """What one program has made."""

    document: str
    objects: dict[str, Any] = field(default_factory=dict)

    @property
    def modes(self) -> Modes:
        """What is said of modes."""
        return MODES[self.document]


def name_of(mode: int) -> str:
    """What a mode is called in words without values."""
    names = {0: "SESSION_TRANSACTED", 1: "AUTO", 2: "CLIENT", 3: "DUPS_OK", INDIVIDUAL: "the own"}
    return names.get(mode, str(mode) if mode in NO_ACKNOWLEDGE else "no mode")


def create(world: World, mode: int, form: str, sent: int, makes: str) -> Expectation:
    """A session in a mode, by one form of the call, for a queue with some messages."""
    of = f"of {name_of(mode)} by a {form}"
    if mode not in world.modes.offers:
        return Expectation([raises(JMSException, JMSRuntimeException)], world.modes.refuses, of)
    made = partial(world.objects.__setitem__, makes, Session(mode, sent))
    return Expectation([succeeds(made)], world.modes.offers[mode], of)


def acknowledge_mode(world: World, session: Session) -> Expectation | None:
    """What it reports: of modes beyond JMS only what a document says."""
    if session.ended:
        return None
    if session.mode in world.modes.reports:
        told, id_ = world.modes.reports[session.mode]
        return Expectation([gives(told)], [id_], name=lambda _: "gave another")
    return None


def is_transacted(world: World, session: Session) -> Expectation | None:
    """Whether it works in transactions."""
    if session.ended or session.mode not in world.modes.offers:
        return None
    is_so = session.mode == TRANSACTED
    ids = world.modes.transacted if is_so else world.modes.offers[session.mode]
    return Expectation([gives(is_so)], ids, f"of {name_of(session.mode)}")


def is_emptied(world: World, session: Session) -> Expectation | None:
    """Whether the broker has done with all messages, before one was received."""
    if session.mode not in NO_ACKNOWLEDGE or session.got or session.ended:
        return None
    return Expectation([gives(True)], world.modes.at_once)


def take(
    world: World, session: Session, how: str, acknowledged: tuple[int, ...]
) -> Expectation | None:
    """All messages are received, and some acknowledged; the numbers of what came."""
    if session.got or session.ended:
        return None

    def get() -> None:
        session.got, session.how, session.acknowledged = True, how, acknowledged
        if acknowledged:
            others = (each for each in world.objects.values() if each is not session)
            for each in others:
                each.beside = each.beside or (each.mode == CLIENT and each.got)

    numbers = [*range(1, session.sent + 1)]
    ids = world.modes.left.get((session.mode, how), ())
    of = f"of {name_of(session.mode)} by {how}"
    return Expectation([gives(numbers, get)], ids, of, name=lambda _: "gave others")


def commit(world: World, session: Session) -> Expectation | None:
    """What a transaction got is settled."""
    if session.mode != TRANSACTED or not session.got or session.ended or session.committed:
        return None
    done = partial(setattr, session, "committed", True)
    return Expectation([succeeds(done)], world.modes.transacted)


def close(_: World, session: Session) -> Expectation | None:
    """What it did not settle goes back."""
    if session.ended or not session.got:
        return None
    return Expectation([succeeds(partial(setattr, session, "ended", True))], [])


def remaining_messages(world: World, session: Session) -> Expectation | None:
    """The numbers of what another session then receives, in any order."""
    if not session.ended:
        return None
    wanted = sorted(numbers_left_by(world, session))
    way = gives_what(
        f"{wanted} in any order", lambda given: isinstance(given, list) and sorted(given) == wanted
    )
    ids = [*world.modes.left.get((session.mode, session.how), ())]
    untouched = world.modes.untouched if session.beside and session.mode == CLIENT else ()

    def name(given: object) -> str:
        return "gave more" if _is_more(given, wanted) else "gave less"

    def accuse(given: object) -> Sequence[str]:
        return [*ids, *(() if _is_more(given, wanted) else untouched)]

    return Expectation(
        [way], ids, f"of {name_of(session.mode)} by {session.how}", accuse=accuse,
        besides=untouched, name=name,
    )  # fmt: skip


def _is_more(given: object, wanted: Sequence[int]) -> bool:
    return isinstance(given, list) and bool({*given} - {*wanted})


def numbers_left_by(world: World, session: Session) -> set[int]:
    """The numbers of what a session did not settle."""
    every = {*range(1, session.sent + 1)}
    match session.mode:
        case 0:
            return set() if session.committed else every
        case 2 if world.modes.settles_up_to:
            return {each for each in every if each > max(session.acknowledged, default=0)}
        case 2:
            return every if not session.acknowledged else set()
        case mode if mode == INDIVIDUAL:
            return every - {*session.acknowledged}
    return set()


Rule = Callable[..., Expectation | None]
RULES: Final[Mapping[str, Rule]] = {
    "acknowledge_mode": acknowledge_mode,
    "transacted": is_transacted,
    "emptied": is_emptied,
    "take": take,
    "commit": commit,
    "close": close,
    "left": remaining_messages,
}


def expect(
    world: World, on: str, method: str, args: Sequence[Any] = (), makes: str = ""
) -> Expectation | None:
    """What is permitted of a call on what has the name `on`; None: it makes no sense now."""
    if on == PROGRAM:
        mode, form, sent = args
        return create(world, mode, form, sent, makes)
    target = world.objects.get(on)
    return None if target is None else RULES[method](world, target, *args)
