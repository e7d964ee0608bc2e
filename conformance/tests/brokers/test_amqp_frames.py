"""Frames and composites of AMQP 1.0, by properties and by a conversation of other software."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokers.amqp_values import names, numbers_of, texts, typed
from jms_brokers.amqp import frames, messages
from jms_brokers.amqp.composites import TYPES, Composite, compose, composite, plain
from jms_brokers.amqp.frames import AmqpFrame, Splitter
from jms_brokers.amqp.values import AmqpError, Described, Int, Symbol, UByte, ULong

SEEN = [
    line.split()
    for line in (Path(__file__).parent / "amqp-frames.txt").read_text().splitlines()
    if not line.startswith("#")
]
RAWS = [bytes.fromhex(text) for _, text in SEEN]


# -- composites and frames


@st.composite
def composites(draw: st.DrawFn) -> Composite:
    type_ = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    fields = {
        name: numbers_of(kind)
        if issubclass(kind or str, int) and kind
        else (names if kind else texts)
        for name, kind in type_.fields
    }
    drawn = draw(st.fixed_dictionaries({}, optional=fields))
    return Composite(type_.name, {name: drawn[name] for name, _ in type_.fields if name in drawn})


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
    splitter, raws = Splitter(), []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        raws += splitter.feed(stream[begin:end])
    assert raws == RAWS


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
        compose(Described(ULong(0x17), [None, None]))


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
    read = [frames.read(raw) for raw in RAWS]
    return [each for each in read if each.performative and each.performative.type == kind]


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


def test_fields_of_composites_have_their_types() -> None:
    """Another width of a number, or a text for a symbol, is what a peer may well have meant."""
    header = compose(Described(ULong(0x70), [True, Int(4)]))
    assert typed(header.get("priority")) == typed(UByte(4))
    error = compose(Described(ULong(0x1D), ["amqp:internal-error"]))
    assert typed(error.get("condition")) == typed(Symbol("amqp:internal-error"))
    for odd in ([4], "4", False, Int(-1), Int(256)):
        with pytest.raises(AmqpError):
            compose(Described(ULong(0x70), [True, odd]))


@pytest.mark.parametrize("raw", [b"", b"AMQP", b"AMQP\0\1\0"])
def test_what_is_shorter_than_any_frame_is_refused(raw: bytes) -> None:
    with pytest.raises(AmqpError, match=f"a frame of {len(raw)} bytes"):
        frames.read(raw)
