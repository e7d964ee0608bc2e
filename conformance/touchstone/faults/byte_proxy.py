"""A proxy that knows no protocol: faults of TCP itself, for any broker, TLS included."""

from __future__ import annotations

from touchstone.faults.relay import Relay
from touchstone.faults.rules import (
    Action,
    Answer,
    ArmedRule,
    Direction,
    FaultError,
    Frame,
    Predicate,
)

BYTES = "BYTES"
"""The only type of frame that a byte proxy sees: what one read brought."""
HINT = "use the frame proxy of the protocol"


class ByteCodec:
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

    def translate(self, frame: Frame, raw: bytes) -> bytes:
        """`raw` as it is."""
        return raw


class ByteProxy(Relay):
    """A TCP proxy in front of `host`:`port`: cut, delay, rate, stall, half-open, down and up."""

    def codec(self, connection: int) -> ByteCodec:
        """Bytes as they come."""
        return ByteCodec(connection)

    def on(
        self,
        *types: str,
        action: Action,
        direction: Direction | None = None,
        where: Predicate | None = None,
        times: int | None = None,
    ) -> ArmedRule:
        """A rule for what each read brings; `FaultError` for `Answer` and for unknown types."""
        if isinstance(action, Answer) or set(types) - {BYTES}:
            raise FaultError(
                f"{action} on {types or 'all'}: a byte proxy knows {BYTES} only and cannot answer",
                hint=HINT,
            )
        return super().on(*types, action=action, direction=direction, where=where, times=times)
