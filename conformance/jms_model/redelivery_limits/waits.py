"""How long redeliveries wait: never less than the back-off says, and not much longer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from jms_model.answers import gives_what
from jms_model.redelivery_limits.cases import TIME_OUT, Case
from jms_model.redelivery_limits.facts import Fact, fact
from jms_model.redelivery_limits.seen import Delivery, Seen
from jms_model.redelivery_limits.settings import Backoff, Settings

LATE: Final = 1.0
"""Seconds by which a redelivery may be late: clients look at what is due once in a tick, of which
some take a third of a second, and messages go to the broker and back."""
EARLY: Final = 0.002
"""Seconds: who waits and who looks count milliseconds, each for himself."""


@dataclass(frozen=True, slots=True)
class _Statements:
    sets: str
    least: str
    most: str
    factor: str


_NACK: Final = _Statements("SLJ-REDL-013", "SLJ-REDL-010", "SLJ-REDL-011", "SLJ-REDL-012")
_TIME_OUT: Final = _Statements("SLJ-REDL-006", "SLJ-REDL-007", "SLJ-REDL-008", "SLJ-REDL-009")
_EXPIRY: Final = "SLJ-REDL-005"


def waits(case: Case, settings: Settings, seen: Seen) -> Iterator[Fact]:
    """Each wait of each message."""
    timed = case.way == TIME_OUT
    backoff = settings.timeout_backoff if timed else settings.nack
    failing = [number for number, sent in enumerate(case.messages) if sent.fails]
    for number in failing:
        for redeliveries, (one, next_) in enumerate(pairwise(seen.of(number))):
            if redeliveries >= case.messages[number].fails:
                break
            at = redeliveries if case.shared else 0
            if timed:
                yield from _after_time_out(
                    settings, number, at, one, next_, seen.slack, alone=len(failing) == 1
                )
            elif backoff is not None:
                wait = next_.came - one.ended
                yield _wait(_NACK, number, backoff, at, wait, wait, seen.slack)


def _after_time_out(
    settings: Settings,
    number: int,
    at: int,
    one: Delivery,
    next_: Delivery,
    slack: float,
    *,
    alone: bool,
) -> Iterator[Fact]:
    """The time-out itself, and the wait behind it; several may come again together."""
    timeout = settings.timeout / 1000
    at_most = next_.came - one.asked
    yield fact(
        "wait",
        number,
        at_most,
        gives_what(f"{timeout} s or more", lambda w: isinstance(w, float) and w >= timeout - EARLY),
        [_EXPIRY],
        "for an acknowledgement time-out",
        name=lambda _: "was too short",
    )
    backoff = settings.timeout_backoff
    if backoff is not None and at_most >= timeout - EARLY:
        yield _wait(
            _TIME_OUT,
            number,
            backoff,
            at,
            at_most - timeout,
            next_.came - one.came - timeout,
            slack,
            exact=alone,
        )


def _wait(
    of: _Statements,
    number: int,
    backoff: Backoff,
    at: int,
    longest: float,
    shortest: float,
    slack: float,
    *,
    exact: bool = True,
) -> Fact:
    """A wait that is known to lie between two times; `exact`: no other message delays it."""
    right, most, least = backoff.seconds(at), backoff.most / 1000, backoff.least / 1000
    late = LATE + slack
    latest = right if exact else most

    def is_early(_: object) -> bool:
        return longest < right - EARLY

    def broken(_: object) -> Sequence[str]:
        if is_early(_):
            return [of.sets, of.least] if longest < least - EARLY else [of.factor]
        if shortest > most + late:
            return [of.most]
        return [of.factor] if at else [of.sets]

    grows = right > backoff.seconds(max(at - 1, 0))
    ids = [of.factor] if grows else []
    ids += [of.most] if right == most else []
    ids += [] if at else [of.sets, of.least]
    return fact(
        "wait",
        number,
        longest,
        gives_what(
            f"{right} to {latest + late} s",
            lambda _: longest >= right - EARLY and shortest <= latest + late,
        ),
        ids,
        _situation(of, backoff, at),
        accuse=broken,
        name=lambda _: "was too short" if is_early(_) else "was too long",
    )


def _situation(of: _Statements, backoff: Backoff, at: int) -> str:
    after = "an acknowledgement time-out" if of is _TIME_OUT else "a negative acknowledgement"
    if not at:
        return f"after the first time of {after}"
    reached = backoff.seconds(at) == backoff.most / 1000
    return f"after a later time of {after}" + (" at the most" if reached else "")
