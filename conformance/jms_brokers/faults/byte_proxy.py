"""A proxy that knows no protocol: faults of TCP itself, for any broker, TLS included."""

from __future__ import annotations

from jms_brokers.faults.link import Codec
from jms_brokers.faults.relay import Relay
from jms_brokers.faults.rules import (
    Action,
    Answer,
    Direction,
    FaultError,
    Frame,
)

BYTES = "BYTES"
"""The only type of frame that a byte proxy sees: what one read brought."""
HINT = "use the frame proxy of the protocol"


class ByteCodec(Codec):
    """Every read is a frame."""

    def __init__(self, connection: int) -> None:
        self._connection = connection

    def split(self, direction: Direction, data: bytes) -> list[bytes]:
        """`data` as it is."""
        return [data]

    def describe(self, direction: Direction, raw: bytes) -> Frame:
        """A frame that has nothing but a size."""
        return Frame(direction, BYTES, self._connection, len(raw))

    def answer(self, frame: Frame, answer: Answer) -> bytes:
        """There is no language to answer in."""
        raise FaultError("a byte proxy cannot answer", hint=HINT)


class ByteProxy(Relay):
    """A TCP proxy in front of `host`:`port`: cut, delay, rate, stall, half-open, down and up."""

    def codec(self, connection: int) -> ByteCodec:
        """Bytes as they come."""
        return ByteCodec(connection)

    def check(self, types: tuple[str, ...], action: Action) -> None:
        """Any rule for what a read brings but `Answer`."""
        if isinstance(action, Answer) or set(types) - {BYTES}:
            raise FaultError(
                f"{action} on {types or 'all'}: a byte proxy knows {BYTES} only and cannot answer",
                hint=HINT,
            )
