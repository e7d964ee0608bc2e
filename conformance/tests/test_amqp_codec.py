"""The codec of AMQP 1.0, by properties, by the specification, and by frames of other software."""

from __future__ import annotations

import struct
import tracemalloc
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from touchstone.families.amqp import frames, messages
from touchstone.families.amqp.composites import TYPES, Composite, composed, composite, plain
from touchstone.families.amqp.decoding import decode
from touchstone.families.amqp.frames import AmqpFrame, Splitter
from touchstone.families.amqp.messages import AmqpMessage
from touchstone.families.amqp.values import (
    AmqpError,
    Array,
    Byte,
    Char,
    Decimal,
    Described,
    Float,
    Int,
    Long,
    Short,
    Symbol,
    Timestamp,
    UByte,
    UInt,
    ULong,
    UShort,
    encode,
)

SEEN = [
    line.split()
    for line in (Path(__file__).parent / "data" / "amqp-frames.txt").read_text().splitlines()
    if not line.startswith("#")
]
RAWS = [bytes.fromhex(text) for _, text in SEEN]


def _range(kind: type[Any]) -> st.SearchStrategy[Any]:
    low = -(1 << kind.bits - 1) if kind.signed else 0
    high = (1 << (kind.bits - 1 if kind.signed else kind.bits)) - 1
    return st.integers(low, high).map(kind)


unknown = st.integers(0x100, 2**64 - 1).map(ULong)
"""Descriptors of no composite type."""
names = st.text(st.characters(max_codepoint=127), max_size=300).map(Symbol)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
simple = st.one_of(
    st.none(),
    st.booleans(),
    *(_range(each) for each in (UByte, UShort, UInt, ULong, Byte, Short, Int, Long, Timestamp)),
    st.floats(width=32, allow_nan=False).map(Float),
    st.floats(allow_nan=False),
    st.characters(exclude_categories=["Cs"]).map(Char),
    st.uuids(),
    st.binary(max_size=300),
    texts,
    names,
    st.sampled_from([4, 8, 16]).flatmap(lambda n: st.binary(min_size=n, max_size=n).map(Decimal)),
    st.lists(names, min_size=1, max_size=4).map(Array),
    st.lists(texts, min_size=1, max_size=4).map(Array),
)
values = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(names | texts, inner, max_size=4),
        st.builds(Described, unknown | names, inner),
    ),
    max_leaves=12,
)


def typed(value: Any) -> Any:
    """`value` with the class of everything in it, which `==` does not look at."""
    match value:
        case Described():
            return "described", typed(value.descriptor), typed(value.value)
        case list():
            return type(value).__name__, [typed(item) for item in value]
        case dict():
            return [(typed(key), typed(item)) for key, item in value.items()]
        case Composite():
            return value.type, [(name, typed(item)) for name, item in value.fields.items()]
    return type(value).__name__, value


@given(values)
def test_a_value_survives_the_round_trip_with_its_type(value: Any) -> None:
    raw = encode(value)
    again, end = decode(raw)
    assert end == len(raw)
    assert typed(again) == typed(value)


@given(values, st.data())
def test_a_value_that_ends_too_early_is_refused(value: Any, data: st.DataObject) -> None:
    raw = encode(value)
    with pytest.raises(AmqpError):
        decode(raw[: data.draw(st.integers(0, len(raw) - 1))])


@given(st.binary(max_size=80))
@example(b"\x73\x00\x11\x00\x00")  # a char beyond the last code point
def test_any_bytes_are_read_or_refused(noise: bytes) -> None:
    try:
        value, end = decode(noise)
        composed(value)
    except AmqpError:
        return
    assert 0 < end <= len(noise)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        # Part 1, types, 1.6: each encoding, by its code.
        ("40", None),
        ("41", True),
        ("5600", False),
        ("50ff", UByte(255)),
        ("60ffff", UShort(65535)),
        ("43", UInt(0)),
        ("52ff", UInt(255)),
        ("70ffffffff", UInt(2**32 - 1)),
        ("44", ULong(0)),
        ("80ffffffffffffffff", ULong(2**64 - 1)),
        ("51ff", Byte(-1)),
        ("61ffff", Short(-1)),
        ("54ff", Int(-1)),
        ("7180000000", Int(-(2**31))),
        ("55ff", Long(-1)),
        ("817fffffffffffffff", Long(2**63 - 1)),
        ("723fc00000", Float(1.5)),
        ("823ff8000000000000", 1.5),
        ("7422500000", Decimal(bytes.fromhex("22500000"))),
        ("730001f600", Char("\N{GRINNING FACE}")),
        ("830000000000000001", Timestamp(1)),
        ("98" + "00" * 15 + "01", uuid.UUID(int=1)),
        ("a003000102", b"\x00\x01\x02"),
        ("b000000001ff", b"\xff"),
        ("a102c3a9", "é"),
        ("a30161", Symbol("a")),
        ("45", []),
        ("c003024142", [True, False]),
        ("d00000000600000002" + "4142", [True, False]),
        ("c10502a1016141", {"a": True}),
        ("e0040250" + "0102", Array([UByte(1), UByte(2)])),
        ("f0000000070000000250" + "0102", Array([UByte(1), UByte(2)])),
        ("005324c00100", Described(ULong(0x24), [])),
    ],
)
def test_encodings_of_the_specification_are_read(raw: str, value: Any) -> None:
    assert typed(decode(bytes.fromhex(raw))[0]) == typed(value)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("3f", "0x3f"),
        ("a1ff61", "255 bytes announced"),
        ("c0040141", "4 bytes announced"),
        ("c0030041" + "41", "2 bytes behind the last"),
        ("c003ff4141", "255 values"),
        ("f000000009ffffffff4041414141", "array of 4294967295 values without a byte"),
        ("c10301a1", "3 bytes announced"),
        ("c1020141", "key and no value"),
        ("00" * 200, "deeper than"),
        ("a102ff41", "no utf-8"),
        ("a301ff", "no ascii"),
        ("7300110000", "no character has the code 1114112"),
        ("c103024540", "a key that is a list"),
        ("e004ff500102", "255 values in 2 bytes"),
        ("e0050250010203", "1 bytes behind the last"),
        ("00454540", "a list as descriptor"),
        ("", "1 bytes announced, 0 there"),
    ],
)
def test_malformed_values_are_refused_with_what_is_wrong(raw: str, says: str) -> None:
    with pytest.raises(AmqpError, match=says):
        decode(bytes.fromhex(raw))


@pytest.mark.parametrize(
    "value", [object(), Array([UInt(1)]), Array([]), Array(["a", Symbol("b")]), 2**64]
)
def test_what_amqp_has_no_form_for_is_refused(value: Any) -> None:
    with pytest.raises(AmqpError):
        encode(value)


def test_a_number_out_of_range_is_refused() -> None:
    with pytest.raises(AmqpError, match="256 is no UByte: 0 to 255"):
        UByte(256)


# -- composites and frames


@st.composite
def composites(draw: st.DrawFn) -> Composite:
    found = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    fields = {
        name: _range(kind) if issubclass(kind or str, int) and kind else (names if kind else texts)
        for name, kind in found.fields
    }
    drawn = draw(st.fixed_dictionaries({}, optional=fields))
    return Composite(found.name, {name: drawn[name] for name, _ in found.fields if name in drawn})


@given(composites(), st.binary(max_size=50), st.integers(0, 65535), st.booleans())
def test_a_frame_survives_the_round_trip(
    performative: Composite, payload: bytes, channel: int, sasl: bool
) -> None:
    raw = frames.write(AmqpFrame(channel, performative, payload, sasl))
    again = frames.read(raw)
    assert int.from_bytes(raw[:4], "big") == len(raw)
    assert (again.channel, again.payload, again.sasl) == (channel, payload, sasl)
    assert typed(again.performative) == typed(performative)


def test_headers_and_heart_beats_are_frames() -> None:
    assert frames.read(frames.SASL_HEADER) == AmqpFrame(header=3)
    assert frames.write(AmqpFrame(header=0)) == frames.HEADER
    empty = frames.write(AmqpFrame())
    assert (empty.hex(), frames.read(empty)) == ("0000000802000000", AmqpFrame())


@given(st.lists(st.integers(0, sum(map(len, RAWS))), max_size=20).map(sorted))
def test_frames_are_found_however_the_bytes_arrive(cuts: list[int]) -> None:
    stream = b"".join(RAWS)
    splitter, found = Splitter(), []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += splitter.feed(stream[begin:end])
    assert found == RAWS


@pytest.mark.parametrize("size", [0, 7, 2**31])
def test_another_protocol_is_refused(size: int) -> None:
    with pytest.raises(AmqpError, match="does not speak AMQP"):
        Splitter().feed(struct.pack(">I", size) + b"\x02\x00\x00\x00")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("00000009020000", "frame of 7 bytes"),
        ("0000000902000000", "size 9"),
        ("0000000901000000", "offset 1"),
        ("0000000902050000", "type 5"),
        ("000000090200000041", "no performative"),
    ],
)
def test_malformed_frames_are_refused(raw: str, says: str) -> None:
    data = bytes.fromhex(raw)
    with pytest.raises(AmqpError, match=says):
        frames.read(data)


def test_a_composite_with_too_many_fields_is_refused() -> None:
    with pytest.raises(AmqpError, match="end with 2 fields, it has 1"):
        composed(Described(ULong(0x17), [None, None]))


def test_a_field_that_a_composite_does_not_have_is_refused() -> None:
    with pytest.raises(AmqpError, match="begin has no field nonsense"):
        plain(composite("begin", nonsense=1))
    with pytest.raises(AmqpError, match="no composite type nonsense"):
        plain(composite("nonsense"))


@pytest.mark.parametrize("raw", RAWS, ids=[f"{n}-{way}" for n, (way, _) in enumerate(SEEN)])
def test_frames_of_client_and_broker_mean_the_same_written_again(raw: bytes) -> None:
    frame = frames.read(raw)
    again = frames.read(frames.write(frame))
    assert typed(again.performative) == typed(frame.performative)
    assert (again.channel, again.payload, again.header) == (
        frame.channel,
        frame.payload,
        frame.header,
    )


def performatives(kind: str) -> list[AmqpFrame]:
    found = [frames.read(raw) for raw in RAWS]
    return [each for each in found if each.performative and each.performative.type == kind]


def test_the_conversation_of_client_and_broker_is_understood() -> None:
    """As the sentence at the head of the vectors tells it."""
    assert [frames.read(raw).header for raw in RAWS[:2]] == [3, 3]
    client, broker = (each.performative for each in performatives("open"))
    assert client is not None
    assert broker is not None
    assert client.get("container-id") == "c"
    assert broker.get("properties") == {"product": "apache-activemq-artemis", "version": "2.55.0"}
    sent = [messages.read(each.payload) for each in performatives("transfer")]
    controls = [each.control.type for each in sent if each.control]
    assert controls == ["declare", "discharge", "declare", "discharge", "declare", "discharge"]
    fails = [each.control.get("fail") for each in sent if each.control and each.control.fields]
    assert fails == [False, True, True]
    told = [each for each in sent if not each.control]
    assert [each.text for each in told] == ["hello", "hello"]
    assert typed(dict(sorted(told[0].application.items()))) == typed({"n": Int(5), "s": "é"})
    assert told[0].header.get("durable") is True
    receiver = performatives("attach")[4].performative
    assert receiver is not None
    (selector,) = receiver.get("source").get("filter").values()
    assert selector.value == "n = 5"
    states = [
        each.performative.get("state").type
        for each in performatives("disposition")
        if each.performative
    ]
    assert states.count("declared") == 3
    assert states.count("accepted") == 3
    assert states.count("transactional-state") == 2


# -- messages


@given(
    values,
    st.dictionaries(names, simple, max_size=3),
    st.dictionaries(texts, simple, max_size=3),
    st.none() | st.binary(max_size=20),
)
def test_a_message_survives_the_round_trip(
    value: Any, annotations: dict[Any, Any], application: dict[Any, Any], data: bytes | None
) -> None:
    message = AmqpMessage(
        None if data is not None else value,
        data,
        header=composite("header", durable=True),
        annotations=annotations,
        application=application,
    )
    again = messages.read(messages.write(message))
    assert again.data == data
    assert typed(plain(again.value)) == typed(None if data is not None else value)
    assert typed(dict(again.annotations)) == typed(annotations)
    assert typed(dict(again.application)) == typed(application)
    assert again.header.get("durable") is True


def test_what_is_no_section_is_refused() -> None:
    with pytest.raises(AmqpError, match="no section of a message"):
        messages.read(encode("text"))
    with pytest.raises(AmqpError, match="no section of a message"):
        messages.read(encode(Described(ULong(0x75), "text")))


@pytest.mark.parametrize(
    "sections",
    [
        [Described(ULong(0x77), 5), Described(ULong(0x76), [6])],
        [Described(ULong(0x77), "a"), Described(ULong(0x76), ["b"])],
        [Described(ULong(0x77), 5), Described(ULong(0x77), 6)],
        [Described(ULong(0x75), b"a"), Described(ULong(0x77), "b")],
    ],
    ids=["number and sequence", "text and sequence", "two values", "data and value"],
)
def test_a_body_of_sections_that_do_not_go_together_is_refused(sections: list[Described]) -> None:
    with pytest.raises(AmqpError, match="do not go together"):
        messages.read(b"".join(map(encode, sections)))


def test_fields_of_composites_have_their_types() -> None:
    """Another width of a number, or a text for a symbol, is what a peer may well have meant."""
    header = composed(Described(ULong(0x70), [True, Int(4)]))
    assert typed(header.get("priority")) == typed(UByte(4))
    error = composed(Described(ULong(0x1D), ["amqp:internal-error"]))
    assert typed(error.get("condition")) == typed(Symbol("amqp:internal-error"))
    for odd in ([4], "4", False, Int(-1), Int(256)):
        with pytest.raises(AmqpError):
            composed(Described(ULong(0x70), [True, odd]))


@pytest.mark.parametrize("raw", [b"", b"AMQP", b"AMQP\0\1\0"])
def test_what_is_shorter_than_any_frame_is_refused(raw: bytes) -> None:
    with pytest.raises(AmqpError, match=f"a frame of {len(raw)} bytes"):
        frames.read(raw)


def nested(inner: bytes, times: int) -> bytes:
    """A list of so many values."""
    content = struct.pack(">I", times) + inner * times
    return b"\xd0" + struct.pack(">I", len(content)) + content


VALUE = b"\0\x53\x77"
"""What an amqp-value begins with."""
BOMBS = {
    "arrays of nulls": VALUE + nested(b"\xf0" + struct.pack(">IIB", 5, 0xFFFF, 0x40), 1_000),
    "arrays of empty lists": VALUE + nested(b"\xe0\x02\xff\x45", 10_000),
    "described nulls": VALUE + nested(b"\xe0\x05\xff\0\x53\x77\x40", 10_000),
    "sequences of nulls": b"\0\x53\x76\xe0\x02\xff\x40" * 1_000,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_many_values_of_no_byte_are_refused_before_they_take_memory(bomb: bytes) -> None:
    """10 KB of them once made 517 MiB."""
    tracemalloc.start()
    try:
        with pytest.raises(AmqpError, match="without a byte"):
            messages.read(bomb)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * 1024 * 1024


def test_a_body_in_several_data_sections_is_one() -> None:
    sections = [encode(Described(Symbol("amqp:data:binary"), part)) for part in (b"a", b"b")]
    assert messages.read(b"".join(sections)).data == b"ab"
    rows = [encode(Described(ULong(0x76), [part])) for part in (1, 2)]
    assert messages.read(b"".join(rows)).value == [1, 2]
