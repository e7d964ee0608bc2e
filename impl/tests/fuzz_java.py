"""Java's object streams and modified UTF-8: what is read can be written, and is the same again."""

from __future__ import annotations

from fuzz.mutations import structure
from fuzz.targets import Target
from jmsapi import MessageEOFException, MessageFormatException
from pulsar_jms.formats import modified_utf8
from pulsar_jms.formats.java_serialization import (
    OpaqueObject,
    read_map,
    read_object,
    write_map,
    write_object,
)

_PROMISES = (MessageFormatException, MessageEOFException)


_LIST = write_object([]).partition(b"\0\0\0\0w")[0]
"""What stands before the size of a list."""


def _object(data: bytes) -> None:
    value = read_object(data)
    assert not (data.startswith(_LIST) and data[len(_LIST)] & 0x80), "a size below zero"
    if not isinstance(value, OpaqueObject):
        assert repr(read_object(write_object(value))) == repr(value)


def _map(data: bytes) -> None:
    entries = read_map(data)
    assert repr(read_map(write_map(entries))) == repr(entries)


def _modified_utf8(data: bytes) -> None:
    text = modified_utf8.decode(data)
    assert modified_utf8.decode(modified_utf8.encode(text)) == text


TARGETS = (
    Target("java-objects", "impl", _object, _PROMISES, structure),
    Target("java-maps", "impl", _map, _PROMISES, structure),
    Target("java-texts", "impl", _modified_utf8, (MessageFormatException,), structure),
)
