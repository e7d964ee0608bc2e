"""StreamMessage."""

from __future__ import annotations

from typing import cast

from jmsapi.conversions import (
    BODY_READS,
    T,
    read_as,
    typed_boolean,
    typed_bytes,
    typed_char,
    typed_floating,
    typed_integral,
    typed_item,
    typed_string,
)
from jmsapi.errors import MessageFormatException
from jmsapi.messages import Body, StreamMessage
from jmsapi.values import Byte, Char, Double, Float, Int, Long, Short, Value
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind, decode_item, encode_item
from pulsar_jms.messages.message import PulsarMessage


@implements("API-STREAM-001..020")
class PulsarStreamMessage(PulsarMessage, StreamMessage):
    """Typed items, written in order, then read in order after reset().

    A read that fails leaves the position where it was.
    """

    KIND = MessageKind.STREAM

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()
        self._body = b""
        self._at = 0
        self._array: bytes | None = None
        """What read_bytes has still to give of the current byte array; None outside one."""

    def reset(self) -> None:
        self._body = bytes(self._written)
        self.body_read_only = True
        self._at = 0
        self._array = None

    def clear_body(self) -> None:
        super().clear_body()
        self._written = bytearray()
        self._body = b""
        self._at = 0
        self._array = None

    # -- reading -------------------------------------------------------------------------------

    def _next(self) -> tuple[Value | None, int]:
        self.require_readable_body()
        if self._array is not None:
            raise MessageFormatException(
                f"the byte array before item at byte {self._at} is not read to its end yet"
            )
        return decode_item(self._body, self._at)

    @implements("JMS-BODY-008..032", "JMS-BODY-034")
    def _read(self, kind: type[T]) -> T:
        """The next item as `kind` by JMS's table of conversions; a failed read moves nothing."""
        item, end = self._next()
        value = read_as(item, kind, BODY_READS, f"stream item at byte {self._at}")
        self._at = end
        return cast(T, value)

    def read_boolean(self) -> bool:
        return self._read(bool)

    def read_byte(self) -> Byte:
        return self._read(Byte)

    def read_short(self) -> Short:
        return self._read(Short)

    def read_char(self) -> Char:
        return self._read(Char)

    def read_int(self) -> Int:
        return self._read(Int)

    def read_long(self) -> Long:
        return self._read(Long)

    def read_float(self) -> Float:
        return self._read(Float)

    def read_double(self) -> Double:
        return self._read(Double)

    def read_string(self) -> str | None:
        return self._read(str)

    def read_bytes(self, length: int) -> bytes | None:
        if self._array is None:
            item, end = self._next()
            array = read_as(item, bytes, BODY_READS, f"stream item at byte {self._at}")
            self._at = end
            if array is None:
                return None
        else:
            array = self._array
            if not array:
                self._array = None
                return None
        part = array[:length]
        # As in Java less than asked for is the end of the array; a full part may not be.
        self._array = array[length:] if len(part) == length else None
        return part

    def read_object(self) -> Value | None:
        item, self._at = self._next()
        return item

    # -- writing -------------------------------------------------------------------------------

    def _add(self, value: Value | None) -> None:
        self.require_writable_body()
        self._written += encode_item(value)

    def write_boolean(self, value: bool) -> None:
        self._add(typed_boolean(value))

    def write_byte(self, value: int) -> None:
        self._add(typed_integral(value, Byte))

    def write_short(self, value: int) -> None:
        self._add(typed_integral(value, Short))

    def write_char(self, value: str) -> None:
        self._add(typed_char(value))

    def write_int(self, value: int) -> None:
        self._add(typed_integral(value, Int))

    def write_long(self, value: int) -> None:
        self._add(typed_integral(value, Long))

    def write_float(self, value: float) -> None:
        self._add(typed_floating(value, Float))

    def write_double(self, value: float) -> None:
        self._add(typed_floating(value, Double))

    def write_string(self, value: str | None) -> None:
        self._add(typed_string(value))

    def write_bytes(self, value: bytes | None) -> None:
        self._add(typed_bytes(value))

    def write_object(self, value: object) -> None:
        self._add(typed_item(value))

    # -- the whole body ------------------------------------------------------------------------

    def encoded_body(self) -> bytes | None:
        return bytes(self._written)

    def load_body(self, payload: bytes | None) -> None:
        self._body = payload or b""
        self._written = bytearray(self._body)

    def get_body(self, kind: type[Body]) -> Body | None:
        raise MessageFormatException("the body of a StreamMessage cannot be given as one value")

    def is_body_assignable_to(self, kind: type) -> bool:
        return False
