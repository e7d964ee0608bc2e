"""How programs are drawn in which another Pulsar client writes and JMS receives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.headers import Name
from jms_model.pulsar_wire.foreign import Foreign
from touchstone.drawn.pulsar_wire.drawing import CONTENTS, CORRELATION, NAMES, ONWARD, TEXT, one_in
from touchstone.drawn.pulsar_wire.program import (
    BROWSER,
    CONTEXT,
    FORWARDING,
    LISTENER,
    RECEIVE,
    Program,
)
from touchstone.drawn.values import ARGUMENTS, BYTES

MESSAGES: Final = 40
"""At most so many are written at once."""
_TYPED: Final = st.one_of(
    [ARGUMENTS[name] for name in ("boolean", "byte", "short", "int", "long", "float", "double")]
)
_TYPED_NAMES: Final = st.lists(
    st.sampled_from([f"t{name}" for name in NAMES]), max_size=3, unique=True
)
_TEXT_NAMES: Final = st.lists(st.sampled_from(NAMES), max_size=3, unique=True)
_TEXTS: Final = st.sampled_from(("42", "true", "1.5", "", "0", "false", "int")) | TEXT
_ORPHANS: Final = st.sampled_from(
    [{"z_jsmtype": "int"}, {"z_jmstype": "integer"}, {"größe2_jsmtype": "v"}]
)
_ODD: Final = st.sampled_from(
    [
        {"w": "x", "w_jsmtype": "int"},
        {"w": "5", "w_jsmtype": "decimal"},
        {"w_": "", "w__jsmtype": ""},
    ]
)
_MAP: Final = CONTENTS["map"].filter(bool)
"""An empty one has no bytes, as a message without a body."""
_KIND: Final = st.sampled_from(
    (None, None, None, "text", "bytes", "stream", "map", "object", "header")
)
_REPLY: Final = st.sampled_from(("r", "reply.2", "größe-r"))
_MARKED: Final = st.sampled_from((None, "queue", "topic", "stream", "", "TOPIC", "queue ", "größe"))
_WAY: Final = st.sampled_from(
    [
        ("queue", RECEIVE),
        ("queue", LISTENER),
        ("queue", BROWSER),
        ("queue", CONTEXT),
        ("topic", RECEIVE),
        ("topic", LISTENER),
    ]
)
_KEY: Final[Mapping[bool, SearchStrategy[Any]]] = {
    True: st.sampled_from(("g1", "Y29yci0x", "ID:1")),
    False: st.one_of(st.just("g2"), TEXT.filter(bool)),
}
"""Keys, by whether the header of an answer over HTTP has to tell them."""
_TIMES: Final = st.sampled_from((2**42, 2**52))
_DUE: Final = st.sampled_from((0, 1, 2**40))
_DUE_OR_NOT: Final = st.sampled_from((0, 1, 2**40, 2**52))
"""Times of delivery; a browser shows what is due."""
_ID: Final = st.sampled_from(("ID:mine", "mine", "ID:größe", ""))


@st.composite
def foreign_messages(draw: DrawFn, way: str) -> Foreign:
    """What another client writes."""
    kind = draw(_KIND)
    content = draw(BYTES if kind is None else _MAP if kind == "map" else CONTENTS[kind])
    texts = {name: draw(_TEXTS) for name in draw(_TEXT_NAMES)}
    if draw(one_in(6)):
        texts |= draw(_ORPHANS)

    def maybe(strategy: SearchStrategy[Any], count: int = 3) -> Any:
        return draw(strategy) if draw(one_in(count)) else None

    reply = maybe(_REPLY)
    return Foreign(
        kind,
        content,
        texts,
        {name: draw(_TYPED) for name in draw(_TYPED_NAMES)},
        maybe(_ODD, 8) or {},
        key=maybe(_KEY[way == BROWSER]),
        jms_type=maybe(TEXT),
        correlation=maybe(CORRELATION),
        reply=None if reply is None else Name("", reply),
        marked=draw(_MARKED),
        mode=maybe(st.sampled_from((1, 1, 2))),
        priority=maybe(st.integers(0, 9)),
        expiration=maybe(_TIMES),
        delivery_time=maybe(_DUE if way == BROWSER else _DUE_OR_NOT),
        message_id=maybe(_ID),
    )


@st.composite
def foreign_programs(draw: DrawFn) -> Program:
    """Messages are written to one destination, a null value perhaps the last, and received."""
    kind, way = draw(_WAY)
    steps = draw(st.lists(foreign_messages(way), min_size=MESSAGES // 2, max_size=MESSAGES))
    if way == RECEIVE and draw(one_in(2)):
        steps = [*steps, Foreign(None, None)]
    onward = draw(ONWARD) if way in FORWARDING and draw(one_in(2)) else []
    return Program(kind, way, steps, onward=onward)
