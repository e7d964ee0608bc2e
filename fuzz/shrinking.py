"""The shortest input that still does the same."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic


def shrink(data: bytes, still: Callable[[bytes], bool], seconds: float = 20.0) -> bytes:
    """`data` without what can be left out, and with zeros where any byte will do.

    Pieces of half its length are tried first, then of half of that; what is left after `seconds`
    is given as it is.
    """
    until = monotonic() + seconds
    size = max(len(data) // 2, 1)
    while size:
        at = 0
        while at < len(data) and monotonic() < until:
            shorter = data[:at] + data[at + size :]
            if still(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    for at in range(len(data)):
        plainer = data[:at] + b"0" + data[at + 1 :]
        if monotonic() < until and plainer != data and still(plainer):
            data = plainer
    return data
