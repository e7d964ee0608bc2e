"""Clients that are wrong about redelivery."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from jms_clients.mutants.mutant import UNREADABLE, WORKLOADS
from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException, Message, MessageListener
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.deliveries.redelivery import Redelivery
from pulsar_jms.deliveries.repeats import Repeats
from pulsar_jms.mapping.redelivery_counts import Backoff, delivery_count
from pulsar_jms.messages import PulsarMessage, message, received_properties
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from wrong_clients.helpers.turns import Turn
from wrong_clients.helpers.unreadable import after_unreadable, struck
from wrong_clients.subscriptions import reopening_resets

_closes = count(1)
_FLAGGED = 4
"""Repeats that are flagged as they should be: more than other scenarios look at."""
_repeats = count(1)
_again: dict[ReceiveQueue, DeliveredMessage] = {}
_take = ReceiveQueue.take
_rejected = Redelivery.redeliver_rejected
_rolled_back = Redelivery.redeliver_rolled_back
_before: WeakKeyDictionary[PulsarMessageConsumer, DeliveredMessage] = WeakKeyDictionary()
"""By consumer, what it handed out last."""
_deliver = Settlement.deliver
_decoded = PulsarMessageConsumer.decode
_settle_received = Settlement._settle_received


@wrong("JMS-REDL-001", "JMS-REDL-005", "JMS-TX-004", patches=(message, "is_redelivered"))
def flag_comes_late(redelivery_count: Any) -> Any:
    """JMSRedelivered is true from the third delivery on."""
    return redelivery_count > 1


@wrong("JMS-REDL-003", patches=(received_properties, "delivery_count"))
def count_stops_at_two(redelivery_count: Any) -> Any:
    """JMSXDeliveryCount says no more than that a message was delivered before."""
    return 2 if redelivery_count else 1


@wrong("JMS-REDL-006", "JMS-TX-004", patches=(ReceiveQueue, "nack"))
def recovered_newest_first(
    original: Callable[..., None],
    receive_queue: ReceiveQueue,
    items: Sequence[DeliveredMessage],
    wait: float,
    *,
    halt: bool,
) -> None:
    """What is given back comes again in the reverse order."""
    if len(items) < 2:
        original(receive_queue, items, wait, halt=halt)
        return
    with receive_queue._lock:
        for item in items:
            receive_queue._settled += 1
            receive_queue._held.appendleft(item)
        receive_queue._slow_path = True


# a broker that is killed forgets such an acknowledgement: JMS-REDL-016 holds all the same
@wrong("JMS-REDL-012", "JMS-REDL-013", patches=(PulsarSession, "close"), scenarios=WORKLOADS)
def oldest_acknowledged_by_close(original: Callable[..., None], session: PulsarSession) -> None:
    """Every other session that is closed with open messages acknowledges the oldest."""
    held = [] if session.closed else session.settlement.take_all()
    if held and next(_closes) % 2 == 0:
        held[0].consumer.receive_queue.acknowledge(held[0].item)
    original(session)


@wrong(
    "JMS-ACK-005", "JMS-REDL-008", patches=(Settlement, "deliver_to_listener"), scenarios=WORKLOADS
)
def later_repeats_of_listeners_unflagged(
    original: Callable[..., None],
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    """Listeners see JMSRedelivered false from the fifth repeat on."""

    def told(repeated: Message) -> None:
        if repeated.jms_redelivered and next(_repeats) > _FLAGGED:
            repeated.jms_redelivered = False
        listener(repeated)

    original(settlement, consumer, delivered, told)


@wrong("JMS-REDL-016", scenarios="test_unacknowledged_messages_outlive")
def reopened_without_the_old() -> AbstractContextManager[object]:
    """A durable subscription that is opened again begins anew, without what it was owed."""
    return reopening_resets.apply()


_TWICE = Turn(50)


def _receive_and_repeat(receive_queue: ReceiveQueue, wait: float) -> DeliveredMessage | None:
    if receive_queue in _again:
        receive_queue._taken += 1
        return _again.pop(receive_queue)
    delivered = _take(receive_queue, wait)
    if delivered is not None and _TWICE.of(receive_queue):
        _again[receive_queue] = delivered
    return delivered


@wrong(
    "SLJ-SUB-019", "SLJ-DLQ-006", "JMS-REDL-007", "JMS-REDL-009", "JMS-ORD-005", scenarios=WORKLOADS
)
@contextmanager
def hands_out_one_in_fifty_twice() -> Iterator[None]:
    """One message in fifty is handed out twice, and no copy is told from another message."""
    with (
        patch.object(ReceiveQueue, "take", _receive_and_repeat),
        patch.object(Repeats, "is_repeat", lambda repeats, item: False),
    ):
        yield


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


@wrong("SLJ-REDL-017", "JMS-REDL-003", "JMS-REDL-005", scenarios=WORKLOADS)
def last_of_a_batch_not_given_back() -> AbstractContextManager[object]:
    """Of several messages that are recovered or rolled back the last is acknowledged."""
    return patch.multiple(
        Redelivery, redeliver_rejected=_rejected_but_one, redeliver_rolled_back=_rolled_back_but_one
    )


def _one_in(every: int, right: Callable[[int], Any], wrong: Any) -> Callable[[int], Any]:
    """What is right for a redelivery count, but `wrong` for one repeat of so many."""
    turns = count(1)

    def told(redelivery_count: int) -> Any:
        return wrong if redelivery_count and next(turns) % every == 0 else right(redelivery_count)

    return told


@wrong("SLJ-ACK-003", "SLJ-REDL-001", "JMS-REDL-001", "JMS-REDL-010", scenarios=WORKLOADS)
def one_repeat_in_three_unflagged() -> AbstractContextManager[object]:
    """Of the messages that come again one in three has JMSRedelivered false."""
    return patch.object(message, "is_redelivered", _one_in(3, bool, wrong=False))


@wrong("JMS-REDL-003", "JMS-REDL-004", "JMS-REDL-011", scenarios=WORKLOADS)
def one_repeat_in_three_uncounted() -> AbstractContextManager[object]:
    """Of the messages that come again one in three has a count of 1."""
    return patch.object(received_properties, "delivery_count", _one_in(3, delivery_count, wrong=1))


_SKIPPED = Turn(2)


@wrong(
    "SLJ-REDL-016", "JMS-REDL-006", patches=(Redelivery, "redeliver_rejected"), scenarios=WORKLOADS
)
def oldest_of_a_batch_not_given_back(
    original: Callable[..., None],
    redelivery: Redelivery,
    items: Sequence[DeliveredMessage],
    *,
    halt: bool = False,
) -> None:
    """Every other recover() acknowledges the oldest message."""
    if len(items) > 1 and _SKIPPED.of(redelivery):
        redelivery._receive_queue.acknowledge(items[0])
        items = items[1:]
    original(redelivery, items, halt=halt)


@wrong("JMS-REDL-007", patches=(PulsarMessageConsumer, "decode"), scenarios=UNREADABLE)
def unreadable_messages_bring_the_last_again(
    original: Callable[..., PulsarMessage],
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
) -> PulsarMessage:
    """A message that cannot be read has the one before it handed out again."""
    try:
        message = original(consumer, delivered)
    except JMSException:
        if (again := _before.pop(consumer, None)) is not None:
            consumer.receive_queue.put_back(again)
        raise
    _before[consumer] = delivered
    return message


def _is_readable(consumer: PulsarMessageConsumer, delivered: DeliveredMessage) -> bool:
    try:
        _decoded(consumer, delivered)
    except JMSException:
        return False
    return True


def _first_of_two_again(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    kind: type | None,
) -> PulsarMessage | None:
    again = _before.pop(consumer, None)
    if again is not None and consumer in struck and _is_readable(consumer, delivered):
        struck.discard(consumer)
        consumer.redelivery.repeats.note_nacked([again], tuple)
        consumer.receive_queue.put_back(delivered)
        consumer.receive_queue.put_back(again)
        return None
    message = _deliver(settlement, consumer, delivered, kind)
    _before[consumer] = delivered
    return message


@wrong("JMS-REDL-007", scenarios=UNREADABLE)
def unreadable_messages_bring_the_first_of_two_again() -> AbstractContextManager[object]:
    """Of two good messages behind one that cannot be read the first is handed out twice."""
    return after_unreadable("deliver", _first_of_two_again)


def _next_one_unsettled(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    message: PulsarMessage,
) -> None:
    if consumer not in struck:
        _settle_received(settlement, consumer, delivered, message)
    struck.discard(consumer)


@wrong("JMS-REDL-007", scenarios=UNREADABLE)
def unreadable_messages_leave_the_next_unsettled() -> AbstractContextManager[object]:
    """The message behind one that cannot be read is not acknowledged, and comes again."""
    return after_unreadable("_settle_received", _next_one_unsettled)


@wrong("SLJ-REDL-002", patches=(message, "is_redelivered"))
def redelivered_false(redelivery_count: Any) -> bool:
    """JMSRedelivered is never true."""
    return False


@wrong("SLJ-REDL-001", "SLJ-REDL-003", patches=(received_properties, "delivery_count"))
def deliveries_counted_from_zero(redelivery_count: Any) -> Any:
    """JMSXDeliveryCount is the broker's redelivery count itself."""
    return redelivery_count


@wrong("SLJ-REDL-001", "SLJ-REDL-004", patches=(received_properties, "delivery_count"))
def deliveries_uncounted(redelivery_count: Any) -> int:
    """JMSXDeliveryCount is always 1."""
    return 1


@wrong("SLJ-REDL-015", "SLJ-REDL-016", patches=(ReceiveQueue, "nack"))
def recover_goes_on(
    original: Callable[..., None],
    receive_queue: ReceiveQueue,
    items: object,
    wait: float,
    *,
    halt: bool,
) -> None:
    """recover() does not halt delivery: later messages come before those given back."""
    original(receive_queue, items, wait, halt=False)


@wrong("SLJ-REDL-011", patches=(Backoff, "delay"))
def backoff_without_a_cap(backoff: Any, count: Any) -> Any:
    """The waits of a backoff grow beyond maxDelayMs."""
    return int(backoff.min_delay * backoff.multiplier**count)


@wrong("SLJ-REDL-012", patches=(Backoff, "delay"))
def multiplier_cut(backoff: Any, count: Any) -> Any:
    """The multiplier of a backoff is cut to a whole number."""
    return int(min(backoff.min_delay * int(backoff.multiplier) ** count, backoff.max_delay))


@wrong(
    "SLJ-REDL-005",
    patches=(Settlement, "redeliver_failed"),
    scenarios="refused_messages_are_set_aside",
)
def unreadable_messages_never_come_again(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    error: BaseException,
) -> None:
    """A message that cannot be read stays unacknowledged for ever, whatever the time-out."""
    consumer.receive_queue.ignore(delivered)
