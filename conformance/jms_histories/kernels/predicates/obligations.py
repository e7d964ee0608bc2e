"""What a subscription is owed, may have and must not have: hi, due and lo of docs/volume.md.

Every function works row by row: row i of the sends beside row i of the subscriptions. Either may be
one row (arrays without a dimension) that stands beside all of the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Mask
from jms_histories.kernels.predicates.fault_windows import FaultWindows
from jms_histories.values import Mode, SendFate


def addressed(sends: Columns, subscriptions: Columns) -> Mask:
    """Whether the send's destination is the subscription's, and its bit is set in match."""
    bit = subscriptions["bit"].astype(np.int64)
    passes = (sends["match"] >> np.maximum(bit, 0)) & 1 == 1
    return np.asarray((sends["dest"] == subscriptions["dest"]) & (bit >= 0) & passes)


def hi(sends: Columns, subscriptions: Columns) -> Mask:
    """Whether the message may arrive."""
    known_late = (sends["t_ok"] == -1) | (sends["t_ok"] >= subscriptions["t_from"])
    return np.asarray(
        addressed(sends, subscriptions)
        & (sends["fate"] != SendFate.NEVER)
        & (sends["t_inv"] < subscriptions["t_to"])
        & known_late
    )


def survives(
    mode: NDArray[Any], since: NDArray[Any], until: NDArray[Any], faults: FaultWindows
) -> Mask:
    """Whether a message of this mode outlives every fault between two times."""
    result = np.asarray(mode == Mode.PERSISTENT)
    if len(faults.begins) and not result.all():
        return np.asarray(result | ~faults.meet(since, until))
    return np.ones(np.broadcast(mode, since, until).shape, np.bool_)


def drained(subscriptions: Columns) -> Mask:
    """Whether the dead-letter queue was emptied at the end, if there may be one."""
    return np.asarray((subscriptions["max_deliveries"] < 0) | (subscriptions["t_dlq_drained"] >= 0))


def due(sends: Columns, subscriptions: Columns, faults: FaultWindows) -> Mask:
    """Whether the message must have arrived, if its send and transaction had their outcome."""
    ready = np.maximum(sends["t_inv"], sends["t_ok"])
    ready = np.maximum(ready, sends["t_visible"])
    ready = np.maximum(ready, sends["deliver_at"])
    return np.asarray(
        hi(sends, subscriptions)
        & (sends["t_inv"] >= subscriptions["t_from"])
        & (ready <= subscriptions["t_drained"])
        & (sends["expire_at"] == -1)
        & drained(subscriptions)
        & survives(sends["mode"], sends["t_inv"], subscriptions["t_drained"], faults)
    )


def lo(sends: Columns, subscriptions: Columns, faults: FaultWindows) -> Mask:
    """Whether the message must have arrived."""
    return np.asarray(due(sends, subscriptions, faults) & (sends["fate"] == SendFate.MUST))
