"""All that a closed object is asked, by its name, and what it does not refuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter, methodcaller
from typing import Any

from jms_scenarios.refusals import refusal
from jmsapi import IllegalStateException, Message
from touchstone.api import if_there_is

Call = Callable[[Any], object]


def _read(*names: str) -> dict[str, Call]:
    """Reading attributes."""
    return {name: attrgetter(name) for name in names}


def _set(**values: object) -> dict[str, Call]:
    """Setting attributes."""

    def setter(name: str, value: object) -> Call:
        return lambda closed: setattr(closed, name, value)

    return {f"{name} is set": setter(name, value) for name, value in values.items()}


def _called(**arguments: tuple[object, ...]) -> dict[str, Call]:
    """Calling methods."""
    return {name: methodcaller(name, *given) for name, given in arguments.items()}


_MAKING = ("bytes_message", "map_message", "object_message", "stream_message", "text_message")
_NUMBERS = ("delivery_mode", "priority", "time_to_live", "delivery_delay")
CALLS: Mapping[str, Mapping[str, Call]] = {
    "connection": {
        **_called(create_session=(), start=(), stop=()),
        **_read("client_id", "exception_listener", "meta_data"),
        **_set(client_id="late", exception_listener=print),
    },
    "session": {
        **_called(**{f"create_{each}": () for each in ("message", *_MAKING)}),
        **_called(create_temporary_queue=(), create_temporary_topic=(), create_producer=()),
        **_called(create_queue=("queue",), create_topic=("topic",), unsubscribe=("name",)),
        **_called(commit=(), rollback=(), recover=()),
        **_read("transacted", "acknowledge_mode"),
    },
    "producer": {
        **_read("destination", *_NUMBERS, "disable_message_id", "disable_message_timestamp"),
        **_set(delivery_mode=1, priority=5, time_to_live=60_000),
    },
    "consumer": {
        **_called(receive=(1,), receive_no_wait=()),
        **_read("message_selector", "message_listener"),
        **_set(message_listener=print),
    },
}
"""By the kind of object, and by the name of the attribute or method."""


def not_refused(kind: str, closed: Any, message: Message) -> list[str]:
    """Of all that a closed object is asked, what does not raise IllegalStateException.

    By its name, with what happened instead: an exception of another class, or `answered`. A
    producer is asked to send `message`, too.
    """
    answers = []
    calls = dict(CALLS[kind])
    if kind == "producer":
        calls["send"] = lambda producer: producer.send(message)
    for name, call in calls.items():
        answers += [
            f"{name}: {type(error).__name__ if error else 'answered'}"
            for error in if_there_is(partial(refusal, call, closed))
            if not isinstance(error, IllegalStateException)
        ]
    return answers
