"""Which messages were seen, as bits: a block of 64 Ki messages of one lane takes 8 KiB.

A lane is what is told apart: a subscription, or what is known of sends; less than 1 << 16.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from touchstone.checks.arrays.interning import Interner, grown
from touchstone.checks.columns import Ints, Mask
from touchstone.history.values import BLOCK_BITS

BLOCK: Final = 1 << BLOCK_BITS
BLOCK_BYTES: Final = BLOCK // 8

_HOT: Final = 256
_IDLE: Final = 8
"""A block that so many batches have not touched gives its place to another one."""
_LOW: Final = BLOCK - 1

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Block:
    """The bits of one lane, from message number << BLOCK_BITS on."""

    number: int
    lane: int
    bits: Bits


class BlockBits:
    """Marks messages, in any order, and tells which of them were marked before.

    Blocks that rows go to are kept as counters, of which there are few; the others as bits.
    """

    def __init__(self) -> None:
        self._interner = Interner()
        self._bits: dict[int, Bits] = {}
        self._hot = np.zeros((0, BLOCK), np.uint16)
        self._owner = np.zeros(0, np.int64)
        self._used = np.zeros(0, np.int64)
        self._place = np.full(64, -1, np.int64)
        self._clock = 0

    def add(self, uids: Ints, lanes: NDArray[Any]) -> Ints:
        """Mark at most 65,535 messages; the indices of those rows that were not the only one."""
        codes = uids & ~_LOW
        codes |= lanes
        numbers = self._interner(codes)
        return self._add(uids, numbers, np.arange(len(uids)) if len(uids) else None)

    def _add(self, uids: Ints, numbers: NDArray[np.int32], rows: Ints | None) -> Ints:
        if rows is None:
            return np.zeros(0, np.int64)
        touched = np.flatnonzero(np.bincount(numbers, minlength=len(self._interner)))
        if len(touched) > _HOT:
            half = np.zeros(len(self._interner), np.bool_)
            half[touched[: len(touched) // 2]] = True
            chosen = half[numbers]
            return np.concatenate(
                [
                    rows[part][self._add(uids[part], numbers[part], np.arange(len(part)))]
                    for part in (np.flatnonzero(chosen), np.flatnonzero(~chosen))
                ]
            )
        self._heat(touched)
        at = self._place.take(numbers)
        at <<= BLOCK_BITS
        at |= uids & _LOW
        flat = self._hot.reshape(-1)
        np.add.at(flat, at, np.uint16(1))
        seen = flat.take(at)
        if seen.max() == 1:
            return np.zeros(0, np.int64)
        again = np.flatnonzero(seen > 1)
        flat[at[again]] = 1
        return again

    def add_run(self, first: int, marked: Mask, lane: int) -> bool:
        """Mark messages of a run of consecutive numbers; whether one of them was marked before."""
        again = False
        begin = first & _LOW
        size = -(-(begin + len(marked)) // BLOCK)
        room = np.zeros(size * BLOCK, np.bool_)
        room[begin : begin + len(marked)] = marked
        packed = np.packbits(room, bitorder="little").reshape(size, BLOCK_BYTES)
        codes = ((first >> BLOCK_BITS) + np.arange(size, dtype=np.int64)) << BLOCK_BITS | lane
        for number, bits in zip(self._interner(codes).tolist(), packed, strict=True):
            self._cool(number)
            known = self._bits.get(number)
            if known is not None:
                again = again or bool((known & bits).any())
                bits = known | bits
            self._bits[number] = bits
        return again

    def blocks(self) -> Iterator[Block]:
        """All blocks with a mark, by number and lane."""
        for row in np.flatnonzero(self._owner >= 0).tolist():
            self._cool(int(self._owner[row]))
        codes = self._interner.codes
        for number in np.argsort(codes).tolist():
            bits = self._bits.get(number)
            if bits is not None and bits.any():
                code = int(codes[number])
                yield Block(code >> BLOCK_BITS, code & _LOW, bits)

    def _heat(self, touched: Ints) -> None:
        self._clock += 1
        self._place = grown(self._place, len(self._interner), -1)
        cold = touched[self._place[touched] < 0]
        if len(cold):
            free = self._free(len(cold), self._place[touched])
            for number, row in zip(cold.tolist(), free.tolist(), strict=True):
                self._cool(int(self._owner[row]))
                self._owner[row], self._place[number] = number, row
                bits = self._bits.pop(number, None)
                if bits is None:
                    self._hot[row] = 0
                else:
                    self._hot[row] = np.unpackbits(bits, bitorder="little")
        self._used[self._place[touched]] = self._clock

    def _free(self, many: int, in_use: Ints) -> Ints:
        """Places for new blocks: free ones, or those that were not used for longest."""
        have = len(self._owner)
        used = self._last_use(in_use)
        if have < _HOT and np.count_nonzero(used < self._clock - _IDLE) < many:
            size = min(_HOT, max(have * 2, 16, have + many))
            self._hot = np.concatenate([self._hot, np.zeros((size - have, BLOCK), np.uint16)])
            self._owner = np.concatenate([self._owner, np.full(size - have, -1, np.int64)])
            self._used = np.concatenate([self._used, np.zeros(size - have, np.int64)])
            used = self._last_use(in_use)
        return np.argsort(used, kind="stable")[:many]

    def _last_use(self, in_use: Ints) -> Ints:
        """When the block of each place was used; of those that are in use now; free ones before."""
        used = np.where(self._owner < 0, -_IDLE - 1, self._used)
        used[in_use[in_use >= 0]] = self._clock
        return used

    def _cool(self, number: int) -> None:
        """Turn the counters of a block into bits."""
        row = int(self._place[number]) if 0 <= number < len(self._place) else -1
        if row >= 0:
            self._bits[number] = np.packbits(self._hot[row] != 0, bitorder="little")
            self._owner[row], self._place[number] = -1, -1


def positions(block: int, bits: Bits) -> Ints:
    """The messages whose bits are set."""
    rows = np.flatnonzero(np.unpackbits(bits, bitorder="little")).astype(np.int64)
    rows += block << BLOCK_BITS
    return rows


def marked(bits: Bits) -> int:
    """How many bits are set."""
    return int(np.bitwise_count(bits.view(np.uint64)).sum(dtype=np.int64))
