"""What clients do together beyond one message: the parts that are data and the same for all.

A behaviour is played by a producer and a consumer; what was seen is a view like that of a message,
and what has to be seen is expected here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from touchstone.interop.expectations import Expected, when_sent
from touchstone.interop.script import (
    AGAIN,
    ANSWERS,
    AT_EACH_LEVEL,
    BATCH,
    DELAY,
    GROUPS,
    LEFT,
    LEVELS,
    PARTITIONS,
    REDELIVERIES,
    RESENT_PRIORITY,
    SELECTED,
    group_members,
    long_text,
)
from touchstone.interop.shown import shown

RAW = "raw"
JMS = "jms"


@dataclass(frozen=True)
class Behaviour:
    """One behaviour; `expected` takes the kinds of producer and consumer and what was sent."""

    name: str
    about: str
    expected: Callable[[str, str, Mapping[str, Any]], Expected]
    sends_first: bool = False
    """Whether the messages are there before the consumer is."""
    partitions: int = 0
    held: int = 0
    """How many messages the consumer's client has to hold before it goes on."""
    returns: bool = False
    """Whether the producer looks at something afterwards."""
    letters: str = ""
    """What follows the name in that of the topic which holds it then."""
    numbered: bool = False
    """Whether the broker is asked for the sequence ids of what was sent."""
    parts: int = 0
    """In how many parts the broker has to hold the only message at least."""
    settles: bool = False
    """Whether the broker is asked what is left when the consumer has done its part."""
    later: tuple[int, ...] = ()
    """Milliseconds after the time of sending that may be meant."""


def _groups(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    return {f"group {group}": (" ".join(group_members(group)), "SLJ-INTR-004") for group in GROUPS}


def _delay(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    expected = {"received": ("delayed prompt", "SLJ-DLY-006"), "came": ("in time", "JMS-DLY-003")}
    field, id_ = (
        ('raw "JMSDeliveryTime"', "SLJ-DLY-007")
        if consumer == RAW
        else ("JMSDeliveryTime", "JMS-DLY-001")
    )
    return {**expected, field: (when_sent(DELAY), id_)}


def _priority(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    if consumer == RAW:
        return {f"partition of level {n}": (str(n), f"SLJ-PRIO-{17 + n:03}") for n in range(10)}
    return {
        "received": (str(AT_EACH_LEVEL * len(LEVELS)), "JMS-REDL-009"),
        "levels as sent": ("true", "SLJ-PRIO-003"),
        "emptied first": ("9 before 0", "SLJ-PRIO-010"),
    }


def _selector(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    return {"selected": (", ".join(SELECTED), "SLJ-SEL-001")}


def _dead_letter(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    letter: dict[str, tuple[str, str]] = {
        "deliveries": (" ".join(str(n) for n in range(1, REDELIVERIES + 2)), "SLJ-DLQ-002"),
        "then": ("next", "SLJ-DLQ-006"),
    }
    if producer == RAW:
        return {
            **letter,
            "letter: raw payload": (shown(b"bad"), "SLJ-DLQ-005"),
            'letter: raw "size"': (shown("42"), "SLJ-DLQ-005"),
            'letter: raw "JMSPulsarMessageType"': (shown("text"), "SLJ-DLQ-005"),
            "letter: raw key": (shown("g1"), "SLJ-DLQ-005"),
        }
    return {
        **letter,
        "letter: kind": ("text", "SLJ-DLQ-005"),
        "letter: body": (shown("bad"), "SLJ-DLQ-005"),
        'letter: property "size"': ("int 42", "SLJ-DLQ-005"),
        "letter: JMSType": (shown("order"), "SLJ-DLQ-005"),
        "letter: JMSXGroupID": (shown("g1"), "SLJ-DLQ-005"),
    }


def _answer(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    kind, _, name = str(sent.get("reply_to", "")).partition(" ")
    reply = (
        {'raw "JMSReplyTo"': (shown(name), "SLJ-HDR-005")}
        if consumer == RAW
        else {"JMSReplyTo": (f"{kind} {name}", "JMS-HDR-015")}
    )
    return {
        "question": (shown("question"), "JMS-BODY-001"),
        "answer": (shown("answer"), "JMS-HDR-015"),
        "correlation": (shown(sent["message_id"]), "JMS-HDR-027"),
        **reply,
    }


def _batch(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    return {
        "order": (" ".join(str(number) for number in range(BATCH)), "JMS-ORD-001"),
        "ids": (" ".join(sent["ids"]), "JMS-HDR-008"),
    }


def _resent(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    if producer == RAW:
        return {
            "again: raw payload": (shown(b"once more"), "JMS-HDR-026"),
            'again: raw "size"': (shown("42"), "JMS-PROP-011"),
            'again: raw "JMSPriority"': (shown(str(RESENT_PRIORITY)), "SLJ-PRIO-001"),
        }
    return {
        "again: kind": ("text", "JMS-HDR-026"),
        "again: body": (shown("once more"), "JMS-HDR-026"),
        'again: property "size"': ("int 42", "JMS-PROP-011"),
        "again: JMSPriority": (str(RESENT_PRIORITY), "SLJ-PRIO-003"),
        "again: JMSExpiration": ("0", "SLJ-EXP-004"),
        "again: JMSDeliveryMode": ("2", "JMS-HDR-004"),
        "again: JMSXDeliveryCount": ("1", "JMS-REDL-003"),
    }


def _expired(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    if consumer == RAW:
        return {"received": ("expired next", "SLJ-EXP-003")}
    return {"received": ("next", "SLJ-EXP-002")}


def _transaction(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    return {"received": ("committed next", "SLJ-TX-002")}


def _default_sequence(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    numbers = sent.get("sequence_ids", ())
    return {"JMSXGroupSeq": (" ".join(map(str, numbers)), "SLJ-PROP-023")}


def _chunked(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    same_id = shown(sent["message_id"])
    left = {LEFT: ("0", "JMS-ACK-001")}
    if consumer == RAW:
        payload = shown(long_text().encode())
        return {
            "raw payload": (payload, "SLJ-INTR-001"),
            'raw "size"': (shown("42"), "SLJ-PROP-002"),
            "JMSMessageID": (same_id, "JMS-HDR-008"),
            **left,
        }
    return {
        "kind": ("text", "SLJ-BODY-001"),
        "body": (shown(long_text()), "JMS-BODY-001"),
        'property "size"': ("int 42", "SLJ-PROP-005"),
        "JMSMessageID": (same_id, "JMS-HDR-008"),
        "JMSXDeliveryCount": ("1", "JMS-REDL-003"),
        **left,
    }


def _chunked_again(producer: str, consumer: str, sent: Mapping[str, Any]) -> Expected:
    again = {
        "again: JMSMessageID": (shown(sent["message_id"]), "JMS-REDL-014"),
        LEFT: ("0", "JMS-ACK-001"),
    }
    if consumer == RAW:
        return {"again: raw payload": (shown(long_text().encode()), "JMS-REDL-006"), **again}
    return {
        "again: body": (shown(long_text()), "JMS-REDL-006"),
        "again: JMSRedelivered": ("true", "JMS-REDL-001"),
        "again: JMSXDeliveryCount": ("2", "JMS-REDL-003"),
        **again,
    }


BEHAVIOURS: Mapping[str, Behaviour] = MappingProxyType(
    {
        behaviour.name: behaviour
        for behaviour in (
            Behaviour("groups", "a group stays with one of two consumers, in order", _groups),
            Behaviour("delay", "a delayed message comes later", _delay, later=(DELAY,)),
            Behaviour(
                "priority",
                "priorities choose partitions, and higher ones are read first",
                _priority,
                sends_first=True,
                partitions=PARTITIONS,
                held=AT_EACH_LEVEL * len(LEVELS),
            ),
            Behaviour("selector", "a selector judges typed properties", _selector),
            Behaviour(
                "dead-letter", "what fails is set aside, for the sender to read", _dead_letter,
                returns=True,
            ),
            *(
                Behaviour(name, f"a question gets its answer, by a {kind}", _answer, returns=True)
                for name, kind in ANSWERS.items()
            ),
            Behaviour(
                "default-sequence",
                "a message without JMSXGroupSeq shows the sequence id",
                _default_sequence,
                numbered=True,
            ),
            Behaviour(
                "chunked",
                "a body over the broker's limit goes in parts, and comes as one",
                _chunked,
                parts=2,
                settles=True,
            ),
            Behaviour(
                "chunked-again",
                "what went in parts is given back, and comes again as one",
                _chunked_again,
                parts=2,
                settles=True,
            ),
            Behaviour("batch", "messages of a batch keep order and ids", _batch),
            Behaviour(
                "resent", "a received message is sent on", _resent, returns=True, letters=AGAIN
            ),
            Behaviour("expired", "what has expired is not handed over", _expired, sends_first=True),
            Behaviour("transaction", "what is rolled back is not sent", _transaction),
        )
    }
)  # fmt: skip
"""Every behaviour by its name."""
