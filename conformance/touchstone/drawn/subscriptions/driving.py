"""Such a program at work: on the client and the broker, and on the model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Protocol, cast

from jms_model.answers import Answer, Expectation, Raised
from jms_model.pulsar_subscriptions.calls import BROKER, expect
from jms_model.pulsar_subscriptions.cluster import Cluster, Due
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import Asks, Disagreement, answer_of, unasked
from touchstone.drawn.subscriptions.program import Program, Step
from touchstone.errors import NotAsExpected
from touchstone.machine.polling import until

_FIRST: Final = 3.0
"""Seconds in which the broker shows what clients have done."""
_AGAIN: Final = 0.5
"""The same, once it did not."""


class RunningApplications(Protocol):
    """Applications that make the calls of one program, and what an administrator sees."""

    def call(self, step: Step, due: Due | None) -> object:
        """Make a call; `due`: where messages are taken, what is due to whom."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class SubscriptionDriver:
    """Runs programs on one client."""

    opened: Callable[[], RunningApplications]
    arrivals: Arrivals = field(default_factory=Arrivals)
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client did as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be received."""
    begins: Asks = field(default=unasked)
    """Told of each step before it is made."""
    shown_within: float = _FIRST
    """Seconds in which the broker shows what clients have done."""

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program; it ends where what the client has done is not known any more."""
        if self.trips_left <= 0:
            return
        cluster = Cluster()
        made: list[Step] = []
        with closing(self.opened()) as runs:
            for step in program.steps:
                expectation = expect(cluster, step.on, step.method, step.args, step.makes)
                if expectation is None:
                    continue
                self.steps += 1
                made.append(step)
                self.begins(step)
                answer = self._answer(runs, cluster, step, expectation)
                permitted = expectation.ending(answer)
                if permitted is not None:
                    permitted.effect()
                    self.decided.update(expectation.ids)
                    continue
                if ids := expectation.broken_by(answer):
                    done = replace(program, steps=[*made])
                    yield Disagreement(done, expectation, answer, frozenset(ids))
                if not _is_harmless(step, answer):
                    return

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """Whether a message that did not come does not come in more time either."""
        is_late = each.program.steps[-1].method == "take"
        if not is_late or not (doubted or self.arrivals.was_brief):
            return True
        self.arrivals.have_time()
        again = self.disagreements(cast(Program, each.program))
        return any(one.signature == each.signature for one in again)

    def _answer(
        self, runs: RunningApplications, cluster: Cluster, step: Step, expectation: Expectation
    ) -> Answer:
        """How the call ended; a look is repeated until it shows what it has to."""
        due = None
        if step.method == "take":
            due = cluster.due(cluster.consumers[step.on])
            self.trips_left -= due.numbers.total()
        call = partial(answer_of, partial(runs.call, step, due))
        answer = call()
        if not self.shown_within or step.on != BROKER or step.method == "lives":
            return answer

        def is_shown() -> bool:
            nonlocal answer
            shown = expectation.ending(answer) is not None
            answer = answer if shown else call()
            return shown

        try:
            until(is_shown, self.shown_within)
        except NotAsExpected:
            self.shown_within = min(self.shown_within, _AGAIN)
        return answer


def _is_harmless(step: Step, answer: Answer) -> bool:
    """Whether it is known what the client has done: it has only shown or refused something."""
    was_refused = step.method == "unsubscribe" and isinstance(answer, Raised)
    return was_refused or step.on == BROKER or step.method == "client_id"
