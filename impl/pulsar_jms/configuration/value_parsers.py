"""What the value of a configuration key may be.

A parser returns the value as it is kept. `ValueError` says what is wanted instead; a value that
asks for what is not built is `NotImplementedError`, with what that is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from pulsar_jms.implements import implements

Parser = Callable[[object], object]

INT = 2**31 - 1
"""The greatest int of Java."""
LONG = 2**63 - 1
"""The greatest long of Java."""


def text(value: object) -> str:
    """A text."""
    if isinstance(value, str):
        return value
    raise ValueError("a text")


@implements("SLJ-CFG-005")
def flag(value: object) -> bool:
    """True or false, also as a text."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise ValueError("true or false")


def whole(least: int, most: int = INT) -> Parser:
    """A whole number from `least` to `most`, or a text that is one."""

    def parse(value: object) -> int:
        number = _whole_number(value)
        if number < least:
            raise ValueError(f"a whole number of {least} or more")
        if number > most:
            raise ValueError(f"a whole number of {most} or less")
        return number

    return parse


def _whole_number(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and "_" not in value:
        try:
            return int(value)
        except ValueError:
            pass
    raise ValueError("a whole number")


count: Final = whole(0)
positive: Final = whole(1)
threads: Final = whole(1, 1000)
"""Each is started at once by the Java client."""
integer: Final = whole(-INT - 1)
milliseconds: Final = whole(0, LONG)
"""A time that is waited here, or some smaller unit of it."""


def factor(value: object) -> float:
    """A number of 1 or more."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ValueError("a number") from None
    if isinstance(value, bool) or not 1 <= number < math.inf:
        raise ValueError("a finite number of 1 or more")
    return number


def one_of(*allowed: str) -> Parser:
    """One of these texts, in any case of letters."""

    def parse(value: object) -> str:
        for choice in allowed:
            if isinstance(value, str) and value.lower() == choice.lower():
                return choice
        raise ValueError("one of " + ", ".join(allowed))

    return parse


def exactly(*allowed: str) -> Parser:
    """One of these texts, as they are spelled."""

    def parse(value: object) -> str:
        if isinstance(value, str) and value in allowed:
            return value
        raise ValueError("exactly one of " + ", ".join(allowed))

    return parse


def only(parse: Parser, default: object, feature: str) -> Parser:
    """A key whose default is accepted; any other value names a feature that is refused."""

    def check(value: object) -> object:
        parsed = parse(value)
        if parsed != default:
            raise NotImplementedError(feature)
        return parsed

    return check


def never(feature: str) -> Parser:
    """A key of which no value can be had; `feature` says what it asks for, and what to do."""

    def refuse(_value: object) -> object:
        raise NotImplementedError(feature)

    return refuse
