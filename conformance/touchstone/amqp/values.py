"""The type system of AMQP 1.0 (part 1, types): values to bytes and back; nothing here does I/O.

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

_DEEPEST = 64
"""Values nested deeper than this are no protocol, but an attempt to exhaust the stack."""


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


@dataclass(frozen=True)
class Decimal:
    """decimal32, decimal64 or decimal128, as its 4, 8 or 16 bytes."""

    raw: bytes


@dataclass(frozen=True)
class Described:
    """A value with a descriptor, mostly a ulong, that says what it means."""

    descriptor: Value
    value: Value


class Array(list[Value]):
    """array: values of one type."""


_FIXED: Mapping[int, tuple[str, type]] = {
    0x50: (">B", UByte),
    0x51: (">b", Byte),
    0x52: (">B", UInt),
    0x53: (">B", ULong),
    0x54: (">b", Int),
    0x55: (">b", Long),
    0x60: (">H", UShort),
    0x61: (">h", Short),
    0x70: (">I", UInt),
    0x71: (">i", Int),
    0x72: (">f", Float),
    0x80: (">Q", ULong),
    0x81: (">q", Long),
    0x82: (">d", float),
    0x83: (">q", Timestamp),
}
_EMPTY: Mapping[int, Value] = {0x40: None, 0x41: True, 0x42: False, 0x43: UInt(0), 0x44: ULong(0)}
_RAW_SIZES: Mapping[int, int] = {0x74: 4, 0x84: 8, 0x94: 16}
_SIZED = frozenset((0xA0, 0xA1, 0xA3, 0xB0, 0xB1, 0xB3, 0xC0, 0xC1, 0xD0, 0xD1, 0xE0, 0xF0))
"""Codes that a size follows: binaries, texts, symbols, lists, maps, arrays."""
_ONE, _FOUR = struct.Struct(">B"), struct.Struct(">I")


def decode(data: bytes, offset: int = 0) -> tuple[Value, int]:
    """The value that begins at `offset`, and where it ends; `AmqpError` for anything else."""
    try:
        return _decode(data, offset, 0)
    except (IndexError, struct.error, ValueError, TypeError, OverflowError) as error:
        raise AmqpError(f"a value that ends too early or is malformed: {error}") from error


def _decode(data: bytes, offset: int, depth: int) -> tuple[Value, int]:
    code = data[offset]
    if code:
        return _decode_as(code, data, offset + 1, depth)
    _check(depth)
    descriptor, offset = _decode(data, offset + 1, depth + 1)
    value, offset = _decode(data, offset, depth + 1)
    return Described(descriptor, value), offset


def _decode_as(code: int, data: bytes, offset: int, depth: int) -> tuple[Value, int]:
    if code in _EMPTY:
        return _EMPTY[code], offset
    if code == 0x45:
        return [], offset
    if code in _FIXED:
        layout, kind = _FIXED[code]
        return kind(struct.unpack_from(layout, data, offset)[0]), offset + struct.calcsize(layout)
    if code == 0x56:
        return data[offset] != 0, offset + 1
    if code == 0x73:
        return Char(chr(_FOUR.unpack_from(data, offset)[0])), offset + 4
    if code in _RAW_SIZES:
        raw, end = _take(data, offset, _RAW_SIZES[code])
        return Decimal(raw), end
    if code == 0x98:
        raw, end = _take(data, offset, 16)
        return uuid.UUID(bytes=raw), end
    return _decode_sized(code, data, offset, depth)


def _decode_sized(code: int, data: bytes, offset: int, depth: int) -> tuple[Value, int]:
    if code not in _SIZED:
        raise AmqpError(f"no type has the code 0x{code:02x}")
    width = _ONE if code >> 4 in (0xA, 0xC, 0xE) else _FOUR
    size = width.unpack_from(data, offset)[0]
    content, end = _take(data, offset + width.size, size)
    match code:
        case 0xA0 | 0xB0:
            return content, end
        case 0xA1 | 0xB1:
            return content.decode(), end
        case 0xA3 | 0xB3:
            return Symbol(content.decode("ascii")), end
    _check(depth)
    if code in (0xC0, 0xD0, 0xC1, 0xD1):
        items = _items(content, width, depth)
        return (items if code in (0xC0, 0xD0) else _as_map(items)), end
    return _array(content, width, depth), end


def _items(content: bytes, width: struct.Struct, depth: int) -> list[Value]:
    count = width.unpack_from(content)[0]
    if count > len(content):
        raise AmqpError(f"{count} values in {len(content)} bytes")
    offset = width.size
    items = []
    for _ in range(count):
        item, offset = _decode(content, offset, depth + 1)
        items.append(item)
    if offset != len(content):
        raise AmqpError(f"{len(content) - offset} bytes behind the last of {count} values")
    return items


def _as_map(items: list[Value]) -> dict[Value, Value]:
    if len(items) % 2:
        raise AmqpError("a map with a key and no value")
    return dict(zip(items[::2], items[1::2], strict=True))


def _array(content: bytes, width: struct.Struct, depth: int) -> Array:
    count = width.unpack_from(content)[0]
    code, offset = content[width.size], width.size + 1
    descriptor: Value = None
    if described := code == 0:
        descriptor, offset = _decode(content, offset, depth + 1)
        code, offset = content[offset], offset + 1
    if count > len(content) and code not in (*_EMPTY, 0x45):
        raise AmqpError(f"{count} values in {len(content)} bytes")
    if count > 0xFFFF:
        raise AmqpError(f"an array of {count} values")
    items = Array()
    for _ in range(count):
        item, offset = _decode_as(code, content, offset, depth + 1)
        items.append(Described(descriptor, item) if described else item)
    return items


def _take(data: bytes, offset: int, size: int) -> tuple[bytes, int]:
    end = offset + size
    if end > len(data):
        raise AmqpError(f"{size} bytes announced, {len(data) - offset} there")
    return bytes(data[offset:end]), end


def _check(depth: int) -> None:
    if depth > _DEEPEST:
        raise AmqpError(f"values nested deeper than {_DEEPEST}")


def encode(value: Value) -> bytes:
    """The bytes of `value`, as few as possible; `AmqpError` for what AMQP has no type for."""
    code, content = _encoded(value)
    return code + content


def _encoded(value: Value) -> tuple[bytes, bytes]:
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
            return _sized(0xA3, value.encode("ascii"))
        case str():
            return _sized(0xA1, value.encode())
        case bytes() | bytearray():
            return _sized(0xA0, bytes(value))
        case uuid.UUID():
            return b"\x98", value.bytes
        case Decimal():
            return {4: b"\x74", 8: b"\x84", 16: b"\x94"}[len(value.raw)], value.raw
        case Array():
            return _encoded_array(value)
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


def _sized(code: int, content: bytes) -> tuple[bytes, bytes]:
    if len(content) < 256:
        return bytes([code]), _ONE.pack(len(content)) + content
    return bytes([code + 0x10]), _FOUR.pack(len(content)) + content


def _compound(code: int, items: list[bytes]) -> tuple[bytes, bytes]:
    content = b"".join(items)
    if len(content) < 255 and len(items) < 256:
        return bytes([code]), _ONE.pack(len(content) + 1) + _ONE.pack(len(items)) + content
    sizes = _FOUR.pack(len(content) + 4) + _FOUR.pack(len(items))
    return bytes([code + 0x10]), sizes + content


def _encoded_array(value: Array) -> tuple[bytes, bytes]:
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
