"""How programs are drawn on messages that carry much: a send shows how many values travel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.bodies import TEN
from jms_model.headers import STATEMENTS
from jms_model.message import Message
from jms_model.properties import TYPES
from touchstone.drawn.calls import Call
from touchstone.drawn.program import SEND, Program, Step
from touchstone.drawn.values import ARGUMENTS, ENTRY_NAMES, PROPERTY_NAMES

FULL: Final = "full messages"
"""The subject of such programs."""
_NAMES: Final = (*PROPERTY_NAMES, "b", "B", "_c", "日本", "null_", "d" * 200)
_TYPES: Final = st.permutations([*TYPES])
_ITEMS: Final = st.permutations([*TEN])
_TIMES: Final = ("jms_expiration", "jms_delivery_time")
"""Header fields by which some clients expire or keep back what is sent."""
_HEADERS: Final = [name for name in STATEMENTS if name not in _TIMES]
_HEADER_SETTERS: Final = {f"set_{name}" for name in STATEMENTS}
_HEADER_GETTERS: Final[Sequence[Call]] = [(f"get_{name}", ()) for name in STATEMENTS]
_CLEARS: Final = st.permutations(["clear_properties", "clear_body"])
_OF_BYTES: Final = [name for name in TEN if name not in ("string", "bytes")]
_WHOLE: Final = ("text", "object")
"""Kinds of message of which a new one is looked at."""
_TRIPS: Final = st.sampled_from([1, 1, 2])


@st.composite
def programs_on_full_messages(draw: DrawFn, kinds: Sequence[str]) -> Program:
    """Programs that fill a message, send it, read all that arrives, send that, and clear it."""
    kind = draw(st.sampled_from(kinds))
    message, steps, on = Message(kind), list[Step](), 0

    def makes(calls: Iterable[Call]) -> None:
        for method, args in calls:
            steps.append(Step(on, method, args))
            expectation = message.expect(method, args)
            message.follow(expectation, expectation.permitted[0])

    makes([(f"get_{kind}", ())] if kind in _WHOLE else [])
    filled = [*_filling_calls(draw, kind)]
    makes(filled)
    for _ in range(draw(_TRIPS)):
        steps.append(Step(on, SEND))
        message, on = message.sent(), on + 1
        makes(_reading_calls(filled))
        makes([("set_jms_type", (draw(ARGUMENTS["jms_type"]),))])
    for clears in draw(_CLEARS):
        makes(_HEADER_GETTERS)
        makes([(clears, ())])
        makes([*_HEADER_GETTERS, ("property_names", ())])
    return Program(kind, steps, by_context=draw(st.booleans()))


def _reading_calls(filled: Sequence[Call]) -> Iterator[Call]:
    """All of what was filled, each in its own type."""
    yield from _HEADER_GETTERS
    yield "property_names", ()
    for method, args in filled:
        verb, _, name = method.partition("_")
        if name == "bytes" and verb == "write":
            yield "read_bytes", (600,)
        elif verb == "write":
            yield f"read_{name}", ()
        elif method not in _HEADER_SETTERS:
            yield f"get_{name}", args[:-1]


def _filling_calls(draw: DrawFn, kind: str) -> Iterator[Call]:
    for name in _HEADERS:
        if draw(st.booleans()):
            yield f"set_{name}", (draw(ARGUMENTS[name]),)
    names = draw(st.permutations(_NAMES))
    for name, type_ in zip(names, draw(_TYPES), strict=False):
        meaning = "text" if type_ == "string" else type_
        yield f"set_{type_}_property", (name, draw(ARGUMENTS[meaning]))
    yield from _BODIES[kind](draw)


def _text(draw: DrawFn) -> Iterator[Call]:
    yield "set_text", (draw(ARGUMENTS["text"]),)


def _object(draw: DrawFn) -> Iterator[Call]:
    yield "set_object", (draw(ARGUMENTS["object"]),)


def _items(draw: DrawFn) -> Iterator[tuple[str, Any]]:
    for type_ in draw(_ITEMS):
        yield type_, draw(ARGUMENTS["text" if type_ == "string" else type_])


def _map(draw: DrawFn) -> Iterator[Call]:
    names = draw(st.permutations(ENTRY_NAMES))
    for name, (type_, value) in zip(names, _items(draw), strict=False):
        yield f"set_{type_}", (name, value)


def _stream(draw: DrawFn) -> Iterator[Call]:
    for type_, value in _items(draw):
        yield f"write_{type_}", (value,)


def _bytes(draw: DrawFn) -> Iterator[Call]:
    for type_ in draw(st.permutations(_OF_BYTES)):
        yield f"write_{type_}", (draw(ARGUMENTS[type_]),)
    yield "write_utf", (draw(ARGUMENTS["text"]),)
    yield "write_bytes", (draw(ARGUMENTS["bytes"]),)


_BODIES: Final[dict[str, Callable[[DrawFn], Iterator[Call]]]] = {
    "message": lambda _: iter(()),
    "text": _text,
    "object": _object,
    "map": _map,
    "stream": _stream,
    "bytes": _bytes,
}
