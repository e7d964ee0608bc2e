"""Avro's binary encoding, read by the schema that it was written with, into typed values.

A record and a map become a dict, an array a list, an enum the name of its symbol, fixed bytes. An
int is an `Int` and a long a `Long`, as Java reads them; logical types are left as what they are
stored as. Source: Apache Avro 1.11 specification, "Schema Declaration" and "Binary Encoding".
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from jmsapi.errors import MessageFormatException
from jmsapi.values import Double, Float, Int, Long
from pulsar_jms.formats.limits import DEFAULT_BODY_LIMITS, BodyLimits

_MAX_VARINT = 10
"""Bytes; 64 bits need no more."""


class _Input:
    """The bytes of one value, and how far they are read."""

    def __init__(self, data: bytes, limits: BodyLimits) -> None:
        self._data = data
        self._at = 0
        self._limits = limits
        self._elements = 0
        self.depth = 0
        """How many records, arrays and maps are being read."""

    def take(self, size: int) -> bytes:
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise MessageFormatException(
                f"{size} bytes are expected at byte {self._at} of {len(self._data)}"
            )
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def long(self) -> int:
        """A variable-length number, zigzag."""
        number = 0
        for shift in range(0, 7 * _MAX_VARINT, 7):
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (number >> 1) ^ -(number & 1)
        raise MessageFormatException(f"a number of more than {_MAX_VARINT} bytes")

    def count(self) -> int:
        """How many items the next block of an array or a map has; 0 ends it."""
        count = self.long()
        if count < 0:
            count = -count
            self.long()
        if count > len(self._data) - self._at:
            raise MessageFormatException(f"{count} items where fewer bytes are left")
        self.holds(count)
        return count

    def holds(self, elements: int) -> None:
        """Count elements of the record, array or map that is being read."""
        self._elements += elements
        if elements:
            self._limits.check(self.depth, self._elements)


_Read = Callable[[_Input], object]


def _boolean(source: _Input) -> bool:
    byte = source.take(1)[0]
    if byte > 1:
        raise MessageFormatException(f"byte {byte:02X} is no boolean")
    return byte == 1


def _bytes(source: _Input) -> bytes:
    return source.take(source.long())


def _string(source: _Input) -> str:
    data = _bytes(source)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise MessageFormatException(f"a string is no UTF-8: {error.reason}") from error


_PRIMITIVES: Mapping[str, _Read] = {
    "null": lambda source: None,
    "boolean": _boolean,
    "int": lambda source: Int(source.long()),
    "long": lambda source: Long(source.long()),
    "float": lambda source: Float(struct.unpack("<f", source.take(4))[0]),
    "double": lambda source: Double(struct.unpack("<d", source.take(8))[0]),
    "bytes": _bytes,
    "string": _string,
}


class AvroReader(Protocol):
    """Reads the values of one schema."""

    def __call__(self, data: bytes, limits: BodyLimits = DEFAULT_BODY_LIMITS) -> object: ...


_NO_SCHEMA = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


@lru_cache(maxsize=256)
def avro_reader(definition: str) -> AvroReader:
    """What reads values of the schema in `definition`, which is JSON.

    `MessageFormatException` for a schema that is none; the reader raises it, and nothing else, for
    bytes that do not follow the schema or exceed the limits. Bytes behind the value are ignored.
    """
    try:
        read = _Schema().reader(json.loads(definition), "")
    except _NO_SCHEMA as error:
        raise MessageFormatException(f"the AVRO schema cannot be understood: {error!r}") from error

    def reader(data: bytes, limits: BodyLimits = DEFAULT_BODY_LIMITS) -> object:
        try:
            return read(_Input(data, limits))
        except MessageFormatException as error:
            raise MessageFormatException(
                f"the bytes do not follow the AVRO schema: {error.reason}"
            ) from error
        except RecursionError as error:
            raise MessageFormatException("the AVRO value nests too many levels") from error

    return reader


class _Schema:
    """Turns a schema into functions that read; keeps its named types, which may be recursive."""

    def __init__(self) -> None:
        self._named: dict[str, _Read] = {}

    def reader(self, schema: Any, space: str) -> _Read:
        if isinstance(schema, list):
            return _union([self.reader(branch, space) for branch in schema])
        if isinstance(schema, str):
            return _PRIMITIVES.get(schema) or self._reference(schema, space)
        kind = schema["type"]
        if kind in ("record", "error"):
            return self._record(schema, space)
        if kind == "enum":
            return self._name(schema, space, _enum(list(map(str, schema["symbols"]))))
        if kind == "fixed":
            size = int(schema["size"])
            return self._name(schema, space, lambda source: source.take(size))
        if kind == "array":
            return _array(self.reader(schema["items"], space))
        if kind == "map":
            return _map(self.reader(schema["values"], space))
        return self.reader(kind, space)

    def _record(self, schema: Any, space: str) -> _Read:
        fields: list[tuple[str, _Read]] = []

        def record(source: _Input) -> dict[str, object]:
            source.depth += 1
            source.holds(len(fields))
            values = {name: read(source) for name, read in fields}
            source.depth -= 1
            return values

        self._name(schema, space, record)
        inner = _full_name(schema, space).rpartition(".")[0]
        fields += [(str(f["name"]), self.reader(f["type"], inner)) for f in schema["fields"]]
        return record

    def _name(self, schema: Any, space: str, read: _Read) -> _Read:
        self._named[_full_name(schema, space)] = read
        return read

    def _reference(self, name: str, space: str) -> _Read:
        full = name if "." in name or not space else f"{space}.{name}"
        if full not in self._named and name not in self._named:
            raise KeyError(name)
        return self._named.get(full) or self._named[name]


def _full_name(schema: Any, space: str) -> str:
    name = str(schema["name"])
    space = schema.get("namespace", space)
    return name if "." in name or not space else f"{space}.{name}"


def _union(branches: list[_Read]) -> _Read:
    def union(source: _Input) -> object:
        branch = source.long()
        if not 0 <= branch < len(branches):
            raise MessageFormatException(f"branch {branch} of a union of {len(branches)}")
        return branches[branch](source)

    return union


def _enum(symbols: list[str]) -> _Read:
    def enum(source: _Input) -> str:
        number = source.long()
        if not 0 <= number < len(symbols):
            raise MessageFormatException(f"symbol {number} of an enum of {len(symbols)}")
        return symbols[number]

    return enum


def _array(item: _Read) -> _Read:
    def array(source: _Input) -> list[object]:
        items: list[object] = []
        source.depth += 1
        while count := source.count():
            items.extend(item(source) for _ in range(count))
        source.depth -= 1
        return items

    return array


def _map(value: _Read) -> _Read:
    def map_(source: _Input) -> dict[str, object]:
        entries: dict[str, object] = {}
        source.depth += 1
        while count := source.count():
            entries.update((_string(source), value(source)) for _ in range(count))
        source.depth -= 1
        return entries

    return map_
