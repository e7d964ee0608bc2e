"""In which order threads have to make their calls, where one waits for the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from touchstone.reproducing.recording import Call, Callback

END: Final = 0
"""The moment that stands for the end of the main thread."""


@dataclass(frozen=True)
class Turns:
    """Numbers of turns: each is passed on behind a call, and waited for before another."""

    passes: Mapping[int, int] = field(default_factory=dict)
    """By the moment of the call behind which it is passed on."""
    waits: Mapping[int, int] = field(default_factory=dict)
    """By the moment of a call, of the end of a listener's call, or END."""


@dataclass(frozen=True)
class _Act:
    key: int
    begin: float
    end: float
    of: Callback | None
    """The call of a listener that it is made in; None: the main thread."""
    passes_on: bool = True


def turns(calls: Sequence[Call], callbacks: Sequence[Callback]) -> Turns:
    """The turns by which the calls of the main thread and those of listeners come in order."""
    acts = [_Act(call.moment, call.moment, call.until or 0, call.within) for call in calls]
    acts += [
        _Act(callback.until, callback.until, callback.until, callback, passes_on=False)
        for callback in callbacks
        if callback.until is not None
    ]
    acts.sort(key=lambda act: act.begin)
    acts.append(_Act(END, float("inf"), float("inf"), None))
    passes: dict[int, int] = {}
    waits: dict[int, int] = {}
    for number, (before, act) in enumerate(pairwise(acts), start=1):
        if before.of != act.of and before.passes_on and before.end < act.begin:
            passes[before.key] = waits[act.key] = number
    return Turns(passes, waits)
