"""Instants, delays and priorities, from whatever numbers a message or an application has."""

from __future__ import annotations

import struct
from functools import partial

from fuzz.mutations import structure
from fuzz.targets import Target
from jmsapi import JMSException
from pulsar_jms.mapping.delay import deliver_at, delivery_time_of, time_until_delivery
from pulsar_jms.mapping.expiration import expiration_of, is_expired
from pulsar_jms.mapping.headers import check_priority, decode_milliseconds, decode_priority
from pulsar_jms.mapping.priority import linear, non_linear, receiver_queues
from pulsar_jms.mapping.topic_extent import is_delivered_yet

_LONGS = struct.Struct(">3q")


def _instants(data: bytes) -> None:
    if len(data) < _LONGS.size:
        return
    first, second, third = _LONGS.unpack_from(data)
    assert decode_milliseconds(str(first)) == first
    assert 0 <= time_until_delivery(first, second, third) <= 1_000
    assert is_expired(str(first), second) is (0 < first <= second)
    assert is_delivered_yet(first, second, third) is (first <= max(second, third))
    if first >= 0:
        expiration = expiration_of(first, second)
        assert expiration == (first + second if second > 0 else 0) < 1 << 63
        assert deliver_at(delivery_time_of(first, second), second) in (None, first + second)


def _priorities(data: bytes) -> None:
    if len(data) < 4:
        return
    priority, partitions, size = data[0] % 10, 1 + data[1], 1 + int.from_bytes(data[2:4], "big")
    for chance in (0.0, 0.5, 1 - 2**-53):
        for mapping in (linear, non_linear):
            chosen = mapping(priority, partitions, partial(float, chance))
            assert 0 <= chosen < partitions
            if priority < 9:
                assert chosen <= mapping(priority + 1, partitions, partial(float, chance))
    queues = receiver_queues(size, range(partitions))
    assert len(queues) == partitions
    assert min(queues) >= 1
    decoded = decode_priority(data[4:].decode("utf-8", "replace"))
    assert check_priority(decoded) == decoded


TARGETS = (
    Target("times-instants", "impl", _instants, (JMSException,), structure, longest=64),
    Target("times-priorities", "impl", _priorities, (), structure, longest=64),
)
