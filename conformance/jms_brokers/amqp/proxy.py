"""A proxy that reads AMQP 1.0, for rules per frame: lose a transfer, hold a disposition.

The type of a frame is the name of its performative, as in "transfer"; "header" for the eight bytes
that begin a connection, "empty" for a heart-beat. Fields have AMQP's own names, such as
`delivery-id`; those of no performative are

* `channel`: the client's number of the session, in either direction;
* `control`, of a transfer to a coordinator of transactions: "declare", "commit" or "rollback";
* `answers`, of a disposition by the broker: what it answers, a set of "message" and these.
"""

from __future__ import annotations

from collections import deque
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from jms_brokers.amqp import frames, messages
from jms_brokers.amqp.composites import TYPES, Composite
from jms_brokers.amqp.frames import Splitter
from jms_brokers.amqp.values import AmqpError
from jms_brokers.faults.link import Codec
from jms_brokers.faults.relay import Relay
from jms_brokers.faults.rules import (
    REMEMBERED_BYTES,
    Action,
    Answer,
    Direction,
    FaultError,
    Frame,
)

HEADER, EMPTY, MESSAGE = "header", "empty", "message"
_OWN_TYPES = (HEADER, EMPTY)
_PERFORMATIVES = tuple(
    name
    for name, kind in TYPES.items()
    if 0x10 <= kind.number <= 0x18 or 0x40 <= kind.number <= 0x44
)
_PLAIN_PORT = 5672
_LONGEST_CONTROL = 200
"""Bytes; a message to a coordinator is far shorter."""
_REMEMBERED_CONTROLS = 1000


class AmqpCodec(Codec):
    """One connection of AMQP 1.0."""

    def __init__(self, connection: int) -> None:
        self._connection = connection
        self._splitters = {direction: Splitter() for direction in Direction}
        self._controls: deque[tuple[tuple[int, int], str]] = deque(maxlen=_REMEMBERED_CONTROLS)
        """Channel and delivery id of transfers to a coordinator, and what they ask for."""
        self._channels: dict[int, int] = {}
        """The client's channel for each channel of the broker."""

    def split(self, direction: Direction, data: bytes) -> list[bytes]:
        """The frames that `data` completes."""
        return self._splitters[direction].feed(data)

    def describe(self, direction: Direction, raw: bytes) -> Frame:
        """The performative with its fields, and the beginning of the payload."""
        frame = frames.read(raw)
        if frame.performative is None:
            kind, fields = EMPTY if frame.header is None else HEADER, {}
            if frame.header is not None:
                fields = {"protocol": frame.header}
        else:
            kind = frame.performative.type
            channel = self._channel(direction, frame.channel, frame.performative)
            fields = {**frame.performative.fields, "channel": channel}
            fields |= self._more(direction, channel, frame.performative, frame.payload)
        return Frame(
            direction,
            kind,
            self._connection,
            len(raw),
            fields=MappingProxyType(fields),
            payload=frame.payload[:REMEMBERED_BYTES],
        )

    def answer(self, frame: Frame, answer: Answer) -> bytes:
        """Not offered: what refuses a frame depends on what both sides have open."""
        raise FaultError("the proxy of AMQP cannot answer", hint="drop the frame, or cut")

    def _channel(self, direction: Direction, channel: int, what: Composite) -> int:
        """The client's number of the session."""
        if direction is Direction.TO_BROKER:
            return channel
        if what.type == "begin":
            self._channels[channel] = what.get("remote-channel", channel)
        return self._channels.get(channel, channel)

    def _more(
        self, direction: Direction, channel: int, what: Composite, payload: bytes
    ) -> dict[str, Any]:
        """What only those know who remember earlier frames."""
        if direction is Direction.TO_CLIENT:
            if what.type == "disposition":
                return {"answers": self._answered(channel, what)}
        elif what.type == "transfer" and (control := _control(payload)):
            self._controls.append(((channel, what.get("delivery-id", -1)), control))
            return {"control": control}
        return {}

    def _answered(self, channel: int, disposition: Composite) -> frozenset[str]:
        first = disposition.get("first", 0)
        numbers = range(first, disposition.get("last", first) + 1)
        controls = [
            control
            for (where, number), control in self._controls
            if where == channel and number in numbers
        ]
        return frozenset(controls) | ({MESSAGE} if len(controls) < len(numbers) else set())


class AmqpProxy(Relay):
    """A proxy in front of an AMQP 1.0 broker: all faults of the byte proxy, and rules per frame."""

    def codec(self, connection: int) -> AmqpCodec:
        """AMQP 1.0."""
        return AmqpCodec(connection)

    def check(self, types: tuple[str, ...], action: Action) -> None:
        """Rules are for frames of `types`, as in "transfer", with any action but `Answer`."""
        if isinstance(action, Answer):
            raise FaultError(f"{action}: the proxy of AMQP cannot answer", hint="drop, or cut")
        unknown = set(types).difference(_PERFORMATIVES, _OWN_TYPES)
        if unknown:
            raise FaultError(
                f"no frame of AMQP is of type {', '.join(sorted(unknown))}",
                hint=f"there are {', '.join((*_PERFORMATIVES, *_OWN_TYPES))}",
            )


def host_and_port(service_url: str) -> tuple[str, int]:
    """Host and port of a service URL without TLS; `FaultError` for any other URL."""
    parts = urlsplit(service_url)
    if parts.scheme != "amqp" or not parts.hostname:
        raise FaultError(
            f"the frame proxy cannot stand in front of {service_url}",
            hint="it needs amqp://HOST:PORT; for TLS use the byte proxy",
        )
    return parts.hostname, parts.port or _PLAIN_PORT


def _control(payload: bytes) -> str | None:
    """What a transfer asks of a coordinator of transactions; None for every other payload."""
    if len(payload) > _LONGEST_CONTROL:
        return None
    try:
        control = messages.read(payload).control
    except AmqpError:  # a part of a longer message
        return None
    if control is None or control.type == "declare":
        return None if control is None else "declare"
    return "rollback" if control.get("fail") else "commit"
