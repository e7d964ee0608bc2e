"""An application on a provider that keeps all in memory, and is as right as the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final
from unittest.mock import patch

from hypothesis.strategies import SearchStrategy

from drawn.listed_programs import ListedHunt
from jms_model.answers import Expectation, Gave
from jms_model.delivery.browser_rules import PAST
from jms_model.delivery.choosing import content_of
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.rules import expect
from jms_model.delivery.vendors import NONE, VENDORS
from jmsapi.errors import JMSException, JMSRuntimeException, UnsupportedOperationException
from touchstone.drawn import driving
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.judging import programs_about
from touchstone.drawn.sessions.program import Program, Step, without

PROGRAMS: Final = 50
"""Of each seed."""
SEEDS: Final = range(8)
CLIENTS: Final = (JMSException, JMSRuntimeException, UnsupportedOperationException)
"""What the client in memory raises, which is code of these tests."""

Call = Callable[[], object]
Wrong = Callable[["InMemory", Step, Call], object]
"""What a wrong client makes of a call."""


@cache
def _programs(subjects: tuple[str, ...], document: str) -> SearchStrategy[Program]:
    """The same each time, so that they are listed once."""
    return programs_about(*subjects, vendor=VENDORS.get(document, NONE))


def hunted(
    wrong: Wrong,
    declared: frozenset[str],
    subjects: Sequence[str],
    until: str = "",
    document: str = "",
) -> ListedHunt:
    """What is found in such a client by programs on these subjects, until a statement is broken."""
    with patch.object(driving, "is_raised_by_client", lambda error: isinstance(error, CLIENTS)):
        runs = SessionDriver(lambda program: InMemory(program, wrong))
        drawn = _programs(tuple(subjects), document)
        judged = frozenset([until]) if until else declared
        hunt = ListedHunt(runs, judged, without=without, slips=True, trips=math.inf)
        for seed in SEEDS:
            hunt.draw(drawn, PROGRAMS, seed)
            if until and hunt.against(until):
                break
    return hunt


def declared_by(scenario: Any) -> frozenset[str]:
    """The statements that a scenario judges."""
    [mark] = (each for each in scenario.pytestmark if each.name == "requirement")
    return frozenset(mark.args)


def right(_: InMemory, __: Step, call: Call) -> object:
    """Nothing else."""
    return call()


class InMemory:
    """Makes the calls of one program."""

    def __init__(self, program: Program, wrong: Wrong = right) -> None:
        self.model: ModelProvider = program.provider()
        self._wrong = wrong

    @property
    def objects(self) -> dict[str, Any]:
        """What the program has made."""
        return self.model.objects

    def call(self, step: Step, *, comes: bool) -> object:
        """Answer as the wrong client does."""
        return self._wrong(self, step, lambda: self._right(step))

    def waits(self, browser: str, count: int) -> None:
        """All is there."""

    def close(self) -> None:
        """Nothing is open."""

    def asks(self, step: Step) -> Expectation | None:
        """What is permitted of a call."""
        return expect(self.model, step.on, step.method, step.args, step.makes)

    def _right(self, step: Step) -> object:
        expectation = self.asks(step)
        if expectation is None:
            return None
        value = self._value(step)
        first = expectation.permitted[0]
        first.effect()
        if first.errors:
            raise first.errors[0]("refused")
        if expectation.ending(Gave(value)) is None:
            raise JMSException("refused")
        return value

    def answers(self, step: Step, value: object) -> object:
        """Give another value that is permitted."""
        expectation = self.asks(step)
        permitted = None if expectation is None else expectation.ending(Gave(value))
        assert permitted is not None
        permitted.effect()
        return value

    def _value(self, step: Step) -> object:
        target: Any = self.objects.get(step.on)
        match step.method:
            case "receive" if not target.closed_by and target.session.connection.started:
                return target.backlog.next(target)[0].sent.number
            case "receive_from":
                every = {name: self.objects[name] for name in (step.on, *step.args)}
                comes = ((name, each.backlog.next(each)) for name, each in every.items())
                return next(
                    ((name, copies[0].sent.number) for name, copies in comes if copies), None
                )
            case "hear":
                every = target.listeners.items()
                comes = ((name, each.backlog.next(each)) for name, each in every)
                return next(
                    ((name, copies[0].sent.number) for name, copies in comes if copies), None
                )
            case "delivery":
                return target.deliveries > 1, target.deliveries
            case "text":
                return "changed" if target.changed else target.copy.sent.text
            case "content":
                sent = target.copy.sent
                return content_of(sent.text, sent.number, sent.kind)
            case "queue":
                return target.queue
            case "message_selector":
                return target.selector or None
            case "more" if target.is_open:
                return bool(target.left)
            case "next" if target.is_open:
                return target.left[0].sent.number if target.left else PAST
            case "browse" if not target.closed_by:
                return [copy.sent.number for copy in self.model.queues[step.args[0]].waiting()]
        return None
