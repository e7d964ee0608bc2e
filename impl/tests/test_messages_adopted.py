"""Messages of other clients, and bare bodies, that are sent as messages of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jmsapi import (
    Message,
)
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarTextMessage,
    Sending,
    adopt,
    encode,
    mark_sent,
    message_for,
    mirror_headers,
)
from pulsar_jms.transport.interface import MessagePosition
from sample_messages import (
    INTERFACES,
    KINDS,
    QUEUE,
    received,
    text,
)


@pytest.mark.parametrize("make", KINDS)
def test_a_message_of_another_client_is_copied(make: Callable[[], PulsarMessage]) -> None:
    original = make()
    original.set_int_property("p", 1)
    original.jms_type = "t"
    original.jms_correlation_id = "c"
    foreign = Foreign.like(original)
    copy = adopt(foreign)
    assert copy is not foreign
    assert type(copy) is type(original)
    assert copy.encoded_body() == original.encoded_body()
    assert copy.get_object_property("p") == 1
    assert (copy.jms_type, copy.jms_correlation_id) == ("t", "c")
    encode(copy, Sending(QUEUE, 7, priority=9), "c", "public/default")
    mark_sent(copy, MessagePosition(1, 2))
    mirror_headers(copy, foreign)
    assert (foreign.jms_message_id, foreign.jms_priority) == ("ID:1:2:-1", 9)


class Foreign:
    """A stand-in for another client's message: the same calls, another class."""

    @classmethod
    def like(cls, original: PulsarMessage) -> Any:
        interfaces = tuple(kind for kind in INTERFACES if isinstance(original, kind)) or (Message,)
        methods = {
            name: _delegated(name)
            for interface in interfaces
            for name in dir(interface)
            if not name.startswith("_")
        }
        fields = {name: _field(name) for name in Message.__annotations__}
        extra = {name: _field(name) for name in ("text", "object", "body_length")}
        extra = {name: each for name, each in extra.items() if hasattr(type(original), name)}
        foreign: Any = type("ForeignMessage", interfaces, {**methods, **fields, **extra})
        made = foreign()
        made.__dict__["original"] = original
        return made


def _delegated(name: str) -> Callable[..., Any]:
    def call(self: Any, *args: Any) -> Any:
        return getattr(self.__dict__["original"], name)(*args)

    return call


def _field(name: str) -> property:
    return property(
        lambda self: getattr(self.__dict__["original"], name),
        lambda self, value: setattr(self.__dict__["original"], name, value),
    )


def test_own_messages_are_sent_as_they_are() -> None:
    message = text()
    assert adopt(message) is message


BARE_BODIES: list[tuple[object, type[PulsarMessage]]] = [
    ("t", PulsarTextMessage),
    (b"b", PulsarBytesMessage),
    ({"k": 1}, PulsarMapMessage),
    ([1], PulsarObjectMessage),
    (None, PulsarObjectMessage),
    (5, PulsarObjectMessage),
]


@pytest.mark.parametrize(("body", "kind"), BARE_BODIES)
def test_bare_bodies_find_their_message(body: object, kind: type[PulsarMessage]) -> None:
    message = received(message_for(body))
    assert type(message) is kind
    assert message.get_body(object) == body
