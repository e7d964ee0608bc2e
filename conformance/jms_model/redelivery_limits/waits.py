"""How long redeliveries wait: never less than the back-off says, and not much longer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from jms_model.answers import gives_what
from jms_model.redelivery_limits.cases import TIME_OUT, Case
from jms_model.redelivery_limits.facts import Fact, fact
from jms_model.redelivery_limits.seen import CaseObservation, ReceivedDelivery
from jms_model.redelivery_limits.settings import Backoff, ConsumerSettings

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


@dataclass(frozen=True, slots=True)
class _Redelivery:
    """Of a message, behind so many others."""

    number: int
    times: int
    previous: ReceivedDelivery
    next_: ReceivedDelivery


def waits(case: Case, settings: ConsumerSettings, seen: CaseObservation) -> Iterator[Fact]:
    """Each wait of each message."""
    redeliveries = [
        _Redelivery(number, times if case.shared else 0, *pair)
        for number, sent in enumerate(case.messages)
        for times, pair in enumerate(pairwise(seen.of(number)))
        if times < sent.fails
    ]
    if case.way == TIME_OUT:
        yield from _after_time_outs(case, settings, seen, redeliveries)
        return
    for each in redeliveries:
        wait = each.next_.came - each.previous.ended
        yield _wait(_NACK, each, settings.nack, wait, wait, seen.slack)


def _after_time_outs(
    case: Case,
    settings: ConsumerSettings,
    seen: CaseObservation,
    redeliveries: Sequence[_Redelivery],
) -> Iterator[Fact]:
    """The time-outs themselves, and the waits behind them; several may come again together."""
    timeout, backoff = settings.timeout / 1000, settings.timeout_backoff
    for each in redeliveries:
        longest = each.next_.came - each.previous.asked
        yield fact(
            "wait",
            each.number,
            longest,
            gives_what(f"{timeout} s or more", lambda wait: float(str(wait)) >= timeout - EARLY),
            [_EXPIRY],
            "for an acknowledgement time-out",
            name=lambda _: "was too short",
        )
    brief = any(each.next_.came - each.previous.asked < timeout - EARLY for each in redeliveries)
    alone = sum(sent.fails > 0 for sent in case.messages) == 1
    for each in redeliveries if backoff is not None and not brief else ():
        assert backoff is not None
        yield _wait(
            _TIME_OUT,
            each,
            backoff,
            each.next_.came - each.previous.asked - timeout,
            each.next_.came - each.previous.came - timeout,
            seen.slack,
            exact=alone,
        )


def _wait(
    of: _Statements,
    each: _Redelivery,
    backoff: Backoff,
    longest: float,
    shortest: float,
    slack: float,
    *,
    exact: bool = True,
) -> Fact:
    """A wait that is known to lie between two times; `exact`: no other message delays it."""
    at = each.times
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
        each.number,
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
