"""Damaged messages: drawn by a seed alone, damaged for certain, and sent in the order given."""

from __future__ import annotations

import math
import re
from random import Random
from typing import Any

import pytest

from jms_brokers.amqp import damage as amqp
from jms_brokers.amqp import messages
from jms_brokers.amqp.decoding import decode
from jms_brokers.amqp.values import AmqpError, Described
from jms_brokers.damage import PARTS, Part, Poison, cut_off, damaged, no_number, not_utf8
from jms_brokers.families.pulsar import damage as pulsar
from jms_brokers.families.pulsar.protocol.protobuf import fields
from jms_brokers.families.rabbitmq import damage as rabbitmq
from jms_brokers.families.rabbitmq import envelope
from jms_scenarios.poisoned import BEHIND, LAST, Seen, good_texts, spread_among

FAMILIES: dict[str, Any] = {"pulsar": pulsar, "amqp": amqp, "rabbitmq": rabbitmq}
KINDS = [
    pytest.param(family, kind, id=f"{name}-{kind}")
    for name, family in FAMILIES.items()
    for part in PARTS
    for kind in family.kinds(part)
]
DRAWS = [Random(seed) for seed in range(200)]


@pytest.mark.parametrize(("family", "kind"), KINDS)
def test_seed_and_number_give_the_same_message_again(family: Any, kind: str) -> None:
    first = [family.poisoned(Poison(kind, number, 7)) for number in range(50)]

    assert first == [family.poisoned(Poison(kind, number, 7)) for number in range(50)]
    assert first != [family.poisoned(Poison(kind, number, 8)) for number in range(50)]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_damage_for_every_part(family: str, part: Part) -> None:
    assert FAMILIES[family].kinds(part)


@pytest.mark.parametrize("valid", [b"\0", b"hello", bytes(range(256))])
def test_damage_changes_bytes_and_a_cut_shortens_them(valid: bytes) -> None:
    assert all(damaged(valid, draw) != valid for draw in DRAWS)
    assert all(len(cut_off(valid, draw)) < len(valid) for draw in DRAWS)


def test_bytes_that_are_no_utf8_cannot_be_decoded() -> None:
    for draw in DRAWS:
        with pytest.raises(UnicodeDecodeError):
            not_utf8(draw).decode()


def test_texts_without_numbers_are_none_that_a_double_could_hold() -> None:
    def is_number(text: str) -> bool:
        try:
            return "_" not in text and math.isfinite(float(text))
        except ValueError:
            return False

    assert [text for text in map(no_number, DRAWS) if is_number(text)] == []


@pytest.mark.parametrize("kind", [kind for part in PARTS for kind in pulsar.kinds(part)])
def test_metadata_is_a_protobuf_message_whatever_texts_are_in_it(kind: str) -> None:
    for number in range(50):
        metadata = pulsar.poisoned(Poison(kind, number, 1)).metadata
        assert {each.number for each in fields(metadata)} <= {4, 6, 25}


@pytest.mark.parametrize(
    "kind", ["property-name-not-utf8", "property-value-not-utf8", "header-not-utf8", "key-not-utf8"]
)
def test_what_is_said_to_be_no_utf8_is_none(kind: str) -> None:
    for number in range(50):
        poison = pulsar.poisoned(Poison(kind, number, 1))
        texts = [*(text for pair in poison.properties for text in pair), poison.key or b""]
        with pytest.raises(UnicodeDecodeError):
            [text.decode() for text in texts]


@pytest.mark.parametrize("kind", [kind for part in PARTS for kind in amqp.kinds(part)])
def test_sections_before_the_body_are_well_formed(kind: str) -> None:
    """Brokers read them; the body is for the client alone."""
    for number in range(50):
        payload, offset = amqp.poisoned(Poison(kind, number, 1)), 0
        codes = []
        while offset < len(payload) and payload[offset : offset + 2] == b"\0\x53":
            if payload[offset + 2] >= 0x75:
                break
            section, offset = decode(payload, offset)
            assert isinstance(section, Described)
            codes.append(int(section.descriptor))
        assert codes == sorted(codes)
        assert codes[0] == 0x70


def test_damaged_bodies_of_amqp_are_no_messages_mostly() -> None:
    payloads = [amqp.poisoned(Poison("text-not-utf8", number, 1)) for number in range(20)]

    for payload in payloads:
        with pytest.raises(AmqpError):
            messages.read(payload)


def test_good_messages_can_be_read() -> None:
    assert messages.read(amqp.good("é")).text == "é"
    assert envelope.parse(rabbitmq.good("é").body).text == "é"
    assert pulsar.good("é").payload.decode() == "é"


def test_class_of_a_written_envelope_is_read_back() -> None:
    written = envelope.write_message(
        "a.B", "1", {"f": b"\x01\x01"}, {"p": b"\x08\x00\x01v"}, b"body"
    )

    assert envelope.parse(written) == envelope.Envelope("a.B", {"f": True}, {"p": "v"}, b"body")


@pytest.mark.parametrize(("poisons", "good"), [(0, 2), (1, 2), (5, 4), (40, 6)])
def test_damaged_messages_are_spread_among_good_ones(poisons: int, good: int) -> None:
    given = [Poison("kind", number, 1) for number in range(poisons)]

    mixed = spread_among(given, good_texts(good))

    assert (mixed[0], mixed[-1]) == ("good-1", LAST)
    assert [each for each in mixed if isinstance(each, str)] == good_texts(good)
    assert {each for each in mixed if isinstance(each, Poison)} == {*given}
    runs = re.findall("p+", "".join("g" if isinstance(each, str) else "p" for each in mixed))
    assert max(map(len, runs), default=0) <= math.ceil(poisons / (good - 1))


@pytest.mark.parametrize(
    ("came", "lost", "repeated", "disordered"),
    [
        (["good-1", "good-2", LAST], False, False, False),
        (["good-1", LAST], True, False, False),
        (["good-1", "good-2"], True, False, False),
        (["good-1", "good-1", "good-2", LAST], False, True, False),
        (["good-2", "good-1", LAST], False, False, True),
    ],
)
def test_what_a_reader_saw_tells_what_became_of_good_messages(
    came: list[str], lost: bool, repeated: bool, disordered: bool
) -> None:
    seen = Seen(good=came)

    told = (seen.lost(good_texts(3)), seen.repeated(), seen.disordered(good_texts(3)))

    assert tuple(map(bool, told)) == (lost, repeated, disordered)


def test_what_is_missing_at_the_end_is_told_from_what_is_missing_before() -> None:
    good = [*good_texts(3), BEHIND]

    assert Seen(good=good[:-1]).lost(good) == "nothing came behind it"
    assert Seen(good=good[1:]).lost(good) == "a neighbour did not come"
