"""Rows of a chunk by groups that agree in some keys: sorted once, looked at group by group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints, Mask
from jms_histories.kernels.arrays.segments import begins, order_by, packed

_ROW_BITS: Final = 16
_ROW: Final = (1 << _ROW_BITS) - 1
_WIDEST: Final = 1 << (63 - _ROW_BITS)


@dataclass(frozen=True)
class Groups:
    """The rows in the stable order of their groups; first: which of them, so ordered, begin one."""

    order: Ints
    first: Mask

    @classmethod
    def of(cls, *keys: NDArray[Any]) -> Groups:
        """Groups of at most 65,536 rows by whole numbers."""
        code = packed(*keys)
        if code is None or (code.dtype != np.uint16 and code.max(initial=0) >= _WIDEST):
            order = order_by(*keys)
            return cls(order, begins(*(key[order] for key in keys)))
        # a row's place below its code: one sort of words, the shorter the faster, is stable
        word = np.uint32 if code.dtype == np.uint16 else np.int64
        placed: NDArray[Any] = code.astype(word)
        placed <<= _ROW_BITS
        placed |= np.arange(len(placed), dtype=word)
        placed.sort()
        first = np.ones(len(placed), np.bool_)
        np.greater(placed[1:] ^ placed[:-1], _ROW, out=first[1:])
        placed &= _ROW
        return cls(placed.astype(np.int64, copy=False), first)

    @cached_property
    def heads(self) -> Ints:
        """Where in the order each group begins."""
        return np.flatnonzero(self.first)

    @property
    def rows(self) -> Ints:
        """The first row of each group."""
        return self.order[self.heads]
