"""Pulsar's wire protocol, as far as fault rules need it: framing, commands, errors, addresses.

A frame is a 4-byte size of what follows, a 4-byte size of the command, the command (protobuf
`BaseCommand`), and for SEND and MESSAGE the metadata and payload, which stay opaque here. Numbers
are big-endian. In `BaseCommand` the number of a type is also the number of the field that holds
its command. Nothing here does I/O. Source: PulsarApi.proto and "Pulsar binary protocol
specification" of Pulsar 4.0.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from jms_brokers.families.pulsar.protocol import protobuf
from jms_brokers.families.pulsar.protocol.types import NAME_OF, TYPES, FieldKind, ServerError

MAX_FRAME_SIZE = 128 * 1024 * 1024
"""Bytes; far above any broker's limit. More means that the peer speaks something else."""
NO_REQUEST = 2**64 - 1
"""The request id -1, with which errors about a connection as a whole are sent."""


class PulsarFrameError(ValueError):
    """Bytes that are no Pulsar frame, or a frame that cannot be made."""


Value = int | str | tuple[tuple[int, int], ...]
"""A decoded field: a number, a text, or message ids."""


@dataclass(frozen=True)
class PulsarCommand:
    """A `BaseCommand`: its type and those fields that are present and listed in `TYPES`."""

    type: str
    fields: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def request_id(self) -> int | None:
        """What ties a request to its answer, where the type has it."""
        value = self.fields.get("request_id")
        return value if isinstance(value, int) else None


# -- framing


class Splitter:
    """Cuts one direction of a connection into frames, however the bytes arrive."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that `data` completes, sizes included; `PulsarFrameError` for nonsense."""
        self._rest += data
        frames = []
        start = 0
        while len(self._rest) - start >= 4:
            (size,) = struct.unpack_from(">I", self._rest, start)
            if not 4 < size <= MAX_FRAME_SIZE:
                raise PulsarFrameError(
                    f"a frame of {size} bytes is no Pulsar protocol (first bytes:"
                    f" {bytes(self._rest[start : start + 8]).hex()}): TLS needs the byte proxy"
                )
            end = start + 4 + size
            if len(self._rest) < end:
                break
            frames.append(bytes(self._rest[start:end]))
            start = end
        del self._rest[:start]
        return frames


def frame(command: bytes, payload: bytes = b"") -> bytes:
    """A frame on the wire."""
    return struct.pack(">II", 4 + len(command) + len(payload), len(command)) + command + payload


def parts(raw: bytes) -> tuple[bytes, bytes]:
    """The command and the payload part of a frame on the wire; `PulsarFrameError` if it is none."""
    if len(raw) < 8:
        raise PulsarFrameError(f"a frame of {len(raw)} bytes")
    total, size = struct.unpack_from(">II", raw)
    if total + 4 != len(raw) or size + 4 > total:
        raise PulsarFrameError(f"sizes {total} and {size} in a frame of {len(raw)} bytes")
    return raw[8 : 8 + size], raw[8 + size :]


# -- commands


def decode(command: bytes) -> PulsarCommand:
    """The command in a `BaseCommand`; types of newer brokers are named "TYPE_<number>".

    `PulsarFrameError` for what is none.
    """
    try:
        return _decode(command)
    except protobuf.ProtobufError as error:
        raise PulsarFrameError(f"no command: {error}") from error


def _decode(command: bytes) -> PulsarCommand:
    values: dict[int, int | bytes] = {each.number: each.value for each in protobuf.fields(command)}
    number = values.get(1)
    if not isinstance(number, int):
        raise PulsarFrameError("a command without a type")
    name = NAME_OF.get(number)
    body = values.get(number, b"")
    if name is None:
        return PulsarCommand(f"TYPE_{number}")
    if not isinstance(body, bytes):
        raise PulsarFrameError(f"{name}: a number where a message should be")
    return PulsarCommand(name, MappingProxyType(_decode_fields(name, body)))


def _decode_fields(name: str, body: bytes) -> dict[str, Value]:
    wanted = {
        number: (field_name, kind) for field_name, (number, kind) in TYPES[name].fields.items()
    }
    values: dict[str, Value] = {}
    ids: dict[str, list[tuple[int, int]]] = {}
    for each in protobuf.fields(body):
        if each.number not in wanted:
            continue
        field_name, kind = wanted[each.number]
        if kind is FieldKind.NUMBER and isinstance(each.value, int):
            values[field_name] = each.value
        elif kind is FieldKind.TEXT and isinstance(each.value, bytes):
            values[field_name] = each.value.decode(errors="replace")
        elif kind is FieldKind.MESSAGE_IDS and isinstance(each.value, bytes):
            ids.setdefault(field_name, []).append(_decode_message_id(each.value))
        else:
            raise PulsarFrameError(f"{name}.{field_name} is not of kind {kind.name}")
    return values | {field_name: tuple(those) for field_name, those in ids.items()}


def _decode_message_id(body: bytes) -> tuple[int, int]:
    values = {each.number: each.value for each in protobuf.fields(body)}
    ledger, entry = values.get(1), values.get(2)
    if not isinstance(ledger, int) or not isinstance(entry, int):
        raise PulsarFrameError("a message id without ledger or entry")
    return ledger, entry


def encode(command: PulsarCommand) -> bytes:
    """A `BaseCommand`; `PulsarFrameError` for a type, field or value that `TYPES` does not list."""
    kind = TYPES.get(command.type)
    if kind is None:
        raise PulsarFrameError(f"no command of type {command.type}")
    body = b""
    for name, value in command.fields.items():
        match kind.fields.get(name), value:
            case (number, FieldKind.NUMBER), int():
                body += protobuf.write_field(number, value)
            case (number, FieldKind.TEXT), str():
                body += protobuf.write_field(number, value.encode())
            case (number, FieldKind.MESSAGE_IDS), tuple():
                for ledger, entry in value:
                    message_id = protobuf.write_field(1, ledger) + protobuf.write_field(2, entry)
                    body += protobuf.write_field(number, message_id)
            case _:
                raise PulsarFrameError(f"{command.type}.{name} cannot hold {value!r}")
    return protobuf.write_field(1, kind.number) + protobuf.write_field(kind.number, body)


# -- errors

_OWN_ERRORS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "SEND": ("SEND_ERROR", ("producer_id", "sequence_id")),
        "SEND_RECEIPT": ("SEND_ERROR", ("producer_id", "sequence_id")),
        "ACK": ("ACK_RESPONSE", ("consumer_id", "request_id")),
        "ACK_RESPONSE": ("ACK_RESPONSE", ("consumer_id", "request_id")),
    }
)
_FAILED: Mapping[str, int] = MappingProxyType(
    {"LOOKUP_RESPONSE": 2, "PARTITIONED_METADATA_RESPONSE": 1}
)
"""The value of `response` that says so."""


def error_answer(command: PulsarCommand, error: ServerError, message: str) -> bytes:
    """The frame with which a broker refuses this request, or that replaces this answer.

    `PulsarFrameError` for commands that have no answer: FLOW, PING, an ACK without a request id.
    """
    if command.type in ("CONNECT", "CONNECTED"):
        return _error("ERROR", {"request_id": NO_REQUEST}, error, message)
    answer, keys = _OWN_ERRORS.get(command.type, ("ERROR", ("request_id",)))
    response = command.type.removesuffix("_REQUEST").removesuffix("_RESPONSE") + "_RESPONSE"
    if response in TYPES and _error_fields(response):
        answer = response
    missing = [key for key in keys if key not in command.fields]
    if missing:
        raise PulsarFrameError(
            f"{command.type} without {', '.join(missing)} cannot be answered with an error"
        )
    return _error(answer, {key: command.fields[key] for key in keys}, error, message)


def _error(answer: str, ids: Mapping[str, Value], error: ServerError, message: str) -> bytes:
    number, text = _error_fields(answer)
    failed = {"response": _FAILED[answer]} if answer in _FAILED else {}
    return frame(
        encode(PulsarCommand(answer, {**ids, **failed, number: error.value, text: message}))
    )


def _error_fields(answer: str) -> tuple[str, ...]:
    """The names of an answer's fields for the error and its message; none if it has none."""
    pairs = (("error", "message"), ("error_code", "error_message"))
    return next((pair for pair in pairs if pair[0] in TYPES[answer].fields), ())


# -- addresses

_ADDRESSES: Mapping[str, str] = MappingProxyType(
    {
        "LOOKUP_RESPONSE": "broker_service_url",
        "TOPIC_MIGRATED": "broker_service_url",
        "CLOSE_PRODUCER": "assigned_broker_service_url",
        "CLOSE_CONSUMER": "assigned_broker_service_url",
    }
)
"""The fields in which a broker sends a client to an address."""


def readdress(raw: bytes, command: PulsarCommand, address: Callable[[str], str]) -> bytes:
    """The frame with the broker's URL in it replaced by `address(URL)`; others as they are.

    A look-up answer that already says proxy_through_service_url keeps the client on the address it
    knows, and stays as it is.
    """
    name = _ADDRESSES.get(command.type)
    url = command.fields.get(name) if name else None
    if not isinstance(url, str) or name is None or not url:
        return raw
    if command.fields.get("proxy_through_service_url"):
        return raw
    kind = TYPES[command.type]
    outer, payload = parts(raw)
    try:
        body = protobuf.replace_field(
            _only_body(outer, kind.number), kind.fields[name][0], address(url).encode()
        )
        return frame(protobuf.replace_field(outer, kind.number, body), payload)
    except protobuf.ProtobufError as error:
        raise PulsarFrameError(f"{command.type}: {error}") from error


def _only_body(command: bytes, number: int) -> bytes:
    for each in protobuf.fields(command):
        if each.number == number and isinstance(each.value, bytes):
            return each.value
    raise PulsarFrameError(f"a command of type {number} without its body")
