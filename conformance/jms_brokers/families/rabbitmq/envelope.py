"""The body of an AMQP message as RabbitMQ JMS writes it for its own destinations.

A Java object stream: class of the message, its id, header fields, properties, then the body by its
kind. Nothing of it is ever loaded: objects are skipped. Seen with RabbitMQ JMS 3.7.0 and 2.13.0.
"""

from __future__ import annotations

import struct
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

TEXT = "com.rabbitmq.jms.client.message.RMQTextMessage"
CONTENT_TYPE = "application/octet-stream"
_HEADER = b"\xac\xed\x00\x05"
_NULL, _REFERENCE, _CLASS, _OBJECT, _STRING = 0x70, 0x71, 0x72, 0x73, 0x74
_BLOCK, _END, _LONG_BLOCK = 0x77, 0x78, 0x7A
_SIZES: Mapping[str, int] = {"B": 1, "C": 2, "D": 8, "F": 4, "I": 4, "J": 8, "S": 2, "Z": 1}
_PRIMITIVES: Mapping[int, str] = {1: "?", 2: "b", 3: "h", 4: "i", 5: "q", 6: "f", 7: "d"}
_NOTHING, _TEXT_VALUE, _OBJECT_VALUE = 0xFF, 8, 0x7F


class EnvelopeError(ValueError):
    """The bytes are no message of RabbitMQ JMS, or not of the kind that was asked for."""


@dataclass(frozen=True)
class Envelope:
    """One message: its class, what is plain of its header fields and properties, and its body."""

    kind: str
    headers: Mapping[str, Any]
    properties: Mapping[str, Any]
    body: bytes

    @property
    def text(self) -> str | None:
        """The text of a text message; `EnvelopeError` for other kinds."""
        if self.kind != TEXT:
            raise EnvelopeError(f"{self.kind} is no text message")
        if self.body == b"\x01":
            return None
        content = self.body[5:]
        if self.body[:5] != b"\x00" + struct.pack(">i", len(content)):
            raise EnvelopeError(f"{self.body[:80]!r} is no text")
        return content.decode()


def text_envelope(text: str, priority: int = 4) -> bytes:
    """A persistent text message without properties, as the client's own producer writes it."""
    content = text.encode()
    number = str(uuid.uuid4())
    fields = {
        "delivery.mode": b"\x04" + struct.pack(">i", 2),
        "timestamp": b"\x05" + struct.pack(">q", round(time.time() * 1000)),
        "priority": b"\x04" + struct.pack(">i", priority),
        "expiration": b"\x05" + struct.pack(">q", 0),
        "id": b"\x08" + utf(f"ID:{number}"),
    }
    named = {f"rmq.jms.message.{name}": value for name, value in fields.items()}
    return write_message(
        TEXT, number, named, {}, b"\x00" + struct.pack(">i", len(content)) + content
    )


def write_message(
    kind: str,
    number: str,
    fields: Mapping[str, bytes],
    properties: Mapping[str, bytes],
    body: bytes,
) -> bytes:
    """A message of the class `kind`; values with the byte of their type before them."""
    head = utf(kind) + utf(number) + _entries(fields) + _entries(properties)
    return _HEADER + _blocks(head) + _blocks(body)


def parse(stream: bytes) -> Envelope:
    """The message in `stream`; `EnvelopeError` where it is none."""
    try:
        reader = _Reader(stream)
        kind, _ = reader.utf(), reader.utf()
        headers, properties = reader.entries(), reader.entries()
        return Envelope(kind, headers, properties, reader.rest())
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise EnvelopeError(f"{stream[:80]!r} is no message of RabbitMQ JMS") from error


def utf(text: str) -> bytes:
    """A text with its length, as DataOutput has it for all characters but NUL and rare ones."""
    content = text.encode()
    return struct.pack(">H", len(content)) + content


def _entries(values: Mapping[str, bytes]) -> bytes:
    pairs = (utf(name) + value for name, value in values.items())
    return struct.pack(">i", len(values)) + b"".join(pairs)


def _blocks(data: bytes, size: int = 255) -> bytes:
    pieces = (data[start : start + size] for start in range(0, len(data), size))
    return b"".join(bytes((_BLOCK, len(piece))) + piece for piece in pieces)


class _Reader:
    """Reads primitive data across blocks, and skips the objects between them."""

    def __init__(self, stream: bytes) -> None:
        if not stream.startswith(_HEADER):
            raise EnvelopeError(f"{stream[:80]!r} is no stream of Java objects")
        self._stream = stream
        self._at = len(_HEADER)
        self._left = 0
        self._classes: list[Callable[[], None] | None] = []
        """By handle: how an object of the class is skipped; None for what is no class."""

    # -- primitive data, in blocks

    def data(self, count: int) -> bytes:
        content = b""
        while len(content) < count:
            if not self._left:
                self._begin_block()
            taken = self._raw(min(self._left, count - len(content)))
            self._left -= len(taken)
            content += taken
        return content

    def rest(self) -> bytes:
        """The primitive data to the end, and what stands behind the objects as it is."""
        content = self.data(self._left)
        while self._at < len(self._stream) and self._stream[self._at] in (_BLOCK, _LONG_BLOCK):
            self._begin_block()
            content += self.data(self._left)
        return content + self._stream[self._at :]

    def utf(self) -> str:
        (length,) = struct.unpack(">H", self.data(2))
        return self.data(length).decode()

    def entries(self) -> dict[str, Any]:
        """The entries of a map, without those that are objects."""
        (count,) = struct.unpack(">i", self.data(4))
        values: dict[str, Any] = {}
        for _ in range(count):
            name, kind = self.utf(), self.data(1)[0]
            if kind in _PRIMITIVES:
                form = f">{_PRIMITIVES[kind]}"
                (values[name],) = struct.unpack(form, self.data(struct.calcsize(form)))
            elif kind == _TEXT_VALUE:
                values[name] = self.utf()
            elif kind == _OBJECT_VALUE:
                self._content()
            elif kind == _NOTHING:
                values[name] = None
            else:
                raise EnvelopeError(f"{name} is of the unknown kind {kind}")
        return values

    def _begin_block(self) -> None:
        (mark,) = self._raw(1)
        if mark not in (_BLOCK, _LONG_BLOCK):
            raise EnvelopeError(f"there is no primitive data where {mark:#x} is")
        self._left = int.from_bytes(self._raw(1 if mark == _BLOCK else 4), "big")

    # -- objects, skipped

    def _content(self) -> None:
        (mark,) = self._raw(1)
        if mark == _REFERENCE:
            self._raw(4)
        elif mark == _STRING:
            self._classes.append(None)
            self._raw(int.from_bytes(self._raw(2), "big"))
        elif mark == _OBJECT:
            skip = self._class()
            self._classes.append(None)
            skip()
        elif mark != _NULL:
            raise EnvelopeError(f"an object of the kind {mark:#x} is in a header field")

    def _class(self) -> Callable[[], None]:
        """How to skip the fields of an object of the class that comes here."""
        (mark,) = self._raw(1)
        if mark == _NULL:
            return lambda: None
        if mark == _REFERENCE:
            known = self._classes[int.from_bytes(self._raw(4), "big") - 0x7E0000]
            assert known is not None
            return known
        if mark != _CLASS:
            raise EnvelopeError(f"there is no class where {mark:#x} is")
        self._raw(int.from_bytes(self._raw(2), "big") + 8)  # its name and version
        handle = len(self._classes)
        self._classes.append(None)
        (flags,) = self._raw(1)
        fields = [self._field() for _ in range(int.from_bytes(self._raw(2), "big"))]
        while self._stream[self._at] != _END:
            self._content()
        self._raw(1)
        above = self._class()
        write = bool(flags & 1)  # by a method of its own, to be skipped up to a mark

        def skip() -> None:
            above()
            for size in fields:
                self._raw(size) if size else self._content()
            if write:
                self._annotations()

        self._classes[handle] = skip
        return skip

    def _field(self) -> int:
        """The size of a field, 0 for one that is an object."""
        kind = chr(self._raw(1)[0])
        self._raw(int.from_bytes(self._raw(2), "big"))
        if kind in _SIZES:
            return _SIZES[kind]
        self._content()  # the name of its class
        return 0

    def _annotations(self) -> None:
        while self._stream[self._at] != _END:
            if self._stream[self._at] in (_BLOCK, _LONG_BLOCK):
                self._begin_block()
                self.data(self._left)
            else:
                self._content()
        self._raw(1)

    def _raw(self, count: int) -> bytes:
        piece = self._stream[self._at : self._at + count]
        if len(piece) < count:
            raise EnvelopeError("the message ends too early")
        self._at += count
        return piece
