"""The calls that programs with producers are drawn from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from jms_model.jms_producer import HEADERS
from jms_model.producer_settings import DEFAULTS
from jms_model.properties import TYPES
from jmsapi import Byte, Double, Float, Int, Long, Short
from touchstone.drawn.calls import Call, Operation
from touchstone.drawn.values import ARGUMENTS, HEADER_TEXTS, PROPERTY_NAMES

_LIVE: Final = (0, 60_000, 3_600_000, 2**40)
"""Milliseconds in which nothing of a program expires, and that overflow nowhere."""
_DELAYS: Final = (0,) * 30 + (1, 20)
"""Most messages are due at once: each delay is waited for."""
_FAR: Final = 4_000_000_000_000
"""An instant at which no program runs any more."""
_PROPERTY: Final = st.sampled_from(
    [True, Byte(7), Short(-1), Int(70_000), Long(5_000_000_000), Float(1.5), Double(0.1), "5", ""]
)
_TEXT: Final = st.sampled_from(["", "a", "größe", "5"])
"""What is sent is no matter here: those on messages draw others."""
_NO_PROPERTY: Final = st.sampled_from([b"\1", [Int(1)]])


def _finite(value: Any) -> Any:
    """What every broker can read: what is infinite is for programs on properties."""
    return value if value is None or math.isfinite(value) else Double(0.5)


VALUES: Final[Mapping[str, SearchStrategy[Any]]] = {
    **ARGUMENTS,
    "double": ARGUMENTS["double"].map(_finite),
    "disable_message_id": st.booleans(),
    "disable_message_timestamp": st.booleans(),
    "delivery_mode": st.sampled_from([1, 1, 1, 2, 2, 0, 3, 7]),
    "priority": st.sampled_from([0, 1, 2, 3, 5, 6, 7, 8, 9, 4, -1, 10]),
    "time_to_live": st.sampled_from(_LIVE),
    "delivery_delay": st.sampled_from(_DELAYS),
    "jms_expiration": st.sampled_from([0, _FAR, 2**52]),
    "jms_delivery_time": st.sampled_from([0, 1, 2**40]),
    "jms_message_id": st.sampled_from(["ID:1", "ID:größe"]),
    "jms_correlation_id": st.sampled_from([*HEADER_TEXTS, None, None]),
    "jms_correlation_id_as_bytes": st.sampled_from(
        [b"\1", b"last", b"\0\xff\x80", b"\xff", b"gr\xf6"]
    ),
    "jms_reply_to": st.one_of(ARGUMENTS["jms_reply_to"], st.none()),
    "jms_type": st.sampled_from([*HEADER_TEXTS, None, None]),
    "name": st.sampled_from(PROPERTY_NAMES),
    "string": _TEXT,
    "text": _TEXT,
    "text or null": st.one_of(_TEXT, _TEXT, st.none()),
    "no name": st.sampled_from(["", None]),
    "property": _PROPERTY,
    "no property": _NO_PROPERTY,
    "anything": st.one_of(_PROPERTY, _PROPERTY, _PROPERTY, st.none(), _NO_PROPERTY),
    "null": st.none(),
    "short name": st.sampled_from(["k", "l"]),
    "options": st.tuples(
        st.sampled_from([1, 1, 2, 2, 2, 1, 0, 3]),
        st.sampled_from([0, 1, 2, 4, 5, 7, 9, 9, -1, 10]),
        st.sampled_from(_LIVE),
    ),
    "body": st.sampled_from(
        ["a", "", "größe", b"\1\2", {"k": Int(7)}, {"k": "a", "l": True}, Int(7), True, None, None]
    ),
}
"""What arguments are drawn from, by what they mean."""
_SETTINGS: Final[tuple[Operation, ...]] = (
    *((f"set_{name}", (name,)) for name in DEFAULTS),
    *((f"set_{name}", (name,)) for name in ("delivery_mode", "priority", "time_to_live")),
    *((f"get_{name}", ()) for name in DEFAULTS),
)
OF_SESSIONS: Final[Sequence[Operation]] = (
    *_SETTINGS * 4,
    *(("get_destination", ()) for _ in "12345678"),
    ("close", ()),
)
"""The calls on a MessageProducer."""
OF_CONTEXTS: Final[Sequence[Operation]] = (
    *_SETTINGS,
    *_SETTINGS,
    *((f"set_{name}", (name,)) for name in HEADERS for _ in "123"),
    *((f"get_{name}", ()) for name in HEADERS for _ in "12"),
    ("get_completion_listener", ()),
    ("get_completion_listener", ()),
    ("set_async", ("null",)),
    ("set_async", ("null",)),
    *(("set_property", ("name", "property")) for _ in range(16)),
    *(("set_property", ("no name", "anything")) for _ in range(5)),
    *(("set_property", ("name", "no property")) for _ in "12"),
    *((f"get_{kind}_property", ("property name",)) for kind in (*TYPES, "object")),
    *(("property_exists", ("property name",)) for _ in "123"),
    *(("property_names", ()) for _ in "123"),
    *(("clear_properties", ()) for _ in "1234"),
)
"""The calls on a JMSProducer, but of send."""
_PRESETS: Final = (
    "jms_message_id",
    "jms_timestamp",
    "jms_delivery_mode",
    "jms_destination",
    "jms_expiration",
    "jms_delivery_time",
    "jms_priority",
    "jms_redelivered",
)
ON_MESSAGES: Final[Sequence[Operation]] = (
    *((f"set_{name}", (name,)) for name in _PRESETS for _ in "12"),
    *((f"set_{name}", (name,)) for name in HEADERS for _ in "12"),
    *((f"set_{kind}_property", ("name", kind)) for kind in ("int", "boolean", "string", "double")),
    *((f"set_{kind}_property", ("name", kind)) for kind in ("int", "boolean", "string", "double")),
    ("clear_properties", ()),
    ("clear_properties", ()),
    ("clear_body", ()),
)
"""What is done with a message before it is sent, or between two sends; and to its body."""
WRITES: Final[Mapping[str, Sequence[Operation]]] = {
    "message": (),
    "text": (("set_text", ("text or null",)),) * 4,
    "map": (("set_int", ("short name", "int")), ("set_string", ("short name", "text"))) * 2,
    "bytes": (("write_bytes", ("bytes",)),) * 4,
    "stream": (("write_string", ("text",)), ("write_int", ("int",))) * 2,
    "object": (("set_object", ("object",)),) * 4,
}
CHANGES: Final[Sequence[Operation]] = (
    ("clear_properties", ()),
    ("set_int_property", ("name", "int")),
    ("set_jms_type", ("jms_type",)),
)
"""What else is changed while a message is on its way."""
READ_NAMES: Final[Sequence[Call]] = [("property_names", ())]
READ_BODY: Final[Mapping[str, tuple[Call, ...]]] = {
    "message": (("get_body", ("Object",)),),
    "text": (("get_text", ()), ("get_body", ("String",))),
    "map": (("map_names", ()), ("get_object", ("k",)), ("get_body", ("Map",))),
    "bytes": (("get_body", ("byte[]",)), ("body_length", ())),
    "stream": (("read_object", ()),),
    "object": (("get_object", ()), ("get_body", ("Object",))),
}
"""What shows the body of a message that arrived."""
