"""Random bits that are a function of a number: any part of a history can be made again alone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]

_GOLDEN: Final = 0x9E3779B97F4A7C15
_MASK: Final = (1 << 64) - 1


def mix(numbers: NDArray[Any], salt: int) -> Bits:
    """64 bits for each number by splitmix64, which gives different bits to different numbers."""
    bits = numbers.astype(np.uint64)
    bits += np.uint64(((salt + 1) * _GOLDEN) & _MASK)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    return bits


def field(bits: Bits, start: int, width: int) -> NDArray[np.int64]:
    """`width` of the bits from `start`, as numbers."""
    chosen = bits >> np.uint64(start)
    chosen &= np.uint64((1 << width) - 1)
    return chosen.view(np.int64)


def digest(numbers: NDArray[Any], salt: int) -> NDArray[np.int64]:
    """A digest for each number, never -1, which stands for none."""
    digests = mix(numbers, salt).view(np.int64)
    digests[digests == -1] = 0
    return digests
