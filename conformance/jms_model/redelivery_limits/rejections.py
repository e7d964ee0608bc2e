"""What a selector or noLocal keeps from the application."""

from __future__ import annotations

from collections.abc import Iterator

from jms_model.answers import gives_what
from jms_model.redelivery_limits.cases import SELECTOR, Case
from jms_model.redelivery_limits.facts import Fact, fact, holds
from jms_model.redelivery_limits.seen import CaseObservation


def rejections(case: Case, seen: CaseObservation) -> Iterator[Fact]:
    """Those of a case with a selector or noLocal."""
    rejected = [number for number, sent in enumerate(case.messages) if sent.rejected]
    if not rejected:
        return
    if not case.shared:
        yield from _facts_of_dropped(case, seen, rejected)
    elif case.taker:
        yield from _facts_of_taken(case, seen, rejected)


def _facts_of_dropped(case: Case, seen: CaseObservation, rejected: list[int]) -> Iterator[Fact]:
    """They leave an exclusive subscription."""
    id_ = "SLJ-SEL-003" if case.filtered == SELECTOR else "SLJ-NLOC-003"
    if seen.went_on and seen.backlog <= len(rejected):
        yield holds("backlog", -1, not seen.backlog, [id_], f"behind a {case.filtered}")


def _facts_of_taken(case: Case, seen: CaseObservation, rejected: list[int]) -> Iterator[Fact]:
    """Another consumer gets them, as redelivered, since they were given back."""
    gives_back = "SLJ-SEL-004" if case.filtered == SELECTOR else "SLJ-NLOC-004"
    for number in rejected:
        first = next((each for each in seen.taken if each.number == number), None)
        situation = f"behind a {case.filtered}"
        yield holds("is_taken", number, first is not None, [gives_back], situation)
        if first is None:
            continue
        counts = ["SLJ-REDL-004", "SLJ-SEL-009"] if case.filtered == SELECTOR else ["SLJ-REDL-004"]
        yield fact(
            "first_count",
            number,
            first.count if first.redelivered else -first.count,
            gives_what("more than 1, redelivered", lambda count: int(str(count)) > 1),
            counts,
            situation,
            name=lambda count: "is 1" if abs(int(str(count))) == 1 else "is without the flag",
        )
