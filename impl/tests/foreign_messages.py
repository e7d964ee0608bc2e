"""Messages of another client, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jmsapi import Message
from pulsar_jms.messages import PulsarMessage
from sample_messages import INTERFACES


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
