"""Which messages need the second look: the bits of some blocks, from all parts of a history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from jms_histories.columns import Ints
from jms_histories.kernels.screening.block_bits import (
    BLOCK,
    BLOCK_BYTES,
    Bits,
    Block,
    count_marks,
    positions,
)
from jms_histories.kernels.screening.send_scan import SENT, SentTwiceError, allowed_lane, owed_lane
from jms_histories.values import BLOCK_BITS


@dataclass
class Reduced:
    """What is known of some blocks: their suspects, and pairs that need no second look.

    owed and delivered count pairs by subscription: those that have lo, and plain deliveries.
    """

    suspects: Ints
    owed: Counter[int]
    delivered: Counter[int]


def merge_reduced(parts: Sequence[Reduced]) -> Reduced:
    """What is known of all blocks, from parts that have none in common."""
    suspects = np.concatenate([np.zeros(0, np.int64), *(part.suspects for part in parts)])
    result = Reduced(suspects, Counter(), Counter())
    for part in parts:
        result.owed.update(part.owed)
        result.delivered.update(part.delivered)
    return result


def reduce_block(
    number: int, sent: Iterable[Block], delivered: Iterable[Block], suspects: Ints
) -> Reduced:
    """Reduce one block of messages: all there is of it from all scans, in any order.

    suspects are those messages of the block that a scan has named; others are found here. Raises
    SentTwiceError if two scans have seen the same send.
    """
    doubtful = np.zeros(BLOCK, np.bool_)
    doubtful[suspects & (BLOCK - 1)] = True
    suspected = np.packbits(doubtful, bitorder="little")
    obligations = _join_sent(sent)
    arrived: dict[int, Bits] = {}
    for block in delivered:
        known = arrived.get(block.lane)
        if known is not None:
            suspected |= known & block.bits
        arrived[block.lane] = block.bits if known is None else known | block.bits
    subs = {lane // 2 for lane in obligations if lane != SENT} | set(arrived)
    none = np.zeros(BLOCK_BYTES, np.uint8)
    for sub in subs:
        owed = obligations.get(owed_lane(sub), none)
        allowed = obligations.get(allowed_lane(sub), none)
        came = arrived.get(sub, none)
        suspected |= owed & ~came
        suspected |= came & ~(owed | allowed)
    result = Reduced(positions(number, suspected), Counter(), Counter())
    for sub in subs:
        if owed_here := count_marks(obligations.get(owed_lane(sub), none) & ~suspected):
            result.owed[sub] = owed_here
        if came_here := count_marks(arrived.get(sub, none) & ~suspected):
            result.delivered[sub] = came_here
    return result


def _join_sent(sent: Iterable[Block]) -> dict[int, Bits]:
    result: dict[int, Bits] = {}
    for block in sent:
        known = result.get(block.lane)
        if known is not None and block.lane == SENT and (known & block.bits).any():
            twice = int(positions(block.number, known & block.bits)[0])
            raise SentTwiceError(f"message {twice} is sent twice, in two files")
        result[block.lane] = block.bits if known is None else known | block.bits
    return result


def reduce(sent: Iterable[Block], delivered: Iterable[Block], suspects: Iterable[Ints]) -> Reduced:
    """Reduce all blocks of a history."""
    of_sends: dict[int, list[Block]] = {}
    of_deliveries: dict[int, list[Block]] = {}
    for blocks, by_number in ((sent, of_sends), (delivered, of_deliveries)):
        for block in blocks:
            by_number.setdefault(block.number, []).append(block)
    named = np.unique(np.concatenate([np.zeros(0, np.int64), *suspects]))
    of_named = named >> BLOCK_BITS
    numbers = np.unique(np.concatenate([np.array([*of_sends, *of_deliveries], np.int64), of_named]))
    low, high = (
        np.searchsorted(of_named, numbers, side=side).tolist() for side in ("left", "right")
    )
    return merge_reduced(
        [
            reduce_block(
                number, of_sends.get(number, ()), of_deliveries.get(number, ()), named[begin:end]
            )
            for number, begin, end in zip(numbers.tolist(), low, high, strict=True)
        ]
    )
