"""What the raw message has to show of a message that JMS sent."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from jms_model.answers import Permitted, gives, gives_what
from jms_model.properties import GROUP, GROUP_SEQUENCE
from jms_model.pulsar_wire.looks import NUMBER, SUFFIXES, Look, Raw, look_at_wire
from jms_model.pulsar_wire.numbers import is_text_of
from jms_model.pulsar_wire.sent import (
    DEFAULT_PRIORITY,
    PERSISTENT,
    SUBSCRIBED,
    Known,
    MessageToSend,
)
from jmsapi.values import Byte, Double, Float, Int, Long, Short

NAMES: Final[Mapping[type, str]] = {
    bool: "a boolean",
    Byte: "a byte",
    Short: "a short",
    Int: "an int",
    Long: "a long",
    Float: "a float",
    Double: "a double",
    str: "a String",
}
"""The types of properties."""
_OF_TYPES: Final[Mapping[type, str]] = {
    Int: "SLJ-PROP-002",
    Double: "SLJ-PROP-011",
    Float: "SLJ-PROP-012",
}
_PROPERTY: Final = "raw_property"
_ABSENT: Final = gives(None)


def looks_at_raw(sent: MessageToSend, raw: Raw, known: Known) -> Iterator[Look]:
    """All that is looked at in a raw message."""
    for name, value in sent.properties.items():
        is_custom = name not in (NUMBER, GROUP, GROUP_SEQUENCE) and not name.endswith(SUFFIXES)
        if is_custom and name not in known.not_set:
            yield from _property(name, value, raw)
    yield from _group(sent, raw)
    yield from _type_and_correlation(sent, raw)
    yield from _reply(sent, raw, known)
    yield from _options(sent, raw, known)
    yield from _body(sent, raw)


def _property(name: str, value: object, raw: Raw) -> Iterator[Look]:
    kind = type(value)
    of = f"of {NAMES[kind]}"
    ids = ["SLJ-PROP-001", *([_OF_TYPES[kind]] if kind in _OF_TYPES else [])]
    yield look_at_wire(_PROPERTY, [name], raw.properties.get(name), _wire_text(value), ids, of)
    if kind is str:
        return
    jsm, jms = (raw.properties.get(name + suffix) for suffix in SUFFIXES)
    some = gives_what("some text", lambda given: isinstance(given, str))
    yield look_at_wire("raw_companion", [f"{name}_jmstype"], jms, some, ["SLJ-PROP-003"])
    suffixes = " and ".join(suffix for suffix in SUFFIXES if name + suffix in raw.properties)
    yield look_at_wire("raw_companions", [name], suffixes, gives(SUFFIXES[0]), ["SLJ-PROP-015"])
    if kind is Int:
        word = jms if jms is not None else jsm
        yield look_at_wire("raw_type_name", [name], word, gives("integer"), ["SLJ-PROP-004"])


def _wire_text(value: object) -> Permitted:
    """The text of a value on the wire."""
    match value:
        case bool():
            return gives("true" if value else "false")
        case Double() | Float():
            return gives_what(f"Java's text of {value!r}", partial(is_text_of, number=value))
        case int():
            return gives(str(int(value)))
    return gives(value)


def _group(sent: MessageToSend, raw: Raw) -> Iterator[Look]:
    """JMSXGroupID is the key, and no property; Pulsar has no empty key."""
    group = sent.properties.get(GROUP)
    if not isinstance(group, str):
        return
    yield look_at_wire("raw_key", [], raw.key or "", gives(group), ["SLJ-PROP-019"])
    text = raw.properties.get(GROUP)
    yield look_at_wire(_PROPERTY, [GROUP], text, _ABSENT, ["SLJ-PROP-020"], "of the group")


def _type_and_correlation(sent: MessageToSend, raw: Raw) -> Iterator[Look]:
    text = raw.properties.get("JMSType")
    if sent.jms_type is None:
        yield look_at_wire(_PROPERTY, ["JMSType"], text, _ABSENT, ["SLJ-HDR-001"], "of no JMSType")
    else:
        wanted = gives(sent.jms_type)
        yield look_at_wire(_PROPERTY, ["JMSType"], text, wanted, ["SLJ-HDR-001"], "of JMSType")
    if sent.correlation is None:
        return
    is_bytes = isinstance(sent.correlation, bytes)
    content = sent.correlation if isinstance(sent.correlation, bytes) else sent.correlation.encode()
    yield look_at_wire(
        _PROPERTY,
        ["JMSCorrelationID"],
        raw.properties.get("JMSCorrelationID"),
        gives(b64encode(content).decode()),
        ["SLJ-HDR-002", *(["SLJ-HDR-003"] if is_bytes else [])],
        f"of a correlation id of {'bytes' if is_bytes else 'text'}",
    )


def _reply(sent: MessageToSend, raw: Raw, known: Known) -> Iterator[Look]:
    text = raw.properties.get("JMSReplyTo")
    if sent.reply is None:
        yield look_at_wire(_PROPERTY, ["JMSReplyTo"], text, _ABSENT, ["SLJ-HDR-005"], "of no reply")
        return
    of = f"of a reply {sent.reply.kind}"
    full = [known.reply]
    if sent.reply.kind == "queue" and (subscription := sent.reply.name.partition(SUBSCRIBED)[2]):
        full.append(f"{known.reply}{SUBSCRIBED}{subscription}")
    named = gives_what(" or ".join(map(repr, full)), lambda given: given in full)
    yield look_at_wire(_PROPERTY, ["JMSReplyTo"], text, named, ["SLJ-HDR-005"], of)
    marked = raw.properties.get("JMSReplyToType")
    legal = gives_what("queue, topic or nothing", lambda given: given in ("queue", "topic", None))
    yield look_at_wire(_PROPERTY, ["JMSReplyToType"], marked, legal, ["SLJ-HDR-009"], "of a reply")
    if sent.reply.kind == "queue":
        wanted, id_ = gives("queue"), "SLJ-HDR-006"
    else:
        wanted = gives_what("'topic' or nothing", lambda given: given in ("topic", None))
        id_ = "SLJ-HDR-007"
    yield look_at_wire(_PROPERTY, ["JMSReplyToType"], marked, wanted, [id_], of)


def _options(sent: MessageToSend, raw: Raw, known: Known) -> Iterator[Look]:
    """Delivery mode, priority, expiration, delivery time and id."""
    by = f"by {sent.options_by}"
    text = raw.properties.get("JMSDeliveryMode")
    if sent.mode == PERSISTENT:
        yield look_at_wire(
            _PROPERTY,
            ["JMSDeliveryMode"],
            text,
            _ABSENT,
            ["SLJ-MODE-002"],
            f"of JMSDeliveryMode {by}",
        )
    else:
        wanted = gives(str(sent.mode))
        yield look_at_wire(
            _PROPERTY,
            ["JMSDeliveryMode"],
            text,
            wanted,
            ["SLJ-MODE-001"],
            f"of JMSDeliveryMode {by}",
        )
    text = raw.properties.get("JMSPriority")
    if sent.priority == DEFAULT_PRIORITY:
        yield look_at_wire(
            _PROPERTY, ["JMSPriority"], text, _ABSENT, ["SLJ-PRIO-002"], f"of JMSPriority {by}"
        )
    else:
        wanted = gives(str(sent.priority))
        yield look_at_wire(
            _PROPERTY, ["JMSPriority"], text, wanted, ["SLJ-PRIO-001"], f"of JMSPriority {by}"
        )
    text = raw.properties.get("JMSExpiration")
    if sent.lives:
        wanted = _number_between(known.before + sent.lives, known.after + sent.lives)
        yield look_at_wire(
            _PROPERTY, ["JMSExpiration"], text, wanted, ["SLJ-EXP-001"], f"of JMSExpiration {by}"
        )
    else:
        wanted = gives_what("'0' or nothing", lambda given: given in ("0", None))
        yield look_at_wire(
            _PROPERTY, ["JMSExpiration"], text, wanted, ["SLJ-EXP-004"], f"of JMSExpiration {by}"
        )
    if sent.delay:
        wanted = _number_between(known.before + sent.delay, known.after + sent.delay)
        text = raw.properties.get("JMSDeliveryTime")
        yield look_at_wire(
            _PROPERTY, ["JMSDeliveryTime"], text, wanted, ["SLJ-DLY-007"], "of a delay"
        )
    if known.id is not None:
        text = raw.properties.get("JMSMessageId")
        yield look_at_wire(
            _PROPERTY, ["JMSMessageId"], text, gives(known.id), ["SLJ-HDR-004"], "of the id"
        )


def _number_between(least: int, most: int) -> Permitted:
    """The decimal text of a number in a range, both ends included."""
    return gives_what(f"a number from {least} to {most}", partial(_is_in, least, most))


def _is_in(least: int, most: int, text: object) -> bool:
    is_number = isinstance(text, str) and text.isascii() and text.isdecimal()
    return is_number and least <= int(str(text)) <= most


def _body(sent: MessageToSend, raw: Raw) -> Iterator[Look]:
    """Texts and bytes are there as they are, and the kind is written."""
    content = sent.content.encode() if isinstance(sent.content, str) else sent.content
    if sent.kind in ("text", "bytes") and content is not None:
        of = f"of a {sent.kind} message"
        yield look_at_wire("raw_payload", [], raw.payload, gives(content), ["SLJ-INTR-001"], of)
    if sent.kind != "header":
        of = f"of a {sent.kind} message"
        text = raw.properties.get("JMSPulsarMessageType")
        some = gives_what("some text", bool)
        yield look_at_wire("raw_message_type", [], text, some, ["SLJ-BODY-006"], of)
