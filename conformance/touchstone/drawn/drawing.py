"""How programs are drawn: what the state of a message makes interesting is drawn more often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.bodies import TEN
from jms_model.conversions import type_of
from jms_model.map_body import MapBody
from jms_model.message import Message
from jms_model.properties import TYPES
from jms_model.stream_body import StreamBody
from touchstone.drawn.calls import READS_OF_STREAMS, SCRIPTS, Call, operations
from touchstone.drawn.program import SEND, Program, Step
from touchstone.drawn.values import ARGUMENTS, EQUALS, PROPERTY_NAMES, TUPLES

_LONGEST: Final = 40
"""Steps of a program."""
_MOST: Final = 3
"""Messages of a program."""
_END: Final = 0
_AROUND: Final = (13, 14)
_SENDS: Final = (15, 16)
_WHAT: Final = st.integers(0, 17)
"""Whether the program ends, or a message is sent; otherwise on which message it goes on.

It is one draw, since Hypothesis takes a step out of a program only if that is a few draws.
"""
_HOW_TO_READ: Final = st.integers(0, 3)
_ANYTHING: Final = 0
_IN_ITS_TYPE: Final = 1
_BY_ITS_NAME: Final = 2
_NAMES: Final = (("entry name",), ("property name",))
_OF_ITEMS: Final = {java: name for name, java in TEN.items()}
_OF_PROPERTIES: Final = {java: name for name, java in TYPES.items()}
_RESET: Final[Call] = ("reset", ())
_NO_TIMES: Final[Sequence[Call]] = (
    ("set_jms_expiration", (0,)),
    ("set_jms_delivery_time", (0,)),
)
"""Some clients expire or keep back a message by what the application wrote there: JMS-HDR-003 has
scenarios."""
_CLEARING: Final[Sequence[Call]] = (
    ("clear_properties", ()),
    ("clear_body", ()),
    ("set_int_property", ("", 1)),
)
"""What may leave other parts of a message as they are, and has to."""


@st.composite
def programs(draw: DrawFn, subject: str, kinds: Sequence[str]) -> Program:
    """Programs about a subject, with a message of one of the kinds."""
    kind = draw(st.sampled_from(kinds)) if len(kinds) > 1 else kinds[0]
    messages = [Message(kind)]
    steps: list[Step] = []
    calls: Sequence[Call]
    while len(steps) < _LONGEST and (what := draw(_WHAT)) != _END:
        on = min(what % _MOST, len(messages) - 1)
        if what in _SENDS and len(messages) < _MOST:
            for method, args in _NO_TIMES:
                if messages[on].headers.values.get(method.removeprefix("set_")):
                    steps.append(Step(on, method, args))
                    _follow(messages[on], method, args)
            steps.append(Step(on, SEND))
            messages.append(messages[on].sent())
            on = len(messages) - 1
            calls = properties_of(messages[on]) if draw(st.booleans()) else []
        elif what in _AROUND:
            calls = _calls_together(draw, messages[on])
        else:
            calls = [_next_call(draw, subject, messages[on])]
        for method, args in calls:
            steps.append(Step(on, method, args))
            _follow(messages[on], method, args)
    return Program(kind, steps)


def _follow(message: Message, method: str, args: tuple[Any, ...]) -> None:
    """Let the model go on as if the call had ended in the first of the permitted ways."""
    expectation = message.expect(method, args)
    message.follow(expectation, expectation.permitted[0])


def _next_call(draw: DrawFn, subject: str, message: Message) -> Call:
    """A call; one that reads mostly reads what is there, and often in its own type."""
    method, given = draw(operations(subject, message.kind, message.body.writable))
    there = _reads_of_what_is_there(message, method)
    how = draw(_HOW_TO_READ) if there else _ANYTHING
    if how == _IN_ITS_TYPE:
        return draw(st.sampled_from(there))
    if how == _BY_ITS_NAME and given in _NAMES:
        _, name = draw(st.sampled_from(there))
        return method, name
    args: tuple[Any, ...] = ()
    for meaning in given:
        value = draw(ARGUMENTS[meaning])
        args += value if meaning in TUPLES else (value,)
    return method, args


def _reads_of_what_is_there(message: Message, method: str) -> list[Call]:
    """The reads that give what is there in its own type, if the method is such a read."""
    body = message.body
    if method == "property_exists" or (method.endswith("_property") and method.startswith("get_")):
        return properties_of(message)
    if isinstance(body, MapBody) and (method == "item_exists" or method.startswith("get_")):
        return [
            (f"get_{_OF_ITEMS.get(type_of(value), 'object')}", (name,))
            for name, value in body.entries.items()
        ]
    if isinstance(body, StreamBody) and method.startswith("read_") and not body.writable:
        at = body.at
        return [] if at is None or at == len(body.items) else [_read_of(body.items[at])]
    return []


def properties_of(message: Message) -> list[Call]:
    """The reads of all properties, each in its own type."""
    return [
        (f"get_{_OF_PROPERTIES.get(type_of(value), 'object')}_property", (name,))
        for name, value in message.properties.values.items()
    ]


def _read_of(item: object) -> Call:
    """The read of a stream that gives an item in its own type."""
    name = _OF_ITEMS.get(type_of(item), "object")
    return ("read_bytes", (600,)) if name == "bytes" else (f"read_{name}", ())


def _calls_together(draw: DrawFn, message: Message) -> Sequence[Call]:
    """Calls that belong together: a script, or what clears something between two equal reads."""
    if draw(_HOW_TO_READ) == _ANYTHING:
        return _set_again(draw, message)
    scripts = SCRIPTS.get(message.kind)
    if scripts is not None and draw(st.booleans()):
        return draw(st.sampled_from(scripts))
    reads: list[Call] = [("get_object_property", (name,)) for name in message.properties.values]
    reads += [(f"get_{name}", ()) for name in message.headers.values]
    body = message.body
    if isinstance(body, MapBody):
        reads += [("map_names", ()), *(("get_object", (name,)) for name in body.entries)]
    if isinstance(body, StreamBody) and body.items:
        first = _read_of(body.items[0])
        return [_RESET, first, _RESET, draw(st.sampled_from(READS_OF_STREAMS)), first]
    if not isinstance(body, StreamBody):
        reads += [("get_body", ("Object",))] * 3
    read = draw(st.sampled_from(reads))
    return [read, draw(st.sampled_from(_CLEARING)), read]


def _set_again(draw: DrawFn, message: Message) -> Sequence[Call]:
    """A property, or an entry of a map, is set to an equal value of another type, and read."""
    name = draw(st.sampled_from(PROPERTY_NAMES))
    is_entry = isinstance(message.body, MapBody) and draw(st.booleans())
    types, property_ = (_OF_ITEMS, "") if is_entry else (_OF_PROPERTIES, "_property")
    sets = [(f"set_{types[type_of(value)]}{property_}", (name, value)) for value in draw(EQUALS)]
    return [*sets, (f"get_object{property_}", (name,))]
