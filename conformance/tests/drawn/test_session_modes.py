"""Drawn programs on sessions' modes notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from unittest.mock import patch

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from jms_model.delivery.session import AUTO, CLIENT, DUPS_OK, TRANSACTED
from jms_model.delivery.vendors import INDIVIDUAL
from jms_model.session_modes import LISTENER, MODES, NO_ACKNOWLEDGE
from jms_scenarios.amq.acknowledgement import test_drawn_programs as of_amq
from jms_scenarios.rabbitmq.acknowledgement import test_drawn_programs as of_rabbitmq
from jms_scenarios.starlight.acknowledgement import test_drawn_programs as of_starlight
from jmsapi import JMSException
from touchstone.drawn import driving
from touchstone.drawn.lockstep import Program
from touchstone.drawn.session_modes.judging import PROGRAMS, ModeDriver
from touchstone.drawn.session_modes.program import Step, programs

SLJ, AMQ, RMQ = "SLJ", "AMQ", "RMQ"
DECLARED: Final = {
    SLJ: declared_by(of_starlight.test_drawn_programs_on_modes_and_listeners),
    AMQ: declared_by(of_amq.test_drawn_programs_on_modes_without_acknowledgement),
    RMQ: declared_by(of_rabbitmq.test_drawn_programs_on_modes_side_by_side),
}


@dataclass(eq=False)
class Session:
    mode: int
    waiting: list[int]
    how: str = ""
    held: list[int] = field(default_factory=list)


class InMemory:
    """The right one of a document; others override what they do wrongly."""

    def __init__(self, document: str) -> None:
        self.document = document
        self.objects: dict[str, Any] = {}

    def close(self) -> None:
        """Nothing is open."""

    def call(self, step: Step, count: int) -> object:
        if step.method == "create":
            mode, form, sent = step.args
            self.objects[step.makes] = self.created(mode, form, [*range(1, sent + 1)])
            return None
        if step.method == "close":
            return None
        answer: object = getattr(self, step.method)(self.objects[step.on], *step.args)
        return answer

    def created(self, mode: int, form: str, waiting: list[int]) -> Session:
        if mode not in MODES[self.document].offers:
            raise JMSException("no mode")
        return Session(mode, waiting)

    def acknowledge_mode(self, session: Session) -> int:
        is_own = self.document == RMQ and session.mode == INDIVIDUAL
        return CLIENT if is_own else session.mode

    def transacted(self, session: Session) -> bool:
        return session.mode == TRANSACTED

    def emptied(self, session: Session) -> bool:
        return True

    def take(self, session: Session, how: str, acknowledged: Sequence[int]) -> list[int]:
        came, session.how = session.waiting, how
        session.waiting = []
        if session.mode in (CLIENT, INDIVIDUAL, TRANSACTED):
            session.held = [*came]
        for number in acknowledged:
            self.acknowledges(session, number)
        return came

    def acknowledges(self, session: Session, number: int) -> None:
        if session.mode == INDIVIDUAL:
            session.held.remove(number)
        elif self.document == RMQ:
            session.held = [each for each in session.held if each > number]
        else:
            session.held = []

    def commit(self, session: Session) -> None:
        session.held = []

    def left(self, session: Session) -> list[int]:
        return session.held


def keeping(mode: int, how: str = "") -> type[InMemory]:
    """Settles nothing in a mode, by this way to receive or by any."""

    class Keeping(InMemory):
        def take(self, session: Session, how_: str, acknowledged: Sequence[int]) -> list[int]:
            came = super().take(session, how_, acknowledged)
            if session.mode == mode and how in ("", how_):
                session.held = [*came]
            return came

    return Keeping


def refusing(mode: int, form: str = "") -> type[InMemory]:
    """Has no such mode, in one form of the call or in any."""

    class Refusing(InMemory):
        def created(self, mode_: int, form_: str, waiting: list[int]) -> Session:
            if mode == mode_ and form in ("", form_):
                raise JMSException("no mode")
            return super().created(mode_, form_, waiting)

    return Refusing


class TakesAnyMode(InMemory):
    def created(self, mode: int, form: str, waiting: list[int]) -> Session:
        return Session(AUTO if mode not in MODES[self.document].offers else mode, waiting)


class ReportsItsOwn(InMemory):
    def acknowledge_mode(self, session: Session) -> int:
        return session.mode


class NeverTransacted(InMemory):
    def transacted(self, session: Session) -> bool:
        return False


class SettlesForAll(InMemory):
    """An acknowledge in CLIENT_ACKNOWLEDGE settles what other sessions got as well."""

    def acknowledges(self, session: Session, number: int) -> None:
        super().acknowledges(session, number)
        for each in self.objects.values():
            if each is not session and each.mode == CLIENT:
                each.held = []


class KeepsUntilReceived(InMemory):
    def emptied(self, session: Session) -> bool:
        return False


WRONG: Final[Sequence[tuple[str, str, type[InMemory]]]] = (
    (SLJ, "SLJ-ACK-001", refusing(DUPS_OK)),
    (SLJ, "SLJ-TX-008", refusing(TRANSACTED, "context of a context")),
    (SLJ, "SLJ-TX-009", NeverTransacted),
    (SLJ, "SLJ-ACK-001", TakesAnyMode),
    (SLJ, "SLJ-ACK-004", keeping(AUTO, LISTENER)),
    (SLJ, "SLJ-ACK-008", keeping(DUPS_OK, LISTENER)),
    (SLJ, "SLJ-ACK-013", keeping(CLIENT, LISTENER)),
    (SLJ, "SLJ-ACK-016", refusing(INDIVIDUAL)),
    (SLJ, "SLJ-ACK-017", keeping(INDIVIDUAL, LISTENER)),
    (AMQ, "AMQ-ACK-001", refusing(INDIVIDUAL)),
    (AMQ, "AMQ-ACK-002", TakesAnyMode),
    (AMQ, "AMQ-ACK-008", KeepsUntilReceived),
    (AMQ, "AMQ-ACK-009", keeping(NO_ACKNOWLEDGE[0])),
    (AMQ, "AMQ-ACK-011", keeping(NO_ACKNOWLEDGE[0])),
    (AMQ, "AMQ-ACK-012", refusing(NO_ACKNOWLEDGE[1], "context")),
    (RMQ, "RMQ-ACK-005", SettlesForAll),
    (RMQ, "RMQ-ACK-006", refusing(INDIVIDUAL)),
    (RMQ, "RMQ-ACK-010", ReportsItsOwn),
)
BESIDES: Final = {
    "SLJ-TX-008": {"SLJ-ACK-001"},
    "SLJ-ACK-016": {"SLJ-ACK-001"},
    "AMQ-ACK-009": {"AMQ-ACK-011"},
    "AMQ-ACK-011": {"AMQ-ACK-009"},
    "AMQ-ACK-012": {"AMQ-ACK-001"},
}
"""What a wrong client breaks as well."""


def is_of_jms(error: Exception) -> bool:
    return isinstance(error, JMSException)


@cache
def drawn(document: str) -> Sequence[Program]:
    """The programs of every run."""
    return listed(programs(document), PROGRAMS, 0)


def accused_by(made: Callable[[str], InMemory], document: str) -> tuple[set[str], ModeDriver]:
    """The statements that a client is accused of, and what ran the programs."""
    driver = ModeDriver(lambda _: made(document), document=document)
    with patch.object(
        driving, "is_raised_by_client", lambda error: isinstance(error, JMSException)
    ):
        disagreements = [
            each for program in drawn(document) for each in driver.disagreements(program)
        ]
    return {id_ for each in disagreements for id_ in each.ids}, driver


@pytest.mark.parametrize("document", DECLARED)
def test_the_right_one_is_accused_of_nothing_and_all_is_decided(document: str) -> None:
    accused, driver = accused_by(InMemory, document)
    assert accused == set()
    assert {*driver.decided} == DECLARED[document]


@pytest.mark.parametrize(
    ("document", "id_", "made"),
    WRONG,
    ids=[f"{id_}-{number}" for number, (_, id_, _) in enumerate(WRONG)],
)
def test_it_is_noticed(document: str, id_: str, made: type[InMemory]) -> None:
    accused, _ = accused_by(made, document)
    assert accused == {id_, *BESIDES.get(id_, ())}
