"""How such programs are drawn: many messages at once, of every kind, each with a few features."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.headers import Name
from jms_model.properties import GROUP, GROUP_SEQUENCE
from jms_model.pulsar_wire.sent import (
    ARGUMENTS,
    BODY,
    CLASSIC,
    DEFAULTS,
    PERSISTENT,
    SETTERS,
    SIMPLIFIED,
    SUBSCRIBED,
    TEMPORARY,
    MessageToSend,
)
from jmsapi import Int
from touchstone.drawn.pulsar_wire.program import (
    BODIES,
    BROWSER,
    FORWARDING,
    OF_TOPICS,
    WAYS,
    Program,
)
from touchstone.drawn.pulsar_wire.sending import FULL
from touchstone.drawn.values import ARGUMENTS as VALUES
from touchstone.drawn.values import INT
from touchstone.scenario import strategies

MESSAGES: Final = 40
"""At most so many are sent at once."""
NUMBERED: Final = 8
"""The same where each is read by itself."""
NAMES: Final = (
    *("a", "größe", "$x_1", "my-key", "a b", "1a", "x_jms", "ITS_", "k.a", "JMS_foo", "日本"),
    *("NULL", "_jsm", "type", "\U0001f600", "d" * 200, "properties", "my_jmstypes"),
)
"""Names of properties: odd ones, and such as are nearly the client's own."""
OWN_NAMES: Final = ("y_jmstype", "y_jsmtype", "_jmstype", "größe2_jmstype")
"""Names that end as those of companions do, of properties that are not there."""
HEADER_TEXTS: Final = (
    *("", "order", "Y29yci0x", "AP8=", "größe.v2", "a b", "null", "ID:1", "\U0001f600", "corr-1"),
    *(" ", "a=b", "100%", "=", "x" * 300),
)
"""Texts of header fields; some look like Base64."""
BYTES: Final = (b"\x00\xff", b"corr-1", bytes(range(256)), b"\xc3\x28", b"\0", b"ID:1")
REPLIES: Final = (
    *("reply-q", "reply.2", "größe-r", f"{FULL}reply-f", f"{FULL}größe-f", TEMPORARY, TEMPORARY),
    *("persistent://other/space/reply-o", "non-persistent://public/default/reply-n"),
)
_OF_QUEUES: Final = (f"reply-s{SUBSCRIBED}one", f"{FULL}reply-t{SUBSCRIBED}two")
"""Names of queues alone, with subscriptions of their own."""
_TYPES: Final = ("boolean", "byte", "short", "int", "long", "float", "double", "text")
_EXACT: Final[Mapping[str, SearchStrategy[Any]]] = {
    "float": strategies.floats(),
    "double": strategies.doubles(),
}
"""Numbers of which every digit counts."""
_VALUE: Final = st.one_of([st.one_of(VALUES[t], _EXACT.get(t, VALUES[t])) for t in _TYPES])
_ITEM: Final = VALUES["item"]
_MAP: Final = st.dictionaries(VALUES["entry name"], _ITEM, max_size=4)
CONTENTS: Final[Mapping[str, SearchStrategy[Any]]] = {
    "text": VALUES["text or null"],
    "bytes": VALUES["bytes"],
    "stream": st.lists(_ITEM, max_size=5),
    "map": _MAP,
    "object": VALUES["object"],
    "header": st.none(),
}
_BARE: Final[Mapping[str, SearchStrategy[Any]]] = {
    "text": VALUES["text"],
    "bytes": VALUES["bytes"].filter(bool),
    "map": _MAP.filter(bool),
    "object": st.lists(st.sampled_from(["a", "größe", Int(1)]), min_size=1, max_size=3),
}
"""What is sent and received without a message."""
_KIND: Final = st.sampled_from(("text", "text", "bytes", "stream", "map", "object", "header"))
_BARE_KIND: Final = st.sampled_from([*_BARE])
_LIVES: Final = st.sampled_from((0, 0, 0, 60_000, 3_600_000, 2**40, 1))
_DELAY: Final = st.sampled_from((0, 0, 0, 60_000, 2**40))
_FORM: Final = st.sampled_from((*CLASSIC, *SIMPLIFIED))
_BY: Final = st.sampled_from((DEFAULTS, SETTERS, ARGUMENTS))
_MODE: Final = st.sampled_from((1, PERSISTENT))
_PRIORITY: Final = st.integers(0, 9)
_OPTIONS: Final = st.fixed_dictionaries(
    {"mode": _MODE, "priority": _PRIORITY, "lives": _LIVES, "delay": _DELAY}
)
_NAMES: Final = st.lists(st.sampled_from(NAMES), max_size=3, unique=True)
_OWN_NAME: Final = st.sampled_from(OWN_NAMES)
TEXT: Final = st.sampled_from(HEADER_TEXTS) | strategies.texts()
_PLAIN: Final = st.sampled_from(("", "g1", "Y29yci0x", "ID:1", "a=b"))
"""Keys that the header of an answer over HTTP can tell, as some browsers need it."""
CORRELATION: Final = TEXT | st.sampled_from(BYTES)
_REPLY: Final = st.sampled_from(
    [
        *(Name(kind, name) for name in REPLIES for kind in ("queue", "topic")),
        *(Name("queue", name) for name in _OF_QUEUES),
    ]
)
_DESTINATION: Final = st.sampled_from(
    [*(("queue", way) for way in WAYS), *(("topic", way) for way in OF_TOPICS)]
)
_EITHER: Final = st.booleans()
_LATER: Final = st.fixed_dictionaries(
    {
        "mode": _MODE,
        "priority": _PRIORITY,
        "lives": st.sampled_from((0, 60_000, 2**40)),
        "delay": st.just(0),
    }
)


@st.composite
def _forms_onward(draw: DrawFn) -> MessageToSend:
    """By which form and options what was received is sent on."""
    form = draw(st.sampled_from([each for each in (*CLASSIC, *SIMPLIFIED) if each != BODY]))
    by = draw(_BY)
    options: dict[str, Any] = {} if by == DEFAULTS else draw(_LATER)
    return MessageToSend(
        form, "", None, options_by=by, connection=draw(st.integers(0, 1)), **options
    )


ONWARD: Final = st.lists(_forms_onward(), min_size=2, max_size=5)
_LONG_STREAM: Final = [Int(number) for number in range(1000)]


@cache
def one_in(count: int) -> SearchStrategy[bool]:
    """Shrinks to no."""
    return st.integers(0, count - 1).map(lambda drawn: drawn == count - 1)


@st.composite
def sent_messages(draw: DrawFn, way: str) -> MessageToSend:
    """A message that JMS sends, to be received in some way."""
    form = draw(_FORM)
    is_bare = form == BODY or way == BODIES
    body = draw(_BARE_KIND if is_bare else _KIND)
    content = draw((_BARE if is_bare else CONTENTS)[body])
    if body == "stream" and draw(one_in(12)):
        content = _LONG_STREAM
    properties = {name: draw(_VALUE) for name in draw(_NAMES)}
    if draw(one_in(8)):
        properties[draw(_OWN_NAME)] = draw(_VALUE)
    if draw(one_in(4)):
        properties[GROUP] = draw(_PLAIN if way == BROWSER else TEXT)
    if draw(one_in(4)):
        properties[GROUP_SEQUENCE] = draw(INT)
    by = draw(_BY)
    options: dict[str, Any] = {}
    if by != DEFAULTS:
        options = draw(_OPTIONS)
        if way == BODIES:
            options.update(delay=0, lives=0)
    return MessageToSend(
        form,
        body,
        content,
        properties,
        jms_type=draw(TEXT) if draw(one_in(3)) else None,
        correlation=draw(CORRELATION) if draw(one_in(2)) else None,
        reply=draw(_REPLY) if draw(one_in(3)) else None,
        options_by=by,
        **options,
        by_producer=draw(_EITHER),
        refused=draw(one_in(8)),
        times=2 if form != BODY and draw(one_in(8)) else 1,
        connection=draw(st.integers(0, 1)),
        typed=draw(_EITHER),
    )


@st.composite
def programs(draw: DrawFn) -> Program:
    """Messages are sent to one destination, looked at on the wire, and received."""
    kind, way = draw(_DESTINATION)
    numbered = draw(one_in(5))
    most = NUMBERED if numbered else MESSAGES
    steps = draw(st.lists(sent_messages(way), min_size=most // 2, max_size=most))
    onward = draw(ONWARD) if way in FORWARDING and not numbered and draw(_EITHER) else []
    prioritized = draw(one_in(3))
    return Program(kind, way, steps, numbered=numbered, onward=onward, prioritized=prioritized)
