"""Clients that are wrong once in many messages, or only where many are at work: workloads tell."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from pulsar_jms.deliveries import punctual_consumer
from pulsar_jms.deliveries.dead_letters import DeadLetters
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.deliveries.redelivery import Redelivery
from pulsar_jms.deliveries.repeats import Repeats
from pulsar_jms.mapping.dead_letter import DeadLetterPolicy
from pulsar_jms.mapping.delay import deliver_at
from pulsar_jms.mapping.redelivery_counts import delivery_count
from pulsar_jms.messages import message, received_properties, wire_encoding
from pulsar_jms.settling.broker_transactions import RealTransaction
from pulsar_jms.settling.settlement import SessionDelivery, Settlement
from pulsar_jms.transport.transport_protocol import BrokerTransaction, DeliveredMessage
from touchstone.mutants.registry import WORKLOADS, Mutant
from touchstone.mutants.sending.broker_transactions import (
    SENDS_OUTSIDE_THE_TRANSACTION,
    send_outside,
)
from touchstone.mutants.sending.priority import CONSUMER_PREFERS_THE_LOWEST

_SOON = 0.05
"""Seconds that the second of two messages is waited for."""

_OVERTAKEN_BY = 5
"""Messages: of both delivery modes, and of several producers."""

_take = ReceiveQueue.take
_send = RealTransaction.send
_acknowledge_all = Settlement.acknowledge_all
_exhausted_after, _store_and_acknowledge = (
    DeadLetterPolicy.exhausted_after,
    DeadLetters._store_and_acknowledge,
)
_rejected, _rolled_back = Redelivery.redeliver_rejected, Redelivery.redeliver_rolled_back


class _Turn:
    """By whom it is asked: whether it is the turn, once in `every` times."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._asked: WeakKeyDictionary[object, int] = WeakKeyDictionary()

    def of(self, one: object) -> bool:
        asked = self._asked[one] = self._asked.get(one, 0) + 1
        return asked % self._every == 0


_LOST, _TWICE, _TURNED, _LATE = _Turn(100), _Turn(50), _Turn(20), _Turn(20)
_OUTSIDE, _SPARED, _SKIPPED = _Turn(7), _Turn(5), _Turn(2)
_again: dict[ReceiveQueue, DeliveredMessage] = {}
_overtaken: dict[ReceiveQueue, DeliveredMessage] = {}
_ahead: dict[ReceiveQueue, deque[DeliveredMessage]] = {}


def _losing(receive_queue: ReceiveQueue, wait: float) -> DeliveredMessage | None:
    delivered = _take(receive_queue, wait)
    if delivered is None or not _LOST.of(receive_queue):
        return delivered
    receive_queue.acknowledge(delivered)
    return _take(receive_queue, wait)


def _repeating(receive_queue: ReceiveQueue, wait: float) -> DeliveredMessage | None:
    if receive_queue in _again:
        receive_queue._taken += 1
        return _again.pop(receive_queue)
    delivered = _take(receive_queue, wait)
    if delivered is not None and _TWICE.of(receive_queue):
        _again[receive_queue] = delivered
    return delivered


@contextmanager
def _repeating_unnoticed() -> Iterator[None]:
    with (
        patch.object(ReceiveQueue, "take", _repeating),
        patch.object(Repeats, "is_repeat", lambda repeats, item: False),
    ):
        yield


def _turning(receive_queue: ReceiveQueue, wait: float) -> DeliveredMessage | None:
    if receive_queue in _overtaken:
        return _overtaken.pop(receive_queue)
    first = _take(receive_queue, wait)
    second = (
        _take(receive_queue, _SOON) if first is not None and _TURNED.of(receive_queue) else None
    )
    if first is None or second is None:
        return first
    _overtaken[receive_queue] = first
    return second


def _holding_up(receive_queue: ReceiveQueue, wait: float) -> DeliveredMessage | None:
    if _ahead.get(receive_queue):
        return _ahead[receive_queue].popleft()
    first = _take(receive_queue, wait)
    if first is None or not _LATE.of(receive_queue):
        return first
    others = (_take(receive_queue, _SOON) for _ in range(_OVERTAKEN_BY))
    _ahead[receive_queue] = deque([*filter(None, others), first])
    return _ahead[receive_queue].popleft()


def _without_the_last(
    redelivery: Redelivery, items: Sequence[DeliveredMessage]
) -> Sequence[DeliveredMessage]:
    if len(items) < 2:
        return items
    redelivery._receive_queue.acknowledge(items[-1])
    return items[:-1]


def _rejected_but_one(
    redelivery: Redelivery, items: Sequence[DeliveredMessage], *, halt: bool = False
) -> None:
    _rejected(redelivery, _without_the_last(redelivery, items), halt=halt)


def _rolled_back_but_one(redelivery: Redelivery, items: Sequence[DeliveredMessage]) -> None:
    _rolled_back(redelivery, _without_the_last(redelivery, items))


def _rejected_but_the_oldest(
    redelivery: Redelivery, items: Sequence[DeliveredMessage], *, halt: bool = False
) -> None:
    if len(items) > 1 and _SKIPPED.of(redelivery):
        redelivery._receive_queue.acknowledge(items[0])
        items = items[1:]
    _rejected(redelivery, items, halt=halt)


def _acknowledged_but_the_last(
    settlement: Settlement,
    deliveries: Iterable[SessionDelivery],
    within: BrokerTransaction | None = None,
) -> None:
    deliveries = list(deliveries)
    if len(deliveries) > 1 and _SPARED.of(settlement):
        last = deliveries.pop()
        last.consumer.redelivery.redeliver_rejected([last.item])
    _acknowledge_all(settlement, deliveries, within)


def _sent_outside(transaction: RealTransaction, *arguments: Any) -> None:
    (send_outside if _OUTSIDE.of(transaction) else _send)(transaction, *arguments)


def _sometimes(
    every: int, right: Callable[..., Any], wrong: Callable[..., Any]
) -> Callable[..., Any]:
    turns = count(1)

    def call(*arguments: Any) -> Any:
        return (right if next(turns) % every else wrong)(*arguments)

    return call


@contextmanager
def _one_delay_untold(every: int) -> Iterator[None]:
    turns = count(1)

    def told(delivery_time: int, delay: int) -> int | None:
        untold = delay > 0 and next(turns) % every == 0
        return None if untold else deliver_at(delivery_time, delay)

    handed_out = patch.object(punctual_consumer, "early_by", lambda *_: 0)
    with handed_out, patch.object(wire_encoding, "deliver_at", told):
        yield


def _lose_letter(letters: DeadLetters, delivered: DeliveredMessage) -> None:
    letters._receive_queue.acknowledge(delivered)


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
    apply=partial(patch.object, ReceiveQueue, "take", _losing),
    scenarios=WORKLOADS,
)
HANDS_OUT_ONE_IN_FIFTY_TWICE = Mutant(
    name="hands-out-one-in-fifty-twice",
    area="redelivery",
    violates=(
        "SLJ-SUB-019",
        "SLJ-DLQ-006",
        "JMS-REDL-007",
        "JMS-REDL-009",
        "JMS-ORD-005",
    ),
    doc="One message in fifty is handed out twice, and no copy is told from another message.",
    apply=_repeating_unnoticed,
    scenarios=WORKLOADS,
)
TURNS_ONE_PAIR_IN_TWENTY = Mutant(
    name="turns-one-pair-in-twenty",
    area="order",
    violates=("SLJ-INTR-004", "JMS-ORD-001", "JMS-ORD-003"),
    doc="Now and then the later of two messages comes first.",
    apply=partial(patch.object, ReceiveQueue, "take", _turning),
    scenarios=WORKLOADS,
)
LAST_OF_A_BATCH_NOT_GIVEN_BACK = Mutant(
    name="last-of-a-batch-not-given-back",
    area="redelivery",
    violates=("SLJ-REDL-017", "JMS-REDL-003", "JMS-REDL-005"),
    doc="Of several messages that are recovered or rolled back the last is acknowledged.",
    apply=partial(
        patch.multiple,
        Redelivery,
        redeliver_rejected=_rejected_but_one,
        redeliver_rolled_back=_rolled_back_but_one,
    ),
    scenarios=WORKLOADS,
)
ONE_REPEAT_IN_THREE_UNFLAGGED = Mutant(
    name="one-repeat-in-three-unflagged",
    area="redelivery",
    violates=("SLJ-ACK-003", "SLJ-REDL-001", "JMS-REDL-001", "JMS-REDL-010"),
    doc="Of the messages that come again one in three has JMSRedelivered false.",
    apply=lambda: patch.object(message, "is_redelivered", _one_in(3, bool, wrong=False)),
    scenarios=WORKLOADS,
)
ONE_REPEAT_IN_THREE_UNCOUNTED = Mutant(
    name="one-repeat-in-three-uncounted",
    area="redelivery",
    violates=("JMS-REDL-003", "JMS-REDL-004", "JMS-REDL-011"),
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
ONE_IN_TWENTY_HELD_UP = Mutant(
    name="one-in-twenty-held-up",
    area="order",
    violates=("JMS-ORD-002",),
    doc="One message in twenty comes after the next five.",
    apply=partial(patch.object, ReceiveQueue, "take", _holding_up),
    scenarios=WORKLOADS,
)
OLDEST_OF_A_BATCH_NOT_GIVEN_BACK = Mutant(
    name="oldest-of-a-batch-not-given-back",
    area="redelivery",
    violates=("SLJ-REDL-016", "JMS-REDL-006"),
    doc="Every other recover() acknowledges the oldest message.",
    apply=partial(patch.object, Redelivery, "redeliver_rejected", _rejected_but_the_oldest),
    scenarios=WORKLOADS,
)
LAST_OF_A_BATCH_NOT_ACKNOWLEDGED = Mutant(
    name="last-of-a-batch-not-acknowledged",
    area="acknowledgement",
    violates=("JMS-ACK-001",),
    doc="One acknowledge() in five gives back the newest message.",
    apply=partial(patch.object, Settlement, "acknowledge_all", _acknowledged_but_the_last),
    scenarios=WORKLOADS,
)
ONE_DELAY_IN_TEN_CUT_SHORT = Mutant(
    name="one-delay-in-ten-cut-short",
    area="delay",
    violates=("SLJ-DLY-004", "SLJ-DLY-006"),
    doc="The broker is not told of one delay in ten, and what comes early is handed out.",
    apply=lambda: _one_delay_untold(10),
    scenarios=WORKLOADS,
)
ONE_IN_FIVE_SET_ASIDE_EARLY = Mutant(
    name="one-in-five-set-aside-early",
    area="dead-letter",
    violates=("SLJ-DLQ-010",),
    doc="One rejected message in five becomes a dead letter before its last delivery.",
    apply=lambda: patch.object(
        DeadLetterPolicy, "exhausted_after", _sometimes(5, _exhausted_after, lambda *_: True)
    ),
    scenarios=WORKLOADS,
)
ONE_DEAD_LETTER_IN_FIVE_LOST = Mutant(
    name="one-dead-letter-in-five-lost",
    area="dead-letter",
    violates=("SLJ-DLQ-002",),
    doc="One message in five that is to be set aside is acknowledged, and goes nowhere.",
    apply=lambda: patch.object(
        DeadLetters, "_store_and_acknowledge", _sometimes(5, _store_and_acknowledge, _lose_letter)
    ),
    scenarios=WORKLOADS,
)
ONE_SEND_IN_SEVEN_OUTSIDE = replace(
    SENDS_OUTSIDE_THE_TRANSACTION,
    name="one-send-in-seven-outside-the-transaction",
    # not SLJ-TX-001: Pulsar holds back whatever is behind a message of an open transaction, so that
    # only what is sent before all of them is seen too early
    violates=("SLJ-TX-002",),
    doc="A session with transactions of the broker sends one message in seven without them.",
    apply=partial(patch.object, RealTransaction, "send", _sent_outside),
    scenarios=WORKLOADS,
)
LAST_OF_A_TRANSACTION_NOT_GIVEN_BACK = replace(
    LAST_OF_A_BATCH_NOT_GIVEN_BACK,
    name="last-of-a-transaction-not-given-back",
    area="transactions",
    violates=("SLJ-TX-006",),
    doc="The last message that a transaction received is acknowledged though it is rolled back.",
    provider=SENDS_OUTSIDE_THE_TRANSACTION.provider,
)
