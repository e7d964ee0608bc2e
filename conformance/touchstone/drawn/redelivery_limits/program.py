"""A program as data: factories with settings, and cases that go on side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from jms_model.redelivery_limits.cases import QUEUE, Case
from jms_model.redelivery_limits.facts import Fact
from jms_model.redelivery_limits.settings import ConsumerSettings

QUEUE_SUBSCRIPTION: Final = "jms-queue"
SUBSCRIPTION: Final = "s1"


@dataclass(frozen=True, slots=True)
class Program:
    """Each case has a destination of its own, which is called by the number of its step."""

    factories: Sequence[ConsumerSettings]
    steps: Sequence[Case | Fact]

    @property
    def cases(self) -> Sequence[tuple[int, Case]]:
        """Those that there are, by the number of their step."""
        return [(at, step) for at, step in enumerate(self.steps) if isinstance(step, Case)]

    def settings(self, case: Case) -> ConsumerSettings:
        """Those of the case's consumers."""
        return self.factories[case.factory]

    def showing(self, case: Case, seen: Fact) -> Program:
        """One case alone, and what was seen of it."""
        return replace(self, steps=[case, seen])

    def __str__(self) -> str:
        used = sorted({case.factory for _, case in self.cases})
        factories = [f"f{number} has {self.factories[number]}" for number in used]
        return "; ".join((*factories, *map(str, self.steps)))


def destination(at: int) -> str:
    """The destination of a case."""
    return f"d{at}"


def subscription(case: Case) -> str:
    """The name of a case's subscription."""
    return QUEUE_SUBSCRIPTION if case.kind == QUEUE else SUBSCRIPTION


def default_letters(at: int, case: Case) -> str:
    """The dead letter topic that Pulsar would choose."""
    return f"{destination(at)}-{subscription(case)}-DLQ"


def without(program: Program, at: int) -> Program:
    """The program without one step."""
    return replace(program, steps=[*program.steps[:at], *program.steps[at + 1 :]])
