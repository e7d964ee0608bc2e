"""AMQP 1.0: values, messages and frames. What is read and can be written is the same again."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from struct import Struct
from typing import Any

from fuzz.mutations import structure
from fuzz.targets import Target
from jms_brokers.amqp import frames, messages
from jms_brokers.amqp.composites import compose, plain
from jms_brokers.amqp.decoding import decode_all
from jms_brokers.amqp.values import AmqpError, encode

_CODES = bytes.fromhex(
    "00404142434445505152535455566061707172737480818283849498"
    "a0a1a3b0b1b3c0c1d0d1e0f0a0a1c0c1d0d1e0f0e0f0"
)
"""The types, and those that hold others more than once."""
_DESCRIPTORS = tuple(range(0x10, 0x19)) + tuple(range(0x23, 0x35)) + tuple(range(0x70, 0x79))
_WIDE = Struct(">I")


def _values(data: bytes) -> None:
    for value in decode_all(data):
        known = compose(value)
        assert repr(compose(plain(known))) == repr(known)
        with suppress(AmqpError):  # arrays of numbers are read and never written
            assert [repr(each) for each in decode_all(encode(value))] == [repr(value)]


def _messages(data: bytes) -> None:
    message = messages.read(data)
    with suppress(AmqpError):
        again = messages.read(messages.write(message))
        assert repr((again.value, again.data)) == repr((message.value, message.data))


def _frames(data: bytes) -> None:
    with suppress(AmqpError):
        frames.read(data)
    splitter = frames.Splitter()
    half = len(data) // 2
    raws = splitter.feed(data[:half]) + splitter.feed(data[half:])
    assert b"".join(raws) == data[: sum(map(len, raws))]
    for raw in raws:
        frame = frames.read(raw)
        with suppress(AmqpError):
            again = frames.read(frames.write(frame))
            assert repr(again.performative) == repr(frame.performative)


def _mutated(data: bytes, random: Random) -> bytes:
    """Another type at some place, or a part of it as a value of a container, whose sizes fit."""
    if not data or random.random() < 0.4:
        return structure(data, random)
    start = random.randrange(len(data))
    end = min(len(data), start + random.choice((0, 1, 2, 4, 8, 16, 64, len(data))))
    part = data[start:end]
    match random.randrange(4):
        case 0:
            return data[:start] + _code(random) + data[start + 1 :]
        case 1:
            part = _held(part, random)
        case 2:
            part = b"\0\x53" + bytes((random.choice(_DESCRIPTORS),)) + (part or _code(random))
        case _:
            part = _held((part or _code(random)) * random.choice((1, 2, 255, 1_000)), random)
    return data[:start] + part + data[end:]


def _code(random: Random) -> bytes:
    return bytes((random.choice(_CODES),))


def _held(content: bytes, random: Random) -> bytes:
    """A container of this content, with a number of values that may be true."""
    count = random.choice((0, 1, 2, len(content), len(content) + 1, 255, 65_535, (1 << 32) - 1))
    if random.random() < 0.5 and len(content) < 255 and count < 256:
        return bytes((random.choice(b"\xc0\xc1\xe0"), len(content) + 1, count)) + content
    sizes = _WIDE.pack(len(content) + 4) + _WIDE.pack(count)
    return bytes((random.choice(b"\xd0\xd1\xf0"),)) + sizes + content


def _target(name: str, decode: Any) -> Target:
    return Target(name, "conformance", decode, (AmqpError,), _mutated, longest=4_096)


TARGETS = (
    _target("amqp-values", _values),
    _target("amqp-messages", _messages),
    _target("amqp-frames", _frames),
)
