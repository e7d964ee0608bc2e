"""Values of AMQP 1.0 (part 1, types) out of bytes; nothing here does I/O.

What comes from a peer is held to limits: how deep values lie in each other, and that there are not
many more of them than bytes.
"""

from __future__ import annotations

import struct
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from jms_brokers.amqp.values import (
    AmqpError,
    Array,
    Byte,
    Char,
    Decimal,
    Described,
    Float,
    Int,
    Long,
    Short,
    Symbol,
    Timestamp,
    UByte,
    UInt,
    ULong,
    UShort,
    Value,
)

_DEEPEST = 64
"""Values nested deeper than this are no protocol, but an attempt to exhaust the stack."""
_MOST_WEIGHTLESS = 0x1000
"""Values of arrays that take no byte of their own, such as null and true, in all of a payload."""

_FIXED: Mapping[int, tuple[struct.Struct, type]] = {
    0x50: (struct.Struct(">B"), UByte),
    0x51: (struct.Struct(">b"), Byte),
    0x52: (struct.Struct(">B"), UInt),
    0x53: (struct.Struct(">B"), ULong),
    0x54: (struct.Struct(">b"), Int),
    0x55: (struct.Struct(">b"), Long),
    0x60: (struct.Struct(">H"), UShort),
    0x61: (struct.Struct(">h"), Short),
    0x70: (struct.Struct(">I"), UInt),
    0x71: (struct.Struct(">i"), Int),
    0x72: (struct.Struct(">f"), Float),
    0x80: (struct.Struct(">Q"), ULong),
    0x81: (struct.Struct(">q"), Long),
    0x82: (struct.Struct(">d"), float),
    0x83: (struct.Struct(">q"), Timestamp),
}
_EMPTY: Mapping[int, Value] = {0x40: None, 0x41: True, 0x42: False, 0x43: UInt(0), 0x44: ULong(0)}
_EMPTY_LIST = 0x45
_RAW_SIZES: Mapping[int, int] = {0x74: 4, 0x84: 8, 0x94: 16}
_SIZED = frozenset((0xA0, 0xA1, 0xA3, 0xB0, 0xB1, 0xB3, 0xC0, 0xC1, 0xD0, 0xD1, 0xE0, 0xF0))
"""Codes that a size follows: binaries, texts, symbols, lists, maps, arrays."""
_ONE, _FOUR = struct.Struct(">B"), struct.Struct(">I")


def decode(data: bytes, offset: int = 0) -> tuple[Value, int]:
    """The value that begins at `offset`, and where it ends; `AmqpError` for anything else."""
    reader = _Reader(data, offset)
    return reader.value(), reader.at


def decode_all(data: bytes) -> Iterator[Value]:
    """The values of which `data` consists; `AmqpError` for anything else."""
    reader = _Reader(data)
    while reader.at < len(data):
        yield reader.value()


class _Reader:
    """Reads values one behind the other; what it makes of bytes is not much larger than they are.

    Containers are not copied before they are read: `_end` is where the innermost of them ends.
    """

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data, self.at, self._end = data, at, len(data)
        self._depth = 0
        self._weightless = _MOST_WEIGHTLESS

    def value(self) -> Value:
        """The next value."""
        if code := self._take(1)[0]:
            return self._of(code)
        with self._deeper():
            descriptor = self._descriptor()
            return Described(descriptor, self.value())

    def _descriptor(self) -> ULong | Symbol:
        descriptor = self.value()
        if isinstance(descriptor, ULong | Symbol):
            return descriptor
        raise AmqpError(f"a {type(descriptor).__name__} as descriptor: ulong or symbol is allowed")

    def _of(self, code: int) -> Value:
        """The next value, whose type is known already."""
        if code in _EMPTY:
            return _EMPTY[code]
        if code == _EMPTY_LIST:
            return []
        if code in _FIXED:
            layout, kind = _FIXED[code]
            return kind(*layout.unpack(self._take(layout.size)))
        if code == 0x56:
            return self._take(1) != b"\0"
        if code == 0x73:
            return _char(self._number(_FOUR))
        if code in _RAW_SIZES:
            return Decimal(self._take(_RAW_SIZES[code]))
        if code == 0x98:
            return uuid.UUID(bytes=self._take(16))
        return self._sized(code)

    def _sized(self, code: int) -> Value:
        if code not in _SIZED:
            raise AmqpError(f"no type has the code 0x{code:02x}")
        width = _ONE if code >> 4 in (0xA, 0xC, 0xE) else _FOUR
        size = self._number(width)
        match code:
            case 0xA0 | 0xB0:
                return self._take(size)
            case 0xA1 | 0xB1:
                return _text(self._take(size), "utf-8")
            case 0xA3 | 0xB3:
                return Symbol(_text(self._take(size), "ascii"))
        outer, self._end = self._end, self._reach(size)
        with self._deeper():
            items = self._array(width) if code in (0xE0, 0xF0) else self._list(width)
        if self.at != self._end:
            raise AmqpError(f"{self._end - self.at} bytes behind the last of {len(items)} values")
        self._end = outer
        return _as_map(items) if code in (0xC1, 0xD1) else items

    def _list(self, width: struct.Struct) -> list[Value]:
        return [self.value() for _ in range(self._count(width))]

    def _array(self, width: struct.Struct) -> Array:
        count = self._number(width)
        code = self._take(1)[0]
        descriptor = None if code else self._descriptor()
        code = code or self._take(1)[0]
        if code in _EMPTY or code == _EMPTY_LIST:
            self._weightless -= count
            if self._weightless < 0:
                raise AmqpError(f"an array of {count} values without a byte")
        else:
            self._check_count(count)
        items = (self._of(code) for _ in range(count))
        if descriptor is None:
            return Array(items)
        return Array(Described(descriptor, item) for item in items)

    def _count(self, width: struct.Struct) -> int:
        count = self._number(width)
        self._check_count(count)
        return count

    def _check_count(self, count: int) -> None:
        if count > self._end - self.at:
            raise AmqpError(f"{count} values in {self._end - self.at} bytes")

    def _number(self, layout: struct.Struct) -> int:
        return int(layout.unpack(self._take(layout.size))[0])

    def _take(self, size: int) -> bytes:
        start, self.at = self.at, self._reach(size)
        return self._data[start : self.at]

    def _reach(self, size: int) -> int:
        """Where the next `size` bytes end."""
        end = self.at + size
        if end > self._end:
            raise AmqpError(f"{size} bytes announced, {self._end - self.at} there")
        return end

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        if self._depth == _DEEPEST:
            raise AmqpError(f"values nested deeper than {_DEEPEST}")
        self._depth += 1
        yield
        self._depth -= 1


def _char(code: int) -> Char:
    if code > sys.maxunicode:
        raise AmqpError(f"no character has the code {code}")
    return Char(chr(code))


def _text(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise AmqpError(f"a text that is no {encoding}: {error}") from error


def _as_map(items: list[Value]) -> dict[Value, Value]:
    if len(items) % 2:
        raise AmqpError("a map with a key and no value")
    try:
        return dict(zip(items[::2], items[1::2], strict=True))
    except TypeError as error:
        raise AmqpError(f"a map with a key that is a list or a map: {error}") from error
