"""The messages of a workload: a description of itself, then bytes that follow from its number.

The headers that count are the priority, the delivery mode, the group and the property `band`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from jms_histories.history import description
from jms_histories.history.description import Description, digest
from jms_histories.history.recorder import now
from jms_histories.values import NONE, uid
from jmsapi import BytesMessage, Destination, Int, JMSException, Message, Session
from pulsar_jms.selectors import Selector
from touchstone.scenario.either_version import body_of
from touchstone.workloads.tasks import Endpoint

GROUP = "JMSXGroupID"
GROUP_SEQUENCE = "JMSXGroupSeq"
BAND = "band"
_MILLISECOND = 1_000_000


class Shape(NamedTuple):
    """What a message is to be like; delay and life in ms, life 0 for ever; band -1: no property."""

    key: int
    priority: int
    mode: int
    delay: int
    life: int
    band: int


class Written(NamedTuple):
    """A message ready to be sent: its number, its description of itself, and what lets it pass."""

    message: BytesMessage
    shape: Shape
    uid: int
    raw: bytes
    match: int


class Read(NamedTuple):
    """What a received message says of itself, or None, and the digests of what arrived."""

    told: Description | None
    raw: bytes
    body64: int
    head64: int


def destination(session: Session, endpoint: Endpoint) -> Destination:
    """The destination as the client makes it from its name."""
    if endpoint.queue:
        return session.create_queue(endpoint.name)
    return session.create_topic(endpoint.name)


class Writer:
    """Makes the messages of one producer, numbered from 0."""

    def __init__(
        self,
        session: Session,
        producer: int,
        dest: int,
        selectors: Sequence[tuple[int, str]],
        body: int,
    ) -> None:
        """`selectors` are bit and text of the destination's subscriptions."""
        self._session = session
        self._producer = producer
        self._dest = dest
        self._selectors = [(bit, Selector.parse(text) if text else None) for bit, text in selectors]
        self._body = body
        self._sequence = 0
        self._group_sequences: dict[int, int] = {}
        self._matches: dict[Shape, int] = {}

    def write(self, shape: Shape) -> Written:
        """The next message; its time of sending is now."""
        number = uid(self._producer, self._sequence)
        self._sequence += 1
        key, priority, mode, delay, life, band = shape
        message = self._session.create_bytes_message()
        group_sequence = NONE
        if key >= 0:
            group_sequence = self._group_sequences.get(key, 0)
            self._group_sequences[key] = group_sequence + 1
            message.set_string_property(GROUP, str(key))
            message.set_int_property(GROUP_SEQUENCE, group_sequence + 1)
        if band >= 0:
            message.set_int_property(BAND, band)
        payload = filler(number, self._body)
        at = now()
        told = Description(
            uid=number,
            dest=self._dest,
            key=key,
            gseq=group_sequence,
            priority=priority,
            mode=mode,
            deliver_at=at + delay * _MILLISECOND if delay else NONE,
            expire_at=at + life * _MILLISECOND if life else NONE,
            t_sent=at,
            body64=digest(payload),
            head64=head_digest(priority, mode, str(key) if key >= 0 else "", band),
        )
        raw = description.encode(told)
        message.write_bytes(raw + payload)
        return Written(message, shape, number, raw, self._match(shape))

    def _match(self, shape: Shape) -> int:
        """The bits of the subscriptions that let it pass, by the reference's evaluator."""
        bits = self._matches.get(shape)
        if bits is None:
            values = {BAND: Int(shape.band)} if shape.band >= 0 else {}
            bits = 0
            for bit, selector in self._selectors:
                if selector is None or selector.matches(values):
                    bits |= 1 << bit
            self._matches[shape] = bits
        return bits


def read(message: Message) -> Read:
    """What a message says of itself, and the digests of what arrived."""
    try:
        content = body_of(message, bytes)
    except JMSException:
        return Read(None, description.unreadable(), NONE, NONE)
    if not isinstance(content, bytes):
        return Read(None, description.unreadable(), NONE, NONE)
    told = description.decode(content)
    if told is None:
        return Read(None, description.unreadable(), digest(content), NONE)
    group, band = "", NONE
    if message.property_exists(GROUP):
        group = str(message.get_string_property(GROUP))
    if message.property_exists(BAND):
        band = int(message.get_int_property(BAND))  # digested as its text
    return Read(
        told,
        content[: description.SIZE],
        digest(content[description.SIZE :]),
        head_digest(message.jms_priority, message.jms_delivery_mode, group, band),
    )


def filler(number: int, size: int) -> bytes:
    """Bytes that follow from a message's number."""
    pattern = number.to_bytes(8, "little")
    return (pattern * (size // 8 + 1))[:size]


@lru_cache(maxsize=4096)
def head_digest(priority: int, mode: int, group: str, band: int) -> int:
    """The digest of the headers that count."""
    return digest(f"{priority},{mode},{group},{band}".encode())
