"""What clients exchange and what is expected of it, without any broker."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from jmsapi import Byte, Char, Double, Float, Int, Long, Short, Value
from touchstone.catalogue import load_library
from touchstone.interop.behaviours import BEHAVIOURS, JMS, RAW
from touchstone.interop.expectations import read_by_jms, read_raw, times_told, when_sent
from touchstone.interop.judging import compared
from touchstone.interop.parts import SendRecord
from touchstone.interop.raw.forms import raw_properties, told
from touchstone.interop.raw.messages import message_id
from touchstone.interop.samples import KINDS, NAME, samples
from touchstone.interop.script import long_text
from touchstone.interop.shown import shown
from touchstone.interop.wire_forms import java_object, map_of_one, modified_utf8, stream

SAMPLES = samples("tenant/space")
RECORDED = Path(__file__).parents[3] / "scenarios/jms_scenarios/interop/starlight-wire.json"
GOLDEN = {
    vector["name"]: base64.b64decode(raw["payload_b64"])
    for vector in json.loads(RECORDED.read_text("utf-8"))
    for raw in vector["observed"] or ()
    if vector["direction"] == "jms->wire" and isinstance(raw, dict)
}
ITEMS: list[Value | None] = [
    *(True, Byte(-1), Short(258), Char("A"), Int(1), Long(2), Float(1.0), Double(1.0)),
    *("é", b"\x09\x08", b"", None, None),
]
SENT = SendRecord(1_000, 1_002, "ID:1:2:-1")
LIBRARY = load_library()


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("map-int", map_of_one("k", Int(1))),
        ("map-long", map_of_one("k", Long(1))),
        ("map-byte", map_of_one("k", Byte(1))),
        ("map-char", map_of_one("k", Char("A"))),
        ("map-double", map_of_one("k", Double(1.0))),
        ("map-null", map_of_one("k", None)),
        ("map-long-key", map_of_one("q" * 300, Int(1))),
        ("object-int", java_object(Int(1))),
        ("object-double", java_object(Double(1.5))),
        ("object-bytes", java_object(b"\x01\x02")),
        ("object-hashmap", SAMPLES["object-map"].payload),
        (
            "stream-seq",
            stream(ITEMS),
        ),
    ],
)
def test_bodies_are_those_of_the_real_client(name: str, payload: bytes) -> None:
    assert payload == GOLDEN[name]


@pytest.mark.parametrize(
    ("value", "payload"),
    [
        ("a", "74000161"),
        (
            Short(1),
            "7372000f6a6176612e6c616e672e53686f7274684d37133460da5202000153000576616c7565787200106a61"
            "76612e6c616e672e4e756d62657286ac951d0b94e08b02000078700001",
        ),
        (
            True,
            "737200116a6176612e6c616e672e426f6f6c65616ecd207280d59cfaee0200015a000576616c7565787001",
        ),
        (
            Float(1.0),
            "7372000f6a6176612e6c616e672e466c6f6174daedc9a2db3cf0ec02000146000576616c7565787200106a61"
            "76612e6c616e672e4e756d62657286ac951d0b94e08b02000078703f800000",
        ),
        (b"\1\2\3", "757200025b42acf317f8060854e0020000787000000003010203"),
    ],
)
def test_values_are_written_as_java_writes_them(value: Value, payload: str) -> None:
    assert java_object(value).hex() == f"aced0005{payload}"


def test_long_texts_have_a_longer_count() -> None:
    assert (
        map_of_one("k", "y" * 70_000).hex().startswith("aced000577070000000100016b7c000000000001")
    )
    assert modified_utf8("a\0é😀").hex() == "61c080c3a9eda0bdedb880"


def test_no_form_is_made_up() -> None:
    with pytest.raises(TypeError, match="the form of a list is not recorded"):
        java_object([])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (Byte(-1), "byte -1"),
        (Double(-0.0), "double -0.0"),
        (Float(float("nan")), "float nan"),
        (Char('"'), 'char "\\""'),
        ("é\x00", '"\\u00e9\\u0000"'),
        (b"\x09", "bytes 09"),
        ({"b": [Int(1)], "a": None}, '{"a": null, "b": [int 1]}'),
        (7, "untyped int 7"),
        (complex(1), "complex (1+0j)"),
    ],
)
def test_values_are_shown_with_their_types(value: object, text: str) -> None:
    assert shown(value) == text


def test_values_of_other_types_are_shown_otherwise() -> None:
    alike = [
        Byte(1),
        Short(1),
        Int(1),
        Long(1),
        Float(1.0),
        Double(1.0),
        True,
        "1",
        b"1",
        Char("1"),
    ]
    assert len({shown(value) for value in alike}) == len(alike)


def test_long_values_are_told_apart_by_their_checksums() -> None:
    first, second = shown("a" * 1000 + "b"), shown("a" * 1000 + "c")
    assert first != second
    assert max(len(first), len(second)) < 200


def test_samples_cover_every_kind_and_have_names_of_their_own() -> None:
    assert {sample.kind for sample in SAMPLES.values()} == set(KINDS)
    assert not set(SAMPLES) & set(BEHAVIOURS)
    assert len(SAMPLES) > 150
    assert all(NAME not in sample.properties for sample in SAMPLES.values())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_raw_form_of_a_sample_is_what_a_raw_reader_has_to_see(name: str) -> None:
    """The two are written apart: what is sent by the plain client, and what it is to read."""
    sample = SAMPLES[name]
    sent = SendRecord(1_000, 1_000, sample.raw.get("JMSMessageId", "ID:1:2:-1"))
    properties = raw_properties(sample, 1_000)
    payload = "no value" if sample.payload is None else shown(sample.payload)
    view = times_told(
        {
            "raw payload": payload,
            "raw key": shown(sample.key),
            "raw event time": "1000",
            "JMSMessageID": shown("ID:1:2:-1"),
            **{f"raw {shown(key)}": shown(text) for key, text in told(properties).items()},
        },
        sent,
        (sample.options.get("time_to_live", 0),),
    )
    expected = {k: v for k, v in read_raw(sample, sent).items() if k != "raw names"}
    assert compared(expected, view) == ()


@pytest.mark.parametrize("name", SAMPLES)
def test_each_expectation_names_a_requirement(name: str) -> None:
    sample = SAMPLES[name]
    for expected in (read_by_jms(sample, SENT, "queue"), read_raw(sample, SENT)):
        assert {id_ for _, id_ in expected.values()} <= LIBRARY.requirements.keys()


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=lambda one: one.name)
def test_each_behaviour_expects_something_by_a_requirement(behaviour: object) -> None:
    for producer in (JMS, RAW):
        for consumer in (JMS, RAW):
            expected = behaviour.expected(producer, consumer, {"message_id": "m", "ids": ["1"]})  # type: ignore[attr-defined]
            assert expected
            assert {id_ for _, id_ in expected.values()} <= LIBRARY.requirements.keys()


def test_times_are_told_from_the_time_of_sending() -> None:
    view = {
        "JMSTimestamp": "1001",
        "JMSDeliveryTime": "2502",
        "JMSExpiration": "0",
        "raw event time": "900",
        'raw "JMSDeliveryTime"': '"x"',
        "JMSPriority": "1001",
    }
    assert times_told(view, SENT, (1500,)) == {
        "JMSTimestamp": when_sent(),
        "JMSDeliveryTime": when_sent(1500),
        "JMSExpiration": "0",
        "raw event time": "-100 ms from the time of sending",
        'raw "JMSDeliveryTime"': "x",
        "JMSPriority": "1001",
    }


def test_floats_are_compared_as_numbers() -> None:
    raw = {"a": "1.0E-4", "a_jsmtype": "double", "b": "0.1", "b_jsmtype": "float", "c": "1.0E-4"}
    assert told(raw) == {**raw, "a": "0.0001", "b": "0.10000000149011612"}
    assert told({"a": "x", "a_jsmtype": "double"})["a"] == "x"


class Told:
    """What pulsar-client tells of a position, by methods and by its text."""

    def __init__(self, text: str, *parts: int) -> None:
        self._text = text
        self.ledger_id, self.entry_id, self.partition, self.batch_index = (
            lambda part=part: part for part in parts
        )

    def __str__(self) -> str:
        return self._text


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (Told("(7,2,-1,-1)", 7, 2, -1, -1), "ID:7:2:-1"),
        (Told("(7,2,4,3)", 7, 2, 3, 4), "ID:7:2:3:4"),
        (Told("(7,0,-1,3);(7,2,-1,3)", 7, 2, 3, -1), "ID:7:0:3;7:2:3"),
    ],
)
def test_ids_are_those_of_the_real_client(told: Told, text: str) -> None:
    assert message_id(told) == text


def test_a_long_text_is_above_the_limit_of_the_broker_and_has_no_two_parts_alike() -> None:
    text = long_text()
    assert len(text.encode()) > 5 * 2**20
    assert len({text[at : at + 8] for at in range(0, len(text), 8)}) == len(text) // 8
