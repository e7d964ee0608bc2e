"""A trace: what one scenario did with the client, in order, with times."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jms_brokers.faults.rules import FaultError
from jms_brokers.machine.secrecy import HIDDEN, hide_secrets, tells_secret
from jms_clients.calls import Calls, unheard_calls
from jms_clients.errors import NotInThisVersion
from jms_clients.origins import Origin, origin_of
from jmsapi import Message

_NOT_THE_CLIENTS = (Origin.ADAPTER, Origin.CLASS_PATH, Origin.BROKER, Origin.HARNESS)
_LONGEST = 300
"""Characters of a value that are kept."""
EVENTS = 5000
"""Events of a scenario that are kept; what follows is counted."""


class Trace:
    """Events of one scenario, kept in memory until a verdict asks for them. Safe for threads."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._events: list[tuple[float, int, str, str, str, object, object]] = []
        self._dropped = 0
        self._failed: list[Exception] = []
        self.calls = Calls()
        """The same of a client in Java, as exact as a program needs it."""

    def add(self, kind: str, who: str, what: str, given: object = None, got: object = None) -> None:
        """Record an event; `given` and `got` are rendered later, so pass what does not change."""
        if len(self._events) >= EVENTS:
            self._dropped += 1
            return
        now = time.perf_counter() - self._began
        self._events.append((now, threading.get_ident(), kind, who, what, given, got))

    def raised(
        self, who: str, what: str, error: BaseException, given: object, event: str = "raised"
    ) -> None:
        """Record that a call or a callback raised `error`."""
        self.add(event, who, what, given, repr(error))
        if isinstance(error, FaultError):
            return  # of a process that the scenario itself has ended
        if isinstance(error, NotInThisVersion) and event == "raised":
            return  # the scenario ends by it, or does without
        if isinstance(error, Exception) and origin_of(error) in _NOT_THE_CLIENTS:
            self._failed.append(error)

    def not_the_clients(self) -> Exception | None:
        """The first exception that a call or a listener raised by no fault of the client."""
        return next(iter(self._failed), None)

    def lines(self) -> list[str]:
        """The events as JSON objects, one a line, without secrets."""
        threads: dict[int, int] = {}
        lines = []
        for seconds, thread, kind, who, what, given, got in list(self._events):
            event: dict[str, object] = {
                "at": round(seconds, 6),
                "thread": threads.setdefault(thread, len(threads)),
                "event": kind,
                "on": who,
                "what": what,
            }
            if given is not None:
                event["given"] = given
            if got is not None:
                event["got"] = got
            lines.append(json.dumps(event, default=str))
        if self._dropped:
            lines.append(json.dumps({"event": "dropped", "count": self._dropped}))
        return hide_secrets(lines)


def trace_value(value: object, name_of: Callable[[object], str | None] = lambda _: None) -> object:
    """`value` as a trace shows it: short, as it is now, and without secrets."""
    if value is None or isinstance(value, (bool, int, float)):
        return value if type(value) in (bool, int, float, type(None)) else repr(value)
    if isinstance(value, (str, bytes)):
        return _short(repr(value))
    if isinstance(value, Message):
        with unheard_calls():
            return message_text(value)
    if isinstance(value, Mapping):
        return {
            str(key): HIDDEN if tells_secret(str(key)) else trace_value(item, name_of)
            for key, item in value.items()
        }
    with unheard_calls():
        return name_of(value) or _short(_destination(value) or repr(value))


def message_text(message: Message) -> str:
    """A message in a few words: its kind and its id, if it can tell it."""
    kind = next(
        (base.__name__ for base in type(message).__mro__ if base.__module__ == "jmsapi.messages"),
        "Message",
    )
    try:
        return f"{kind} {message.jms_message_id}"
    except Exception as error:
        return f"{kind} (id unreadable: {type(error).__name__})"


def masked(parameters: Iterable[str], values: Iterable[Any]) -> list[Any]:
    """`values` with those of parameters that carry secrets hidden."""
    return [
        HIDDEN if value is not None and tells_secret(name) else value
        for name, value in zip(parameters, values, strict=True)
    ]


def _destination(value: object) -> str | None:
    for name in ("queue_name", "topic_name"):
        own_name = getattr(value, name, None)
        if isinstance(own_name, str):
            return f"{name.partition('_')[0]} {own_name}"
    return None


def _short(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return (
        f"{hide_secrets(text)[:_LONGEST]}… ({len(text)} characters)"  # else half a secret may stay
    )
