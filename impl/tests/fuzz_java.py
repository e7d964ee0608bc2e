"""Java's object streams and modified UTF-8: what is read can be written, and is the same again."""

from __future__ import annotations

from fuzz.mutations import structure
from fuzz.targets import Target
from jmsapi import MessageEOFException, MessageFormatException
from pulsar_jms.mapping import modified_utf8
from pulsar_jms.mapping.java_serialization import (
    OpaqueObject,
    read_map,
    read_object,
    write_map,
    write_object,
)

_PROMISES = (MessageFormatException, MessageEOFException)


def _object(data: bytes) -> None:
    value = read_object(data)
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
