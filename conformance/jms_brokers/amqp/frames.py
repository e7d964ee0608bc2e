"""Frames of AMQP 1.0 (part 2, transport, 2.3): cut out of a stream, read and written; no I/O.

A frame is its size in four bytes, the offset of its body in words, its type (0 AMQP, 1 SASL), a
channel, and the body: a performative, and behind a transfer the payload. A connection begins with a
header of eight bytes, `AMQP` and a protocol id; it counts as a frame here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from jms_brokers.amqp.composites import Composite, compose, plain
from jms_brokers.amqp.decoding import decode
from jms_brokers.amqp.values import AmqpError, encode

HEADER = b"AMQP\x00\x01\x00\x00"
SASL_HEADER = b"AMQP\x03\x01\x00\x00"
MAX_FRAME_SIZE = 64 * 1024 * 1024
"""Bytes; more than any peer agrees to. A larger size means that the peer speaks something else."""
_HEAD = struct.Struct(">IBBH")


@dataclass(frozen=True)
class AmqpFrame:
    """A frame: its channel, its performative (None: an empty frame, or a header), its payload."""

    channel: int = 0
    performative: Composite | None = None
    payload: bytes = b""
    sasl: bool = False
    header: int | None = None
    """The protocol id of a header: 0 AMQP, 2 TLS, 3 SASL."""


class Splitter:
    """Cuts one direction of a connection into frames, however the bytes arrive."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that `data` completes, whole; `AmqpError` for nonsense."""
        self._rest += data
        frames = []
        while len(self._rest) >= _HEAD.size:
            if self._rest[:4] == b"AMQP":
                size = _HEAD.size
            else:
                size, *_ = _HEAD.unpack_from(self._rest)
            if not _HEAD.size <= size <= MAX_FRAME_SIZE:
                raise AmqpError(f"a frame of {size} bytes: the peer does not speak AMQP 1.0")
            if len(self._rest) < size:
                break
            frames.append(bytes(self._rest[:size]))
            del self._rest[:size]
        return frames


def read(raw: bytes) -> AmqpFrame:
    """The frame in `raw`; `AmqpError` where it is none."""
    if len(raw) < _HEAD.size:
        raise AmqpError(f"a frame of {len(raw)} bytes")
    if raw[:4] == b"AMQP":
        return AmqpFrame(header=raw[4])
    size, words, kind, channel = _HEAD.unpack_from(raw)
    body = words * 4
    if size != len(raw) or not _HEAD.size <= body <= size or kind > 1:
        raise AmqpError(f"size {size}, offset {words}, type {kind} in a frame of {len(raw)} bytes")
    if body == size:
        return AmqpFrame(channel, sasl=kind == 1)
    value, end = decode(raw, body)
    performative = compose(value)
    if not isinstance(performative, Composite):
        raise AmqpError(f"no performative: {type(value).__name__}")
    return AmqpFrame(channel, performative, raw[end:], kind == 1)


def write(frame: AmqpFrame) -> bytes:
    """The bytes of `frame`."""
    if frame.header is not None:
        return b"AMQP" + bytes([frame.header, 1, 0, 0])
    body = b"" if frame.performative is None else encode(plain(frame.performative))
    size = _HEAD.size + len(body) + len(frame.payload)
    return _HEAD.pack(size, 2, int(frame.sasl), frame.channel) + body + frame.payload
