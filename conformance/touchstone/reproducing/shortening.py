"""Leaves calls out of a program for as long as it shows the same: delta debugging.

After A. Zeller and R. Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE
Transactions on Software Engineering 28 (2002); here a call goes with those that need what it made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Final

from touchstone.reproducing.plan import ProgramPlan
from touchstone.reproducing.recording import Call, object_of

_STAYS: Final = ("start", "stop", "close", "commit", "rollback", "recover", "acknowledge")
"""How methods begin whose effects a reader would miss: they go only with their object."""

ShowsIt = Callable[[Set[int]], bool]
"""Whether a program without the calls of these moments still shows the difference."""


def shorten(plan: ProgramPlan, shows_it: ShowsIt, most: int) -> Set[int]:
    """The moments of calls that may go, found by `most` questions at the utmost."""
    gone: frozenset[int] = frozenset()
    parts = [_removable(plan)]
    asked = 0
    while parts and asked < most:
        part = parts.pop(0)
        without = gone.union(*part)
        if without == gone:
            continue
        asked += 1
        if shows_it(without):
            gone = without
        elif len(part) > 1:
            half = len(part) // 2
            parts[:0] = [part[:half], part[half:]]
    return gone


def _removable(plan: ProgramPlan) -> Sequence[frozenset[int]]:
    """Calls with those that need them, the most first.

    None takes a call that decides with it, or one that sets a listener, whose calls are waited for.
    """
    groups = (
        _with_dependents(call, plan.calls)
        for call in plan.calls
        if call.declared.startswith(("jakarta.jms.", "javax.jms."))
        and not call.method.startswith(_STAYS)
    )
    listening = {
        call.moment for call in plan.calls if any(v and "listener" in v for v in call.given)
    }
    stays = plan.signs.keys() | listening
    return sorted((each for each in groups if not each & stays), key=len, reverse=True)


def _with_dependents(call: Call, calls: Sequence[Call]) -> frozenset[int]:
    """The moments of a call and of all that use what it was the first to give."""
    gone = {call.moment}
    known = {object_of(each.got) for each in calls if each.moment < call.moment}
    lost = {object_of(call.got)} - known
    for each in calls:
        if each.moment > call.moment and {each.on, *map(object_of, each.given)} & lost - {None}:
            gone.add(each.moment)
            lost |= {object_of(each.got)} - known
        elif each.moment > call.moment:
            known.add(object_of(each.got))
    return frozenset(gone)
