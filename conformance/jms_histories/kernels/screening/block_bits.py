"""Which messages were seen, as bits: a block of 64 Ki messages of one lane takes 8 KiB.

A lane is what is distinguished: a subscription, or what is known of sends; less than 1 << 16.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints, Mask
from jms_histories.kernels.arrays.interning import Interner, grown
from jms_histories.values import BLOCK_BITS

BLOCK: Final = 1 << BLOCK_BITS
BLOCK_BYTES: Final = BLOCK // 8

_HOT: Final = 256
_IDLE: Final = 8
"""A block that so many batches have not touched gives its place to another one."""
_LOW: Final = BLOCK - 1
_NOWHERE: Final = -1
"""Where a block is that has no counters, and whose counters are that are free."""

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Block:
    """The bits of one lane, from message number << BLOCK_BITS on."""

    number: int
    lane: int
    bits: Bits


class BlockBits:
    """Marks messages, in any order, and says which of them were marked before.

    Blocks that rows go to are kept as counters, of which there are few; the others as bits.
    """

    def __init__(self) -> None:
        self._interner = Interner()
        self._bits: dict[int, Bits] = {}
        self._hot, self._owner, self._used = _places(0)
        self._place = np.full(64, _NOWHERE)
        self._clock = _IDLE  # places that were never used count as idle

    def add(self, uids: Ints, lanes: NDArray[Any]) -> Ints:
        """Mark at most 65,534 messages; the indices of those rows that were not the only one."""
        codes = uids & ~_LOW
        codes |= lanes
        return self._add(uids, self._interner(codes))

    def _add(self, uids: Ints, numbers: NDArray[np.int32]) -> Ints:
        touched = np.flatnonzero(np.bincount(numbers, minlength=len(self._interner)))
        if len(touched) > _HOT:
            half = np.zeros(len(self._interner), np.bool_)
            half[touched[: len(touched) // 2]] = True
            chosen = half[numbers]
            parts = np.flatnonzero(chosen), np.flatnonzero(~chosen)
            return np.concatenate([part[self._add(uids[part], numbers[part])] for part in parts])
        self._heat(touched)
        at = self._place.take(numbers)
        at <<= BLOCK_BITS
        at |= uids & _LOW
        flat = self._hot.ravel()
        np.add.at(flat, at, np.uint16(1))
        again = np.flatnonzero(flat.take(at) > 1)
        flat[at[again]] = 1
        return again

    def add_run(self, first: int, count_marks: Mask, lane: int) -> bool:
        """Mark messages of a run of consecutive numbers; whether one of them was marked before."""
        again = False
        begin = first & _LOW
        size = -(-(begin + len(count_marks)) // BLOCK)
        room = np.zeros(size * BLOCK, np.bool_)
        room[begin : begin + len(count_marks)] = count_marks
        packed = np.packbits(room, bitorder="little").reshape(size, BLOCK_BYTES)
        codes = ((first >> BLOCK_BITS) + np.arange(size, dtype=np.int64)) << BLOCK_BITS | lane
        numbers = self._interner(codes)
        self._place = grown(self._place, len(self._interner), _NOWHERE)
        for number, bits in zip(numbers.tolist(), packed, strict=True):
            if (row := int(self._place[number])) != _NOWHERE:
                self._cool(row)
            known = self._bits.get(number)
            if known is not None:
                again = again or bool((known & bits).any())
                bits = known | bits
            self._bits[number] = bits
        return again

    def blocks(self) -> Iterator[Block]:
        """All blocks with a mark, by number and lane."""
        for row in range(len(self._owner)):
            self._cool(row)
        codes = self._interner.codes
        for number in np.argsort(codes).tolist():
            bits = self._bits[number]
            if bits.any():
                code = int(codes[number])
                yield Block(code >> BLOCK_BITS, code & _LOW, bits)

    def _heat(self, touched: Ints) -> None:
        """Have counters for these blocks."""
        self._clock += 1
        self._place = grown(self._place, len(self._interner), _NOWHERE)
        cold = self._place[touched] == _NOWHERE
        self._used[self._place[touched[~cold]]] = self._clock
        new = touched[cold].tolist()
        for number, row in zip(new, self._free(len(new)).tolist(), strict=True):
            self._cool(row)
            self._owner[row], self._place[number], self._used[row] = number, row, self._clock
            bits = self._bits.pop(number, None)
            self._hot[row] = 0 if bits is None else np.unpackbits(bits, bitorder="little")

    def _free(self, many: int) -> Ints:
        """Places for new blocks: those that were not used for longest, or never."""
        have = len(self._owner)
        if have < _HOT and np.count_nonzero(self._used < self._clock - _IDLE) < many:
            hot, owner, used = _places(min(_HOT, max(16, have * 2 + many)) - have)
            self._hot = np.concatenate([self._hot, hot])
            self._owner = np.concatenate([self._owner, owner])
            self._used = np.concatenate([self._used, used])
        return np.argsort(self._used, kind="stable")[:many]

    def _cool(self, row: int) -> None:
        """Turn the counters at a place, if a block has them, into bits."""
        number = int(self._owner[row])
        if number != _NOWHERE:
            self._bits[number] = np.packbits(self._hot[row] != 0, bitorder="little")
            self._owner[row] = self._place[number] = _NOWHERE


def _places(many: int) -> tuple[NDArray[np.uint16], Ints, Ints]:
    """Counters that are free: a row for each place, the block that has it, when it was used."""
    return np.zeros((many, BLOCK), np.uint16), np.full(many, _NOWHERE), np.zeros(many, np.int64)


def positions(block: int, bits: Bits) -> Ints:
    """The messages whose bits are set."""
    rows = np.flatnonzero(np.unpackbits(bits, bitorder="little")).astype(np.int64)
    rows += block << BLOCK_BITS
    return rows


def count_marks(bits: Bits) -> int:
    """How many bits are set."""
    return int(np.bitwise_count(bits.view(np.uint64)).sum(dtype=np.int64))
