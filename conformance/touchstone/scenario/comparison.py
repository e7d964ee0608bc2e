"""What is said of a comparison in an assertion: nothing of one that held, little of a large one.

Since passed assertions are counted, pytest explains comparisons that held as well; and in CI it
compares both sides line by line, which takes minutes for a thousand lines that all differ.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any
from unittest.mock import patch

from touchstone.scenario.pytest_internals import assertion, saferepr, saferepr_unlimited

_ORDERS: dict[str, Callable[[Any, Any], object]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
}
_LARGE = 4_000
"""Characters of both sides together that pytest may compare line by line."""
_SIDE = 160
_MISSING = object()


@contextmanager
def explaining(note: Callable[[str, object, object], None]) -> Iterator[None]:
    """Explain comparisons by `explained` while the context lasts; `note` is told each of them.

    pytest's hook for explanations cannot do it: an answer of ours would not stop pytest's own.
    """
    theirs = assertion._reprcompare

    def ours(sign: str, left: object, right: object) -> str | None:
        note(sign, left, right)
        lines = explained(sign, left, right)
        if lines is None:
            return theirs(sign, left, right) if theirs is not None else None
        return "\n~".join(line.replace("\n", "\\n") for line in lines).replace("%", "%%")

    with patch.object(assertion, "_reprcompare", ours):
        yield


def explained(sign: str, left: object, right: object) -> list[str] | None:
    """Lines instead of pytest's own explanation; None leaves that to pytest."""
    if _holds(sign, left, right):
        return ["it held"]
    if len(saferepr_unlimited(left)) + len(saferepr_unlimited(right)) <= _LARGE:
        return None
    lines = [f"{saferepr(left, _SIDE)} {sign} {saferepr(right, _SIDE)}"]
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        pairs = enumerate(zip_longest(left, right, fillvalue=_MISSING))
        lines += [
            f"At index {index}: {_item(item)} {sign} {_item(counterpart)}"
            for index, (item, counterpart) in pairs
            if item is _MISSING or counterpart is _MISSING or item != counterpart
        ][:1]
    return lines


def _holds(sign: str, left: object, right: object) -> bool:
    try:
        if sign in _ORDERS:
            return bool(_ORDERS[sign](left, right))
        if isinstance(right, Container):
            return (left in right) is (sign == "in")
    except Exception:  # what cannot be compared again is left to pytest
        return False
    return False


def _item(value: object) -> str:
    return "nothing" if value is _MISSING else saferepr(value, _SIDE)
