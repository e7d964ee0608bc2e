"""Clients that break what the API's documentation says of its methods."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import IndexOutOfBoundsException
from pulsar_jms.consuming.browser import PulsarQueueBrowser
from pulsar_jms.contexts.context import PulsarJMSContext
from pulsar_jms.contexts.context_producer import PulsarJMSProducer
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.messages.bytes_message import PulsarBytesMessage
from pulsar_jms.messages.map_message import PulsarMapMessage
from pulsar_jms.messages.stream_message import PulsarStreamMessage
from pulsar_jms.producing import producer as producing
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.session import PulsarSession
from touchstone.mutants.registry import Mutant

_read_bytes = PulsarBytesMessage.read_bytes
_read_array = PulsarStreamMessage.read_bytes
_clear_body = PulsarMessage.clear_body
_clear_properties = PulsarMessage.clear_properties
_get_body = PulsarBytesMessage.get_body
_set_entry = PulsarMapMessage._set
_set_property = PulsarMessage._set_property
_correlation_id: Any = PulsarMessage.jms_correlation_id_as_bytes
_clear_own = PulsarJMSProducer.clear_properties
_object_of_context = PulsarJMSContext.create_object_message


def _committing(context: PulsarJMSContext) -> None:
    if context.transacted:
        context.commit()
    else:
        context._session.acknowledge()


def _signed(message: PulsarBytesMessage) -> int:
    return int.from_bytes(message._take(1), "big", signed=True)


def _leaving_the_last(message: PulsarBytesMessage, length: int, room: int | None = None) -> Any:
    left = len(message._body) - message._at
    return _read_bytes(message, length - 1 if length == left > 1 else length, room)


def _of_any_length(message: PulsarBytesMessage, length: int, room: int | None = None) -> Any:
    try:
        return _read_bytes(message, length, room)
    except IndexOutOfBoundsException:
        return b""


def _ended_by_a_full_part(message: PulsarStreamMessage, length: int) -> Any:
    part = _read_array(message, length)
    if message._array == b"":
        message._array = None
    return part


def _body_where_the_reader_is(message: PulsarBytesMessage, kind: type) -> Any:
    at = message._at
    body: Any = _get_body(message, kind)
    message._at = at
    return body


def _body_and_type(message: PulsarMessage) -> None:
    _clear_body(message)
    message.jms_type = None


def _properties_and_correlation(message: PulsarMessage) -> None:
    _clear_properties(message)
    message.correlation = None


def _named_or_not(message: PulsarMapMessage, name: str, value: Any) -> None:
    _set_entry(message, name or "unnamed", value)


def _set_once(message: PulsarMessage, name: str, value: Any) -> None:
    if not message.property_exists(name):
        _set_property(message, name, value)


def _with_settings(producer: PulsarJMSProducer) -> PulsarJMSProducer:
    producer.set_priority(4)
    return _clear_own(producer)


def _any_number(value: int) -> int:
    return int(value)


UNSIGNED_BYTES_ARE_SIGNED = Mutant(
    name="unsigned-bytes-are-signed",
    area="bodies",
    violates=("API-BYTES-003",),
    doc="readUnsignedByte gives a negative number for what is greater than 127.",
    apply=partial(patch.object, PulsarBytesMessage, "read_unsigned_byte", _signed),
)
EXACT_ARRAYS_LEAVE_THE_LAST_BYTE = Mutant(
    name="exact-arrays-leave-the-last-byte",
    area="bodies",
    violates=("API-BYTES-033",),
    doc="An array of just what is left is not filled: the last byte comes with the next one.",
    apply=partial(patch.object, PulsarBytesMessage, "read_bytes", _leaving_the_last),
)
WRONG_LENGTHS_READ_NOTHING = Mutant(
    name="wrong-lengths-read-nothing",
    area="bodies",
    violates=("API-BYTES-036", "API-BYTES-037"),
    doc="A negative length and one beyond the array read nothing, without an exception.",
    apply=partial(patch.object, PulsarBytesMessage, "read_bytes", _of_any_length),
)
LENGTH_OF_WHAT_IS_LEFT = Mutant(
    name="length-of-what-is-left",
    area="bodies",
    violates=("API-BYTES-038",),
    doc="getBodyLength gives how much is left to read.",
    apply=partial(
        patch.object,
        PulsarBytesMessage,
        "body_length",
        property(lambda message: len(message._body) - message._at),
    ),
)
FULL_PARTS_END_AN_ARRAY = Mutant(
    name="full-parts-end-an-array",
    area="bodies",
    violates=("API-STREAM-015",),
    doc="An array of a stream that is filled to the end of the field ends it: no -1 follows.",
    apply=partial(patch.object, PulsarStreamMessage, "read_bytes", _ended_by_a_full_part),
)
BODY_LEAVES_THE_READER = Mutant(
    name="body-leaves-the-reader",
    area="bodies",
    violates=("API-MSG-017",),
    doc="getBody of bytes leaves the reader where it was.",
    apply=partial(patch.object, PulsarBytesMessage, "get_body", _body_where_the_reader_is),
)
CLEARED_BODIES_LOSE_THEIR_TYPE = Mutant(
    name="cleared-bodies-lose-their-type",
    area="bodies",
    violates=("API-MSG-018",),
    doc="clearBody takes the JMSType away.",
    apply=partial(patch.object, PulsarMessage, "clear_body", _body_and_type),
)
CLEARED_PROPERTIES_TAKE_THE_CORRELATION = Mutant(
    name="cleared-properties-take-the-correlation",
    area="bodies",
    violates=("API-MSG-019",),
    doc="clearProperties takes the correlation id away.",
    apply=partial(patch.object, PulsarMessage, "clear_properties", _properties_and_correlation),
)
BODIES_FIT_EVERY_CLASS = Mutant(
    name="bodies-fit-every-class",
    area="bodies",
    violates=("API-MSG-011", "API-MSG-013"),
    doc="isBodyAssignableTo is always true.",
    apply=partial(patch.object, PulsarMessage, "is_body_assignable_to", lambda message, kind: True),
)
ENTRIES_NEED_NO_NAME = Mutant(
    name="entries-need-no-name",
    area="bodies",
    violates=("API-MAP-011", "API-MAP-021"),
    doc="An entry of a map without a name gets one.",
    apply=partial(patch.object, PulsarMapMessage, "_set", _named_or_not),
)
FIRST_PROPERTY_STAYS = Mutant(
    name="first-property-stays",
    area="properties",
    violates=("API-MSG-041",),
    doc="A property that is set again keeps its first value.",
    apply=partial(patch.object, PulsarMessage, "_set_property", _set_once),
)
TYPE_IS_FORGOTTEN = Mutant(
    name="type-is-forgotten",
    area="headers",
    violates=("API-MSG-028",),
    doc="JMSType is null whatever was set.",
    apply=partial(
        patch.object,
        PulsarMessage,
        "jms_type",
        property(lambda message: None, lambda message, value: None),
    ),
)
MODES_OF_A_PRODUCER_ARE_FREE = Mutant(
    name="modes-of-a-producer-are-free",
    area="producers",
    violates=("API-PROD-007", "API-PROD-009", "API-JPROD-008"),
    doc="A producer takes any number as its delivery mode.",
    apply=partial(patch.object, producing, "check_delivery_mode", _any_number),
)
PRIORITIES_OF_A_PRODUCER_ARE_FREE = Mutant(
    name="priorities-of-a-producer-are-free",
    area="producers",
    violates=("API-PROD-008", "API-JPROD-009"),
    doc="A producer takes any number as its priority.",
    apply=partial(patch.object, producing, "check_priority", _any_number),
)
CLOSED_PRODUCERS_GO_ON = Mutant(
    name="closed-producers-go-on",
    area="producers",
    violates=("API-PROD-014",),
    doc="A producer that was closed does what it did.",
    apply=partial(patch.object, PulsarMessageProducer, "_check_open", lambda producer: None),
)
CLEARED_PROPERTIES_RESET_THE_PRIORITY = Mutant(
    name="cleared-properties-reset-the-priority",
    area="simplified-api",
    violates=("API-JPROD-021",),
    doc="clearProperties of a producer sets its priority back.",
    apply=partial(patch.object, PulsarJMSProducer, "clear_properties", _with_settings),
)
LISTENERS_OF_PRODUCERS_ARE_KEPT_SECRET = Mutant(
    name="listeners-of-producers-are-kept-secret",
    area="simplified-api",
    violates=("API-JPROD-007",),
    doc="getAsync is always null.",
    apply=partial(
        patch.object, PulsarJMSProducer, "completion_listener", property(lambda producer: None)
    ),
)
CONTEXTS_ARE_IN_AUTOMATIC_MODE = Mutant(
    name="contexts-are-in-automatic-mode",
    area="simplified-api",
    violates=("API-CTX-001", "API-CTX-004"),
    doc="getSessionMode is AUTO_ACKNOWLEDGE, whatever the mode.",
    apply=partial(patch.object, PulsarJMSContext, "session_mode", property(lambda context: 1)),
)
SESSIONS_ARE_IN_AUTOMATIC_MODE = Mutant(
    name="sessions-are-in-automatic-mode",
    area="sessions",
    violates=("API-SESS-002",),
    doc="getAcknowledgeMode is AUTO_ACKNOWLEDGE, whatever the mode.",
    apply=partial(
        patch.object,
        PulsarSession,
        "acknowledge_mode",
        property(lambda session: 1),
    ),
)
BROWSERS_WITHOUT_SELECTOR_SAY_IT_IS_EMPTY = Mutant(
    name="browsers-without-selector-say-it-is-empty",
    area="browser",
    violates=("API-BRW-002",),
    doc="getMessageSelector of a browser without a selector is an empty text.",
    apply=partial(
        patch.object,
        PulsarQueueBrowser,
        "message_selector",
        property(lambda browser: browser._selector or ""),
    ),
)
CONTEXTS_ACKNOWLEDGE_NOTHING = Mutant(
    name="contexts-acknowledge-nothing",
    area="simplified-api",
    violates=("API-CTX-014",),
    doc="acknowledge() of a context does nothing.",
    apply=partial(patch.object, PulsarJMSContext, "acknowledge", lambda context: None),
)
CONTEXTS_COMMIT_BY_ACKNOWLEDGE = Mutant(
    name="contexts-commit-by-acknowledge",
    area="simplified-api",
    violates=("API-CTX-015",),
    doc="acknowledge() of a transacted context commits.",
    apply=partial(patch.object, PulsarJMSContext, "acknowledge", _committing),
)
NO_CORRELATION_ID_IS_NO_BYTES = Mutant(
    name="no-correlation-id-is-no-bytes",
    area="headers",
    violates=("API-MSG-042",),
    doc="getJMSCorrelationIDAsBytes of a message without a correlation id has no bytes.",
    apply=partial(
        patch.object,
        PulsarMessage,
        "jms_correlation_id_as_bytes",
        _correlation_id.getter(lambda message: message.correlation or b""),
    ),
)


def _with_an_empty_text(context: PulsarJMSContext, value: Any = "") -> Any:
    return _object_of_context(context, value)


OBJECTS_OF_CONTEXTS_ARE_TEXTS = Mutant(
    name="objects-of-contexts-are-texts",
    area="bodies",
    violates=("API-OBJ-001",),
    doc="createObjectMessage() of a context makes one with an empty text.",
    apply=partial(patch.object, PulsarJMSContext, "create_object_message", _with_an_empty_text),
)
