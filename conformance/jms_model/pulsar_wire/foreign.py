"""What the receiver has to see of a message that another Pulsar client wrote."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from jms_model.answers import gives, gives_what, raises, text_of
from jms_model.headers import Name
from jms_model.pulsar_wire.at_the_receiver import (
    content_of,
    correlation_of,
    group_of,
    looks_at_names,
    looks_at_reply,
    looks_at_unused_properties,
    property_of,
)
from jms_model.pulsar_wire.looks import NUMBER, SUFFIXES, Look, ask_message
from jmsapi.errors import JMSException, JMSRuntimeException


@dataclass(frozen=True, slots=True)
class Foreign:
    """What another client writes; forms that no document describes are taken from an example."""

    kind: str | None
    """As which kind it is marked; None: it has no JMSPulsarMessageType."""
    content: object
    """In a message without a kind the bytes; None: the null value."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Properties without companions."""
    typed: Mapping[str, object] = field(default_factory=dict)
    """Properties with the companions of their types."""
    odd: Mapping[str, str] = field(default_factory=dict)
    """Properties of which nobody says how they are read, such as a text that is no number."""
    key: str | None = None
    jms_type: str | None = None
    correlation: str | bytes | None = None
    reply: Name | None = None
    """By the full name of its topic."""
    marked: str | None = None
    """The JMSReplyToType; None: there is none."""
    mode: int | None = None
    priority: int | None = None
    expiration: int | None = None
    delivery_time: int | None = None
    message_id: str | None = None
    method: str = "send"

    @property
    def typed_texts(self) -> Mapping[str, str]:
        """The texts of the properties that have companions."""
        return {name: _java_text(value) for name, value in self.typed.items()}

    @property
    def headers(self) -> Mapping[str, str]:
        """The raw properties of its header fields."""
        correlation = self.correlation
        content = correlation.encode() if isinstance(correlation, str) else correlation
        given = {
            "JMSType": self.jms_type,
            "JMSCorrelationID": None if content is None else b64encode(content).decode(),
            "JMSReplyTo": self.reply and self.reply.name,
            "JMSReplyToType": self.marked if self.reply else None,
            "JMSDeliveryMode": self.mode,
            "JMSPriority": self.priority,
            "JMSExpiration": self.expiration,
            "JMSDeliveryTime": self.delivery_time,
            "JMSMessageId": self.message_id,
        }
        return {name: str(value) for name, value in given.items() if value is not None}

    def __str__(self) -> str:
        shown = {**self.texts, **self.typed, **self.odd, **self.headers, "key": self.key}
        given = [f"{name} = {text_of(value)}" for name, value in shown.items() if value is not None]
        kind = f"marked {self.kind}" if self.kind else "without a kind"
        return f"a raw message {kind} of {text_of(self.content)} with {', '.join(given)}"


def _java_text(value: object) -> str:
    """A text that Java reads as this value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return repr(float(value)).replace("e", "E").replace("inf", "Infinity")
    return str(int(value)) if isinstance(value, int) else str(value)


def looks_at_foreign(foreign: Foreign) -> Iterator[Look]:
    """All that is asked of such a message."""
    if foreign.kind is None:
        of = "of a foreign message" if foreign.content is not None else "of a null value"
        yield ask_message("kind", [], gives("bytes"), ["SLJ-INTR-003"], of)
        yield ask_message("content", [], gives(foreign.content or b""), ["SLJ-INTR-003"], of)
    elif foreign.kind == "header":
        yield ask_message("kind", [], gives("header"), ["SLJ-INTR-002"], "of a header message")
    else:
        for look in content_of(foreign.kind, foreign.content):
            expectation = look.expectation
            yield ask_message(
                look.method,
                look.args,
                expectation.permitted,
                ["SLJ-INTR-002"],
                expectation.situation,
            )
    for name, text in foreign.texts.items():
        if name != NUMBER and not name.endswith(SUFFIXES):
            yield from _alone(name, text)
    for name, value in foreign.typed.items():
        yield from property_of(name, value)
    customs = [name for name in (*foreign.texts, *foreign.typed) if name != NUMBER]
    yield from looks_at_names(customs, [*foreign.typed])
    yield from group_of(foreign.key)
    yield from looks_at_unused_properties()
    yield ask_message("get_jms_type", [], gives(foreign.jms_type), ["SLJ-HDR-001"])
    yield from correlation_of(foreign.correlation)
    yield from _reply(foreign)
    yield from _options(foreign)


def looks_at_forwarded(foreign: Foreign) -> Iterator[Look]:
    """What such a message keeps when the receiver sends it on."""
    for name, value in foreign.typed.items():
        yield from property_of(name, value)
    customs = [name for name in (*foreign.texts, *foreign.typed) if name != NUMBER]
    yield from looks_at_names(customs, [*foreign.typed])
    yield from group_of(foreign.key)
    yield from looks_at_unused_properties()
    yield ask_message("get_jms_type", [], gives(foreign.jms_type), ["SLJ-HDR-001"])
    yield from correlation_of(foreign.correlation)


def _alone(name: str, text: str) -> Iterator[Look]:
    of = "without a companion"
    for getter in ("get_object_property", "get_string_property"):
        yield ask_message(getter, [name], gives(text), ["SLJ-PROP-017"], of)
    if text.isascii() and text.isdecimal() and len(text) < 10:
        yield ask_message("get_int_property", [name], gives(int(text)), ["SLJ-PROP-017"], of)
    if text in ("true", "false"):
        yield ask_message(
            "get_boolean_property", [name], gives(text == "true"), ["SLJ-PROP-017"], of
        )


def _reply(foreign: Foreign) -> Iterator[Look]:
    if foreign.reply is None:
        return
    name = foreign.reply.name
    if foreign.marked in ("queue", "topic"):
        yield from looks_at_reply(Name(foreign.marked, name))
    elif foreign.marked is None:
        yield ask_message("reply_kind", [], gives("topic"), ["SLJ-HDR-008"], "without a type")
    else:
        topic = gives_what("a topic", lambda given: given == "topic")
        ends = [topic, raises(JMSException, JMSRuntimeException)]
        yield ask_message(
            "reply_kind",
            [],
            ends,
            ["SLJ-HDR-009"],
            "of another type",
            lambda given: f"gave {given}",
        )


def _options(foreign: Foreign) -> Iterator[Look]:
    """What is not given has its default."""
    id_ = "SLJ-MODE-002" if foreign.mode in (None, 2) else "SLJ-MODE-003"
    yield ask_message(
        "get_jms_delivery_mode", [], gives(foreign.mode or 2), [id_], "of a foreign message"
    )
    priority = 4 if foreign.priority is None else foreign.priority
    id_ = "SLJ-PRIO-002" if priority == 4 else "SLJ-PRIO-003"
    yield ask_message("get_jms_priority", [], gives(priority), [id_], "of a foreign message")
    expiration = foreign.expiration or 0
    id_ = "SLJ-EXP-001" if expiration else "SLJ-EXP-004"
    yield ask_message("get_jms_expiration", [], gives(expiration), [id_], "of a foreign message")
    if (time := foreign.delivery_time) is not None:
        yield ask_message(
            "get_jms_delivery_time", [], gives(time), ["SLJ-DLY-007"], "of a foreign one"
        )
    if (told := foreign.message_id) is not None:
        yield ask_message(
            "get_jms_message_id", [], gives(told), ["SLJ-HDR-004"], "of a foreign message"
        )
