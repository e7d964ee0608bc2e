"""Reads and writes protobuf's wire format without a schema.

Source: protobuf documentation, "Encoding".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


class ProtobufError(ValueError):
    """Bytes that are no protobuf message, or a message without the field asked for."""


@dataclass(frozen=True)
class Field:
    """A field of a protobuf message and where it stands, its tag included."""

    number: int
    value: int | bytes
    """A number for varints and fixed widths, bytes for what has a length."""
    start: int
    end: int


def fields(message: bytes) -> Iterator[Field]:
    """The fields of a message in their order; `ProtobufError` when it is cut or no protobuf."""
    at = 0
    while at < len(message):
        start = at
        tag, at = _read_varint(message, at)
        value: int | bytes
        match tag & 7:
            case 0:
                value, at = _read_varint(message, at)
            case 2:
                size, at = _read_varint(message, at)
                value, at = message[at : at + size], at + size
            case 1 | 5 as width:
                size = 8 if width == 1 else 4
                value, at = int.from_bytes(message[at : at + size], "little"), at + size
            case width:
                raise ProtobufError(f"protobuf wire type {width} at byte {start}")
        if at > len(message):
            raise ProtobufError(f"protobuf field {tag >> 3} at byte {start} is cut short")
        yield Field(tag >> 3, value, start, at)


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            raise ProtobufError("a protobuf number is cut short")
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
    raise ProtobufError("a protobuf number has more than 64 bits")


def varint(value: int) -> bytes:
    """A number of 0 to 2**64 - 1 as protobuf writes it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def write_field(number: int, value: int | bytes) -> bytes:
    """A field as protobuf writes it: a varint, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def replace_field(message: bytes, number: int, value: int | bytes) -> bytes:
    """The message with `value` in field `number`; all other bytes stay as they are."""
    for each in fields(message):
        if each.number == number:
            return message[: each.start] + write_field(number, value) + message[each.end :]
    raise ProtobufError(f"no field {number} to replace")
