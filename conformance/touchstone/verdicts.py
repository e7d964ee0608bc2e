"""Verdicts: what a scenario says of a requirement, which one is worst, what a run exits with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from touchstone_reports.verdicts import JUDGED, Verdict, worst

__all__ = [
    "PROGRAM_FOLLOWS",
    "ExitStatus",
    "Outcome",
    "Strength",
    "Verdict",
    "exit_status",
    "is_unexpected",
    "severest",
    "worst",
]

PROGRAM_FOLLOWS: Final = " at the end of: "
"""Behind this what was seen tells the drawn program that showed it."""


class Strength(StrEnum):
    """How strongly a document asks for what a requirement states."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"


class ExitStatus(IntEnum):
    """What every command and plain pytest end with."""

    NOTHING_UNEXPECTED = 0
    UNEXPECTED = 1
    COULD_NOT_JUDGE = 2
    FAULT = 3


_SEVEREST_FIRST = (
    ExitStatus.FAULT,
    ExitStatus.UNEXPECTED,
    ExitStatus.COULD_NOT_JUDGE,
    ExitStatus.NOTHING_UNEXPECTED,
)


def severest(statuses: Iterable[ExitStatus]) -> ExitStatus:
    """The one of several statuses that a whole ends with; of none it is COULD_NOT_JUDGE."""
    return min(statuses, key=_SEVEREST_FIRST.index, default=ExitStatus.COULD_NOT_JUDGE)


@dataclass(frozen=True)
class Outcome:
    """A verdict with what led to it; `message` is the failure in one line, matched by deviations.

    `expected` and `seen` are the two sides of the comparison that failed, where there was one.
    """

    verdict: Verdict
    message: str | None = None
    expected: str | None = None
    seen: str | None = None


def is_unexpected(verdict: Verdict, strength: Strength, *, strict_should: bool) -> bool:
    """Whether this verdict makes a run fail with status 1."""
    return verdict is Verdict.VIOLATES and (strength is not Strength.SHOULD or strict_should)


def exit_status(
    verdicts: Iterable[tuple[Verdict, Strength]],
    *,
    stale_deviations: int = 0,
    strict_should: bool = False,
    allow_inconclusive: bool = False,
) -> ExitStatus:
    """The status of a run; an unexpected verdict outranks one that could not be given.

    A run that judged nothing, since all was NOT-APPLICABLE or INCONCLUSIVE, is no success, whatever
    is allowed.
    """
    seen = list(verdicts)
    if stale_deviations or any(
        is_unexpected(verdict, strength, strict_should=strict_should) for verdict, strength in seen
    ):
        return ExitStatus.UNEXPECTED
    if JUDGED.isdisjoint(verdict for verdict, _ in seen):
        return ExitStatus.COULD_NOT_JUDGE
    if not allow_inconclusive and any(verdict is Verdict.INCONCLUSIVE for verdict, _ in seen):
        return ExitStatus.COULD_NOT_JUDGE
    return ExitStatus.NOTHING_UNEXPECTED
