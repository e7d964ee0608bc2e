"""What drawn programs say of each statement: the verdicts of one scenario."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Final, cast

from jmsapi import Message, MessageConsumer, MessageProducer, Session
from touchstone.drawn.drawing import programs
from touchstone.drawn.driving import Disagreement, Driver
from touchstone.drawn.hunting import Hunt
from touchstone.providers.calls import unheard
from touchstone.providers.recorded import unrecorded
from touchstone.scenario.judgement import current, judging
from touchstone.scenario.running import RunningScenario
from touchstone.scenario.strategies import run_seed
from touchstone.scenario.waits import receive

PROGRAMS: Final = 500
"""So many are drawn by a seed that never changes, and by that of the run."""


def judge_drawn(at_hand: RunningScenario, subject: str, kinds: Sequence[str]) -> None:
    """Judge each statement that the scenario declares by drawn programs.

    They are about a subject (`touchstone.drawn.drawing`) of messages of these kinds. The same are
    drawn in every run, so that what is known of a client is met again, and as many by the seed of
    the run. A statement of which no program decided anything is not judged.
    """
    judgement = current()
    judged = frozenset(judgement.ids)

    def is_known(each: Disagreement) -> bool:
        return all(at_hand.is_known(id_, each.signature) for id_ in each.ids & judged)

    hunt = Hunt(
        _driver(at_hand, recorded=False), judged, is_known, shrinks=not at_hand.wrong_on_purpose
    )
    with unheard():
        for seed in dict.fromkeys((0, run_seed())):
            hunt.draw(programs(subject, kinds), PROGRAMS, seed)
        end = time.monotonic() + at_hand.hunt
        for seed in itertools.count(run_seed() + 1):
            if time.monotonic() >= end:
                break
            hunt.draw(programs(subject, kinds), PROGRAMS, seed)
    judgement.checks.update({id_: hunt.driver.decided[id_] for id_ in judged})
    told: dict[str, Disagreement] = {}
    for id_ in judgement.ids:
        against = hunt.against(id_)
        new = [each for each in against if not at_hand.is_known(id_, each.signature)]
        for each in (new or against)[:1]:
            told[each.signature] = each
            with judging(id_):
                raise AssertionError(str(each))
    again = _driver(at_hand, recorded=True)
    for each in told.values():  # now it is written down what is called
        list(again.disagreements(each.program))


def _driver(at_hand: RunningScenario, *, recorded: bool) -> Driver:
    queue = at_hand.queue()
    session = at_hand.jms.session()
    producer, consumer = session.create_producer(queue), session.create_consumer(queue)
    if not recorded:  # what thousands of programs call is no trace that anybody reads
        session = cast(Session, unrecorded(session))
        producer = cast(MessageProducer, unrecorded(producer))
        consumer = cast(MessageConsumer, unrecorded(consumer))

    def trip(message: Message) -> Message:
        producer.send(message)
        return receive(consumer)

    return Driver(session, trip)
