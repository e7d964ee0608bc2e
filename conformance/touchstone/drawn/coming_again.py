"""How programs are drawn on messages that were received, touched, and are delivered again.

What they hold is such as arrives everywhere: what does not is for other programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jmsapi.values import Byte, Int, Long
from touchstone.drawn.calls import Call
from touchstone.drawn.program import AGAIN, ARRIVE, SEND, Program, Step

COMING_AGAIN: Final = "delivered again"
"""The subject of such programs."""
COMING_ONES: Final = 60
"""So many are drawn by a seed."""
_FILLED: Final[Mapping[str, Sequence[Call]]] = {
    "message": [],
    "text": [("set_text", ("foo",))],
    "object": [("set_object", (["a", "b"],))],
    "map": [("set_string", ("k", "v")), ("set_int", ("i", Int(7)))],
    "stream": [("write_string", ("foo",)), ("write_int", (Int(7),)), ("write_string", ("bar",))],
    "bytes": [("write_byte", (Byte(3),)), ("write_int", (Int(7),)), ("write_long", (Long(2**40),))],
}
_READ: Final[Mapping[str, Sequence[Call]]] = {
    "message": [],
    "text": [("get_text", ())],
    "object": [("get_object", ())],
    "map": [("get_string", ("k",)), ("get_int", ("i",)), ("map_names", ())],
    "stream": [("read_string", ()), ("read_int", ()), ("read_string", ())],
    "bytes": [("read_byte", ()), ("read_int", ()), ("read_long", ()), ("body_length", ())],
}
_WRITTEN: Final[Mapping[str, Sequence[Call]]] = {
    "message": [],
    "text": [("set_text", ("other",))],
    "object": [("set_object", (["other"],))],
    "map": [("set_string", ("k", "other"))],
    "stream": [("write_string", ("other",))],
    "bytes": [("write_byte", (Byte(9),))],
}
"""By the kind of message: what it holds, how that is read, and what is written over it."""
_OUTSIDE: Final[Sequence[Call]] = [
    ("set_string_property", ("a", "1")),
    ("set_int_property", ("n", Int(7))),
    ("set_jms_type", ("T",)),
    ("set_jms_correlation_id", ("c",)),
]
_SEEN: Final[Sequence[Call]] = [
    ("get_string_property", ("a",)),
    ("get_int_property", ("n",)),
    ("get_jms_type", ()),
    ("get_jms_correlation_id", ()),
]
_TOUCHES: Final = st.lists(
    st.sampled_from(["read", "read in part", "write", "clear", "properties", "headers"]),
    min_size=1,
    max_size=3,
)
_TIMES: Final = st.sampled_from([1, 1, 2])


@st.composite
def programs_on_what_comes_again(draw: DrawFn, kinds: Sequence[str]) -> Program:
    """Programs that send a message, read and change what arrives, and read what comes again."""
    kind, on = draw(st.sampled_from(kinds)), 0
    calls: list[Call] = [*_FILLED[kind], *_OUTSIDE, (SEND, ())]
    for _ in range(draw(_TIMES)):
        for touch in draw(_TOUCHES):
            calls += _touching(kind, touch)
        calls += [(AGAIN, ()), *_READ[kind], *_SEEN]
    steps = []
    for method, args in calls:
        steps.append(Step(on, method, args))
        on += method in ARRIVE
    return Program(kind, steps)


def _touching(kind: str, touch: str) -> Sequence[Call]:
    match touch:
        case "read":
            return _READ[kind]
        case "read in part":
            return _READ[kind][:1]
        case "write":
            return [("clear_body", ()), *_WRITTEN[kind]]
        case "clear":
            return [("clear_body", ()), ("clear_properties", ())]
        case "properties":
            return [("clear_properties", ()), ("set_string_property", ("a", "other"))]
    return [("set_jms_type", ("other",)), ("set_jms_correlation_id", ("other",))]
