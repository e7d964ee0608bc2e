"""Programs on what seldom meets in a message: the empty last item, the long, the exact; every
setter without a name, every read of one value.

They are drawn besides those on bodies, properties and producers, each of one kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.bodies import TEN
from jms_model.jms_producer import Null
from jms_model.message import SINGLE
from jms_model.properties import GROUP, GROUP_SEQUENCE, PROVIDER_NAMES
from jmsapi import Double, Int
from touchstone.drawn.calls import BODY, PROPERTY_VALUES, READS_OF_STREAMS, WRITING, Call
from touchstone.drawn.full_messages import FULL
from touchstone.drawn.producer_calls import READ_BODY, VALUES
from touchstone.drawn.producer_driving import OWN
from touchstone.drawn.program import OF_A_CONTEXT, PRODUCER, SEND, Program, Step
from touchstone.drawn.values import ARGUMENTS

RARE_ONES: Final = 100
"""So many are drawn by a seed: each sends a message or none, a few send five."""
_Calls = Callable[[DrawFn], Iterator[Call]]
_LENGTHS: Final = (1025, 4097, 66_000, 70_000)
"""Beyond the blocks that streams are written in, and what a length in two bytes says."""
_LONG_TEXT: Final = st.builds(
    lambda unit, length: unit * (length // len(unit)),
    st.sampled_from(["block 1", "größe,5", "日本語 ab."]),
    st.sampled_from(_LENGTHS),
)
"""Of a unit whose length divides no block, without surrogates: of an exception that has half a pair
in its message JPype makes none."""
_LONG_BYTES: Final = st.sampled_from(_LENGTHS).map(lambda length: b"\0block\xff" * (length // 7))
_LONGEST_UTF: Final = "ß" * 32_767
"""As much as writeUTF can write."""
_DIGITS: Final = st.sampled_from(
    [
        *("0.1", "3.141592653589793", "123456789.123456789", "0.30000000000000004"),
        *("16777217", "9007199254740993", "-2147483647", "9223372036854775807"),
        "1.7976931348623157E308",
    ]
)
"""Numbers with more digits than a float has, or a double."""
_NUMBER: Final = st.sampled_from(["float", "double", "double", "int", "long"])
_NO_UTF: Final = st.sampled_from(
    [b"\0\1\xff\1", b"\0\1\x80\1", b"\0\2\xc3(\1", b"\0\3\xe2\x82(\1", b"\0\2a\xc3\1"]
)
"""What is no text, behind its length."""
_LAST: Final = st.sampled_from([("bytes", b""), ("bytes", b""), ("string", ""), ("string", None)])
_FEW: Final = st.lists(st.sampled_from([*TEN]), max_size=2)
_NULLS: Final = st.permutations(
    [("text", "String"), ("map", "Map"), ("bytes", "byte[]"), ("object", "Serializable")]
)
"""The kinds of message that a null makes, and as what it is given."""
_LOOK: Final[Call] = (PROVIDER_NAMES, ())
_NO_NAME: Final = st.sampled_from(["", None])
_TEXT_OR_OBJECT: Final = st.sampled_from(["string", "object"])
_STATE: Final = st.sampled_from(["new", "sent"])
_ENTRIES: Final = {method: value for method, (_, value) in WRITING["map"]}
_SETS_OF_PROPERTIES: Final = {
    f"set_{kind}_property": value for kind, value in PROPERTY_VALUES.items()
}
"""What sets an entry or a property, and to what."""
_IN_GROUP: Final = st.integers(1, 2**31 - 1).map(Int)
"""Which message of its group it is: JMS begins with 1."""


@st.composite
def rare_programs(draw: DrawFn, subject: str, kinds: Sequence[str]) -> Program:
    """Programs about a subject, with a message of one of the kinds."""
    kind, on = draw(st.sampled_from(kinds)), 0
    shapes = _PROPERTIES if subject == "properties" else _BODIES[kind]
    drawn = draw(st.sampled_from(shapes))
    steps = []
    for call in drawn(draw):
        steps.append(Step(on, *call))
        on += call[0] == SEND
    return Program(kind, steps)


@st.composite
def programs_on_made_ones(draw: DrawFn, kind: str) -> Program:
    """Programs in which a session or a context makes a message of a text or of an object."""
    get = Step(0, f"get_{kind}")
    steps = draw(st.sampled_from([[get], [], [get, get]]))
    arrived = [Step(0, SEND), Step(1, f"get_{kind}"), Step(1, "get_body", ("Object",))]
    cleared = [Step(0, "clear_body"), get]
    body = draw(ARGUMENTS[kind].filter(lambda each: each is not None))
    return Program(
        kind, [*steps, *arrived, get, *cleared], by_context=draw(st.booleans()), body=(body,)
    )


@st.composite
def programs_on_nulls(draw: DrawFn) -> Program:
    """Programs in which a JMSProducer sends null by each form of send, that of messages last."""
    steps = []
    for number, (kind, of) in enumerate(draw(_NULLS), start=1):
        steps.append(Step(PRODUCER, SEND, (OWN, Null(of))))
        steps += [Step(number, *look) for look in READ_BODY[kind]]
    return Program("text", [*steps, Step(PRODUCER, SEND, (OWN, Null("Message")))], OF_A_CONTEXT)


@st.composite
def programs_on_properties(draw: DrawFn) -> Program:
    """Programs in which a property of a JMSProducer is read as every type."""
    value = draw(VALUES["property"])
    reads = draw(st.permutations(list(PROPERTY_VALUES)))
    sets = Step(PRODUCER, "set_property", ("a", value))
    gets = [Step(PRODUCER, f"get_{kind}_property", ("a",)) for kind in reads]
    return Program("text", [sets, *gets], OF_A_CONTEXT)


def rare_ones(subject: str, kinds: Sequence[str]) -> Sequence[tuple[SearchStrategy[Program], int]]:
    """Programs about a subject besides, and how many."""
    if subject == "JMSProducers":
        return [(programs_on_nulls(), RARE_ONES // 15), (programs_on_properties(), RARE_ONES // 2)]
    if subject == FULL:
        return [(programs_on_made_ones(kind), RARE_ONES // 4) for kind in kinds if kind in SINGLE]
    count = RARE_ONES * 3 // 2 if subject == "properties" else RARE_ONES
    return [(rare_programs(subject, kinds), count)] if subject in (BODY, "properties") else []


def _without_names(sets: Mapping[str, str], clear: str) -> _Calls:
    """Each of these is called without a name, on a message that is new or came and was cleared."""

    def calls(draw: DrawFn) -> Iterator[Call]:
        if draw(_STATE) == "sent":
            yield from [(SEND, ()), (clear, ())]
        for method in draw(st.permutations(list(sets))):
            yield method, (draw(_NO_NAME), draw(ARGUMENTS[sets[method]]))

    return calls


def _read_as_every_type(sets: Mapping[str, str]) -> _Calls:
    """What one of these sets is read by the getter of each, before it is sent or behind that."""

    def calls(draw: DrawFn) -> Iterator[Call]:
        method = draw(st.sampled_from(list(sets)))
        yield method, ("a", draw(ARGUMENTS[sets[method]]))
        if draw(_STATE) == "sent":
            yield SEND, ()
        for each in draw(st.permutations(list(sets))):
            yield each.replace("set_", "get_", 1), ("a",)

    return calls


def _item_read_as_every_type(draw: DrawFn) -> Iterator[Call]:
    method, (kind,) = draw(st.sampled_from(WRITING["stream"]))
    yield method, (draw(ARGUMENTS[kind]),)
    yield _goes(draw)
    for read in draw(st.permutations(READS_OF_STREAMS)):
        yield from [read, ("reset", ())]


def _group_that_is_cleared(draw: DrawFn) -> Iterator[Call]:
    """The properties of a group go with the others."""
    names = (GROUP, GROUP_SEQUENCE, "a")
    yield "set_string_property", (GROUP, draw(st.sampled_from(["g", "größe", "1"])))
    yield "set_int_property", (GROUP_SEQUENCE, draw(_IN_GROUP))
    yield "set_string_property", ("a", "1")
    yield from [(SEND, ())] * draw(st.integers(0, 1))
    yield "clear_properties", ()
    yield from (("property_exists", (name,)) for name in names)
    yield from (("get_object_property", (name,)) for name in names)


def _group_in_another_spelling(draw: DrawFn) -> Iterator[Call]:
    """A property that differs from that of a group by its case alone is another one."""
    names = (GROUP, GROUP.lower())
    for number, name in enumerate(draw(st.permutations(names))[: draw(st.integers(1, 2))]):
        yield "set_string_property", (name, f"g{number}")
    yield from [(SEND, ())] * draw(st.integers(0, 1))
    yield from (("property_exists", (name,)) for name in names)
    yield from ((f"get_{draw(_TEXT_OR_OBJECT)}_property", (name,)) for name in names)


def _group_that_travels(draw: DrawFn) -> Iterator[Call]:
    """Read by its own types, and as an object, of the sender's and where it arrives."""
    kinds = {GROUP: "string", GROUP_SEQUENCE: "int"}
    yield (
        "set_string_property",
        (GROUP, draw(st.sampled_from(["g", "größe", "1", "a b", "g" * 300]))),
    )
    yield "set_int_property", (GROUP_SEQUENCE, draw(_IN_GROUP))
    reads = [(f"get_{kind}_property", (name,)) for name, kind in kinds.items()]
    reads += [("get_object_property", (name,)) for name in kinds]
    yield from [*draw(st.permutations(reads)), (SEND, ()), *draw(st.permutations(reads))]


def _value(draw: DrawFn, kind: str) -> Any:
    return draw(ARGUMENTS["text" if kind == "string" else kind])


def _read_by(kind: str, value: Any) -> Iterator[Call]:
    """The reads of one item; of an array so many that its end is seen, if need be."""
    if kind != "bytes":
        yield f"read_{kind}", ()
        return
    length = max(600, len(value))
    yield "read_bytes", (length,)
    if len(value) == length:
        yield "read_bytes", (length,)


def _goes(draw: DrawFn) -> Call:
    """It is reset, or sent."""
    return draw(st.sampled_from([("reset", ()), (SEND, ())]))


def _written(draw: DrawFn, items: Sequence[tuple[str, Any]]) -> Iterator[Call]:
    """Items of a stream are written, and read until behind the last, twice."""
    yield from ((f"write_{kind}", (value,)) for kind, value in items)
    yield _goes(draw)
    for _ in range(2):
        for item in items:
            yield from _read_by(*item)
        yield "read_object", ()
        yield "reset", ()


def _empty_last_item(draw: DrawFn) -> Iterator[Call]:
    items = [(kind, _value(draw, kind)) for kind in draw(_FEW)]
    yield from _written(draw, [*items, draw(_LAST)])


def _long_items(draw: DrawFn) -> Iterator[Call]:
    items = [("string", draw(_LONG_TEXT)), ("bytes", draw(_LONG_BYTES))]
    items += [(kind, _value(draw, kind)) for kind in draw(_FEW)]
    yield from _written(draw, draw(st.permutations(items)))


def _long_array_in_parts(draw: DrawFn) -> Iterator[Call]:
    array = draw(_LONG_BYTES)
    yield "write_bytes", (array,)
    yield _goes(draw)
    for length in draw(st.permutations([1000, 40_000])) + [70_000] * 2:
        yield "read_bytes", (length,)


def _digits_in_a_stream(draw: DrawFn) -> Iterator[Call]:
    digits = draw(_DIGITS)
    yield "write_string", (digits,)
    yield "write_double", (Double(digits),)
    yield _goes(draw)
    yield f"read_{draw(_NUMBER)}", ()
    yield "read_string", ()


def _values_before_nothing(draw: DrawFn) -> Iterator[Call]:
    """Of a bytes message: nothing is written last, or an empty text."""
    kinds = [kind for kind in draw(_FEW) if kind not in ("string", "bytes")]
    last = draw(st.sampled_from([("write_bytes", (b"",)), ("write_utf", ("",))]))
    yield from ((f"write_{kind}", (_value(draw, kind),)) for kind in kinds)
    yield last
    yield _goes(draw)
    yield from ((f"read_{kind}", ()) for kind in kinds)
    if last[0] == "write_utf":
        yield "read_utf", ()
    yield from [("read_bytes", (1,)), ("read_bytes", (1,)), ("read_byte", ()), ("body_length", ())]


def _long_bytes(draw: DrawFn) -> Iterator[Call]:
    array, has_text = draw(_LONG_BYTES), draw(st.booleans())
    yield "write_bytes", (array,)
    yield from [("write_utf", (_LONGEST_UTF,))] * has_text
    yield from [_goes(draw), ("body_length", ())]
    part = draw(st.sampled_from([len(array), len(array), 1000]))
    yield from (("read_bytes", (length,)) for length in (part, len(array) - part) if length)
    yield from [("read_utf", ())] * has_text
    yield "read_bytes", (1,)


def _bytes_that_are_no_text(draw: DrawFn) -> Iterator[Call]:
    """What stands where readUTF has failed can be read as something else."""
    read = draw(st.sampled_from(["read_byte", "read_short", "read_unsigned_short"]))
    yield from [("write_bytes", (draw(_NO_UTF),)), _goes(draw), (read, ()), ("reset", ())]
    yield from [("read_utf", ()), (read, ())]


def _long_text(draw: DrawFn) -> Iterator[Call]:
    yield from [("set_text", (draw(_LONG_TEXT),)), ("get_text", ()), (SEND, ())]
    yield from [("get_text", ()), ("get_body", ("String",))]


def _long_object(draw: DrawFn) -> Iterator[Call]:
    text = draw(_LONG_TEXT)
    yield "set_object", (draw(st.sampled_from([text, [text, "a"], {"a": text}])),)
    yield from [(SEND, ()), ("get_object", ()), ("get_body", ("Object",))]


def _long_entries(draw: DrawFn) -> Iterator[Call]:
    yield from [("set_string", ("k", draw(_LONG_TEXT))), ("set_bytes", ("l", draw(_LONG_BYTES)))]
    yield from [(SEND, ()), ("get_string", ("k",)), ("get_bytes", ("l",)), ("map_names", ())]


def _digits_in_a_map(draw: DrawFn) -> Iterator[Call]:
    return _digits(draw, "")


def _digits(draw: DrawFn, suffix: str) -> Iterator[Call]:
    """As entries of a map, or as properties."""
    digits = draw(_DIGITS)
    yield f"set_string{suffix}", ("a", digits)
    yield f"set_double{suffix}", ("b", Double(digits))
    yield from [(SEND, ())] * draw(st.integers(0, 1))
    yield f"get_{draw(_NUMBER)}{suffix}", ("a",)
    yield f"get_string{suffix}", ("b",)
    yield f"get_string{suffix}", ("a",)


def _digits_in_properties(draw: DrawFn) -> Iterator[Call]:
    """Numbers of many digits; and the names that the provider adds to those of the application."""
    yield from _digits(draw, "_property")
    yield from [_LOOK, (SEND, ()), _LOOK, ("clear_properties", ()), _LOOK]


_PROPERTIES: Final[Sequence[_Calls]] = [
    _digits_in_properties,
    _without_names(_SETS_OF_PROPERTIES, "clear_properties"),
    _read_as_every_type(_SETS_OF_PROPERTIES),
    _group_that_is_cleared,
    _group_in_another_spelling,
    _group_that_travels,
]
_BODIES: Final[Mapping[str, Sequence[_Calls]]] = {
    "text": [_long_text],
    "object": [_long_object],
    "map": [
        *(_long_entries, _digits_in_a_map, _digits_in_a_map),
        *(_without_names(_ENTRIES, "clear_body"), _read_as_every_type(_ENTRIES)),
    ],
    "stream": [
        *(_empty_last_item, _long_items, _long_array_in_parts, _digits_in_a_stream),
        _item_read_as_every_type,
    ],
    "bytes": [_values_before_nothing, _long_bytes, _bytes_that_are_no_text],
}
