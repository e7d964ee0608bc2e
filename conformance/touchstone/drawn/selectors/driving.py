"""Such a program at work: what a browser shows is what the model's trees choose."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple, Protocol, cast

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.polling import until
from jms_clients.calls import unheard_calls
from jms_clients.errors import NotInThisVersion
from jms_model.answers import Answer, Expectation, Gave
from jms_model.selectors.selector import Selector, everything, expect_choice
from jms_model.selectors.values import Message
from touchstone.drawn.driving import Asks, Disagreement, answer_of, ask_nobody
from touchstone.drawn.selectors.program import NO_SELECTOR, Browse, Program, SendStep

_FIRST: Final = 5.0
"""Seconds in which what was sent has to be there."""
_AGAIN: Final = 0.2
"""The same, once it was not."""


class BrowsedQueue(Protocol):
    """A queue of one program."""

    def send(self, number: int, message: Message) -> None:
        """Send a message of this number."""
        ...

    def browse(self, selector: str | None) -> list[int]:
        """The numbers of the messages that a browser shows."""
        ...

    def close(self) -> None:
        """Close what is open."""
        ...


class _Wrong(NamedTuple):
    """A selector that chose what it must not, or left out what it must."""

    selector: Selector | str
    expectation: Expectation
    answer: Answer


@dataclass
class SelectorDriver:
    """Runs programs on one client."""

    opened: Callable[[bool], BrowsedQueue]
    """A queue of its own, by the simplified API or by the classic one."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be sent."""
    begins: Asks = field(default=ask_nobody)
    """Told of each step before it is made."""
    lacked: set[str] = field(default_factory=set)
    """What steps were left out for: the client's version of JMS has not got it."""
    within: float = _FIRST
    """Seconds in which the messages of the next program have to be there."""

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """None is looked at twice."""
        return True

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program; it ends where not even all messages are shown."""
        if self.trips_left <= 0:
            return
        sent: list[Message] = []
        has_all = True
        sends = [step for step in program.steps if isinstance(step, SendStep)]
        try:
            opened = self.opened(program.simplified)
        except NotInThisVersion as error:
            self.lacked.add(error.what)
            return
        with closing(opened) as queue:
            for step in program.steps:
                self.steps += 1
                if isinstance(step, SendStep):
                    self.begins(step)
                    if not self._sends(queue, len(sent), step.message):
                        return
                    sent.append(step.message)
                    has_all = False
                    continue
                if not has_all:
                    self._waits(queue, len(sent))
                    has_all = True
                wrong = self._wrong(queue, step.selector, sent)
                if wrong is None:
                    continue
                if ids := wrong.expectation.broken_by(wrong.answer):
                    shown = Program(
                        program.simplified, [*sends[: len(sent)], Browse(wrong.selector)]
                    )
                    yield Disagreement(shown, wrong.expectation, wrong.answer, frozenset(ids))
                if step.selector == NO_SELECTOR:
                    return

    def _sends(self, queue: BrowsedQueue, number: int, message: Message) -> bool:
        """Whether it was sent: what a client cannot send is a matter of programs on messages."""
        self.trips_left -= 1
        return isinstance(answer_of(partial(queue.send, number, message)), Gave)

    def _waits(self, queue: BrowsedQueue, count: int) -> None:
        """Wait until a queue shows all that was sent: not each client waits for its broker."""

        def shows_all() -> bool:
            shown = answer_of(partial(queue.browse, None))
            return not (isinstance(shown, Gave) and len(cast(list[int], shown.value)) < count)

        try:
            with unheard_calls():
                until(shows_all, self.within)
        except NotAsExpected:
            self.within = _AGAIN

    def _wrong(
        self, queue: BrowsedQueue, selector: Selector | str, sent: Sequence[Message]
    ) -> _Wrong | None:
        """What is wrong with a selector, or with a part of it: the innermost that is."""
        if isinstance(selector, str):
            id_ = "JMS-BRW-002" if selector == NO_SELECTOR else "JMS-SEL-002"
            expectation = everything(sent, id_, f"by {selector} selector")
        else:
            expectation = expect_choice(selector, sent)
        self.begins(Browse(selector))
        answer = answer_of(partial(queue.browse, Browse(selector).text))
        if expectation.ending(answer) is not None:
            self.decided.update({*expectation.ids, *expectation.besides})
            return None
        if isinstance(selector, Selector):
            simpler = [Selector(part) for part in selector.condition.parts]
            if selector.ids:
                simpler = [Selector(selector.condition)]
            for each in simpler:
                if wrong := self._wrong(queue, each, sent):
                    return wrong
        return _Wrong(selector, expectation, answer)
