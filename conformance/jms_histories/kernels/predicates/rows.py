"""What a single delivery says: fresh, finished, ordered, readable; and which uids are knowable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Ints, Mask
from jms_histories.values import SEQUENCE_BITS, Intact, Ordering, Settle, SettlementOutcome


def producer(uids: NDArray[Any]) -> Ints:
    """The producers of messages."""
    return np.asarray(uids >> SEQUENCE_BITS)


def sequence(uids: NDArray[Any]) -> Ints:
    """The sequence numbers of messages within their producers."""
    return np.asarray(uids & ((1 << SEQUENCE_BITS) - 1))


def fresh(deliveries: Columns) -> Mask:
    """Which rows claim to be the first delivery."""
    count = deliveries["count"]
    return np.asarray(((count == 1) | (count == -1)) & ~deliveries["redelivered"])


def finished(deliveries: Columns) -> Mask:
    """Which rows are fin: acknowledged, and it is known that this went well."""
    settle = deliveries["settle"]
    acknowledged = (settle == Settle.ACK) | (settle == Settle.CLIENT_ACK)
    return np.asarray(acknowledged & (deliveries["s_out"] == SettlementOutcome.OK))


def done(deliveries: Columns) -> Mask:
    """Which rows are fin, or were acknowledged lazily."""
    return _acknowledged(deliveries, SettlementOutcome.OK)


def unsure(deliveries: Columns) -> Mask:
    """Which rows were acknowledged, and it is not known whether this went well."""
    return _acknowledged(deliveries, SettlementOutcome.INFO)


def _acknowledged(deliveries: Columns, outcome: SettlementOutcome) -> Mask:
    settle = deliveries["settle"]
    acknowledged = (settle == Settle.ACK) | (settle == Settle.CLIENT_ACK) | (settle == Settle.LAZY)
    return np.asarray(acknowledged & (deliveries["s_out"] == outcome))


def returned(settle: NDArray[Any]) -> Mask:
    """Which settlements give the message back: NACK, ROLLBACK, RECOVER."""
    return np.asarray((settle >= Settle.NACK) & (settle <= Settle.RECOVER))


def ordered(ordering: NDArray[Any], key: NDArray[Any], deliver_at: NDArray[Any]) -> Mask:
    """Which rows or sends have an order at their subscription, whose ordering is given."""
    by_key = (ordering == Ordering.KEY) & (key >= 0)
    return np.asarray(((ordering == Ordering.PRODUCER) | by_key) & (deliver_at == -1))


def scope_key(ordering: NDArray[Any], key: NDArray[Any]) -> NDArray[Any]:
    """The key that is part of a scope of order: none unless the order is by key."""
    return np.where(ordering == Ordering.KEY, key, -1)


def readable(intact: NDArray[Any]) -> Mask:
    """Which rows have a description that could be read."""
    return np.asarray(intact & Intact.DESCRIPTION != 0)


def knowable(uids: NDArray[Any], truncated: Mapping[int, int]) -> Mask:
    """Which uids are of a producer's record that is whole, or come before its cut."""
    result = np.ones(len(uids), np.bool_)
    for cut_producer, cut in truncated.items():
        result &= (producer(uids) != cut_producer) | (sequence(uids) < cut)
    return result
