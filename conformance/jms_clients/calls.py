"""What a client in Java was asked, call by call: what a program in plain Java has to repeat.

Values are rendered when they are given, with their types, since arrays change and objects of the
client must not be kept alive. An object is known by a number that is its own in the JVM.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from jms_brokers.machine.secrecy import hide_secrets

CALLS = 5000
"""Calls of a scenario that are kept; what follows is counted."""
_LONGEST = 20_000
"""Characters or bytes of a value that are kept."""
_UNIT = 20
"""Those of what a longer value may repeat."""
_PRIMITIVES: Final = {
    "JByte": "byte",
    "JShort": "short",
    "JInt": "int",
    "JLong": "long",
    "JFloat": "float",
    "JDouble": "double",
}
"""By the names that JPype has for types of numbers, those of Java."""
_BOXES: Final = {
    f"java.lang.{name}": name for name in ("Byte", "Short", "Integer", "Long", "Float", "Double")
}
_SHARED: Final = ("byte[]", "java.util.ArrayList")
"""What an application and a client may both hold, and one of them changes."""
FOREIGN: Final = "foreign"
"""In place of a class: a message that no client made."""
_UNHEARD = threading.local()


@dataclass(frozen=True)
class Thrown:
    """In place of a value that cannot be read: whoever does gets an exception of this class."""

    kind: str


@contextmanager
def unheard_calls() -> Iterator[None]:
    """The calls of this thread are the harness's own: neither they nor their time is noted."""
    before = getattr(_UNHEARD, "depth", 0)
    began = time.perf_counter()
    _UNHEARD.depth = before + 1
    try:
        yield
    finally:
        _UNHEARD.depth = before
        if not before:
            _UNHEARD.seconds = getattr(_UNHEARD, "seconds", 0.0) + time.perf_counter() - began


def _now() -> float:
    """Seconds of this thread, but those that nobody heard."""
    return round(time.perf_counter() - getattr(_UNHEARD, "seconds", 0.0), 4)


class Calls:
    """The calls of one scenario, in order. Safe for threads."""

    def __init__(self) -> None:
        self._moments = itertools.count(1)
        self._events: list[dict[str, Any]] = []
        self._dropped = 0
        self._identity: Callable[[Any], int] | None = None
        self._listeners: dict[int, tuple[int, object]] = {}
        self._named: dict[int, tuple[dict[str, Any], object]] = {}
        self._foreign: list[Any] = []
        """Held, for else they were other objects whenever they are given to Java."""
        self._held: set[tuple[int, str]] = set()
        self._shared: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._relays = 0
        self._paused = False

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is noted, whichever thread calls or is called back."""
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    def hear(self, identity: Callable[[Any], int], where: str, admin: str = "") -> None:
        """From now on a client speaks; the URLs are those of its broker and its administration."""
        self._identity = identity
        self._note({"java": "at", "url": where, "admin": admin})

    def call(self, method: Any, args: tuple[Any, ...]) -> dict[str, Any] | None:
        """A call begins; what is given back is for `gave` or `threw`."""
        if getattr(_UNHEARD, "depth", 0):
            return None
        self._look_at_shared()
        on = getattr(method, "__self__", None)
        event: dict[str, Any] = {"java": "call", "method": str(method.__name__)}
        if on is None:
            event["java"] = "new"
        else:
            event |= {"on": self._number(on), "as": type(on).__name__}
        event["given"] = [self._value(arg) for arg in args]
        return self._note(event)

    def gave(
        self,
        event: dict[str, Any] | None,
        result: Any,
        args: tuple[Any, ...] = (),
        *,
        as_it_is: bool = False,
    ) -> None:
        """A call with `args` came back; the application may change an array it gets `as_it_is`."""
        if event is not None:
            if event["method"] == "readBytes":
                event["filled"] = self._value(args[0])
            if as_it_is and type(result).__name__ in _SHARED:
                self._shared[self._number(result)] = result, self._content(result)
            event["got"] = self._value(result)
            self._came_back(event)

    def threw(self, event: dict[str, Any] | None, error: Any) -> None:
        """A call threw an exception of Java."""
        if event is not None:
            event["threw"] = _classes(error)
            event["text"] = _text(error.getMessage())[:_LONGEST]
            self._came_back(event)

    def made(self, array: Any) -> None:
        """An array or list that the application made, and may change at any time."""
        content = self._content(array)
        self._shared[self._number(array)] = array, content
        noted = self._note({"java": "new", "method": type(array).__name__, "given": [content]})
        self.gave(noted, array)

    def held(self, java: Any, interface: str) -> None:
        """An object is held as this interface."""
        number = self._number(java)
        if (number, interface) not in self._held:
            self._held.add((number, interface))
            self._note({"java": "held", "object": number, "as": interface})

    def listener(self, proxy: object, interface: str) -> int:
        """The number of a listener that was made.

        One that nobody hears of is not kept: with it were all that it was made with.
        """
        if self._is_quiet():
            return 0
        number = len(self._listeners) + 1
        self._listeners[id(proxy)] = number, proxy
        self._note({"java": "listener", "number": number, "as": interface})
        return number

    def named(self, proxy: object, interface: str, name: str) -> None:
        """A destination of this interface of which there is only a name."""
        if not self._is_quiet():
            self._named[id(proxy)] = {"named": interface, "name": _string(name)}, proxy

    def foreign(
        self,
        java: Any,
        interface: str,
        headers: Mapping[str, Any],
        properties: Mapping[str, Any],
        body: Any,
    ) -> None:
        """A message that no client made, and all that it can be asked for, in values of Java.

        A body is a mapping or a sequence of them where it has entries or items.
        """
        if isinstance(body, Mapping):
            told = self._entries(body)
        else:
            items = isinstance(body, list | tuple)
            told = {"List": [self._value(item) for item in body]} if items else self._value(body)
        given = [self._entries(headers), self._entries(properties), told]
        event = {"java": "new", "method": FOREIGN, "as": interface, "given": given}
        self._foreign.append(java)
        self.gave(self._note(event), java)

    def called_back(self, number: int, method: str, args: tuple[Any, ...]) -> None:
        """A listener is called."""
        self._note(
            {
                "java": "callback",
                "number": number,
                "method": method,
                "given": [self._value(arg) for arg in args],
            }
        )

    def came_back(self, number: int, error: Any = None) -> None:
        """A listener's method ended, perhaps with an exception of Java."""
        event: dict[str, Any] = {"java": "returned", "number": number}
        if error is not None:
            event["threw"] = _classes(error)
        self._note(event)

    def relay(self, broker: str, here: str) -> int:
        """The number of a relay that was made `here` for a broker, each as HOST:PORT."""
        self._relays += 1
        self._note({"java": "relay", "number": self._relays, "broker": broker, "here": here})
        return self._relays

    def fault(self, relay: int, does: str, given: Sequence[str]) -> None:
        """What a relay begins to do to its connections."""
        self._note({"java": "fault", "number": relay, "does": does, "given": [*given]})

    def looked(self) -> None:
        """The broker itself was asked for what no client shows."""
        if not self._events or self._events[-1]["java"] != "looked":
            self._note({"java": "looked"})

    def block_failed(self, ids: Sequence[str]) -> None:
        """What the scenario goes on with decides nothing for these statements any more."""
        self._note({"java": "failed", "ids": [*ids]})

    def finding(self, ids: Sequence[str]) -> None:
        """What follows shows one disagreement alone, with what these statements permit."""
        self._note({"java": "finding", "ids": [*ids]})

    def step(self, words: object) -> None:
        """What follows is one step of that, in these words."""
        self._note({"java": "step", "words": str(words)})

    def shown(
        self, words: object, permitted: str, *, raised: Exception | None, nothing: bool
    ) -> None:
        """The last step of these words has shown it, by what it raised, or else gave."""
        error = None if raised is None else type(raised).__name__
        event = {"java": "shown", "words": str(words), "permitted": permitted}
        self._note({**event, "raised": error, "nothing": nothing})

    def ended(self) -> None:
        """The scenario ended; what follows closes what it opened."""
        self._note({"java": "ended"})

    def lines(self) -> list[str]:
        """The events as JSON objects, one a line, without secrets."""
        lines = [json.dumps(event) for event in list(self._events)]
        if self._dropped:
            lines.append(json.dumps({"java": "dropped", "count": self._dropped}))
        return hide_secrets(lines)

    def _is_quiet(self) -> bool:
        return self._paused or getattr(_UNHEARD, "depth", 0) > 0

    def _note(self, event: dict[str, Any]) -> dict[str, Any] | None:
        if self._is_quiet():
            return None
        if len(self._events) >= CALLS:
            self._dropped += 1
            return None
        event["moment"] = next(self._moments)
        event["thread"] = threading.get_ident()
        event["at"] = _now()
        self._events.append(event)
        return event

    def _look_at_shared(self) -> None:
        """Note what the application has changed in its arrays and lists."""
        for number, (array, before) in list(self._shared.items()):
            now = self._content(array)
            if now != before:
                self._shared[number] = array, now
                event = {"java": "call", "method": "=", "on": number, "as": "", "given": [now]}
                if (noted := self._note(event)) is not None:
                    self._came_back(noted)

    def _came_back(self, event: dict[str, Any]) -> None:
        event["until"] = next(self._moments)
        event["back"] = _now()

    def _number(self, java: Any) -> int:
        return 0 if self._identity is None else self._identity(java)

    def _is_null(self, java: Any) -> bool:
        """Whether it is the null of its class; to look into an array that is null ends the JVM."""
        return self._identity is not None and self._identity(java) == 0

    def _value(self, value: Any) -> Any:
        """A value as JSON: null, or its type in Java with its text or parts."""
        name = type(value).__name__
        if value is None:
            return None
        if name in _PRIMITIVES:
            number = float(value) if isinstance(value, float) else int(value)
            return {_PRIMITIVES[name]: repr(number)}
        if name in ("bool", "JBoolean"):
            return {"boolean": bool(value)}
        if name in ("int", "float"):
            return {"long" if isinstance(value, int) else "double": repr(value)}
        if name in ("java.lang.String", *_SHARED) and self._is_null(value):
            return {"null": name}
        if name in ("java.lang.String", "str"):
            return _string(value)
        if name == "JChar":
            return {"char": ord(str(value)[0])}
        if name in _SHARED:
            return self._shared_or_not(value)
        if isinstance(value, Thrown):
            return {"throws": value.kind}
        if (listener := self._listeners.get(id(value))) is not None:
            return {"listener": listener[0]}
        if (named := self._named.get(id(value))) is not None:
            return named[0]
        if not hasattr(value, "getClass"):
            return {"foreign": name}  # an object that the harness implements
        if value == None:  # noqa: E711 - the null of one class
            return {"null": name}
        kind = value.getClass()
        # held by an interface, it is not read as what it is
        return self._object(kind.cast(value), str(kind.getName()), name)

    def _entries(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {"Map": [[_string(name), self._value(value)] for name, value in values.items()]}

    def _shared_or_not(self, value: Any) -> dict[str, Any]:
        content = self._content(value)
        if not self._shared or (number := self._number(value)) not in self._shared:
            return content
        return {"object": number, "class": type(value).__name__, "content": content}

    def _content(self, value: Any) -> dict[str, Any]:
        if type(value).__name__ != "byte[]":
            return {"List": [self._value(item) for item in value]}
        kept = bytes(value[: _LONGEST + 1])
        if len(kept) <= _LONGEST:
            return {"bytes": kept.hex()}
        whole = bytes(value)
        if not (unit := unit_of(whole)):
            return {"cut": "byte[]"}
        return {"bytes": whole[:unit].hex(), "times": len(whole) // unit}

    def _object(self, value: Any, kind: str, held: str) -> dict[str, Any]:
        if kind in _BOXES or kind == "java.math.BigInteger":
            return {_BOXES.get(kind, "BigInteger"): str(value.toString()), "as": held}
        if kind == "java.lang.String":
            return _string(value.toString())
        if kind == "java.lang.Boolean":
            return {"Boolean": bool(value.booleanValue()), "as": held}
        if kind == "java.lang.Character":
            return {"Character": ord(str(value.charValue()))}
        if kind == "java.lang.Class":
            return {"Class": str(value.getName())}
        if kind == "[B" or kind in _SHARED:
            return {**self._shared_or_not(value), "as": held}
        if kind.startswith("java.util.") and kind.endswith("Set"):
            return {"Set": [self._value(item) for item in value], "as": held}
        if kind == "java.util.HashMap":
            pairs = [[self._value(e.getKey()), self._value(e.getValue())] for e in value.entrySet()]
            return {"Map": pairs, "as": held}
        return {"object": self._number(value), "class": kind, "as": held}


def _string(value: Any) -> dict[str, Any]:
    text = _text(value)
    if len(text) <= _LONGEST:
        return {"String": text}
    if not (unit := unit_of(text)):
        return {"cut": "String"}
    return {"String": text[:unit], "times": len(text) // unit}


def unit_of(value: str | bytes) -> int:
    """The length of the short part that a text or array repeats; 0: it repeats none."""
    lengths = range(1, min(_UNIT, len(value) // 2) + 1)
    return next((n for n in lengths if value[:n] * (len(value) // n) == value), 0)


def _text(value: Any) -> str:
    """A java.lang.String, also with half a surrogate pair; "" for null."""
    if value is None:
        return ""
    try:
        return str(value)
    except UnicodeDecodeError:
        return "".join(map(str, value.toCharArray()))


def _classes(error: Any) -> list[str]:
    """The name of an exception's class, then those of the classes above it."""
    names = []
    each = error.getClass()
    while each is not None:
        names.append(str(each.getName()))
        each = each.getSuperclass()
    return names
