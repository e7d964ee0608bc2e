"""Typed values as texts that are equal when value and type are, whichever client they came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from jmsapi import Byte, Char, Double, Float, Int, Long, Short

LIMIT = 300
"""Characters of a value that are shown; a longer one goes on with its length and checksum."""
_NUMBERS = (Byte, Short, Int, Long, Float, Double)


def shown(value: object) -> str:
    """`value` with its JMS type, in ASCII: `int 1`, `"text"`, `bytes 0908`, `[byte 1, null]`."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case Char():
            return f"char {_quoted(value)}"
        case str():
            return _cut(_quoted(value))
        case bytes() | bytearray():
            return _cut(f"bytes {value.hex()}")
        case Mapping():
            pairs = sorted((shown(key), shown(item)) for key, item in value.items())
            return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(shown, value)) + "]"
        case float():
            return f"{_kind(value)} {float(value)!r}"
        case int():
            return f"{_kind(value)} {int(value)}"
    return f"{type(value).__name__} {value}"


def _kind(value: object) -> str:
    return next(
        (kind.__name__.lower() for kind in _NUMBERS if isinstance(value, kind)),
        f"untyped {type(value).__name__}",
    )


def _quoted(text: str) -> str:
    return json.dumps(str(text))


def _cut(text: str) -> str:
    if len(text) <= LIMIT:
        return text
    checksum = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{text[:40]}… ({len(text)} characters in all, SHA-256 {checksum})"
