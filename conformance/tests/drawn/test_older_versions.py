"""Drawn programs on a client of JMS 1.1: steps that it has no call for are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from drawn.reference_alone import driver
from jms_clients.errors import NotInThisVersion
from jms_clients.origins import Origin, mark
from jms_model.answers import Answer, Expectation, succeeds
from jms_model.resources.meta_data_rules import get
from jms_model.resources.things import Connection, MetaData, World
from jmsapi import InvalidSelectorException, JMSException
from touchstone.drawn.driving import Driver, answer_of
from touchstone.drawn.lockstep import Lockstep, Program, Step
from touchstone.drawn.program import Program as MessageProgram
from touchstone.drawn.program import Step as Call


@dataclass
class Application:
    """Answers each call as it is told."""

    answers: Mapping[str, Exception]
    called: list[str] = field(default_factory=list)
    objects: dict[str, Any] = field(default_factory=dict)

    def call(self, step: Step) -> object:
        self.called.append(step.method)
        if (error := self.answers.get(step.method)) is not None:
            raise error
        if step.makes:
            self.objects[step.makes] = step.makes
        return None

    def close(self) -> None: ...


@dataclass
class Steps(Lockstep[Application, list[str], Step]):
    """Every call has to succeed."""

    @staticmethod
    def rules(model: list[str], on: str, method: str, args: object, makes: str) -> Expectation:
        return Expectation([succeeds(lambda: model.append(method))], ["X-1"])

    def _model(self, program: Any) -> list[str]:
        self.model: list[str] = []
        return self.model

    def _answer(
        self, runs: Application, model: list[str], step: Step, expectation: Expectation
    ) -> Answer:
        return answer_of(lambda: runs.call(step))

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        return False


PROGRAM = Program(
    [Step("", "first", (), "a"), Step("", "newer", (), "b"), Step("b", "use"), Step("a", "last")]
)


def run(error: Exception) -> tuple[Steps, Application, list[Any]]:
    """What came of the program where `newer` ends so."""
    application = Application({"newer": error})
    runs = Steps(lambda _: application)
    return runs, application, list(runs.disagreements(PROGRAM))


def test_a_step_that_is_too_new_is_left_out_with_what_needs_it() -> None:
    runs, application, shown = run(NotInThisVersion("lacks newer"))
    assert shown == []
    assert runs.model == ["first", "last"]
    assert application.called == ["first", "newer", "last"]
    assert (runs.lacked, runs.decided["X-1"]) == ({"lacks newer"}, 2)


def test_a_name_that_a_broker_gave_an_exception_ends_a_program() -> None:
    error = JMSException("jakarta.jms.InvalidSelectorException: x =")
    mark(error, Origin.BROKER)
    runs, application, shown = run(error)
    assert (shown, application.called, runs.lacked) == ([], ["first", "newer"], set())


def test_any_other_exception_is_judged() -> None:
    error = InvalidSelectorException("x =")
    mark(error, Origin.CLIENT)
    *_, [shown] = run(error)
    assert shown.ids == {"X-1"}
    broken = JMSException("of ours")
    mark(broken, Origin.HARNESS)
    with pytest.raises(JMSException, match="of ours"):
        run(broken)


def test_a_read_of_a_message_that_is_too_new_is_left_out() -> None:
    class Older(Driver):
        def _call(self, message: object, step: Call) -> object:
            if step.method == "get_body":
                raise NotInThisVersion("lacks getBody")
            return super()._call(message, step)

    ours = driver()
    runs = Older(ours.session, ours.trip)
    steps = [Call(0, "set_text", ("a",)), Call(0, "get_body", ("String",)), Call(0, "get_text")]
    assert list(runs.disagreements(MessageProgram("text", steps))) == []
    assert runs.lacked == {"lacks getBody"}
    assert runs.steps == len(steps)


@pytest.mark.parametrize(("oldest", "permitted"), [(2, False), (1, True)])
def test_a_client_of_jms_1_may_say_so(oldest: int, permitted: bool) -> None:
    world, meta = World(oldest=oldest), MetaData(Connection(simplified=False))
    expectation = get("jms_major_version")(world, meta)
    assert expectation is not None
    answer = answer_of(lambda: 1)
    assert (expectation.ending(answer) is not None) == permitted
