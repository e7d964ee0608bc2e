"""The calls that programs are drawn from, in shares that suit what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from jms_model.bodies import TEN
from jms_model.headers import STATEMENTS
from jms_model.properties import TYPES
from jmsapi import Int

Call = tuple[str, tuple[Any, ...]]
"""A method and its arguments."""
Operation = tuple[str, tuple[str, ...]]
"""A method and what its arguments mean (`ARGUMENTS`)."""
_NULLABLE: Final = {"string": "text or null", "bytes": "bytes or null", "object": "item"}


PROPERTY_VALUES: Final = {
    **{name: name for name in TYPES},
    "string": "text or null",
    "object": "property",
}
"""What the setter of each type takes, as ARGUMENTS call it."""
_PROPERTIES: Final[Sequence[Operation]] = (
    *(
        (f"set_{kind}_property", ("name", value))
        for kind, value in PROPERTY_VALUES.items()
        for _ in "12"
    ),
    *((f"get_{kind}_property", ("property name",)) for kind in PROPERTY_VALUES),
    ("get_object_property", ("property name",)),
    ("property_exists", ("property name",)),
    *(("property_names", ()) for _ in "12"),
    ("clear_properties", ()),
)
_HEADERS: Final[Sequence[Operation]] = (
    *((f"set_{name}", (name,)) for name in STATEMENTS),
    *((f"get_{name}", ()) for name in STATEMENTS),
)


def _items(verb: str, *names: str) -> Sequence[Operation]:
    return tuple(
        (f"{verb}_{kind}", (*names, _NULLABLE.get(kind, kind))) for kind in (*TEN, "object")
    )


_READ_OF: Final[Mapping[str, Sequence[bytes]]] = {
    "boolean": (b"\0", b"\1"),
    "byte": (b"\x80", b"\x7f"),
    "unsigned_byte": (b"\x80", b"\xff"),
    "short": (b"\x80\x01", b"\1\0"),
    "unsigned_short": (b"\x80\x01", b"\1\0"),
    "char": (b"\x20\xac", b"\0c"),
    "int": (b"\x80\0\0\1", b"\0\1\2\3"),
    "long": (b"\x80\0\0\0\0\0\0\1", bytes(range(8))),
    "float": (b"\x80\0\0\0", b"\x3f\xc0\0\0"),
    "double": (b"\x80\0\0\0\0\0\0\0", b"\x3f\xf8\0\0\0\0\0\0"),
    "utf": (b"\0\0", b"\0\1a", b"\0\2\xc3\xa4", b"\0\2\xc0\x80", b"\0\6\xed\xa0\xbd\xed\xb8\x80"),
}
"""Arrays, and as what they are read."""
_WHOLE: Final[Sequence[Operation]] = (
    ("get_body", ("body type",)),
    ("is_body_assignable_to", ("body type",)),
)
_CLEAR: Final[Sequence[Operation]] = (("clear_body", ()),)
WRITING: Final[Mapping[str, Sequence[Operation]]] = {
    "message": (),
    "text": (("set_text", ("text or null",)),),
    "object": (("set_object", ("object",)),),
    "map": _items("set", "entry"),
    "stream": (*_items("write"), *(("write_bytes", ("bytes or null",)) for _ in "123")),
    "bytes": (
        *((f"write_{kind}", (kind,)) for kind in TEN if kind not in ("string", "bytes")),
        ("write_utf", ("text",)),
        *(("write_bytes", ("bytes",)) for _ in "1234567890"),
        ("write_object", ("item",)),
    ),
}
"""What writes the body of each kind of message."""
READING: Final[Mapping[str, Sequence[Operation]]] = {
    "message": (),
    "text": (("get_text", ()),),
    "object": (("get_object", ()),),
    "map": (
        *((f"get_{kind}", ("entry name",)) for kind in (*TEN, "object")),
        *(("item_exists", ("entry name",)) for _ in "12"),
        ("map_names", ()),
    ),
    "stream": (
        *((f"read_{kind}", ()) for kind in (*TEN, "object") if kind != "bytes"),
        ("read_bytes", ("length",)),
    ),
    "bytes": (
        *((f"read_{kind}", ()) for kind in _READ_OF),
        *(("read_bytes", ("length",)) for _ in "1234"),
        ("read_bytes", ("length and room",)),
        *(("body_length", ()) for _ in "12"),
    ),
}
"""What reads it."""
READS_OF_STREAMS: Final[Sequence[Call]] = [
    (method, ()) for method, given in READING["stream"] if not given
]
"""Those without arguments."""
_RESET: Final[Mapping[str, Sequence[Operation]]] = {
    "stream": (("reset", ()),),
    "bytes": (("reset", ()),),
}
_CLEARED: Final[Call] = ("clear_body", ())
_READABLE: Final[Call] = ("reset", ())
_INT: Final[Call] = ("get_int", ("k",))
SCRIPTS: Final[Mapping[str, Sequence[Sequence[Call]]]] = {
    "bytes": [
        (_CLEARED, ("write_bytes", (array,)), _READABLE, (f"read_{name}", ()))
        for name, arrays in _READ_OF.items()
        for array in arrays
    ],
    "map": [
        *(
            (_CLEARED, ("set_string", ("k", text)), ("get_boolean", ("k",)))
            for text in ("true", "TRUE", "yes", "1", "")
        ),
        (_CLEARED, ("set_string", ("k", None)), ("get_char", ("k",))),
        (_CLEARED, ("set_string", ("k", None)), ("item_exists", ("k",))),
        (_CLEARED, ("set_int", ("k", Int(7))), _INT, ("clear_properties", ()), _INT),
    ],
    "stream": [
        *(
            (_CLEARED, ("write_string", (text,)), _READABLE, ("read_boolean", ()))
            for text in ("true", "TRUE", "yes", "1", "")
        ),
        (
            *(_CLEARED, ("write_int", (Int(7),)), _READABLE, ("read_int", ())),
            *(("clear_properties", ()), _READABLE, ("read_int", ())),
        ),
        *(
            (
                _CLEARED,
                ("write_bytes", (b"\1\2\3",)),
                ("write_bytes", (b"\4\5",)),
                _READABLE,
                *reads,
            )
            for reads in (
                (("read_bytes", (600,)), ("read_bytes", (600,))),
                (("read_bytes", (2,)), ("read_int", ()), ("read_bytes", (2,))),
                (("read_bytes", (3,)), ("read_bytes", (3,)), ("read_object", ())),
                (
                    ("read_bytes", (2,)),
                    ("read_object", ()),
                    ("read_bytes", (2,)),
                    ("read_object", ()),
                ),
            )
        ),
    ],
}
"""Calls that only together show something."""
BODY: Final = "body"
"""The subject of programs on what a message carries; the others are `properties` and `headers`."""
_OTHERS: Final = 0.1
"""The share of calls that are about another subject, for each of them."""


def _of_body(kind: str, writable: bool) -> Sequence[tuple[float, Sequence[Operation]]]:
    """Calls about a body, in shares that suit its state."""
    writing, reading = WRITING[kind], READING[kind]
    if kind not in _RESET:
        return [(0.4, writing), (0.4, reading), (0.15, _WHOLE), (0.05, _CLEAR)]
    write, read, reset = (0.5, 0.05, 0.25) if writable else (0.05, 0.65, 0.15)
    return [(write, writing), (read, reading), (reset, _RESET[kind]), (0.1, _WHOLE), (0.05, _CLEAR)]


@cache
def operations(subject: str, kind: str, writable: bool) -> SearchStrategy[Operation]:
    """The calls that suit a subject and the state of the body, each as often as its share."""
    shares = {
        "properties": [(1.0, _PROPERTIES)],
        "headers": [(1.0, _HEADERS)],
        BODY: _of_body(kind, writable),
    }
    return st.sampled_from(
        [
            operation
            for name, groups in shares.items()
            for share, group in groups
            for operation in group
            for _ in range(
                round(1000 * share * (1 if name == subject else _OTHERS) / max(1, len(group))) or 1
            )
        ]
    )
