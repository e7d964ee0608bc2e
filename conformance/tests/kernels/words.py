"""Whole numbers of 64 bits, drawn and as arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

WORDS = st.integers(-(1 << 63), (1 << 63) - 1)
FEW = st.integers(-3, 3) | WORDS


def ints(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """They, as a column."""
    return np.array(values, np.int64)
