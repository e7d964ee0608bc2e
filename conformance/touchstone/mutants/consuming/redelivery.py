"""Clients that are wrong about redelivery."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.mapping.redelivery_counts import Backoff
from pulsar_jms.messages import message, received_properties
from touchstone.mutants.registry import Mutant

_nack = ReceiveQueue.nack


def _without_halt(receive_queue: ReceiveQueue, items: object, wait: float, *, halt: bool) -> None:
    _nack(receive_queue, items, wait, halt=False)  # type: ignore[arg-type]


REDELIVERED_FALSE = Mutant(
    name="redelivered-false",
    area="redelivery",
    violates=("SLJ-REDL-002",),
    doc="JMSRedelivered is never true.",
    apply=partial(patch.object, message, "is_redelivered", lambda redelivery_count: False),
)
DELIVERIES_COUNTED_FROM_ZERO = Mutant(
    name="deliveries-counted-from-zero",
    area="redelivery",
    violates=("SLJ-REDL-001", "SLJ-REDL-003"),
    doc="JMSXDeliveryCount is the broker's redelivery count itself.",
    apply=partial(
        patch.object,
        received_properties,
        "delivery_count",
        lambda redelivery_count: redelivery_count,
    ),
)
DELIVERIES_UNCOUNTED = Mutant(
    name="deliveries-uncounted",
    area="redelivery",
    violates=("SLJ-REDL-001", "SLJ-REDL-004"),
    doc="JMSXDeliveryCount is always 1.",
    apply=partial(patch.object, received_properties, "delivery_count", lambda redelivery_count: 1),
)
RECOVER_GOES_ON = Mutant(
    name="recover-goes-on",
    area="redelivery",
    violates=("SLJ-REDL-015", "SLJ-REDL-016"),
    doc="recover() does not halt delivery: later messages come before those given back.",
    apply=partial(patch.object, ReceiveQueue, "nack", _without_halt),
)
BACKOFF_WITHOUT_A_CAP = Mutant(
    name="backoff-without-a-cap",
    area="redelivery",
    violates=("SLJ-REDL-011",),
    doc="The waits of a backoff grow beyond maxDelayMs.",
    apply=partial(
        patch.object,
        Backoff,
        "delay",
        lambda backoff, count: int(backoff.min_delay * backoff.multiplier**count),
    ),
)
MULTIPLIER_CUT = Mutant(
    name="multiplier-cut",
    area="redelivery",
    violates=("SLJ-REDL-012",),
    doc="The multiplier of a backoff is cut to a whole number.",
    apply=partial(
        patch.object,
        Backoff,
        "delay",
        lambda backoff, count: int(
            min(backoff.min_delay * int(backoff.multiplier) ** count, backoff.max_delay)
        ),
    ),
)
