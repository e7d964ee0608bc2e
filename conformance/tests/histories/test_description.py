"""A message's description of itself: it arrives whole, or is seen to be damaged."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jms_histories.history import description
from jms_histories.history.description import Description

I8, I32, I64 = (st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 32, 64))
DESCRIPTIONS = st.builds(
    Description,
    uid=I64,
    dest=I32,
    key=I32,
    gseq=I64,
    priority=I8,
    mode=I8,
    deliver_at=I64,
    expire_at=I64,
    t_sent=I64,
    body64=I64,
    head64=I64,
)
ONE = Description(7 << 40 | 5, 3, 2, 1, 9, 2, 10, 20, 30, 40, 50)


def seen(data: list[bytes]) -> list[bool]:
    readable_ = description.readable(np.frombuffer(b"".join(data), description.DTYPE))
    return [bool(whole) for whole in readable_]


@given(DESCRIPTIONS, st.binary(max_size=8))
def test_it_is_read_as_it_was_written_whatever_follows(written: Description, body: bytes) -> None:
    data = description.encode(written)
    assert len(data) == description.SIZE
    assert description.decode(data + body) == written
    assert description.decode(description.from_text(description.to_text(data))) == written


@given(DESCRIPTIONS)
def test_its_columns_are_its_fields(written: Description) -> None:
    [row] = np.frombuffer(description.encode(written), description.DTYPE)
    assert {name: int(row[name]) for name in Description._fields} == written._asdict()
    assert seen([description.encode(written)]) == [True]


@given(DESCRIPTIONS, st.integers(0, description.SIZE - 1), st.integers(1, 255))
def test_one_wrong_byte_is_noticed_by_both_readers(written: Description, at: int, by: int) -> None:
    data = bytearray(description.encode(written))
    data[at] ^= by
    assert description.decode(bytes(data)) is None
    assert seen([bytes(data), description.encode(written)]) == [False, True]


def test_what_is_none_is_not_read() -> None:
    data = description.encode(ONE)
    assert description.decode(data[:-1]) is None
    assert description.decode(b"") is None
    assert description.decode(description.unreadable(12)) is None
    for text in ("", "no base64 ä", "AAAA", description.to_text(data)[:-4]):
        assert description.from_text(text) == description.unreadable()


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_digests_tell_bodies_apart_and_are_never_none(first: bytes, other: bytes) -> None:
    assert (description.digest(first) == description.digest(other)) == (first == other)
    assert description.digest(first) != -1


def test_a_digest_of_headers_has_names_types_and_values_but_no_order() -> None:
    digest = description.digest_of_headers
    assert digest({"a": 1, "b": "x"}) == digest({"b": "x", "a": 1})
    different: list[dict[str, object]] = [
        {},
        {"a": 1},
        {"a": "1"},
        {"a": True},
        {"a": 1.0},
        {"b": 1},
        {"a": 1, "b": 1},
    ]
    assert len({digest(headers) for headers in different}) == len(different)
