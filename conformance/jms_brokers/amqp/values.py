"""The type system of AMQP 1.0 (part 1, types), and its values as bytes; nothing here does I/O.

What Python cannot tell apart has a class of its own: `UInt(5)` and `Long(5)` are both 5, and each
is encoded as what it is. A plain int is a long, a plain float a double, a str a string.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Value = Any
"""None, bool, numbers, str, bytes, UUID, list, dict, and the classes below."""


class AmqpError(ValueError):
    """Bytes that are no AMQP 1.0, or a value that cannot be encoded."""


class _Ranged(int):
    """An integer of a certain width."""

    bits = 64
    signed = True

    def __new__(cls, value: int = 0) -> _Ranged:
        low = -(1 << cls.bits - 1) if cls.signed else 0
        high = (1 << cls.bits - 1) - 1 if cls.signed else (1 << cls.bits) - 1
        if not low <= value <= high:
            raise AmqpError(f"{value} is no {cls.__name__}: {low} to {high}")
        return super().__new__(cls, value)


class UByte(_Ranged):
    """ubyte."""

    bits, signed = 8, False


class UShort(_Ranged):
    """ushort."""

    bits, signed = 16, False


class UInt(_Ranged):
    """uint."""

    bits, signed = 32, False


class ULong(_Ranged):
    """ulong."""

    signed = False


class Byte(_Ranged):
    """byte."""

    bits = 8


class Short(_Ranged):
    """short."""

    bits = 16


class Int(_Ranged):
    """int."""

    bits = 32


class Long(_Ranged):
    """long; what a plain int is encoded as."""


class Timestamp(_Ranged):
    """timestamp: milliseconds since 1970."""


class Float(float):
    """float, with the precision of four bytes."""


class Char(str):
    """char: one character."""

    __slots__ = ()


class Symbol(str):
    """symbol: a name in ASCII."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Decimal:
    """decimal32, decimal64 or decimal128, as its 4, 8 or 16 bytes."""

    raw: bytes


@dataclass(frozen=True, slots=True)
class Described:
    """A value with a descriptor that says what it means."""

    descriptor: ULong | Symbol
    value: Value


class Array(list[Value]):
    """array: values of one type."""


_ONE, _FOUR = struct.Struct(">B"), struct.Struct(">I")


def encode(value: Value) -> bytes:
    """The bytes of `value`, as few as possible; `AmqpError` for what AMQP has no type for."""
    code, content = _encode(value)
    return code + content


def _encode(value: Value) -> tuple[bytes, bytes]:
    """The constructor of `value` and the bytes behind it."""
    match value:
        case None | True | False:
            return {None: b"\x40", True: b"\x41", False: b"\x42"}[value], b""
        case Described():
            return b"\x00" + encode(value.descriptor), encode(value.value)
        case int():
            return _integer(value)
        case Float():
            return b"\x72", struct.pack(">f", value)
        case float():
            return b"\x82", struct.pack(">d", value)
        case Char():
            return b"\x73", _FOUR.pack(ord(value))
        case Symbol():
            return _with_size(0xA3, value.encode("ascii"))
        case str():
            return _with_size(0xA1, value.encode())
        case bytes() | bytearray():
            return _with_size(0xA0, bytes(value))
        case uuid.UUID():
            return b"\x98", value.bytes
        case Decimal():
            return {4: b"\x74", 8: b"\x84", 16: b"\x94"}[len(value.raw)], value.raw
        case Array():
            return _encode_array(value)
        case list() | tuple():
            return _compound(0xC0, [encode(item) for item in value]) if value else (b"\x45", b"")
        case dict():
            return _compound(0xC1, [encode(each) for pair in value.items() for each in pair])
    raise AmqpError(f"AMQP has no type for {type(value).__name__}")


_SMALL: Mapping[type, tuple[int, str, int, str]] = {
    UInt: (0x52, ">B", 0x70, ">I"),
    ULong: (0x53, ">B", 0x80, ">Q"),
    Int: (0x54, ">b", 0x71, ">i"),
    Long: (0x55, ">b", 0x81, ">q"),
}
_WHOLE: Mapping[type, tuple[int, str]] = {
    UByte: (0x50, ">B"),
    Byte: (0x51, ">b"),
    UShort: (0x60, ">H"),
    Short: (0x61, ">h"),
    Timestamp: (0x83, ">q"),
}


def _integer(value: int) -> tuple[bytes, bytes]:
    kind = type(value) if isinstance(value, _Ranged) else Long
    if kind in _WHOLE:
        code, layout = _WHOLE[kind]
        return bytes([code]), struct.pack(layout, value)
    if kind in (UInt, ULong) and value == 0:
        return (b"\x43" if kind is UInt else b"\x44"), b""
    small, small_layout, large, large_layout = _SMALL[kind]
    for code, layout in ((small, small_layout), (large, large_layout)):
        try:
            return bytes([code]), struct.pack(layout, value)
        except struct.error:
            continue
    raise AmqpError(f"{value} is no {kind.__name__}")


def _with_size(code: int, content: bytes) -> tuple[bytes, bytes]:
    if len(content) < 256:
        return bytes([code]), _ONE.pack(len(content)) + content
    return bytes([code + 0x10]), _FOUR.pack(len(content)) + content


def _compound(code: int, items: list[bytes]) -> tuple[bytes, bytes]:
    content = b"".join(items)
    if len(content) < 255 and len(items) < 256:
        return bytes([code]), _ONE.pack(len(content) + 1) + _ONE.pack(len(items)) + content
    sizes = _FOUR.pack(len(content) + 4) + _FOUR.pack(len(items))
    return bytes([code + 0x10]), sizes + content


def _encode_array(value: Array) -> tuple[bytes, bytes]:
    """An array of texts or of symbols; no others are written."""
    kinds = {type(item) for item in value}
    if len(kinds) != 1 or not kinds <= {Symbol, str}:
        raise AmqpError("only arrays of texts or of symbols are written")
    code = 0xA3 if kinds == {Symbol} else 0xA1
    raws = [item.encode() for item in value]
    small = b"".join(_ONE.pack(len(raw)) + raw for raw in raws if len(raw) < 256)
    if all(len(raw) < 256 for raw in raws) and len(small) < 254 and len(raws) < 256:
        return b"\xe0", bytes([len(small) + 2, len(raws), code]) + small
    large = b"".join(_FOUR.pack(len(raw)) + raw for raw in raws)
    content = _FOUR.pack(len(raws)) + bytes([code + 0x10]) + large
    return b"\xf0", _FOUR.pack(len(content)) + content
