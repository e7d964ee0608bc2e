"""Questions to a message that was received."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from jms_model.answers import Answer
from jms_model.pulsar_wire.looks import NUMBER, Look
from jmsapi import Destination, Message, Queue, Topic
from touchstone.drawn.driving import answer_of
from touchstone.scenario.bodies import content_of, kind_of

TopicOf = Callable[[Destination], str]
"""The full name of the topic behind a destination."""


def answer_to(message: Message, look: Look, topic_of: TopicOf) -> Answer:
    """What a message answers to a question of the model."""
    return answer_of(partial(_read, message, look, topic_of))


def number_in(message: Message) -> str | None:
    """The text by which a message is known."""
    answer = answer_of(partial(message.get_string_property, NUMBER))
    value = getattr(answer, "value", None)
    return value if isinstance(value, str) else None


def _read(message: Any, look: Look, topic_of: TopicOf) -> object:
    match look.method:
        case "kind":
            return kind_of(message)
        case "content":
            return content_of(message)
        case "property_names":
            return list(message.property_names())
        case "reply_kind":
            reply = message.jms_reply_to
            return "none" if reply is None else _kind(reply)
        case "is_seen":
            return _is_seen(message, str(look.args[0]))
        case "reply_topic":
            reply = message.jms_reply_to
            return None if reply is None else topic_of(reply)
    if look.method.startswith("get_jms_"):
        return getattr(message, look.method.removeprefix("get_"))
    return getattr(message, look.method)(*look.args)


def _kind(destination: object) -> str:
    if isinstance(destination, Queue):
        return "queue"
    return "topic" if isinstance(destination, Topic) else "neither"


def _is_seen(message: Any, name: str) -> bool:
    """Whether a property is there, or has a value without being there."""
    values = (message.get_object_property(name), message.get_string_property(name))
    return message.property_exists(name) or any(value is not None for value in values)
