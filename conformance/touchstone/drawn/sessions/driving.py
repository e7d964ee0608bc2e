"""Such a program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from jms_model.answers import Answer, Expectation, Gave, Raised
from jms_model.delivery.browser_rules import Browser
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.rules import FACTORY, expect
from jms_model.delivery.session import Consumer
from touchstone.drawn.driving import DidNotCome, DidNotEnd, Disagreement, answer_of
from touchstone.drawn.lockstep import Lockstep
from touchstone.drawn.sessions.program import Program, Step

_READS: Final = ("delivery", "text", "content", "queue", "message_selector")
_TAKES: Final = ("receive", "receive_from", "receive_body_as_map", "hear")


class RunningApplication(Protocol):
    """An application that makes the calls of one program."""

    @property
    def objects(self) -> Mapping[str, Any]:
        """What it has made, by name."""
        ...

    def call(self, step: Step, *, comes: bool) -> object:
        """Make a call; `comes`: whether a message has to come."""
        ...

    def waits(self, browser: str, count: int) -> None:
        """Wait until so many messages are on the queue: not each client waits for its broker."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class SessionDriver(Lockstep[RunningApplication, ModelProvider, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)
    first = FACTORY

    def _model(self, program: Program) -> ModelProvider:
        return program.provider()

    def _answer(
        self, runs: RunningApplication, model: ModelProvider, step: Step, expectation: Expectation
    ) -> Answer:
        target = model.objects.get(step.on)
        if isinstance(target, Browser) and target.is_certain:
            runs.waits(step.on, len(target.backlog.waiting()))
        comes = (
            isinstance(target, Consumer)
            and not target.closed_by
            and target.session.connection.started
        )
        if step.method in ("receive", "receive_from", "hear"):
            self.trips_left -= 1
        return answer_of(partial(runs.call, step, comes=comes), DidNotCome, DidNotEnd)

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        """It has only read something, or refused in another way what it had to refuse."""
        refused = isinstance(answer, Raised) and expectation.ending(Gave()) is None
        return step.method in _READS or (refused and step.method not in _TAKES)

    def _did_not_come(self, each: Disagreement) -> bool:
        return each.answer == Gave(None)

    def _said(self, model: ModelProvider, step: Step, ids: Iterable[str]) -> Iterable[str]:
        own = model.vendor.with_own(ids) if step.method in _TAKES else ids
        return model.vendor.with_same(own)
