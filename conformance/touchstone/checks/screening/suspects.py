"""Sets of messages that need a second look."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from touchstone.checks.columns import Ints
from touchstone.checks.screening.block_bits import BLOCK
from touchstone.history.values import BLOCK_BITS

_TIDY: Final = 1 << 20


class Uids:
    """Messages, gathered array by array."""

    def __init__(self) -> None:
        self._parts: list[Ints] = []
        self._size = 0
        self._tidied = 0

    def add(self, uids: Ints) -> None:
        """Some more, each once or often."""
        self._parts.append(uids)
        self._size += len(uids)
        if self._size > 2 * self._tidied + _TIDY:
            self._parts = [self.distinct()]
            self._size = self._tidied = len(self._parts[0])

    def distinct(self) -> Ints:
        """All of them once, ascending."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *self._parts]))


class Membership:
    """Tells which rows of a table are of some messages: a bit for each message of their blocks."""

    def __init__(self, uids: Ints) -> None:
        self._blocks = np.unique(uids >> BLOCK_BITS)
        numbers = np.searchsorted(self._blocks, uids >> BLOCK_BITS)
        self._bits = np.zeros((len(self._blocks), BLOCK // 8), np.uint8)
        low = uids & (BLOCK - 1)
        np.bitwise_or.at(
            self._bits, (numbers, low >> 3), np.left_shift(1, low & 7).astype(np.uint8)
        )

    def rows(self, uids: NDArray[Any]) -> Ints:
        """The indices of those that are among them."""
        if not len(self._blocks):
            return np.zeros(0, np.int64)
        blocks = uids >> BLOCK_BITS
        at = self._place(blocks)
        low = uids & (BLOCK - 1)
        bits = self._bits.reshape(-1).take((at << (BLOCK_BITS - 3)) + (low >> 3))
        bits >>= (low & 7).astype(np.uint8)
        bits &= 1
        known = self._blocks.take(at) == blocks
        return np.flatnonzero(bits.astype(np.bool_) & known)

    def _place(self, blocks: Ints) -> Ints:
        at = np.searchsorted(self._blocks, blocks)
        at[at == len(self._blocks)] = 0
        return at
