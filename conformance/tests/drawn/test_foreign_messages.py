"""Drawn messages of other classes notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final
from unittest.mock import patch

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from jms_model.foreign_messages import JMS, READERS, REPLY, ForeignMessage, Odd
from jms_scenarios.core.interop import test_drawn_programs as of_jms
from jms_scenarios.rabbitmq.interop import test_drawn_programs as of_rabbitmq
from jmsapi import Int, JMSException
from touchstone.drawn import driving
from touchstone.drawn.foreign_messages.judging import PROGRAMS, ForeignMessageDriver
from touchstone.drawn.foreign_messages.program import Step, programs
from touchstone.drawn.lockstep import Program

RMQ: Final = "RMQ"
DECLARED: Final = {
    JMS: declared_by(of_jms.test_drawn_messages_of_other_providers_arrive),
    RMQ: declared_by(of_rabbitmq.test_drawn_messages_of_other_classes_are_rebuilt),
}


class InMemory:
    """A client that is right by the vendor's document, which JMS permits."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.sends: dict[int, int] = {}

    def close(self) -> None:
        """Nothing is open."""

    def call(self, step: Step) -> object:
        if step.method == "make":
            [self.objects[step.makes]] = step.args
            return None
        spec = self.objects[step.on]
        if step.method == "send":
            self.sends[id(spec)] = self.sends.get(id(spec), 0) + 1
        answer: object = getattr(self, step.method)(spec)
        if step.method == "arrives" and answer:
            self.objects[step.makes] = spec
        return answer

    def send(self, spec: ForeignMessage) -> None:
        """It is sent."""

    def arrives(self, spec: ForeignMessage) -> bool:
        return True

    def asked(self, spec: ForeignMessage) -> frozenset[str]:
        return frozenset({"property_names", *READERS.get(spec.kind, ())})

    def header(self, spec: ForeignMessage) -> bool:
        return True

    def kind(self, spec: ForeignMessage) -> str:
        return spec.kind

    def own_class(self, spec: ForeignMessage) -> bool:
        return True

    def properties(self, spec: ForeignMessage) -> Mapping[str, Any]:
        return {name: each for name, each in spec.properties.items() if not isinstance(each, Odd)}

    def type(self, spec: ForeignMessage) -> str | None:
        return spec.jms_type

    def correlation(self, spec: ForeignMessage) -> str | None:
        return spec.correlation_id

    def reply(self, spec: ForeignMessage) -> str | None:
        return None

    def body(self, spec: ForeignMessage) -> Any:
        return None if isinstance(spec.body, Odd) else spec.body


def answering(
    method: str, when: Callable[[ForeignMessage], bool], wrong: Any
) -> Callable[[], InMemory]:
    """A client of which one look or call is wrong, with some messages; an exception is raised."""

    class Wrong(InMemory):
        def call(self, step: Step) -> object:
            spec = self.objects.get(step.on)
            if step.method == method and spec is not None and when(spec):
                if isinstance(wrong, Exception):
                    raise wrong
                return wrong(spec, self) if callable(wrong) else wrong
            return super().call(step)

    return Wrong


def foreign(kind: str) -> Callable[[ForeignMessage], bool]:
    return lambda spec: spec.kind == kind and not spec.is_own


def is_plain(spec: ForeignMessage) -> bool:
    return foreign("message")(spec) and not spec.odd and not spec.replies


def longs_become_ints(spec: ForeignMessage, app: InMemory) -> Any:
    return {
        name: Int(int(each) % 1000) if type(each).__name__ == "Long" else each
        for name, each in app.properties(spec).items()
    }


REFUSED: Final = JMSException("refused")
WRONG: Final[Sequence[tuple[str, str, Callable[[], InMemory]]]] = (
    (RMQ, "RMQ-INTR-001", answering("send", is_plain, REFUSED)),
    (RMQ, "RMQ-INTR-002", answering("properties", lambda spec: not spec.odd, longs_become_ints)),
    (RMQ, "RMQ-INTR-003", answering("type", lambda spec: spec.jms_type == "", None)),
    (RMQ, "RMQ-INTR-003", answering("correlation", lambda spec: True, None)),
    (RMQ, "RMQ-INTR-004", answering("reply", lambda spec: True, REPLY)),
    (RMQ, "RMQ-INTR-004", answering("send", lambda spec: spec.replies, REFUSED)),
    (RMQ, "RMQ-INTR-005", answering("send", lambda spec: bool(spec.odd), REFUSED)),
    (RMQ, "RMQ-INTR-005", answering("properties", lambda spec: bool(spec.odd), {})),
    (RMQ, "RMQ-INTR-006", answering("send", lambda spec: spec.lost, REFUSED)),
    (RMQ, "RMQ-INTR-006", answering("body", lambda spec: spec.lost, "")),
    (RMQ, "RMQ-INTR-007", answering("kind", foreign("bytes"), "message")),
    (RMQ, "RMQ-INTR-008", answering("body", foreign("map"), {})),
    (RMQ, "RMQ-INTR-009", answering("own_class", foreign("object"), False)),
    (RMQ, "RMQ-INTR-010", answering("body", lambda spec: spec.body == "", None)),
    (RMQ, "RMQ-INTR-011", answering("body", foreign("stream"), [])),
    (RMQ, "RMQ-INTR-012", answering("asked", foreign("map"), frozenset({"property_names"}))),
    (RMQ, "RMQ-INTR-013", answering("header", lambda spec: spec.is_own, False)),
    (JMS, "JMS-BODY-035", answering("properties", lambda spec: True, longs_become_ints)),
    (JMS, "JMS-BODY-035", answering("header", lambda spec: spec.kind == "map", False)),
    (JMS, "JMS-BODY-035", answering("arrives", is_plain, False)),
    (JMS, "JMS-INTR-002", answering("reply", lambda spec: True, "another")),
    (JMS, "JMS-INTR-002", answering("send", lambda spec: spec.replies, REFUSED)),
)


@cache
def drawn(document: str) -> Sequence[Program]:
    """The programs of every run."""
    return listed(programs(document), PROGRAMS, 0)


def accused_by(
    made: Callable[[], InMemory], document: str
) -> tuple[set[str], ForeignMessageDriver]:
    """The statements that a client is accused of, and what ran the programs."""
    driver = ForeignMessageDriver(lambda _: made(), document=document)
    with patch.object(driving, "is_raised_by_client", lambda error: error is REFUSED):
        disagreements = [
            each for program in drawn(document) for each in driver.disagreements(program)
        ]
    return {id_ for each in disagreements for id_ in each.ids}, driver


@pytest.mark.parametrize("document", DECLARED)
def test_the_right_one_is_accused_of_nothing_and_all_is_decided(document: str) -> None:
    accused, driver = accused_by(InMemory, document)
    assert accused == set()
    assert {*driver.decided} == DECLARED[document]


def test_the_reply_destination_may_be_kept_where_the_vendor_says_nothing() -> None:
    accused, _ = accused_by(answering("reply", lambda spec: True, REPLY), JMS)
    assert accused == set()


@pytest.mark.parametrize(
    ("document", "id_", "made"),
    WRONG,
    ids=[f"{id_}-{number}" for number, (_, id_, _) in enumerate(WRONG)],
)
def test_it_is_noticed_by_that_alone(document: str, id_: str, made: Callable[[], InMemory]) -> None:
    accused, _ = accused_by(made, document)
    assert accused == {id_}
