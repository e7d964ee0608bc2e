"""Messages that no client made: classes of our own, which implement the interfaces of JMS only.

They can be read as a client must read them, and note what is asked of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from jmsapi import (
    Byte,
    BytesMessage,
    Char,
    Destination,
    Double,
    Float,
    Int,
    Long,
    MapMessage,
    Message,
    MessageEOFException,
    MessageFormatException,
    MessageNotWriteableException,
    ObjectMessage,
    PropertyValue,
    Short,
    StreamMessage,
    TextMessage,
    Value,
)
from jmsapi.conversions import BODY_READS, PROPERTY_READS, read_as
from jmsapi.messages import Body


class Unreadable:
    """A value that cannot be rebuilt: whoever reads it gets a MessageFormatException."""

    def fail(self, what: str) -> NoReturn:
        """Refuse, as a client does whose class path lacks the class of an object."""
        raise MessageFormatException(f"the class of {what} is not here")


def _refuse(self: object, *args: object) -> NoReturn:
    raise MessageNotWriteableException(f"a {type(self).__name__} is read only")


_refused: Any = _refuse
"""In place of every method that writes."""


def _property(kind: type[Any]) -> Any:
    def read(self: ForeignMessage, name: str) -> Any:
        return read_as(self.get_object_property(name), kind, PROPERTY_READS, name)

    return read


class ForeignMessage(Message):
    """A message without a body; `asked` are the names of what was asked of it, in order."""

    def __init__(
        self,
        properties: Mapping[str, object] | None = None,
        *,
        jms_type: str | None = None,
        correlation_id: str | None = None,
        reply_to: Destination | None = None,
    ) -> None:
        self.asked: list[str] = []
        self._properties = dict(properties or {})
        self.jms_message_id = None
        self.jms_timestamp = 0
        self.jms_correlation_id = correlation_id
        self.jms_correlation_id_as_bytes = (
            None if correlation_id is None else correlation_id.encode()
        )
        self.jms_reply_to = reply_to
        self.jms_destination = None
        self.jms_delivery_mode = 2
        self.jms_redelivered = False
        self.jms_type = jms_type
        self.jms_expiration = 0
        self.jms_delivery_time = 0
        self.jms_priority = 4

    def content(self) -> tuple[Mapping[str, object], object]:
        """The properties, and the body: what is told of them is not asked."""
        return self._properties, self._body()

    def _body(self) -> object:
        """All that can be read."""
        return None

    def property_exists(self, name: str) -> bool:
        """Whether there is a property of this name."""
        return name in self._properties

    def property_names(self) -> Iterator[str]:
        """The names of the properties."""
        self.asked.append("property_names")
        return iter(self._properties)

    def get_object_property(self, name: str) -> PropertyValue | None:
        """The value of a property, in its type."""
        self.asked.append("get_object_property")
        value: Any = self._properties.get(name)
        if isinstance(value, Unreadable):
            value.fail(name)
        property_value: PropertyValue | None = value
        return property_value

    get_boolean_property = _property(bool)
    get_byte_property = _property(Byte)
    get_short_property = _property(Short)
    get_int_property = _property(Int)
    get_long_property = _property(Long)
    get_float_property = _property(Float)
    get_double_property = _property(Double)
    get_string_property = _property(str)
    set_boolean_property = _refused
    set_byte_property = _refused
    set_short_property = _refused
    set_int_property = _refused
    set_long_property = _refused
    set_float_property = _refused
    set_double_property = _refused
    set_string_property = _refused
    set_object_property = _refused
    clear_properties = _refused
    clear_body = _refused

    def acknowledge(self) -> None:
        """Nothing: nobody received it."""

    def get_body(self, kind: type[Body]) -> Body | None:
        """Refused: bodies are read by the methods of their kind."""
        raise MessageFormatException(f"no body as {kind.__name__}")

    def is_body_assignable_to(self, kind: type) -> bool:
        """Never."""
        return False


class ForeignText(ForeignMessage, TextMessage):
    """A text."""

    def __init__(self, text: str | None, **options: Any) -> None:
        super().__init__(**options)
        self._text = text

    def _body(self) -> object:
        return self._text

    @property
    def text(self) -> str | None:  # type: ignore[override]
        """The text."""
        self.asked.append("text")
        return self._text


class ForeignObject(ForeignMessage, ObjectMessage):
    """An object, or one that cannot be rebuilt."""

    def __init__(self, value: object, **options: Any) -> None:
        super().__init__(**options)
        self._value = value

    def _body(self) -> object:
        return self._value

    @property
    def object(self) -> Any:  # type: ignore[override]
        """The object."""
        self.asked.append("object")
        if isinstance(self._value, Unreadable):
            self._value.fail("the body")
        return self._value


def _item(kind: type[Any]) -> Any:
    def read(self: ForeignMap, name: str) -> Any:
        return read_as(self.get_object(name), kind, BODY_READS, name)

    return read


class ForeignMap(ForeignMessage, MapMessage):
    """Named values."""

    def __init__(self, items: Mapping[str, Value], **options: Any) -> None:
        super().__init__(**options)
        self._items = dict(items)

    def _body(self) -> object:
        return self._items

    def map_names(self) -> list[str]:
        """The names of the items."""
        self.asked.append("map_names")
        return list(self._items)

    def item_exists(self, name: str) -> bool:
        """Whether there is an item of this name."""
        return name in self._items

    def get_object(self, name: str) -> Any:
        """An item, in its type."""
        self.asked.append("get_object")
        return self._items.get(name)

    get_boolean = _item(bool)
    get_byte = _item(Byte)
    get_short = _item(Short)
    get_char = _item(Char)
    get_int = _item(Int)
    get_long = _item(Long)
    get_float = _item(Float)
    get_double = _item(Double)
    get_string = _item(str)
    get_bytes = _item(bytes)
    set_boolean = _refused
    set_byte = _refused
    set_short = _refused
    set_char = _refused
    set_int = _refused
    set_long = _refused
    set_float = _refused
    set_double = _refused
    set_string = _refused
    set_bytes = _refused
    set_object = _refused


class _ReadInOrder(ForeignMessage):
    """What bytes and stream messages refuse alike."""

    write_boolean = _refused
    write_byte = _refused
    write_short = _refused
    write_char = _refused
    write_int = _refused
    write_long = _refused
    write_float = _refused
    write_double = _refused
    write_bytes = _refused
    write_object = _refused


def _next(kind: type[Any]) -> Any:
    def read(self: ForeignStream) -> Any:
        return read_as(self.read_object(), kind, BODY_READS, "the item")

    return read


class ForeignStream(_ReadInOrder, StreamMessage):
    """Items in order."""

    def __init__(self, items: Sequence[Value], **options: Any) -> None:
        super().__init__(**options)
        self._items = tuple(items)
        self._at = 0

    def _body(self) -> object:
        return self._items

    def reset(self) -> None:
        """Read from the beginning again."""
        self._at = 0

    def read_object(self) -> Any:
        """The next item, in its type."""
        self.asked.append("read_object")
        if self._at == len(self._items):
            raise MessageEOFException("there are no more items")
        self._at += 1
        return self._items[self._at - 1]

    def read_bytes(self, length: int) -> bytes | None:
        """Refused: no item is of bytes."""
        raise MessageFormatException("the item is not of bytes")

    read_boolean = _next(bool)
    read_byte = _next(Byte)
    read_short = _next(Short)
    read_char = _next(Char)
    read_int = _next(Int)
    read_long = _next(Long)
    read_float = _next(Float)
    read_double = _next(Double)
    read_string = _next(str)
    write_string = _refused


def _unpacked(kind: Callable[[int], Any], size: int, *, signed: bool = True) -> Any:
    def read(self: ForeignBytes) -> Any:
        return kind(int.from_bytes(self.take(size), "big", signed=signed))

    return read


class ForeignBytes(_ReadInOrder, BytesMessage):
    """Bytes, read as such or as integers."""

    def __init__(self, content: bytes, **options: Any) -> None:
        super().__init__(**options)
        self._content = content
        self._at = 0

    def _body(self) -> object:
        return self._content

    @property
    def body_length(self) -> int:
        """How many bytes there are."""
        self.asked.append("body_length")
        return len(self._content)

    def reset(self) -> None:
        """Read from the beginning again."""
        self._at = 0

    def take(self, count: int) -> bytes:
        """The next bytes; `MessageEOFException` where there are fewer."""
        piece = self._content[self._at : self._at + count]
        if len(piece) < count:
            raise MessageEOFException("there are no more bytes")
        self._at += count
        return piece

    def read_bytes(self, length: int, room: int | None = None) -> bytes | None:
        """Up to so many bytes; None at the end."""
        self.asked.append("read_bytes")
        piece = self._content[self._at : self._at + length]
        self._at += len(piece)
        return piece or None

    read_boolean = _unpacked(bool, 1)
    read_byte = _unpacked(Byte, 1)
    read_unsigned_byte = _unpacked(int, 1, signed=False)
    read_short = _unpacked(Short, 2)
    read_unsigned_short = _unpacked(int, 2, signed=False)
    read_char = _unpacked(lambda unit: Char(chr(unit)), 2, signed=False)
    read_int = _unpacked(Int, 4)
    read_long = _unpacked(Long, 8)

    def read_float(self) -> Float:
        """Refused: the bytes are no numbers with a point."""
        raise MessageFormatException("no float is here")

    def read_double(self) -> Double:
        """Refused, likewise."""
        raise MessageFormatException("no double is here")

    def read_utf(self) -> str:
        """Refused: the bytes are no text."""
        raise MessageFormatException("no text is here")

    write_utf = _refused


def foreign_message(
    kind: str,
    body: Any,
    properties: Mapping[str, object],
    jms_type: str | None,
    correlation_id: str | None,
    reply_to: Destination | None,
) -> ForeignMessage:
    """A message of one of the six kinds, which note what they are asked."""
    options: dict[str, Any] = {
        "properties": properties,
        "jms_type": jms_type,
        "correlation_id": correlation_id,
        "reply_to": reply_to,
    }
    match kind:
        case "text":
            return ForeignText(body, **options)
        case "bytes":
            return ForeignBytes(body, **options)
        case "map":
            return ForeignMap(body, **options)
        case "stream":
            return ForeignStream(body, **options)
        case "object":
            return ForeignObject(body, **options)
    return ForeignMessage(**options)
