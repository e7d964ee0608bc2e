"""Clients that break what the specification says of bodies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from jmsapi import (
    Char,
    Double,
    Float,
    Int,
    Message,
    MessageFormatException,
    NumberFormatException,
    conversions,
)
from jmsapi.conversions import BODY_READS, ReadTable, read_as
from pulsar_jms.messages import (
    PulsarMessage,
    PulsarObjectMessage,
    map_message,
    stream_message,
    text_message,
    wire_decoding,
)
from pulsar_jms.producing.producer import PulsarMessageProducer
from touchstone.mutants.registry import Mutant

_convert = PulsarMessageProducer._convert


_object: Any = PulsarObjectMessage.object
_given: WeakKeyDictionary[PulsarObjectMessage, object] = WeakKeyDictionary()


def _same_object(message: PulsarObjectMessage) -> object:
    return _given.setdefault(message, _object.fget(message))


def _free_all(message: PulsarMessage) -> None:
    message.body_read_only = False
    message._properties = dict(message._properties)
    message._properties_read_only = False


def _reads(kind: type, allowed: frozenset[type]) -> Callable[[], AbstractContextManager[object]]:
    """Items of maps of one kind are read as these."""
    table: ReadTable = {**BODY_READS, kind: allowed}
    return partial(patch.object, map_message, "BODY_READS", table)


def _format_refused(*args: Any) -> Any:
    try:
        return read_as(*args)
    except NumberFormatException as error:
        raise MessageFormatException(str(error)) from error


def _null_as_zero(kind: type, what: str) -> object:
    if kind in (str, bytes):
        return None
    return Char("0") if kind is Char else kind(0)


def _read_and_move(message: stream_message.PulsarStreamMessage, kind: type) -> Any:
    at, (item, message._at) = message._at, message._next()
    return read_as(item, kind, BODY_READS, f"stream item at byte {at}")


def _adopted_without_type(producer: PulsarMessageProducer, message: Message) -> PulsarMessage:
    own = _convert(producer, message)
    if own is not message:
        own.jms_type = None
    return own


MESSAGES_WITHOUT_A_BODY_ARE_TEXTS = Mutant(
    name="messages-without-a-body-are-texts",
    area="bodies",
    violates=("JMS-BODY-002",),
    doc="A message without a body arrives as a text message.",
    apply=partial(
        patch.dict,
        wire_decoding._CLASSES,
        {PulsarMessage.KIND: text_message.PulsarTextMessage},
    ),
)
CLEARING_THE_BODY_FREES_PROPERTIES = Mutant(
    name="clearing-the-body-frees-properties",
    area="bodies",
    violates=("JMS-BODY-004",),
    doc="clearBody() makes the properties writable, too.",
    apply=partial(patch.object, PulsarMessage, "clear_body", _free_all),
)
RECEIVED_BODIES_ARE_WRITABLE = Mutant(
    name="received-bodies-are-writable",
    area="bodies",
    violates=("JMS-BODY-005",),
    doc="What was received can be written without being cleared.",
    apply=partial(patch.object, PulsarMessage, "require_writable_body", lambda message: None),
)
CLEARED_BODIES_ARE_READABLE = Mutant(
    name="cleared-bodies-are-readable",
    area="bodies",
    violates=("JMS-BODY-006",),
    doc="A cleared bytes body can be read at once: there is nothing in it.",
    apply=partial(patch.object, PulsarMessage, "require_readable_body", lambda message: None),
)
INTS_ARE_READ_AS_FLOATS = Mutant(
    name="ints-are-read-as-floats",
    area="bodies",
    violates=("JMS-BODY-018",),
    doc="An int of a map may be read as a float.",
    apply=_reads(Int, BODY_READS[Int] | {Float}),
)
FLOATS_ARE_NO_DOUBLES = Mutant(
    name="floats-are-no-doubles",
    area="bodies",
    violates=("JMS-BODY-021",),
    doc="A float of a map may not be read as a double.",
    apply=_reads(Float, BODY_READS[Float] - {Double}),
)
WRONG_NUMBERS_ARE_OF_A_WRONG_FORMAT = Mutant(
    name="wrong-numbers-are-of-a-wrong-format",
    area="bodies",
    violates=("JMS-BODY-029",),
    doc="A text that is no number is refused as a value of another type would be.",
    apply=partial(patch.object, stream_message, "read_as", _format_refused),
)
NULL_IS_ZERO = Mutant(
    name="null-is-zero",
    area="bodies",
    violates=("JMS-BODY-031", "JMS-PROP-031", "JMS-PROP-032"),
    doc="Null is read as the zero of each kind of number.",
    apply=partial(patch.object, conversions, "_read_null", _null_as_zero),
)
REFUSED_READS_CONSUME = Mutant(
    name="refused-reads-consume",
    area="bodies",
    violates=("JMS-BODY-034",),
    doc="A read that is refused has passed the item all the same.",
    apply=partial(patch.object, stream_message.PulsarStreamMessage, "_read", _read_and_move),
)
FOREIGN_TYPES_ARE_FORGOTTEN = Mutant(
    name="foreign-types-are-forgotten",
    area="bodies",
    violates=("JMS-BODY-035",),
    doc="The JMSType of another client's message is not sent.",
    apply=partial(patch.object, PulsarMessageProducer, "_convert", _adopted_without_type),
)
ARRAYS_OF_THE_CALLER = Mutant(
    name="arrays-of-the-caller",
    area="bodies",
    violates=("JMS-BODY-036",),
    doc="A map keeps the caller's array itself.",
    apply=partial(patch.object, map_message, "typed_bytes", lambda value: value),
)
SAME_OBJECT_EACH_TIME = Mutant(
    name="same-object-each-time",
    area="bodies",
    violates=("JMS-BODY-039",),
    doc="An ObjectMessage gives the same object to each who asks.",
    apply=partial(
        patch.object, PulsarObjectMessage, "object", property(_same_object, _object.fset)
    ),
)
