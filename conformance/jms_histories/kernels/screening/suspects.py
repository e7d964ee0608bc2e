"""Sets of messages that need a second look."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints
from jms_histories.kernels.arrays.segments import begins, numbers
from jms_histories.kernels.screening.block_bits import BLOCK, BLOCK_BYTES
from jms_histories.values import BLOCK_BITS

_TIDY: Final = 1 << 20
"""So many may be kept more than once."""


class Uids:
    """Messages, gathered array by array; memory grows with the distinct ones."""

    def __init__(self) -> None:
        self._parts: list[Ints] = []
        self._room = _TIDY

    def add(self, uids: Ints) -> None:
        """Some more, each once or often."""
        self._parts.append(uids)
        self._room -= len(uids)
        if self._room < 0:
            self._parts = [self.distinct()]
            self._room = max(len(self._parts[0]), _TIDY)

    def distinct(self) -> Ints:
        """All of them once, ascending."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *self._parts]))


class Membership:
    """Tells which rows of a table are of some messages: a bit for each message of their blocks."""

    def __init__(self, uids: Ints) -> None:
        uids = np.unique(uids)
        blocks = uids >> BLOCK_BITS
        first = begins(blocks)
        self._blocks = blocks[first]
        self._bits = np.zeros(len(self._blocks) * BLOCK_BYTES, np.uint8)
        at = numbers(first)
        at *= BLOCK_BYTES
        low = uids & (BLOCK - 1)
        at += low >> 3
        np.bitwise_or.at(self._bits, at, np.uint8(1) << (low & 7).astype(np.uint8))

    def __len__(self) -> int:
        """In how many blocks there are any."""
        return len(self._blocks)

    def rows(self, uids: NDArray[Any]) -> Ints:
        """The indices of those that are among them."""
        if not len(self._blocks):
            return np.zeros(0, np.int64)
        blocks = uids >> BLOCK_BITS
        at = self._place(blocks)
        low = uids & (BLOCK - 1)
        bits = self._bits.take(at * BLOCK_BYTES + (low >> 3))
        bits >>= (low & 7).astype(np.uint8)
        bits &= 1
        known = self._blocks.take(at) == blocks
        return np.flatnonzero(bits.astype(np.bool_) & known)

    def may_contain(self, least: int, largest: int) -> bool:
        """Whether one of their blocks has messages from least to largest."""
        at = int(np.searchsorted(self._blocks, least >> BLOCK_BITS))
        return at < len(self) and int(self._blocks[at]) <= largest >> BLOCK_BITS

    def _place(self, blocks: Ints) -> Ints:
        at = np.searchsorted(self._blocks, blocks)
        at[at == len(self._blocks)] = 0
        return at
