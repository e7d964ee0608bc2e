"""Clients that are wrong once in many messages, or only where many are at work: workloads tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from pulsar_jms.intake import Intake
from pulsar_jms.mapping.redelivery import delivery_count
from pulsar_jms.messages import message, received_properties
from pulsar_jms.redelivery import Redelivery
from pulsar_jms.transport.interface import Delivered
from touchstone.mutants.priority import CONSUMER_PREFERS_THE_LOWEST
from touchstone.mutants.registry import WORKLOADS, Mutant

_SOON = 0.05
"""Seconds that the second of two messages is waited for."""

_take = Intake.take
_rejected, _rolled_back = Redelivery.rejected, Redelivery.rolled_back


class _Turn:
    """By whom it is asked: whether it is the turn, once in `every` times."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._asked: WeakKeyDictionary[object, int] = WeakKeyDictionary()

    def of(self, one: object) -> bool:
        asked = self._asked[one] = self._asked.get(one, 0) + 1
        return asked % self._every == 0


_LOST, _TWICE, _TURNED = _Turn(100), _Turn(50), _Turn(20)
_again: dict[Intake, Delivered] = {}
_overtaken: dict[Intake, Delivered] = {}


def _losing(intake: Intake, wait: float) -> Delivered | None:
    delivered = _take(intake, wait)
    if delivered is None or not _LOST.of(intake):
        return delivered
    intake.acknowledge(delivered)
    return _take(intake, wait)


def _repeating(intake: Intake, wait: float) -> Delivered | None:
    if intake in _again:
        intake._taken += 1
        return _again.pop(intake)
    delivered = _take(intake, wait)
    if delivered is not None and _TWICE.of(intake):
        _again[intake] = delivered
    return delivered


def _turning(intake: Intake, wait: float) -> Delivered | None:
    if intake in _overtaken:
        return _overtaken.pop(intake)
    first = _take(intake, wait)
    second = _take(intake, _SOON) if first is not None and _TURNED.of(intake) else None
    if first is None or second is None:
        return first
    _overtaken[intake] = first
    return second


def _without_the_last(redelivery: Redelivery, items: Sequence[Delivered]) -> Sequence[Delivered]:
    if len(items) < 2:
        return items
    redelivery._intake.acknowledge(items[-1])
    return items[:-1]


def _rejected_but_one(
    redelivery: Redelivery, items: Sequence[Delivered], *, halt: bool = False
) -> None:
    _rejected(redelivery, _without_the_last(redelivery, items), halt=halt)


def _rolled_back_but_one(redelivery: Redelivery, items: Sequence[Delivered]) -> None:
    _rolled_back(redelivery, _without_the_last(redelivery, items))


def _one_in(every: int, right: Callable[[int], Any], wrong: Any) -> Callable[[int], Any]:
    """What is right for a redelivery count, but `wrong` for one repeat of so many."""
    turns = count(1)

    def told(redelivery_count: int) -> Any:
        return wrong if redelivery_count and next(turns) % every == 0 else right(redelivery_count)

    return told


LOSES_ONE_IN_A_HUNDRED = Mutant(
    name="loses-one-in-a-hundred",
    area="destinations",
    violates=("SLJ-DEST-006", "SLJ-SUB-016", "SLJ-SUB-020", "JMS-ORD-004"),
    doc="One message in a hundred is acknowledged, and nobody gets it.",
    apply=partial(patch.object, Intake, "take", _losing),
    scenarios=WORKLOADS,
)
HANDS_OUT_ONE_IN_FIFTY_TWICE = Mutant(
    name="hands-out-one-in-fifty-twice",
    area="redelivery",
    violates=("SLJ-SUB-019", "SLJ-DLQ-006", "JMS-REDL-007", "JMS-REDL-009", "JMS-ORD-005"),
    doc="One message in fifty is handed out twice.",
    apply=partial(patch.object, Intake, "take", _repeating),
    scenarios=WORKLOADS,
)
TURNS_ONE_PAIR_IN_TWENTY = Mutant(
    name="turns-one-pair-in-twenty",
    area="order",
    violates=("SLJ-INTR-004", "JMS-ORD-001", "JMS-ORD-003"),
    doc="Now and then the later of two messages comes first.",
    apply=partial(patch.object, Intake, "take", _turning),
    scenarios=WORKLOADS,
)
LAST_OF_A_BATCH_NOT_GIVEN_BACK = Mutant(
    name="last-of-a-batch-not-given-back",
    area="redelivery",
    violates=("SLJ-REDL-017", "JMS-REDL-003", "JMS-REDL-005"),
    doc="Of several messages that are recovered or rolled back the last is acknowledged.",
    apply=partial(
        patch.multiple, Redelivery, rejected=_rejected_but_one, rolled_back=_rolled_back_but_one
    ),
    scenarios=WORKLOADS,
)
ONE_REPEAT_IN_THREE_UNFLAGGED = Mutant(
    name="one-repeat-in-three-unflagged",
    area="redelivery",
    violates=("SLJ-ACK-003", "SLJ-REDL-001", "JMS-REDL-001"),
    doc="Of the messages that come again one in three has JMSRedelivered false.",
    apply=lambda: patch.object(message, "redelivered", _one_in(3, bool, wrong=False)),
    scenarios=WORKLOADS,
)
ONE_REPEAT_IN_THREE_UNCOUNTED = Mutant(
    name="one-repeat-in-three-uncounted",
    area="redelivery",
    violates=("JMS-REDL-003", "JMS-REDL-004"),
    doc="Of the messages that come again one in three has a count of 1.",
    apply=lambda: patch.object(
        received_properties,
        "delivery_count",
        _one_in(3, delivery_count, wrong=1),
    ),
    scenarios=WORKLOADS,
)
LOWEST_OF_MANY_FIRST = replace(
    CONSUMER_PREFERS_THE_LOWEST,
    name="lowest-priority-of-many-first",
    violates=("SLJ-PRIO-005", "SLJ-PRIO-008", "SLJ-PRIO-010"),
    scenarios=WORKLOADS,
)
