"""Clients that are wrong about bodies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from jms_clients.mutants.wrong import wrong
from jmsapi import (
    Char,
    Double,
    Float,
    IndexOutOfBoundsException,
    Int,
    Long,
    Message,
    MessageFormatException,
    NumberFormatException,
    Value,
    conversions,
)
from jmsapi.conversions import BODY_READS, ReadTable, read_as
from pulsar_jms.contexts.context import PulsarJMSContext
from pulsar_jms.mapping.bodies import decode_item, encode_item, encode_map
from pulsar_jms.messages import (
    PulsarMessage,
    PulsarObjectMessage,
    map_message,
    stream_message,
    text_message,
    wire_decoding,
)
from pulsar_jms.messages.bytes_message import PulsarBytesMessage
from pulsar_jms.messages.map_message import PulsarMapMessage
from pulsar_jms.messages.stream_message import PulsarStreamMessage
from pulsar_jms.producing.producer import PulsarMessageProducer

_object: Any = PulsarObjectMessage.object
_given: WeakKeyDictionary[PulsarObjectMessage, object] = WeakKeyDictionary()


@wrong("JMS-BODY-002")
def messages_without_a_body_are_texts() -> AbstractContextManager[object]:
    """A message without a body arrives as a text message."""
    return patch.dict(wire_decoding._CLASSES, {PulsarMessage.KIND: text_message.PulsarTextMessage})


@wrong("JMS-BODY-004", patches=(PulsarMessage, "clear_body"))
def clearing_the_body_frees_properties(message: PulsarMessage) -> None:
    """clearBody() makes the properties writable, too."""
    message.body_read_only = False
    message._properties = dict(message._properties)
    message._properties_read_only = False


@wrong("JMS-BODY-005", patches=(PulsarMessage, "require_writable_body"))
def received_bodies_are_writable(message: Any) -> None:
    """What was received can be written without being cleared."""


@wrong("JMS-BODY-006", patches=(PulsarMessage, "require_readable_body"))
def cleared_bodies_are_readable(message: Any) -> None:
    """A cleared bytes body can be read at once: there is nothing in it."""


def _reads(kind: type, allowed: frozenset[type]) -> AbstractContextManager[object]:
    """Items of maps of one kind are read as these."""
    table: ReadTable = {**BODY_READS, kind: allowed}
    return patch.object(map_message, "BODY_READS", table)


@wrong("JMS-BODY-018")
def ints_are_read_as_floats() -> AbstractContextManager[object]:
    """An int of a map may be read as a float."""
    return _reads(Int, BODY_READS[Int] | {Float})


@wrong("JMS-BODY-021")
def floats_are_no_doubles() -> AbstractContextManager[object]:
    """A float of a map may not be read as a double."""
    return _reads(Float, BODY_READS[Float] - {Double})


@wrong("JMS-BODY-029", patches=(stream_message, "read_as"))
def wrong_numbers_are_of_a_wrong_format(*args: Any) -> Any:
    """A text that is no number is refused as a value of another type would be."""
    try:
        return read_as(*args)
    except NumberFormatException as error:
        raise MessageFormatException(str(error)) from error


@wrong("JMS-BODY-031", "JMS-PROP-031", "JMS-PROP-032", patches=(conversions, "_read_null"))
def null_is_zero(kind: type, what: str) -> object:
    """Null is read as the zero of each kind of number."""
    if kind in (str, bytes):
        return None
    return Char("0") if kind is Char else kind(0)


@wrong("JMS-BODY-034", patches=(stream_message.PulsarStreamMessage, "_read"))
def refused_reads_consume(message: stream_message.PulsarStreamMessage, kind: type) -> Any:
    """A read that is refused has passed the item all the same."""
    at, (item, message._at) = message._at, message._next()
    return read_as(item, kind, BODY_READS, f"stream item at byte {at}")


@wrong("JMS-BODY-035", patches=(PulsarMessageProducer, "_convert"))
def foreign_types_are_forgotten(
    original: Callable[..., PulsarMessage], producer: PulsarMessageProducer, message: Message
) -> PulsarMessage:
    """The JMSType of another client's message is not sent."""
    own = original(producer, message)
    if own is not message:
        own.jms_type = None
    return own


@wrong("JMS-BODY-036", patches=(map_message, "typed_bytes"))
def arrays_of_the_caller(value: Any) -> Any:
    """A map keeps the caller's array itself."""
    return value


def _same_object(message: PulsarObjectMessage) -> object:
    return _given.setdefault(message, _object.fget(message))


@wrong("JMS-BODY-039")
def same_object_each_time() -> AbstractContextManager[object]:
    """An ObjectMessage gives the same object to each who asks."""
    return patch.object(PulsarObjectMessage, "object", property(_same_object, _object.fset))


@wrong("API-BYTES-003", patches=(PulsarBytesMessage, "read_unsigned_byte"))
def unsigned_bytes_are_signed(message: PulsarBytesMessage) -> int:
    """readUnsignedByte gives a negative number for what is greater than 127."""
    return int.from_bytes(message._take(1), "big", signed=True)


@wrong("API-BYTES-033", patches=(PulsarBytesMessage, "read_bytes"))
def exact_arrays_leave_the_last_byte(
    original: Callable[..., Any], message: PulsarBytesMessage, length: int, room: int | None = None
) -> Any:
    """An array of just what is left is not filled: the last byte comes with the next one."""
    left = len(message._body) - message._at
    return original(message, length - 1 if length == left > 1 else length, room)


@wrong("API-BYTES-036", "API-BYTES-037", patches=(PulsarBytesMessage, "read_bytes"))
def wrong_lengths_read_nothing(
    original: Callable[..., Any], message: PulsarBytesMessage, length: int, room: int | None = None
) -> Any:
    """A negative length and one beyond the array read nothing, without an exception."""
    try:
        return original(message, length, room)
    except IndexOutOfBoundsException:
        return b""


@wrong("API-BYTES-038", patches=(PulsarBytesMessage, "body_length"))
def length_of_what_is_left(message: Any) -> Any:
    """getBodyLength gives how much is left to read."""
    return len(message._body) - message._at


@wrong("API-STREAM-015", patches=(PulsarStreamMessage, "read_bytes"))
def full_parts_end_an_array(
    original: Callable[..., Any], message: PulsarStreamMessage, length: int
) -> Any:
    """An array of a stream that is filled to the end of the field ends it: no -1 follows."""
    part = original(message, length)
    if message._array == b"":
        message._array = None
    return part


@wrong("API-MSG-017", patches=(PulsarBytesMessage, "get_body"))
def body_leaves_the_reader(
    original: Callable[..., Any], message: PulsarBytesMessage, kind: type
) -> Any:
    """getBody of bytes leaves the reader where it was."""
    at = message._at
    body: Any = original(message, kind)
    message._at = at
    return body


@wrong("API-MSG-018", patches=(PulsarMessage, "clear_body"))
def cleared_bodies_lose_their_type(original: Callable[..., None], message: PulsarMessage) -> None:
    """clearBody takes the JMSType away."""
    original(message)
    message.jms_type = None


@wrong("API-MSG-019", patches=(PulsarMessage, "clear_properties"))
def cleared_properties_take_the_correlation(
    original: Callable[..., None], message: PulsarMessage
) -> None:
    """clearProperties takes the correlation id away."""
    original(message)
    message.correlation = None


@wrong("API-MSG-011", "API-MSG-013", patches=(PulsarMessage, "is_body_assignable_to"))
def bodies_fit_every_class(message: Any, kind: Any) -> bool:
    """isBodyAssignableTo is always true."""
    return True


@wrong("API-MAP-011", "API-MAP-021", patches=(PulsarMapMessage, "_set"))
def entries_need_no_name(
    original: Callable[..., None], message: PulsarMapMessage, name: str, value: Any
) -> None:
    """An entry of a map without a name gets one."""
    original(message, name or "unnamed", value)


@wrong("API-OBJ-001", patches=(PulsarJMSContext, "create_object_message"))
def objects_of_contexts_are_texts(
    original: Callable[..., Any], context: PulsarJMSContext, value: Any = ""
) -> Any:
    """createObjectMessage() of a context makes one with an empty text."""
    return original(context, value)


@wrong("SLJ-BODY-001", patches=(text_message, "decode_text"))
def text_in_latin_1(payload: Any) -> Any:
    """A text is read as Latin-1."""
    return None if payload is None else payload.decode("latin-1")


@wrong("SLJ-BODY-003", patches=(stream_message, "decode_item"))
def stream_ints_widened(payload: bytes, at: int) -> tuple[Value | None, int]:
    """The ints of a stream are received as longs."""
    item, end = decode_item(payload, at)
    return (Long(item) if isinstance(item, Int) else item), end


@wrong("SLJ-BODY-003", patches=(stream_message, "encode_item"))
def stream_zeros_unsigned(item: Value | None) -> bytes:
    """-0.0 in a stream loses its sign."""
    return encode_item(type(item)(0.0) if isinstance(item, float) and not item else item)


@wrong("SLJ-BODY-004", patches=(map_message, "encode_map"))
def map_nulls_dropped(entries: Any) -> Any:
    """The null entries of a map are not sent."""
    return encode_map({k: v for k, v in entries.items() if v is not None})
