"""Typed reads of map and stream bodies, and what becomes of them.

The kinds of values go by their Java names, in the order of the specification's table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from jms_scenarios.refusals import outcome
from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    Long,
    MapMessage,
    Short,
    StreamMessage,
)
from touchstone.api import strategies

KINDS: Mapping[str, type] = {
    "boolean": bool,
    "byte": Byte,
    "short": Short,
    "char": Char,
    "int": Int,
    "long": Long,
    "float": Float,
    "double": Double,
    "String": str,
    "byte[]": bytes,
}
KEY = "k"
_LONGER = 16
"""Bytes of an array that is longer than any in these messages, so one read takes all of it."""


def suffix(kind: str) -> str:
    """How the methods for a kind end here."""
    return {"String": "string", "byte[]": "bytes"}.get(kind, kind)


def put(message: MapMessage, key: str, kind: str, value: Any) -> None:
    """Set an item of a map by the method of its kind."""
    getattr(message, f"set_{suffix(kind)}")(key, value)


def write(message: StreamMessage, kind: str, value: Any) -> None:
    """Append an item to a stream by the method of its kind."""
    getattr(message, f"write_{suffix(kind)}")(value)


def get(message: MapMessage, key: str, kind: str) -> Any:
    """An item of a map, as a kind."""
    return getattr(message, f"get_{suffix(kind)}")(key)


def next_item(message: StreamMessage, kind: str) -> Any:
    """The next item of a stream, as a kind."""
    if kind == "byte[]":
        return message.read_bytes(_LONGER)
    return getattr(message, f"read_{suffix(kind)}")()


def first_item(message: StreamMessage, kind: str) -> Any:
    """The first item of a stream, as a kind."""
    message.reset()
    return next_item(message, kind)


def readers(entries: MapMessage, stream: StreamMessage) -> Mapping[str, Callable[[str], Any]]:
    """For both bodies: what reads their only item as a kind."""
    return {"map": partial(get, entries, KEY), "stream": partial(first_item, stream)}


def differences(
    read: Mapping[str, Callable[[str], Any]], expected: Mapping[str, object]
) -> list[str]:
    """Where reads as the kinds of `expected` do not end as they have to, in words."""
    wrong = []
    for body, as_kind in read.items():
        for kind, wanted in expected.items():
            seen = outcome(partial(as_kind, kind))
            if seen is not wanted and not strategies.identical(seen, wanted):
                wrong.append(f"{body} as {kind}: {_shown(seen)}, not {_shown(wanted)}")
    return wrong


def _shown(value: object) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)
