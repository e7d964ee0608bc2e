"""The body of a BytesMessage: bytes that are written, and then read, one value behind the other."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final, Self

from jms_model.answers import Effect, Expectation, Keeps, anything, gives, raises, succeeds
from jms_model.conversions import CLASSES
from jms_model.ordered_body import APPENDED, OrderedBody
from jmsapi.errors import (
    IndexOutOfBoundsException,
    MessageEOFException,
    MessageFormatException,
    MessageNotReadableException,
    NullPointerException,
)
from jmsapi.values import Byte, Char, Double, Float, Int, Long, Short

_FORMATS: Final = {
    "boolean": ">?",
    "byte": ">b",
    "unsigned_byte": ">B",
    "short": ">h",
    "unsigned_short": ">H",
    "char": ">H",
    "int": ">i",
    "long": ">q",
    "float": ">f",
    "double": ">d",
}
_READS: Final = {
    name: f"API-BYTES-{number:03}"
    for number, name in enumerate((*list(_FORMATS)[:10], "utf"), start=1)
}
_ENDS: Final = {
    name: f"API-BYTES-{number:03}"
    for number, name in enumerate(
        ("short", "unsigned_short", "char", "int", "long", "float", "double", "utf"), start=12
    )
}
_WRITES: Final = {
    name: f"API-BYTES-{number:03}"
    for number, name in enumerate(
        (
            "boolean",
            "byte",
            "short",
            "char",
            "int",
            "long",
            "float",
            "double",
            "utf",
            "bytes",
            "object",
        ),
        start=20,
    )
}
_METHOD_OF: Final = {
    bool: "boolean",
    Byte: "byte",
    Short: "short",
    Char: "char",
    Int: "int",
    Long: "long",
    Float: "float",
    Double: "double",
    str: "utf",
    bytes: "bytes",
}


def modified_utf8(text: str) -> bytes:
    """A text as writeUTF writes it behind its length."""
    units = struct.iter_unpack(">H", text.encode("utf-16-be", "surrogatepass"))
    return b"".join(map(_unit, (unit for (unit,) in units)))


def _unit(unit: int) -> bytes:
    if 0 < unit < 0x80:
        return bytes([unit])
    if unit < 0x800:
        return bytes([0xC0 | unit >> 6, 0x80 | unit & 0x3F])
    return bytes([0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F])


def text_in(data: bytes) -> str | None:
    """The text that is written so; None: there is none, or it is written in another way, too."""
    try:
        text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        text = text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
    except UnicodeDecodeError:
        return None
    return text if modified_utf8(text) == data else None


class BytesBody(OrderedBody):
    """Bytes, and where the next read begins."""

    kind = "bytes"
    asked = ("API-MSG-003", "API-MSG-004", "API-MSG-012")
    rewinds = "API-BYTES-039"

    def __init__(self) -> None:
        super().__init__()
        self.data = b""
        self.typed: list[tuple[int, int, str]] = []
        """What was not written as an array: from where to where, and the statement on how."""
        self.is_given = False
        """Whether getBody has made it readable."""

    def empty(self) -> None:
        """Nothing is written yet."""
        super().empty()
        self.data, self.typed, self.is_given = b"", [], False

    def rewind(self) -> None:
        """It is read from the beginning."""
        super().rewind()
        self.is_given = False

    def copied(self) -> Self:
        """Another with the same bytes."""
        other = type(self)()
        other.data, other.typed, other.is_lost = self.data, list(self.typed), self.is_lost
        return other

    @property
    def whole(self) -> object:
        """All bytes."""
        return self.data

    def taken_whole(self) -> Effect:
        """It is reset."""

        def give() -> None:
            given = self.writable or self.is_given
            self.rewind()
            self.is_given = given

        return give

    def as_taken(self) -> Sequence[Keeps]:
        """It is read from the beginning."""
        return [Keeps("body", ["API-MSG-017"])]

    def taken_in_vain(self) -> Effect:
        """Whether it was reset, JMS does not say."""
        return self.forget_mode if self.writable else self.forget_place

    def write(self, name: str, value: Any) -> Expectation:
        """What is permitted of writing a value, where that is possible."""
        if name == "object" and value is None:
            ids = ["JMS-BODY-038"]
            return Expectation(
                [raises(NullPointerException)], ids, "of null", keeps=[Keeps("body", ids)]
            )
        method = _METHOD_OF.get(type(value)) if name == "object" else name
        if method is None:
            return Expectation([raises(MessageFormatException)], [], f"of a {type(value).__name__}")
        encoded = _encode(method, value)
        statement = _WRITES[name]

        def put() -> None:
            begin = len(self.data)
            self.data += encoded
            if name != "bytes":
                self.typed.append((begin, len(self.data), statement))

        return Expectation(
            [succeeds(put)], [statement, *self.written()], self.state, changes=APPENDED
        )

    def refused(self, name: str, args: Sequence[Any]) -> Expectation:
        """A write into what is read-only; null may be refused first."""
        others = [raises(NullPointerException)] if args[0] is None else []
        return self.refused_write(*others)

    def read(self, name: str, args: Sequence[Any], at: int) -> Expectation:
        """What is permitted of a read, where that is possible."""
        if name == "length":
            ids = ["API-BYTES-038", *self.arrival]
            expectation = Expectation(
                [gives(len(self.data))], ids, self.state, [("body", "length")]
            )
        elif name == "bytes":
            expectation = self._read_array(at, *args)
        else:
            expectation = self._read_value(name, at)
        if self.is_given:  # that it is not is a matter of getBody, as a write shows it
            unread = raises(MessageNotReadableException, effect=self.forget_mode)
            expectation.permitted = [*expectation.permitted, unread]
        return expectation

    def _read_value(self, name: str, at: int) -> Expectation:
        length = self._length(name, at)
        rest = len(self.data) - at
        if rest < length:
            ids = [_ENDS[name]] if name in _ENDS and rest else []
            situation = "where the body ends within the value" if rest else "at the end"
            # of how much was read JMS says nothing
            ended = raises(MessageEOFException, effect=self.forget_place)
            return Expectation([ended], ids, situation)
        value = _decode(name, self.data[at : at + length])
        if value is None:
            ends, keeps = [anything(self.forget_place)], list[Keeps]()
            if name == "utf":  # it may be refused: then it can be read as something else
                ends.insert(0, raises(MessageFormatException))
                keeps.append(Keeps("body", ["JMS-BODY-034"]))
            return Expectation(ends, [], f"of bytes that are no {name}", keeps=keeps)
        ids = [] if self._written(at, at + length) else [_READS[name], *self.arrival]
        permitted = gives(value, self.goes_on(at + length))
        return Expectation([permitted], ids, self.state, reads=[("body", "from", at, name)])

    def _written(self, begin: int, end: int) -> list[str]:
        """The statements on how bytes were written, but as an array."""
        return [how for first, last, how in self.typed if first < end and begin < last]

    def _length(self, name: str, at: int) -> int:
        if name != "utf":
            return struct.calcsize(_FORMATS[name])
        return 2 + int.from_bytes(self.data[at : at + 2]) if len(self.data) - at >= 2 else 2

    def _read_array(self, at: int, length: int, room: int | None = None) -> Expectation:
        if room is not None and not 0 <= length <= room:
            ids = ["API-BYTES-036" if length < 0 else "API-BYTES-037"]
            situation = "of a negative length" if length < 0 else "of more than there is room for"
            keeps = [Keeps("body", ids)]
            return Expectation([raises(IndexOutOfBoundsException)], ids, situation, keeps=keeps)
        if length == 0:
            reads = [("body", "from", at, "bytes", 0)]
            return Expectation([gives(None), gives(b"")], [], "of no length", reads=reads)
        ids = [] if room is None else ["API-BYTES-035"]
        reads = [("body", "from", at, "bytes", length)]
        rest, left = self.data[at : at + length], len(self.data) - at
        if not left:
            return Expectation([gives(None)], [*ids, "API-BYTES-034"], "at the end", reads=reads)
        statement, situation = (
            ("API-BYTES-033", "of just what is left") if length == left
            else ("API-BYTES-031", "of less than is left") if length < left
            else ("API-BYTES-032", "of more than is left")
        )  # fmt: skip
        permitted = gives(rest, self.goes_on(at + len(rest)))
        ids += [statement, *self._written(at, at + len(rest))]
        accuse = self._accusing(at, ids)
        return Expectation([permitted], ids, situation, reads=reads, accuse=accuse)

    def accuse(self, ids: Sequence[str]) -> Callable[[object], Sequence[str]]:
        """Which of the statements on all bytes others break."""
        return self._accusing(0, ids)

    def _accusing(self, at: int, ids: Sequence[str]) -> Callable[[object], Sequence[str]]:
        """Which statements other bytes break, if they are read from there.

        Those on how the first byte was written that is not as it should be, since what follows may
        only have moved; of an array, or if there are more or fewer bytes, those on the read, unless
        other writes may be why.
        """
        expected = self.data[at:]
        typed = list(self.typed)

        def accuse(seen: object) -> Sequence[str]:
            of_reads = [id_ for id_ in ids if id_ not in {how for _, _, how in typed}]
            inside = [how for _, last, how in typed if last > at]
            if not isinstance(seen, bytes) or len(seen) > len(expected):
                return [] if inside else of_reads
            wrong = next((at + n for n, byte in enumerate(seen) if byte != expected[n]), None)
            if wrong is None:
                return [] if inside else of_reads
            return [how for first, last, how in typed if first <= wrong < last] or of_reads

        return accuse


def _encode(method: str, value: Any) -> bytes:
    if method == "bytes":
        return bytes(value)
    if method == "utf":
        text = modified_utf8(value)
        return struct.pack(">H", len(text)) + text
    if method == "char":
        return struct.pack(">H", ord(value))
    if isinstance(value, float) and math.isnan(value):
        value = math.nan  # floatToIntBits has one NaN
    return struct.pack(_FORMATS[method], value)


def _decode(name: str, data: bytes) -> Any:
    """The value; None: of such bytes JMS does not say what they are."""
    if name == "utf":
        return text_in(data[2:])
    if name == "boolean" and data not in (b"\0", b"\1"):
        return None
    (value,) = struct.unpack(_FORMATS[name], data)
    if name == "char":
        return Char(chr(value))
    return int(value) if name.startswith("unsigned") else CLASSES[name](value)
