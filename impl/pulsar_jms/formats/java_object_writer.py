"""Writing a Java object stream byte for byte as ObjectOutputStream does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jmsapi.conversions import typed_item
from jmsapi.errors import MessageFormatException
from jmsapi.values import Float, Int
from pulsar_jms.formats import java_primitives as primitives
from pulsar_jms.formats import modified_utf8
from pulsar_jms.formats.java_classes import (
    ARRAY,
    ARRAY_LIST,
    BLOCK,
    BOXED,
    BYTE_ARRAY,
    CLASS,
    CLASSES,
    END,
    FIRST_HANDLE,
    HASH_MAP,
    LONG_BLOCK,
    LONG_STRING,
    MAGIC,
    MAX_DEPTH,
    NULL,
    OBJECT,
    REFERENCE,
    STRING,
    JavaClass,
    JavaValue,
)

MAX_BYTES = 128 << 20
"""How long a written stream may get; far above what Pulsar carries."""
_BLOCK_SIZE = 1024
_LOAD_FACTOR = 0.75


class ObjectWriter:
    """Writes one object stream; blocks of primitive data and objects in any order."""

    def __init__(self, max_depth: int = MAX_DEPTH) -> None:
        self._max_depth = max_depth
        self._out = bytearray(MAGIC)
        self._descriptors: dict[str, int] = {}
        self._handles = 0

    def stream(self) -> bytes:
        """All that was written."""
        return bytes(self._out)

    def block(self, data: bytes) -> None:
        """Write primitive data, in records of at most 1024 bytes as Java's buffer makes them."""
        for start in range(0, len(data), _BLOCK_SIZE):
            record = data[start : start + _BLOCK_SIZE]
            if len(record) < 0x100:
                self._out += bytes((BLOCK, len(record)))
            else:
                self._out.append(LONG_BLOCK)
                self._out += len(record).to_bytes(4, "big")
            self._out += record

    def value(self, value: JavaValue, depth: int = 0) -> None:
        """Write one object; `MessageFormatException` where Java has no class for it here."""
        if depth > self._max_depth or len(self._out) > MAX_BYTES:
            raise MessageFormatException(
                f"the object nests more than {self._max_depth} levels, contains itself or is too "
                "large"
            )
        if value is None:
            self._out.append(NULL)
        elif type(value) is str:
            self._string(value)
        elif type(value) in BOXED:
            self._object(BOXED[type(value)])
            self._out += primitives.WRITE[type(value)](value)
        elif isinstance(value, (bytes, bytearray, memoryview)):
            self._out.append(ARRAY)
            self._descriptor(BYTE_ARRAY)
            self._handles += 1
            self._out += len(value).to_bytes(4, "big")
            self._out += value
        elif isinstance(value, Mapping):
            self._map(value, depth)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            self._list(value, depth)
        else:
            self.value(typed_item(value), depth)

    def _string(self, text: str) -> None:
        encoded = modified_utf8.encode(text)
        self._handles += 1
        if len(encoded) <= modified_utf8.MAX_LENGTH:
            self._out.append(STRING)
            self._out += len(encoded).to_bytes(2, "big")
        else:
            self._out.append(LONG_STRING)
            self._out += len(encoded).to_bytes(8, "big")
        self._out += encoded

    def _object(self, java: JavaClass) -> None:
        self._out.append(OBJECT)
        self._descriptor(java)
        self._handles += 1

    def _descriptor(self, java: JavaClass) -> None:
        handle = self._descriptors.get(java.name)
        if handle is not None:
            self._out.append(REFERENCE)
            self._out += (FIRST_HANDLE + handle).to_bytes(4, "big")
            return
        self._descriptors[java.name] = self._handles
        self._handles += 1
        self._out.append(CLASS)
        self._out += modified_utf8.encode_with_length(java.name, "a class name")
        self._out += java.uid.to_bytes(8, "big")
        self._out.append(java.flags)
        self._out += len(java.fields).to_bytes(2, "big")
        for letter, name in java.fields:
            self._out += letter.encode()
            self._out += modified_utf8.encode_with_length(name, "a field name")
        self._out.append(END)
        if java.parent is None:
            self._out.append(NULL)
        else:
            self._descriptor(CLASSES[java.parent])

    def _list(self, items: Sequence[JavaValue], depth: int) -> None:
        self._object(ARRAY_LIST)
        size = len(items).to_bytes(4, "big")
        self._out += size
        self.block(size)
        for item in items:
            self.value(item, depth + 1)
        self._out.append(END)

    def _map(self, entries: Mapping[JavaValue, JavaValue], depth: int) -> None:
        self._object(HASH_MAP)
        capacity = 16
        while entries and len(entries) > capacity * _LOAD_FACTOR:
            capacity *= 2
        threshold = int(capacity * _LOAD_FACTOR) if entries else 0
        self._out += primitives.WRITE[Float](_LOAD_FACTOR)
        self._out += primitives.WRITE[Int](threshold)
        self.block(capacity.to_bytes(4, "big") + len(entries).to_bytes(4, "big"))
        for key, value in entries.items():
            self.value(key, depth + 1)
            self.value(value, depth + 1)
        self._out.append(END)
