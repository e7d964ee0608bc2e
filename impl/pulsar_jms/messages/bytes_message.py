"""BytesMessage."""

from __future__ import annotations

from typing import cast

from jmsapi.conversions import (
    typed_boolean,
    typed_bytes,
    typed_char,
    typed_floating,
    typed_integral,
    typed_item,
    typed_string,
)
from jmsapi.errors import (
    IndexOutOfBoundsException,
    MessageEOFException,
    MessageFormatException,
    NullPointerException,
)
from jmsapi.messages import Body, BytesMessage
from jmsapi.values import Byte, Char, Double, Float, Int, Long, Short
from pulsar_jms.formats import modified_utf8
from pulsar_jms.formats.java_primitives import READ, SIZE, WRITE
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.messages.message import PulsarMessage


@implements("API-BYTES-001..039")
class PulsarBytesMessage(PulsarMessage, BytesMessage):
    """Bytes, written in order, then read in order after reset()."""

    KIND = MessageKind.BYTES

    def __init__(self) -> None:
        super().__init__()
        self._body = bytearray()
        self._at = 0

    @property
    def body_length(self) -> int:
        self.require_readable_body()
        return len(self._body)

    def reset(self) -> None:
        self.body_read_only = True
        self._at = 0

    def clear_body(self) -> None:
        super().clear_body()
        self._body = bytearray()
        self._at = 0

    # -- reading -------------------------------------------------------------------------------

    @implements("JMS-BODY-034", "JMS-ERR-003")
    def _take(self, size: int) -> bytes:
        """The next bytes; `MessageEOFException` where fewer are left, which moves nothing."""
        self.require_readable_body()
        end = self._at + size
        if end > len(self._body):
            raise MessageEOFException(
                f"{size} bytes wanted at {self._at}, the body has {len(self._body)}"
            )
        taken = bytes(self._body[self._at : end])
        self._at = end
        return taken

    def read_boolean(self) -> bool:
        return cast(bool, READ[bool](self._take(SIZE[bool])))

    def read_byte(self) -> Byte:
        return cast(Byte, READ[Byte](self._take(SIZE[Byte])))

    def read_unsigned_byte(self) -> int:
        return self._take(1)[0]

    def read_short(self) -> Short:
        return cast(Short, READ[Short](self._take(SIZE[Short])))

    def read_unsigned_short(self) -> int:
        return int.from_bytes(self._take(2), "big")

    def read_char(self) -> Char:
        return cast(Char, READ[Char](self._take(SIZE[Char])))

    def read_int(self) -> Int:
        return cast(Int, READ[Int](self._take(SIZE[Int])))

    def read_long(self) -> Long:
        return cast(Long, READ[Long](self._take(SIZE[Long])))

    def read_float(self) -> Float:
        return cast(Float, READ[Float](self._take(SIZE[Float])))

    def read_double(self) -> Double:
        return cast(Double, READ[Double](self._take(SIZE[Double])))

    def read_utf(self) -> str:
        self.require_readable_body()
        rest = bytes(self._body[self._at : self._at + 2 + modified_utf8.MAX_LENGTH])
        text, end = modified_utf8.decode_with_length(rest, 0)
        self._at += end
        return text

    def read_bytes(self, length: int, room: int | None = None) -> bytes | None:
        self.require_readable_body()
        if length < 0 or (room is not None and length > room):
            raise IndexOutOfBoundsException(f"{length} bytes do not go into an array of {room}")
        taken = bytes(self._body[self._at : self._at + length])
        if not taken and length:
            return None
        self._at += len(taken)
        return taken

    # -- writing -------------------------------------------------------------------------------

    def _add(self, data: bytes) -> None:
        self.require_writable_body()
        self._body += data

    def write_boolean(self, value: bool) -> None:
        self._add(WRITE[bool](typed_boolean(value)))

    def write_byte(self, value: int) -> None:
        self._add(WRITE[Byte](typed_integral(value, Byte)))

    def write_short(self, value: int) -> None:
        self._add(WRITE[Short](typed_integral(value, Short)))

    def write_char(self, value: str) -> None:
        self._add(WRITE[Char](typed_char(value)))

    def write_int(self, value: int) -> None:
        self._add(WRITE[Int](typed_integral(value, Int)))

    def write_long(self, value: int) -> None:
        self._add(WRITE[Long](typed_integral(value, Long)))

    def write_float(self, value: float) -> None:
        self._add(WRITE[Float](typed_floating(value, Float)))

    def write_double(self, value: float) -> None:
        self._add(WRITE[Double](typed_floating(value, Double)))

    def write_utf(self, value: str) -> None:
        text = typed_string(value)
        if text is None:
            raise NullPointerException("null cannot be written into a bytes body")
        self._add(modified_utf8.encode_with_length(text, "a text in a bytes body"))

    def write_bytes(self, value: bytes) -> None:
        data = typed_bytes(value)
        if data is None:
            raise NullPointerException("null cannot be written into a bytes body")
        self._add(data)

    @implements("JMS-BODY-038")
    def write_object(self, value: object) -> None:
        """Write a value in the form of its type; `NullPointerException` for null."""
        if value is None:
            raise NullPointerException("null cannot be written into a bytes body")
        item = typed_item(value)
        if isinstance(item, bytes):
            self._add(item)
        elif type(item) is str:
            self.write_utf(item)
        else:
            self._add(WRITE[type(item)](item))

    # -- the whole body ------------------------------------------------------------------------

    def encoded_body(self) -> bytes | None:
        return bytes(self._body)

    def load_body(self, payload: bytes | None) -> None:
        self._body = bytearray(payload or b"")

    def body_value(self) -> bytes:
        return bytes(self._body)

    def get_body(self, kind: type[Body]) -> Body | None:
        """The bytes; as JMS says, the message is reset before and after."""
        if not self.is_body_assignable_to(kind):
            raise MessageFormatException(f"a bytes body cannot be given as {kind.__name__}")
        self.reset()
        return cast("Body | None", self.body_value())
