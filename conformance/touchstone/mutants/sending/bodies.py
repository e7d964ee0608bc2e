"""Clients that are wrong about bodies."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from jmsapi import Int, Long, Value
from pulsar_jms.mapping.bodies import decode_item, encode_item, encode_map
from pulsar_jms.messages import map_message, stream_message, text_message
from touchstone.mutants.registry import Mutant


def _widened(payload: bytes, at: int) -> tuple[Value | None, int]:
    item, end = decode_item(payload, at)
    return (Long(item) if isinstance(item, Int) else item), end


def _without_sign_of_zero(item: Value | None) -> bytes:
    return encode_item(type(item)(0.0) if isinstance(item, float) and not item else item)


TEXT_IN_LATIN_1 = Mutant(
    name="text-in-latin-1",
    area="bodies",
    violates=("SLJ-BODY-001",),
    doc="A text is read as Latin-1.",
    apply=partial(
        patch.object,
        text_message,
        "decode_text",
        lambda payload: None if payload is None else payload.decode("latin-1"),
    ),
)
STREAM_INTS_WIDENED = Mutant(
    name="stream-ints-widened",
    area="bodies",
    violates=("SLJ-BODY-003",),
    doc="The ints of a stream are received as longs.",
    apply=partial(patch.object, stream_message, "decode_item", _widened),
)
STREAM_ZEROS_UNSIGNED = Mutant(
    name="stream-zeros-unsigned",
    area="bodies",
    violates=("SLJ-BODY-003",),
    doc="-0.0 in a stream loses its sign.",
    apply=partial(patch.object, stream_message, "encode_item", _without_sign_of_zero),
)
MAP_NULLS_DROPPED = Mutant(
    name="map-nulls-dropped",
    area="bodies",
    violates=("SLJ-BODY-004",),
    doc="The null entries of a map are not sent.",
    apply=partial(
        patch.object,
        map_message,
        "encode_map",
        lambda entries: encode_map({k: v for k, v in entries.items() if v is not None}),
    ),
)
