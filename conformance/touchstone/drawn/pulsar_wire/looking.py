"""What looks show: each is decided, or a disagreement."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from jms_model.answers import Answer
from jms_model.pulsar_wire.at_the_receiver import HIDDEN
from jms_model.pulsar_wire.looks import Look
from touchstone.drawn.driving import Asks, Disagreement, ask_nobody
from touchstone.drawn.pulsar_wire.program import Program
from touchstone.drawn.pulsar_wire.reading import TopicOf, answer_to


@dataclass
class Looking:
    """Runs programs on one client."""

    opened: Callable[[Any], Any]
    """A destination for a program."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be sent."""
    begins: Asks = field(default=ask_nobody)
    """Told of each step before it is made."""

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """None is looked at twice."""
        return True

    def asked(
        self, program: Program, numbers: Sequence[int], look: Look, message: Any, topic_of: TopicOf
    ) -> Iterator[Disagreement]:
        """What a message that was received answers."""
        yield from self.judged(program, numbers, look, answer_to(message, look, topic_of))

    def judged(
        self, program: Program, numbers: Sequence[int], look: Look, answer: Answer | None
    ) -> Iterator[Disagreement]:
        """What a look shows, which is about the sends of these numbers."""
        assert answer is not None
        expectation = look.expectation
        if expectation.ending(answer) is not None:
            self.decided.update(expectation.ids)
            return
        ids = frozenset(expectation.broken_by(answer))
        yield Disagreement(program.showing(numbers, look), expectation, answer, ids)


def in_turn(
    first: Iterator[Disagreement], onward: Iterator[Disagreement]
) -> Iterator[Disagreement]:
    """What shows at first, and then what is new of the same messages once they are sent on."""
    seen = set()
    for each in first:
        seen.add(_of_sends(each))
        yield each
    for each in onward:
        if HIDDEN in each.ids:
            yield each
        elif _of_sends(each) not in seen:
            situation = f"{each.expectation.situation} sent on".strip()
            yield replace(each, expectation=replace(each.expectation, situation=situation))


def _of_sends(each: Disagreement) -> tuple[str, tuple[object, ...]]:
    """What was wrong, with which messages."""
    return each.signature, tuple(map(str, each.program.steps[:-1]))
