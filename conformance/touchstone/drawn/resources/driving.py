"""Such a program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol

from jms_model.answers import Answer, Expectation, Gave, Permitted, Raised
from jms_model.resources.arguments import FOREIGN, Of
from jms_model.resources.rules import FACTORY, expect
from touchstone.drawn.driving import Asks, Disagreement, answer_of, unasked
from touchstone.drawn.resources.program import Program, Step

_READS: Final = ("get_", "has_more_elements", "next_element", "is_there", "is_gone")
"""What the methods begin with that change nothing."""


class RunningApplication(Protocol):
    """An application that makes the calls of one program."""

    @property
    def objects(self) -> Mapping[str, Any]:
        """What it has made, by name."""
        ...

    def call(self, step: Step) -> object:
        """Make a call."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class ResourceDriver:
    """Runs programs on one client."""

    opened: Callable[[], RunningApplication]
    """An application that can make the calls of a program."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """No message is received."""
    begins: Asks = field(default=unasked)
    """Told of each step before it is made."""

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """None is looked at twice."""
        return True

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program; it ends where what the client has done is not known any more."""
        world = program.world()
        made: list[Step] = []
        with closing(self.opened()) as runs:
            for step in program.steps:
                if not _has(runs.objects, step):
                    continue
                expectation = expect(world, step.on, step.method, step.args, step.makes)
                if expectation is None:
                    continue
                self.steps += 1
                made.append(step)
                self.begins(step)
                answer = answer_of(partial(runs.call, step), StopIteration)
                permitted = expectation.ending(answer)
                if permitted is not None:
                    permitted.effect()
                    self.decided.update({*expectation.ids, *expectation.besides})
                    continue
                if ids := expectation.broken_by(answer):
                    done = replace(program, steps=[*made])
                    yield Disagreement(done, expectation, answer, frozenset(ids))
                if not _is_harmless(step.method, expectation, answer):
                    return
                if isinstance(answer, Raised) and (refusal := _refusal(expectation)):
                    refusal.effect()


def _has(objects: Mapping[str, Any], step: Step) -> bool:
    """Whether all is there that a step needs."""
    needed = [step.on, *(each.name for each in step.args if isinstance(each, Of))]
    return all(each in objects or each in (FACTORY, FOREIGN.name) for each in needed)


def _refusal(expectation: Expectation) -> Permitted | None:
    """How the call had to be refused."""
    return next((each for each in expectation.permitted if each.errors), None)


def _is_harmless(method: str, expectation: Expectation, answer: Answer) -> bool:
    """Whether it is known what the client has done, although the model does not permit that end.

    It has only read something, or refused in another way what it had to refuse.
    """
    refused = isinstance(answer, Raised) and expectation.ending(Gave()) is None
    return method.startswith(_READS) or refused
