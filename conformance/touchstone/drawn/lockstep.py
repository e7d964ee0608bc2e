"""Programs at work call by call: on a client, and on the model that says what is permitted."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from jms_clients.errors import NotInThisVersion
from jms_clients.origins import Origin, origin_of
from jms_model.answers import Answer, Expectation, Raised
from jmsapi import JMSException
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import Asks, DidNotCome, Disagreement, ask_nobody
from touchstone.outcomes.endings import Withheld

Running = TypeVar("Running", bound=Any)
"""Makes the calls of one program on the client, until it is closed."""
Model = TypeVar("Model")
"""What is so by now, as the model has it."""
Called = TypeVar("Called", bound="Step")


@dataclass(frozen=True, slots=True)
class Step:
    """One call, or one look."""

    on: str
    method: str
    args: tuple[Any, ...] = ()
    makes: str = ""
    """The name of what it gives, if that is an object."""


@dataclass(frozen=True, slots=True)
class Program:
    """Calls and looks, one after the other."""

    steps: Sequence[Any]

    def __str__(self) -> str:
        return "; ".join(map(str, self.steps))


class RunningApplication(Protocol):
    """Makes the calls of one program."""

    @property
    def objects(self) -> Mapping[str, Any]:
        """What it has made, by name."""
        ...

    def call(self, step: Any, /) -> object:
        """Make a call, or look at something."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class Lockstep(ABC, Generic[Running, Model, Called]):
    """Runs programs on one client."""

    rules: ClassVar[Callable[..., Expectation | None]]
    """What the model permits of a call: of the model, and of what the step has."""
    first: ClassVar[str] = ""
    """The name of what is there before a program."""
    opened: Callable[[Any], Running]
    """What makes the calls of a program."""
    arrivals: Arrivals = field(default_factory=Arrivals)
    """By which it waits."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be sent or received."""
    begins: Asks = field(default=ask_nobody)
    """Told of each step before it is made."""
    lacked: set[str] = field(default_factory=set)
    """What steps were left out for: the client's version of JMS has not got it."""

    def disagreements(self, program: Any) -> Iterator[Disagreement]:
        """Those of a program; it ends where what the client has done is not known any more.

        That is so where the broker does not deliver what it has, or tells of an exception by a name
        that the client cannot know.
        """
        if self.trips_left <= 0:
            return
        model = self._model(program)
        made: list[Called] = []
        with closing(self.opened(program)) as runs:
            for step in program.steps:
                expectation = self._expect(runs, model, step)
                if expectation is None:
                    continue
                self.steps += 1
                made.append(step)
                self.begins(step)
                try:
                    answer = self._answer(runs, model, step, expectation)
                except Withheld:
                    return
                except NotInThisVersion as error:
                    self.lacked.add(error.what)
                    made.pop()
                    continue
                except JMSException as error:
                    if origin_of(error) is not Origin.BROKER:
                        raise
                    return
                permitted = expectation.ending(answer)
                if permitted is not None:
                    permitted.effect()
                    if permitted.learn is not None and not isinstance(answer, Raised):
                        permitted.learn(answer.value)
                    ids = (*expectation.ids, *expectation.besides)
                    self.decided.update({*self._said(model, step, ids)})
                    continue
                if broken := expectation.broken_by(answer):
                    done = replace(program, steps=[*made])
                    said = frozenset(self._said(model, step, broken))
                    yield Disagreement(done, expectation, answer, said)
                if not self._goes_on(step, expectation, answer):
                    return

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """Whether what did not come does not come in more time either.

        Unless it is doubted, it is tried again only where it had less time than the first.
        """
        if not self._did_not_come(each) or not (doubted or self.arrivals.was_brief):
            return True
        self.arrivals.have_time()
        left, self.trips_left = self.trips_left, math.inf
        try:
            again = self.disagreements(each.program)
            return any(later.signature == each.signature for later in again)
        finally:
            self.trips_left = left

    @abstractmethod
    def _model(self, program: Any) -> Model:
        """What is so before a program."""

    def _expect(self, runs: Running, model: Model, step: Called) -> Expectation | None:
        """What is permitted of a call; None: it makes no sense now."""
        if not self._is_there(runs, step):
            return None
        return self.rules(model, step.on, step.method, step.args, step.makes)

    def _is_there(self, runs: Running, step: Called) -> bool:
        """Whether the client has made what a step needs."""
        return step.on == self.first or step.on in runs.objects

    @abstractmethod
    def _answer(
        self, runs: Running, model: Model, step: Called, expectation: Expectation
    ) -> Answer:
        """Make a call; how it ended."""

    @abstractmethod
    def _goes_on(self, step: Called, expectation: Expectation, answer: Answer) -> bool:
        """Whether it is known what the client has done, although that end is not permitted.

        The model is then as the client is.
        """

    def _did_not_come(self, each: Disagreement) -> bool:
        """Whether something did not come, for which there may have been too little time."""
        return isinstance(each.answer, Raised) and isinstance(each.answer.error, DidNotCome)

    def _said(self, model: Model, step: Called, ids: Iterable[str]) -> Iterable[str]:
        """Statements on a call, and what else says the same of it."""
        return ids


def without(
    program: Any, at: int, needed: Callable[[Any], Collection[str]] = lambda step: {step.on}
) -> Any:
    """The program without one step, and without those that need what came of it."""
    gone: set[str] = set()
    steps = []
    for number, step in enumerate(program.steps):
        if number == at or gone & {*needed(step)}:
            gone |= {step.makes} - {""}
        else:
            steps.append(step)
    return replace(program, steps=steps)
