"""Java's primitives in bytes: big-endian, and one pattern for every NaN."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from typing import Any

from jmsapi.values import Byte, Char, Double, Float, Int, Long, Short

_FLOAT, _DOUBLE = struct.Struct(">f"), struct.Struct(">d")
_FLOAT_NAN, _DOUBLE_NAN = bytes.fromhex("7fc00000"), bytes.fromhex("7ff8000000000000")


def float_bytes(value: float) -> bytes:
    """The four bytes of a single; NaN as 7FC00000, whatever its payload."""
    return _FLOAT_NAN if math.isnan(value) else _FLOAT.pack(value)


def double_bytes(value: float) -> bytes:
    """The eight bytes of a double; NaN as 7FF8000000000000, whatever its payload."""
    return _DOUBLE_NAN if math.isnan(value) else _DOUBLE.pack(value)


def _signed_number(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


WRITE: Mapping[type, Callable[[Any], bytes]] = {
    bool: lambda value: b"\x01" if value else b"\x00",
    Byte: struct.Struct(">b").pack,
    Short: struct.Struct(">h").pack,
    Char: lambda value: ord(value).to_bytes(2, "big"),
    Int: struct.Struct(">i").pack,
    Long: struct.Struct(">q").pack,
    Float: float_bytes,
    Double: double_bytes,
}
"""The bytes of a value, by type."""

SIZE: Mapping[type, int] = {
    bool: 1,
    Byte: 1,
    Short: 2,
    Char: 2,
    Int: 4,
    Long: 8,
    Float: 4,
    Double: 8,
}
"""How many bytes a value of the type takes."""

READ: Mapping[type, Callable[[bytes], Any]] = {
    bool: lambda data: data != b"\x00",
    Byte: lambda data: Byte(_signed_number(data)),
    Short: lambda data: Short(_signed_number(data)),
    Char: lambda data: Char(chr(int.from_bytes(data, "big"))),
    Int: lambda data: Int(_signed_number(data)),
    Long: lambda data: Long(_signed_number(data)),
    Float: lambda data: Float(_FLOAT.unpack(data)[0]),
    Double: lambda data: Double(_DOUBLE.unpack(data)[0]),
}
"""The value of exactly `SIZE` bytes, by type."""
