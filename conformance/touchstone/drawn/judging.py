"""What drawn programs say of each statement: the verdicts of one scenario."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, cast

from hypothesis.strategies import SearchStrategy

from jmsapi import Message, MessageConsumer, MessageProducer, Session
from touchstone.drawn.calls import BODY
from touchstone.drawn.drawing import programs
from touchstone.drawn.driving import Disagreement, Driver
from touchstone.drawn.hunting import TRIPS, Hunt, Runs
from touchstone.drawn.program import without
from touchstone.providers.calls import unheard
from touchstone.providers.recorded import unrecorded
from touchstone.scenario.judgement import current, judging
from touchstone.scenario.running import RunningScenario
from touchstone.scenario.strategies import run_seed
from touchstone.scenario.waits import receive
from touchstone.verdicts import Outcome, Verdict

PROGRAMS: Final = 1000
"""So many are drawn by a seed that never changes, and by that of the run."""

_FIRST: Final = 10.0
"""Seconds in which a message has to come."""
_AGAIN: Final = 1.0
"""The same, once one was lost: what is shrunk loses many."""


_UNDECIDED: Final = "what the client does otherwise keeps drawn programs from deciding it"


class _Words(str):
    """A text that is shown as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def judge_drawn(at_hand: RunningScenario, subject: str, kinds: Sequence[str]) -> None:
    """Judge each statement that the scenario declares by drawn programs on messages.

    They are about a subject (`touchstone.drawn.drawing`) of messages of these kinds.
    """
    judge_programs(
        at_hand,
        partial(_driver, at_hand),
        programs(subject, kinds),
        PROGRAMS,
        is_heard=lambda each: each.is_about_body or subject != BODY,
    )


def judge_programs(
    at_hand: RunningScenario,
    driver: Callable[..., Runs],
    programs: SearchStrategy[Any],
    count: int,
    *,
    without: Callable[[Any, int], Any] = without,
    is_heard: Callable[[Disagreement], bool] = lambda _: True,
    slips: bool = False,
    trips: float = TRIPS,
) -> None:
    """Judge each statement that the scenario declares by `count` programs of a seed.

    The same are drawn in every run, so that what is known of a client is met again, and as many by
    the seed of the run. A statement of which no program decided anything is not judged.
    """
    judgement = current()
    judged = frozenset(judgement.ids)

    def is_known(each: Disagreement) -> bool:
        return all(at_hand.is_known(id_, each.signature) for id_ in each.ids & judged)

    hunt = Hunt(
        driver(recorded=False),
        judged,
        is_known,
        is_heard,
        shrinks=not at_hand.wrong_on_purpose,
        without=without,
        slips=slips,
        trips=trips,
    )
    with unheard():
        for seed in dict.fromkeys((0, run_seed())):
            hunt.draw(programs, count, seed)
        end = time.monotonic() + at_hand.hunt
        for seed in itertools.count(run_seed() + 1):
            if time.monotonic() >= end:
                break
            hunt.draw(programs, count, seed)
    judgement.checks.update({id_: hunt.driver.decided[id_] for id_ in judged})
    told: dict[str, Disagreement] = {}
    for id_ in judgement.ids:
        against = hunt.against(id_)
        new = [each for each in against if not at_hand.is_known(id_, each.signature)]
        for each in (new or against)[:1]:
            told[each.signature] = each
            with judging(id_):
                judgement.compares("==", _Words(each.shown), _Words(each.expectation.words))
                raise AssertionError(each.signature)
    for id_ in judged if told else ():
        if not judgement.checks[id_] and id_ not in judgement.failures:
            judgement.failures[id_] = Outcome(Verdict.NOT_APPLICABLE, _UNDECIDED)
    again = driver(recorded=True)
    for each in told.values():  # now it is written down what is called
        list(again.disagreements(each.program))


class _Trips:
    """Sends messages through a queue and receives them; another one after a message was lost."""

    def __init__(self, at_hand: RunningScenario, session: Session, *, recorded: bool) -> None:
        self._at_hand = at_hand
        self._session = session
        self._recorded = recorded
        self._within = _FIRST
        self._open()

    def __call__(self, message: Message) -> Message | None:
        self._producer.send(message)
        try:
            return receive(self._consumer, self._within)
        except AssertionError:  # the broker delivers what others send
            self._within = _AGAIN
            self._open()
            return None

    def _open(self) -> None:
        queue = self._at_hand.queue()
        self._producer = self._session.create_producer(queue)
        self._consumer = self._session.create_consumer(queue)
        if not self._recorded:
            self._producer = cast(MessageProducer, unrecorded(self._producer))
            self._consumer = cast(MessageConsumer, unrecorded(self._consumer))


def _driver(at_hand: RunningScenario, *, recorded: bool) -> Driver:
    """Runs programs; what thousands of them call is no trace that anybody reads."""
    session = at_hand.jms.session()
    trips = _Trips(at_hand, session, recorded=recorded)
    return Driver(session if recorded else cast(Session, unrecorded(session)), trips)
