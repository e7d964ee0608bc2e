"""What drawn programs say of each statement: the verdicts of one scenario."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from jms_clients.calls import Calls, unheard_calls
from jms_clients.errors import NotInThisVersion
from jms_model.answers import Gave, Raised
from touchstone.catalogue.message_patterns import matches
from touchstone.drawn.driving import Disagreement, DoesWithout
from touchstone.drawn.hunting import SHRINKING, Hunt, Key, ProgramRunner
from touchstone.drawn.lockstep import without
from touchstone.scenario.judgement import current, judging
from touchstone.scenario.running import RunningScenario
from touchstone.scenario.strategies import run_seed
from touchstone.verdicts import Outcome, Verdict

_TRIES: Final = 3
"""So often what was seen may show itself again, for a trace."""
_NOT_MET: Final = "no program of this hunt has decided it"
_UNDECIDED: Final = "what the client does otherwise keeps drawn programs from deciding it"


class _Words(str):
    """A text that is shown as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def judge_programs(
    at_hand: RunningScenario,
    driver: Callable[..., ProgramRunner],
    programs: SearchStrategy[Any],
    count: int,
    *,
    more: Sequence[tuple[SearchStrategy[Any], int]] = (),
    without: Callable[[Any, int], Any] = without,
    is_heard: Callable[[Disagreement], bool] = lambda _: True,
    undecided: str = "",
    slips: bool = False,
    trips: float = math.inf,
    by_the_run: bool = False,
    seconds: float = math.inf,
    shrinking: float = SHRINKING,
    shrinking_in_all: float = math.inf,
) -> None:
    """Judge each statement that the scenario declares by `count` programs of a seed.

    `more` are others, each kind with its own number, behind them. `undecided` says why they may
    leave a statement undecided, if they may.

    The same are drawn in every run, so that what is known of a client is met again, and as many by
    the seed of the run, if `by_the_run`; after so many seconds no more are. When
    `shrinking_in_all` seconds have gone into making programs shorter the later ones are told as
    they were drawn. A hunt draws others for as long as it lasts. A statement of which no program
    decided anything is not judged.
    """
    judgement = current()
    judged = frozenset(judgement.ids)

    def is_known(each: Disagreement) -> bool:
        known = (at_hand.is_known(id_, each.signature) for id_ in each.ids & judged)
        return not at_hand.shows and all(known)

    def is_sought(each: Disagreement) -> bool:
        shows = [matches(each.signature, pattern) for pattern in at_hand.shows]
        return is_heard(each) and (any(shows) or not shows)

    hunt = Hunt(
        driver(recorded=False),
        judged & (at_hand.sought | at_hand.shown_of) or judged,
        is_known,
        is_sought,
        shrinks=not at_hand.sought,
        shrinking=shrinking,
        shrinking_left=math.inf if at_hand.hunt else shrinking_in_all,
        without=without,
        slips=slips,
        trips=trips,
        until=time.monotonic() + seconds,
    )

    def draw(seed: int) -> None:
        for kind, number in ((programs, count), *more):
            hunt.draw(kind, number, seed)

    with unheard_calls(), at_hand.trace.calls.paused():
        for seed in _seeds(at_hand, by_the_run=by_the_run):
            draw(seed)
        hunt.until = end = time.monotonic() + at_hand.hunt
        for seed in itertools.count(run_seed() + 1):
            if time.monotonic() >= end or hunt.is_over:
                break
            draw(seed)
    if not at_hand.shows:  # else not all was looked at
        judgement.checks.update({id_: hunt.driver.decided[id_] for id_ in judged})
    told: dict[Key, tuple[Disagreement, list[str]]] = {}
    for id_ in judgement.ids:
        against = hunt.against(id_)
        new = [each for each in against if not at_hand.is_known(id_, each.signature)]
        for each in (new or against)[:1]:
            told.setdefault(hunt.key(each), (each, []))[1].append(id_)
            judgement.drawn_by[id_] = hunt.drawn_by[hunt.key(each)]
            with judging(id_):
                judgement.compares("==", _Words(each.shown), _Words(each.expectation.words))
                raise AssertionError(each.signature)
    is_hunt = at_hand.hunt > 0 or at_hand.replay is not None
    why = _UNDECIDED if told else _NOT_MET if is_hunt else undecided
    if isinstance(hunt.driver, DoesWithout) and hunt.driver.lacked:
        why = why or str(NotInThisVersion(*sorted(hunt.driver.lacked)))
    for id_ in judged if why else ():
        if not judgement.checks[id_] and id_ not in judgement.failures:
            judgement.failures[id_] = Outcome(Verdict.NOT_APPLICABLE, why)
    for each, ids in told.values():
        write_down(at_hand.trace.calls, partial(driver, recorded=True), each, ids)


def _seeds(at_hand: RunningScenario, *, by_the_run: bool) -> Iterable[int]:
    """By which a run draws; a hunt goes on with others alone."""
    if at_hand.replay is not None:
        return (at_hand.replay,)
    if at_hand.hunt:
        return ()
    return dict.fromkeys((0, run_seed()) if by_the_run else (0,))


def write_down(
    calls: Calls, driver: Callable[[], ProgramRunner], told: Disagreement, ids: Sequence[str]
) -> None:
    """Run the program of what is told of these statements once more, with its calls noted.

    What does not come each time is tried again; in the end the same call may break them in another
    way, as when a connection is lost before or behind an answer.
    """

    def is_told(each: Disagreement, tries_left: int) -> bool:
        ends_there = len(each.program.steps) == len(told.program.steps)
        is_alike = ends_there and each.ids.issuperset(ids) and not tries_left
        return each.signature == told.signature or is_alike

    for tries_left in reversed(range(_TRIES)):
        calls.finding(ids)
        runs = driver()
        runs.begins = calls.step
        shown = runs.disagreements(told.program)
        again = next((each for each in shown if is_told(each, tries_left)), None)
        if again is not None:
            answer = again.answer
            raised = answer.error if isinstance(answer, Raised) else None
            calls.shown(
                again.program.steps[-1],
                again.expectation.words,
                raised=raised,
                nothing=answer == Gave(None),
            )
            return
