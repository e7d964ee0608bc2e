"""How often messages come, in which count, and what comes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from jms_model.answers import gives, gives_what
from jms_model.redelivery_limits.cases import RECOVER, TIME_OUT, Case
from jms_model.redelivery_limits.facts import Fact, fact, holds
from jms_model.redelivery_limits.seen import CaseObservation, ReceivedDelivery
from jms_model.redelivery_limits.settings import ConsumerSettings


def deliveries(case: Case, settings: ConsumerSettings, seen: CaseObservation) -> Iterator[Fact]:
    """Those to the application."""
    for number, sent in enumerate(case.messages):
        if not sent.rejected:
            yield from _of_message(case, settings, seen, number)
    if case.way == RECOVER and not case.filtered:
        yield from _halts(case, settings, seen)


def _of_message(
    case: Case, settings: ConsumerSettings, seen: CaseObservation, number: int
) -> Iterator[Fact]:
    came, expected = seen.of(number), case.deliveries(number, settings)
    sent, policy = case.messages[number], settings.policy
    after = "an acknowledgement time-out" if case.way == TIME_OUT else "a negative acknowledgement"
    again = "SLJ-REDL-005" if case.way == TIME_OUT else "SLJ-REDL-014"
    if not came:
        return
    for times in range(1, expected):
        if policy is None or not case.shared:
            ids = [again, "SLJ-DLQ-013"] if policy is None else [again]
            situation = f"after {after}"
        else:
            ids = [again, "SLJ-DLQ-002", "SLJ-DLQ-010"]
            situation = f"within the limit after {after}"
        if len(came) > times:
            yield holds("comes_again", number, True, ids, situation)
            continue
        moved = bool(seen.letters.get(number))
        broken = [*ids[1:]] if moved and len(ids) > 1 else [again]
        if moved and times < expected - 1:
            broken = ["SLJ-DLQ-002"]
        yield holds("comes_again", number, False, ids, situation, broken=broken)
        break
    if case.dies(number, settings):
        most = gives_what(f"{expected} at most", lambda times: int(str(times)) <= expected)
        yield fact(
            "deliveries",
            number,
            len(came),
            most,
            ["SLJ-DLQ-002"],
            "of what always fails",
            name=lambda _: "are too many",
        )
    if case.shared:
        for times, each in enumerate(came[: sent.fails + 1], start=1):
            yield from _flags(number, times, each)


def _flags(number: int, times: int, each: ReceivedDelivery) -> Iterator[Fact]:
    """Its count and its flag."""
    yield fact(
        "delivery_count",
        number,
        each.count,
        gives(times),
        ["SLJ-REDL-001"],
        "of a redelivery" if times > 1 else "of a first delivery",
    )
    yield fact(
        "redelivered",
        number,
        each.redelivered,
        gives(times > 1),
        ["SLJ-REDL-002" if times > 1 else "SLJ-REDL-003"],
    )


def _halts(case: Case, settings: ConsumerSettings, seen: CaseObservation) -> Iterator[Fact]:
    """Behind recover() nothing comes before what was given back, if that has to come again."""
    times: dict[int, int] = {}
    came = seen.deliveries
    for at, (delivery, following) in enumerate(pairwise(came)):
        if max(delivery.number, following.number) >= len(case.messages):
            continue
        times[delivery.number] = times.get(delivery.number, 0) + 1
        fails = case.messages[delivery.number].fails
        last = times[delivery.number] >= min(case.deliveries(delivery.number, settings), fails + 1)
        again = any(each.number == delivery.number for each in came[at + 1 :])
        if again and not last and len(case.messages) > 1:
            is_same = delivery.number == following.number
            yield holds(
                "next_delivery", delivery.number, is_same, ["SLJ-REDL-015"], "behind recover"
            )
