"""What raw messages have to show together: how many they are, in which order, and whose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from jms_model.answers import gives, gives_what
from jms_model.pulsar_wire.looks import BODIES, Look, Raw, look_at_wire
from jms_model.pulsar_wire.sent import PERSISTENT, MessageToSend

BRIEF: Final = 1000
"""A time to live, in milliseconds, that may be over before anybody receives."""
Of = tuple[Sequence[int], Look]
"""A look, and the numbers of the sends that it is about."""


def looks_at_all(
    sent: Mapping[int, MessageToSend], raw: Mapping[int, Sequence[Raw]]
) -> Iterator[Of]:
    """How often each message is there, and what those of a connection and of a kind have."""
    for number, each in sent.items():
        yield from _count(number, each, raw.get(number, ()))
    yield from _connections(sent, raw)
    yield from _kinds(sent, raw)


def _count(number: int, sent: MessageToSend, entries: Sequence[Raw]) -> Iterator[Of]:
    wanted = gives(sent.times)
    if sent.kind == "stream":
        look = look_at_wire(
            "raw_messages", [], len(entries), wanted, ["SLJ-BODY-007"], "of a stream"
        )
        yield [number], look
    there = gives_what("at least one", bool)
    if sent.mode != PERSISTENT:
        ids = ["SLJ-MODE-004"]
        yield [number], look_at_wire("raw_messages", [], len(entries), there, ids, "not persistent")
    if 0 < sent.lives <= BRIEF:
        ids = ["SLJ-EXP-003"]
        yield [number], look_at_wire("raw_messages", [], len(entries), there, ids, "that expired")


def _connections(
    sent: Mapping[int, MessageToSend], raw: Mapping[int, Sequence[Raw]]
) -> Iterator[Of]:
    """Each connection has an id of its own."""
    firsts: dict[str, tuple[int, str | None]] = {}
    for number, each in sent.items():
        for entry in raw.get(number, ()):
            id_ = entry.properties.get("JMSConnectionID")
            at, first = firsts.setdefault(each.sender, (number, id_))
            others = {text: other for key, (other, text) in firsts.items() if key != each.sender}
            if not id_:
                shown, about = "none", [number]
            elif id_ in others:
                shown, about = "that of another connection", [others[id_], number]
            else:
                shown = "its own" if id_ == first else "another one"
                about = [*dict.fromkeys((at, number))]
            wanted = gives_what("its own", lambda given: given == "its own")
            look = look_at_wire("raw_connection_id", [], shown, wanted, ["SLJ-PROP-025"])
            look.expectation.name = lambda given: f"gave {given}"
            yield about, look


def _kinds(sent: Mapping[int, MessageToSend], raw: Mapping[int, Sequence[Raw]]) -> Iterator[Of]:
    """Each kind of message is marked by a text of its own."""
    firsts: dict[str, tuple[int, str]] = {}
    for number, each in sent.items():
        for entry in raw.get(number, ()):
            text = entry.properties.get("JMSPulsarMessageType")
            if each.kind not in BODIES or text is None:
                continue
            at, kind = firsts.setdefault(text, (number, each.kind))
            wanted, of = gives(each.kind), f"of a {each.kind} message"
            look = look_at_wire("raw_message_type", ["of"], kind, wanted, ["SLJ-BODY-006"], of)
            yield [*dict.fromkeys((at, number))], look


def looks_at_arrival(kind: str, *, came: bool) -> Iterator[Look]:
    """Whether a message came at all: of one without a body no statement speaks."""
    if kind in BODIES:
        look = look_at_wire(
            "arrives", [], came, gives(True), [BODIES[kind]], f"of a {kind} message"
        )
        yield look


def order_of(came: Sequence[int], sent: Mapping[int, MessageToSend]) -> Iterator[Of]:
    """What one session sends to a topic without partitions comes in its order, whatever priority.

    Each message is compared with the one of its session that came before it.
    """
    last: dict[str, int] = {}
    for number in came:
        previous = last.get(sent[number].sender, number)
        last[sent[number].sender] = number
        if sent[previous].priority != sent[number].priority:
            look = look_at_wire(
                "comes_behind", [], previous < number, gives(True), ["SLJ-PRIO-004"]
            )
            yield [previous, number], look
