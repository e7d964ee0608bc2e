"""Clients that are wrong about delivery delay."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.mutant import WORKLOADS
from jms_clients.mutants.wrong import wrong
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.deliveries import punctual_consumer
from pulsar_jms.mapping.delay import deliver_at
from pulsar_jms.mapping.headers import DELIVERY_TIME
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.mapping.subscriptions import ConsumerKind, TypeOf
from pulsar_jms.messages import encode, wire_encoding
from pulsar_jms.producing import producer
from pulsar_jms.transport.wire_messages import Incoming, OutgoingMessage
from wrong_clients.helpers.subscription_rows import row_changed

_LATE = 2000
_SIMPLE_EXCLUSIVE = "jms.useExclusiveSubscriptionsForSimpleConsumers"


@wrong("JMS-DLY-001", patches=(wire_encoding, "delivery_time_of"))
def delivery_time_without_the_delay(sent_at: Any, delay: Any) -> Any:
    """JMSDeliveryTime is the time of sending, on both sides."""
    return sent_at


@wrong("JMS-DLY-003", patches=(punctual_consumer, "time_until_delivery"))
def early_messages_delivered(due: Any, sent_at: Any, now: Any) -> int:
    """What the broker delivers a moment too early is handed over at once."""
    return 0


@wrong("JMS-DLY-004", patches=(producer, "encode"))
def delays_are_prolonged(*arguments: Any) -> OutgoingMessage:
    """A delayed message comes two seconds after its delivery time."""
    outgoing = encode(*arguments)
    if outgoing.deliver_at is None:
        return outgoing
    return outgoing._replace(deliver_at=outgoing.deliver_at + _LATE)


@wrong("JMS-DLY-005")
def later_subscriptions_get_earlier_messages() -> AbstractContextManager[object]:
    """The subscription of a simple topic consumer begins with the first message of the topic."""
    return row_changed(ConsumerKind.SIMPLE, earliest=True)


@contextmanager
def _one_delay_untold(every: int) -> Iterator[None]:
    turns = count(1)

    def told(delivery_time: int, delay: int) -> int | None:
        untold = delay > 0 and next(turns) % every == 0
        return None if untold else deliver_at(delivery_time, delay)

    handed_out = patch.object(punctual_consumer, "time_until_delivery", lambda *_: 0)
    with handed_out, patch.object(wire_encoding, "deliver_at", told):
        yield


@wrong("SLJ-DLY-004", "SLJ-DLY-006", scenarios=WORKLOADS)
def one_delay_in_ten_cut_short() -> AbstractContextManager[object]:
    """The broker is not told of one delay in ten, and what comes early is handed out."""
    return _one_delay_untold(10)


@wrong("SLJ-DLY-004", "SLJ-DLY-006", "JMS-DLY-003", "JMS-DLY-006", patches=(producer, "encode"))
def delay_is_forgotten(*arguments: Any) -> OutgoingMessage:
    """The broker is not told when a message may be delivered."""
    return encode(*arguments)._replace(deliver_at=None)


@wrong("SLJ-DLY-007", "JMS-DLY-002", patches=(producer, "encode"))
def delivery_time_of_the_send(*arguments: Any) -> OutgoingMessage:
    """JMSDeliveryTime is the time of sending, without the delay."""
    outgoing = encode(*arguments)
    outgoing.properties[DELIVERY_TIME] = str(outgoing.event_time)
    return outgoing


@wrong("SLJ-DLY-002", "SLJ-DLY-004", patches=(Settings, "flag"))
def simple_consumers_stay_exclusive(
    original: Callable[..., bool], settings: Settings, key: str, default: bool
) -> bool:
    """jms.useExclusiveSubscriptionsForSimpleConsumers has no effect."""
    return key == _SIMPLE_EXCLUSIVE or original(settings, key, default)


@wrong("SLJ-DLY-005")
def flag_reaches_durable_consumers() -> AbstractContextManager[object]:
    """jms.useExclusiveSubscriptionsForSimpleConsumers makes durable consumers Shared, too."""
    return row_changed(ConsumerKind.DURABLE, type=TypeOf.SIMPLE)


@wrong("SLJ-DLY-001")
def simple_consumers_never_exclusive() -> AbstractContextManager[object]:
    """The subscription of a simple topic consumer is Shared, so that it respects delays."""
    return row_changed(ConsumerKind.SIMPLE, type=TypeOf.SHARED)


@wrong("SLJ-DLY-001", patches=(MessageFilter, "filter_result"))
def delayed_by_the_client(
    original: Callable[..., FilterResult], message_filter: MessageFilter, incoming: Incoming
) -> FilterResult:
    """A consumer of an Exclusive subscription keeps messages back until they are due."""
    left = int(incoming.properties.get(DELIVERY_TIME, "0")) / 1000 - time.time()
    threading.Event().wait(max(0.0, left))
    return original(message_filter, incoming)


@wrong("SLJ-DLY-003")
def simple_subscriptions_stay() -> AbstractContextManager[object]:
    """The subscription of a simple topic consumer outlives it."""
    return row_changed(ConsumerKind.SIMPLE, durable=True)


@wrong("SLJ-DLY-006", patches=(wire_encoding, "deliver_at"))
def delays_are_ints(
    original: Callable[..., int | None], delivery_time: int, lasts: int
) -> int | None:
    """A delay of more than an int can hold is no delay."""
    return original(delivery_time, (lasts + 2**31) % 2**32 - 2**31)
