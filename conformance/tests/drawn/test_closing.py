"""Drawn programs on stop() and close() notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from unittest.mock import patch

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from jms_model.closing import (
    CLOSE,
    FED,
    PROGRAM,
    RECEIVE_0,
    RECEIVE_BRIEF,
    RECEIVES,
    SEND,
    STOP,
    WAITS_STILL,
)
from jms_model.delivery.session import TRANSACTED
from jms_scenarios.core.listeners import test_drawn_programs as of_jms
from jms_scenarios.starlight.listeners import test_drawn_programs as of_starlight
from jmsapi import IllegalStateException, JMSException
from touchstone.drawn import driving
from touchstone.drawn.closing.judging import PROGRAMS, PROGRAMS_ON_RECEIVES, ClosingDriver
from touchstone.drawn.closing.program import Step, programs, programs_on_receives
from touchstone.drawn.driving import DidNotEnd
from touchstone.drawn.lockstep import Program

JMS, SLJ = "JMS", "SLJ"
DECLARED: Final = {
    JMS: declared_by(of_jms.test_drawn_programs_on_what_ends_meanwhile),
    SLJ: declared_by(of_starlight.test_drawn_programs_on_listeners_and_close),
}


@dataclass(eq=False)
class Consumer:
    session: str
    kind: str
    sent: int
    at_work: bool = False
    sends: list[str] = field(default_factory=list)
    """Those that are on the broker, and those of a transaction."""
    settled: bool = False
    fed: bool = False


@dataclass(eq=False)
class End:
    on: str
    what: str


class InMemory:
    """A right one; others override what they do wrongly."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.modes: dict[str, int] = {}
        self.by_context = False

    def close(self) -> None:
        """Nothing is open."""

    def call(self, step: Step) -> object:
        made = (step.makes,) if step.makes else ()
        on = () if step.on == PROGRAM else (step.on,)
        answer: object = getattr(self, step.method)(*on, *step.args, *made)
        return answer

    def create(self, by_context: bool, makes: str) -> None:
        self.objects[makes], self.by_context = makes, by_context

    def session(self, _: str, mode: int, makes: str) -> None:
        self.objects[makes], self.modes[makes] = makes, mode

    def consume(self, session: str, kind: str, sent: int, makes: str) -> None:
        self.objects[makes] = Consumer(session, kind, sent)

    def start(self, _: str) -> None:
        self.objects = {k: each for k, each in self.objects.items() if not isinstance(each, End)}

    def is_called(self, consumer: str) -> bool:
        self.objects[consumer].at_work = True
        return True

    def fill(self, consumer: str, count: int) -> None:
        self.objects[consumer].sent += count

    def begin(self, on: str, what: str, makes: str) -> None:
        self.objects[makes] = End(on, what)

    @property
    def consumers(self) -> dict[str, Consumer]:
        return {name: each for name, each in self.objects.items() if isinstance(each, Consumer)}

    @property
    def ends(self) -> list[End]:
        return [each for each in self.objects.values() if isinstance(each, End)]

    def reached(self, end: End) -> list[Consumer]:
        if end.what == STOP or end.on == "c0":
            return [*self.consumers.values()]
        return [each for name, each in self.consumers.items() if end.on in (name, each.session)]

    def is_of(self, end: End, what: str, kind: str) -> bool:
        """Whether it is the stop() or close() of a connection (`c`), session or consumer."""
        return end.what == what and (end.on.startswith(kind) or (what == STOP and kind == "c"))

    def waits(self, end: End) -> bool:
        return any(each.at_work for each in self.reached(end))

    def has_ended(self, end: str, _: float) -> bool:
        return not self.waits(self.objects[end])

    def comes_back(self, end: str) -> None:
        if self.waits(self.objects[end]):
            raise DidNotEnd

    def calls_later(self, end: str, _: float, consumers: Sequence[str]) -> int:
        return 0

    def does(self, consumer: str, deed: str) -> None:
        own = self.objects[consumer]
        if deed == SEND:
            own.sends.append("sent")
        else:
            own.settled = True

    def returns(self, consumer: str) -> None:
        self.objects[consumer].at_work = False

    def feed(self, consumer: str) -> None:
        self.objects[consumer].fed = True

    def receive_gives(self, consumer: str, _: float) -> object:
        own = self.objects[consumer]
        reaching = [end.what for end in self.ends if own in self.reached(end)]
        if CLOSE in reaching or (own.kind == RECEIVE_BRIEF and self.has_its_time(own)):
            return None
        return self.while_stopped(own) if reaching else FED

    def while_stopped(self, consumer: Consumer) -> object:
        return WAITS_STILL

    def has_its_time(self, consumer: Consumer) -> bool:
        """Whether a receive() ends when its time is over."""
        return True

    def calls(self, session: str) -> int:
        return sum(each.sent for each in self.consumers.values() if each.session == session)

    def sent(self, consumer: str) -> int:
        own = self.objects[consumer]
        before = own.sends
        return len(before) if self.modes[own.session] != TRANSACTED else self.committed(own)

    def committed(self, consumer: Consumer) -> int:
        return consumer.sends.count("committed")

    def settled(self, consumer: str) -> bool:
        own: Consumer = self.objects[consumer]
        return own.settled


class Right(InMemory):
    def does(self, consumer: str, deed: str) -> None:
        super().does(consumer, deed)
        own = self.objects[consumer]
        if deed != SEND and self.modes[own.session] == TRANSACTED:
            own.sends = ["committed"] * len(own.sends)


def not_waiting(what: str, kind: str) -> type[Right]:
    """Comes back at once."""

    class NotWaiting(Right):
        def waits(self, end: End) -> bool:
            return not self.is_of(end, what, kind) and super().waits(end)

    return NotWaiting


class WaitsForOneListener(Right):
    """close() of a connection waits for the listener of its first session alone."""

    def waits(self, end: End) -> bool:
        reached = self.reached(end)
        if self.is_of(end, CLOSE, "c"):
            return any(each.at_work and each.session == "s0" for each in reached)
        return super().waits(end)


class StopOfAContextWaitsForItsOwn(Right):
    """stop() of a context waits for its own listener, not for those of others on the connection."""

    def waits(self, end: End) -> bool:
        own = [each for each in self.reached(end) if each.session == end.on]
        if self.by_context and end.what == STOP:
            return any(each.at_work for each in own)
        return super().waits(end)


def leaving_receives(kind: str, forms: Collection[str] = RECEIVES.keys()) -> type[Right]:
    """close() leaves the receives of what it closes, or those of some forms."""

    class LeavingReceives(Right):
        def receive_gives(self, consumer: str, seconds: float) -> object:
            own = self.objects[consumer]
            closes = [end for end in self.ends if self.is_of(end, CLOSE, kind)]
            if own.kind in forms and any(own in self.reached(end) for end in closes):
                return WAITS_STILL
            return super().receive_gives(consumer, seconds)

    return LeavingReceives


def never_back(kind: str) -> type[Right]:
    """close() waits for receives that nothing ends."""

    class NeverBack(Right):
        def comes_back(self, end: str) -> None:
            own = self.objects[end]
            kinds = {each.kind for each in self.reached(own)}
            if self.is_of(own, CLOSE, kind) and kinds & RECEIVES.keys():
                raise DidNotEnd
            super().comes_back(end)

    return NeverBack


def refusing(what: str, deed: str) -> type[Right]:
    """Refuses a listener a deed while its connection is stopped or closed."""

    class Refusing(Right):
        def does(self, consumer: str, deed_: str) -> None:
            if deed == deed_ and any(self.is_of(end, what, "c") for end in self.ends):
                raise IllegalStateException("not any more")
            super().does(consumer, deed_)

    return Refusing


def losing(what: str, look: str) -> type[Right]:
    """Loses what a listener sent, or settled, while its connection was stopped or closed."""

    class Losing(Right):
        lost = False

        def does(self, consumer: str, deed: str) -> None:
            super().does(consumer, deed)
            self.lost = any(self.is_of(end, what, "c") for end in self.ends)

        def sent(self, consumer: str) -> int:
            return super().sent(consumer) if not self.lost or look != "sent" else 0

        def settled(self, consumer: str) -> bool:
            return super().settled(consumer) and not (self.lost and look == "settled")

    return Losing


def calling_later(what: str, kind: str) -> type[Right]:
    """Calls listeners behind the end of what has none any more."""

    class CallingLater(Right):
        def calls_later(self, end: str, _: float, consumers: Sequence[str]) -> int:
            left = [self.objects[name] for name in consumers]
            many = sum(each.sent for each in left) - 1
            return max(0, many) if self.is_of(self.objects[end], what, kind) else 0

    return CallingLater


class ReceivesWhileStopped(Right):
    def while_stopped(self, consumer: Consumer) -> object:
        return FED if consumer.fed else WAITS_STILL


class TimeStandsStillWhileStopped(Right):
    def has_its_time(self, consumer: Consumer) -> bool:
        return False


class BriefReceivesHaveWhatComes(Right):
    """A receive() that has its time gets what is sent while its connection is stopped."""

    def receive_gives(self, consumer: str, seconds: float) -> object:
        own = self.objects[consumer]
        stopped = any(end.what == STOP for end in self.ends)
        is_fed = own.kind == RECEIVE_BRIEF and own.fed and stopped
        return FED if is_fed else super().receive_gives(consumer, seconds)


class ForgetsWhatCameWhileStopped(Right):
    def calls(self, session: str) -> int:
        return 1


class OneListenerAtATime(Right):
    def is_called(self, consumer: str) -> bool:
        if any(each.at_work for each in self.consumers.values()):
            return False
        return super().is_called(consumer)


WRONG: Final[Sequence[tuple[str, str, type[InMemory]]]] = (
    (JMS, "JMS-CONN-009", not_waiting(STOP, "c")),
    (JMS, "JMS-CONN-009", StopOfAContextWaitsForItsOwn),
    (JMS, "JMS-CONN-014", not_waiting(CLOSE, "c")),
    (JMS, "JMS-CONN-014", WaitsForOneListener),
    (JMS, "JMS-SESS-002", not_waiting(CLOSE, "s")),
    (JMS, "JMS-CONS-004", not_waiting(CLOSE, "k")),
    (JMS, "JMS-CONN-015", leaving_receives("c")),
    (JMS, "JMS-SESS-003", leaving_receives("s")),
    (JMS, "JMS-CONS-004", leaving_receives("k")),
    (JMS, "JMS-SESS-003", never_back("s")),
    (JMS, "JMS-CONS-004", never_back("k")),
    (JMS, "JMS-CONN-010", refusing(STOP, SEND)),
    (JMS, "JMS-CONN-010", refusing(STOP, "settle")),
    (JMS, "JMS-CONN-013", refusing(CLOSE, SEND)),
    (JMS, "JMS-CONN-013", refusing(CLOSE, "settle")),
    (JMS, "JMS-CONN-010", losing(STOP, "sent")),
    (JMS, "JMS-CONN-013", losing(CLOSE, "sent")),
    (JMS, "JMS-CONN-013", losing(CLOSE, "settled")),
    (JMS, "JMS-CONN-008", calling_later(STOP, "c")),
    (JMS, "JMS-CONN-014", calling_later(CLOSE, "c")),
    (JMS, "JMS-SESS-002", calling_later(CLOSE, "s")),
    (JMS, "JMS-CONS-004", calling_later(CLOSE, "k")),
    (JMS, "JMS-CONN-008", ReceivesWhileStopped),
    (JMS, "JMS-CONN-008", ForgetsWhatCameWhileStopped),
    (JMS, "JMS-CONN-011", TimeStandsStillWhileStopped),
    (JMS, "JMS-CONN-011", BriefReceivesHaveWhatComes),
    (JMS, "JMS-SESS-003", leaving_receives("s", [RECEIVE_0])),
    (JMS, "JMS-LSN-003", OneListenerAtATime),
    (SLJ, "SLJ-LSN-003", OneListenerAtATime),
    (SLJ, "SLJ-LSN-006", not_waiting(CLOSE, "s")),
    (SLJ, "SLJ-LSN-007", WaitsForOneListener),
)


@cache
def drawn(document: str) -> Sequence[Program]:
    """The programs of every run."""
    on_receives = listed(programs_on_receives(document), PROGRAMS_ON_RECEIVES, 0)
    return [*listed(programs(document), PROGRAMS, 0), *(on_receives if document == JMS else [])]


def accused_by(made: type[InMemory], document: str) -> tuple[set[str], ClosingDriver]:
    """The statements that a client is accused of, and what ran the programs."""
    driver = ClosingDriver(lambda _: made(), document=document)
    with patch.object(
        driving, "is_raised_by_client", lambda error: isinstance(error, JMSException)
    ):
        disagreements = [
            each for program in drawn(document) for each in driver.disagreements(program)
        ]
    return {id_ for each in disagreements for id_ in each.ids}, driver


@pytest.mark.parametrize("document", DECLARED)
def test_the_right_one_is_accused_of_nothing_and_all_is_decided(document: str) -> None:
    accused, driver = accused_by(Right, document)
    assert accused == set()
    assert {*driver.decided} == DECLARED[document]


@pytest.mark.parametrize(
    ("document", "id_", "made"),
    WRONG,
    ids=[f"{id_}-{number}" for number, (_, id_, _) in enumerate(WRONG)],
)
def test_it_is_noticed(document: str, id_: str, made: type[InMemory]) -> None:
    accused, _ = accused_by(made, document)
    assert accused == {id_}
