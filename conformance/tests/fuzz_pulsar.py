"""Pulsar's frames and commands, as the fault proxy reads them, and protobuf without a schema."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from fuzz.mutations import structure
from fuzz.targets import Target
from jms_brokers.families.pulsar.protocol import frames as pulsar_frames
from jms_brokers.families.pulsar.protocol import protobuf
from jms_brokers.families.pulsar.protocol.frames import PulsarFrameError, Splitter
from jms_brokers.families.pulsar.protocol.protobuf import ProtobufError
from jms_brokers.families.pulsar.protocol.types import TYPES

_OTHER = "pulsar://127.0.0.1:6650"


def _frames(data: bytes) -> None:
    with suppress(PulsarFrameError):
        pulsar_frames.parts(data)
    splitter = Splitter()
    half = len(data) // 2
    frames = splitter.feed(data[:half]) + splitter.feed(data[half:])
    assert b"".join(frames) == data[: sum(map(len, frames))]
    for raw in frames:
        encoded, payload = pulsar_frames.parts(raw)
        _command(encoded)
        again = pulsar_frames.readdress(raw, pulsar_frames.decode(encoded), lambda url: _OTHER)
        assert pulsar_frames.parts(again)[1] == payload


def _command(data: bytes) -> None:
    command = pulsar_frames.decode(data)
    if command.type in TYPES:
        assert pulsar_frames.decode(pulsar_frames.encode(command)) == command


def _protobuf(data: bytes) -> None:
    read = list(protobuf.fields(data))
    assert b"".join(data[each.start : each.end] for each in read) == data


def _framed(data: bytes, random: Random) -> bytes:
    """A frame of another command, whose sizes are right more often than not."""
    if random.random() < 0.2:
        return structure(data, random)
    with suppress(PulsarFrameError):
        command, payload = pulsar_frames.parts(data)
        return pulsar_frames.frame(_retyped(command, random), payload)
    return structure(data, random)


def _retyped(command: bytes, random: Random) -> bytes:
    """Another type, or other content in one of its fields."""
    with suppress(ProtobufError, IndexError):  # no fields: nothing to choose from
        fields = list(protobuf.fields(command))
        field = random.choice(fields)
        if isinstance(field.value, bytes):
            return protobuf.replace_field(command, field.number, _retyped(field.value, random))
        number = random.choice((0, 1, 35, 99, 1 << 31, (1 << 64) - 1, random.getrandbits(6)))
        return protobuf.replace_field(command, field.number, number)
    return structure(command, random)


TARGETS = tuple(
    Target(name, "conformance", decode, (promise,), mutate, longest=4_096)
    for name, decode, promise, mutate in (
        ("pulsar-frames", _frames, PulsarFrameError, _framed),
        ("pulsar-commands", _command, PulsarFrameError, _retyped),
        ("pulsar-protobuf", _protobuf, ProtobufError, _retyped),
    )
)
