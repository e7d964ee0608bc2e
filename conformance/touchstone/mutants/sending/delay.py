"""Clients that are wrong about delivery delay."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any
from unittest.mock import patch

from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.mapping import delay
from pulsar_jms.mapping.headers import DELIVERY_TIME
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.mapping.subscriptions import ConsumerKind, TypeOf
from pulsar_jms.messages import encode, wire_encoding
from pulsar_jms.producing import producer
from pulsar_jms.transport.wire_messages import Incoming, OutgoingMessage
from touchstone.mutants.registry import Mutant
from touchstone.mutants.subscription_rows import row_changed

_flag, _fate = Settings.flag, MessageFilter.filter_result
_deliver_at = delay.deliver_at
_SIMPLE_EXCLUSIVE = "jms.useExclusiveSubscriptionsForSimpleConsumers"


def _without_delay(*arguments: Any) -> OutgoingMessage:
    return encode(*arguments)._replace(deliver_at=None)


def _delivery_time_of_the_send(*arguments: Any) -> OutgoingMessage:
    outgoing = encode(*arguments)
    outgoing.properties[DELIVERY_TIME] = str(outgoing.event_time)
    return outgoing


def _fate_when_due(message_filter: MessageFilter, incoming: Incoming) -> FilterResult:
    left = int(incoming.properties.get(DELIVERY_TIME, "0")) / 1000 - time.time()
    threading.Event().wait(max(0.0, left))
    return _fate(message_filter, incoming)


def _always_exclusive(settings: Settings, key: str, default: bool) -> bool:
    return key == _SIMPLE_EXCLUSIVE or _flag(settings, key, default)


DELAY_IS_FORGOTTEN = Mutant(
    name="delay-is-forgotten",
    area="delay",
    violates=("SLJ-DLY-004", "SLJ-DLY-006", "JMS-DLY-003", "JMS-DLY-006"),
    doc="The broker is not told when a message may be delivered.",
    apply=partial(patch.object, producer, "encode", _without_delay),
)
DELIVERY_TIME_OF_THE_SEND = Mutant(
    name="delivery-time-of-the-send",
    area="delay",
    violates=("SLJ-DLY-007", "JMS-DLY-002"),
    doc="JMSDeliveryTime is the time of sending, without the delay.",
    apply=partial(patch.object, producer, "encode", _delivery_time_of_the_send),
)
SIMPLE_CONSUMERS_STAY_EXCLUSIVE = Mutant(
    name="simple-consumers-stay-exclusive",
    area="delay",
    violates=("SLJ-DLY-002", "SLJ-DLY-004"),
    doc="jms.useExclusiveSubscriptionsForSimpleConsumers has no effect.",
    apply=partial(patch.object, Settings, "flag", _always_exclusive),
)
DURABLE_CONSUMERS_SHARED = Mutant(
    name="flag-reaches-durable-consumers",
    area="delay",
    violates=("SLJ-DLY-005",),
    doc="jms.useExclusiveSubscriptionsForSimpleConsumers makes durable consumers Shared, too.",
    apply=row_changed(ConsumerKind.DURABLE, type=TypeOf.SIMPLE),
)
SIMPLE_CONSUMERS_NEVER_EXCLUSIVE = Mutant(
    name="simple-consumers-never-exclusive",
    area="delay",
    violates=("SLJ-DLY-001",),
    doc="The subscription of a simple topic consumer is Shared, so that it respects delays.",
    apply=row_changed(ConsumerKind.SIMPLE, type=TypeOf.SHARED),
)
DELAYED_BY_THE_CLIENT = Mutant(
    name="delayed-by-the-client",
    area="delay",
    violates=("SLJ-DLY-001",),
    doc="A consumer of an Exclusive subscription keeps messages back until they are due.",
    apply=partial(patch.object, MessageFilter, "filter_result", _fate_when_due),
)
SIMPLE_SUBSCRIPTIONS_STAY = Mutant(
    name="simple-subscriptions-stay",
    area="delay",
    violates=("SLJ-DLY-003",),
    doc="The subscription of a simple topic consumer outlives it.",
    apply=row_changed(ConsumerKind.SIMPLE, durable=True),
)


def _deliver_at_of_an_int(delivery_time: int, lasts: int) -> int | None:
    return _deliver_at(delivery_time, (lasts + 2**31) % 2**32 - 2**31)


DELAYS_ARE_INTS = Mutant(
    name="delays-are-ints",
    area="delay",
    violates=("SLJ-DLY-006",),
    doc="A delay of more than an int can hold is no delay.",
    apply=partial(patch.object, wire_encoding, "deliver_at", _deliver_at_of_an_int),
)
