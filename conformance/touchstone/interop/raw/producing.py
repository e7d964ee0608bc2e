"""What the plain Pulsar client does as a producer; what takes more than that is left out."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from jmsapi import Int
from touchstone.interop.parts import SendRecord, View
from touchstone.interop.raw.access import RawAccess
from touchstone.interop.raw.consuming import SUBSCRIPTION, next_of, text_of
from touchstone.interop.raw.messages import view_of
from touchstone.interop.script import (
    AGAIN,
    ANSWERS,
    BATCH,
    CANDIDATES,
    DELAY,
    GROUPS,
    IN_EACH_GROUP,
    LETTERS_OF,
    SEQUENCED,
    group_members,
    long_text,
)
from touchstone.interop.shown import shown


def _groups(partner: RawAccess, name: str) -> None:
    for number in range(IN_EACH_GROUP):
        for group in GROUPS:
            partner.send_text(name, group_members(group)[number], key=group)


def _delay(partner: RawAccess, name: str) -> dict[str, Any]:
    sent = partner.send_text(name, "delayed", delay=DELAY)
    partner.send_text(name, "prompt")
    return sent


def _candidates(partner: RawAccess, name: str) -> None:
    for candidate in CANDIDATES:
        raw = {} if candidate.type is None else {"JMSType": candidate.type}
        if candidate.priority != 4:
            raw["JMSPriority"] = str(candidate.priority)
        partner.send_text(name, candidate.text, properties=candidate.properties, raw=raw)


def _bad(partner: RawAccess, name: str) -> None:
    partner.send_text(name, "bad", properties={"size": Int(42)}, raw={"JMSType": "order"}, key="g1")


def _ask(kind: str, partner: RawAccess, name: str) -> dict[str, Any]:
    answers = partner.full_name(f"{name}-answers")
    partner.asking[name] = partner.subscribe(f"{name}-answers", SUBSCRIPTION)
    sent = partner.send_text(name, "question", raw={"JMSReplyTo": answers, "JMSReplyToType": kind})
    return {**sent, "reply_to": f"{kind} {answers}"}


def _batch(partner: RawAccess, name: str) -> dict[str, Any]:
    return {
        **SendRecord().as_dict(),
        "ids": partner.send_batch(name, [str(n) for n in range(BATCH)]),
    }


def _once_more(partner: RawAccess, name: str) -> None:
    partner.send_text(
        name,
        "once more",
        properties={"size": Int(42)},
        raw={"JMSPriority": "2", "JMSDeliveryMode": "1"},
        lives=3_600_000,
    )


def _expired(partner: RawAccess, name: str) -> None:
    sent = partner.send_text(name, "expired", lives=1)
    while time.time_ns() // 1_000_000 < sent["since"] + 3:
        time.sleep(0.001)
    partner.send_text(name, "next")


def _members(partner: RawAccess, name: str) -> None:
    partner.send_sequence(name, [str(number) for number in range(SEQUENCED)], "g1")


def _long(partner: RawAccess, name: str) -> dict[str, Any]:
    return partner.send_text(name, long_text(), properties={"size": Int(42)}, chunked=True)


PRODUCERS: Mapping[str, Callable[[RawAccess, str], dict[str, Any] | None]] = {
    "groups": _groups,
    "delay": _delay,
    "selector": _candidates,
    "dead-letter": _bad,
    "answer-queue": partial(_ask, "queue"),
    "answer-topic": partial(_ask, "topic"),
    "batch": _batch,
    "resent": _once_more,
    "expired": _expired,
    "default-sequence": _members,
    "chunked": _long,
    "chunked-again": _long,
}
"""Who does the producer's part."""


def after(partner: RawAccess, behaviour: str, name: str) -> View:
    """What the producer sees when the consumer has done its part."""
    if behaviour in ANSWERS:
        with closing(partner.asking.pop(name)) as consumer:
            answer = next_of(consumer)
        correlation = answer.properties().get("JMSCorrelationID", "")
        decoded = base64.b64decode(correlation).decode(errors="backslashreplace")
        return {"answer": shown(text_of(answer)), "correlation": shown(decoded)}
    what, queue = {
        "dead-letter": ("letter", name + LETTERS_OF),
        "resent": ("again", name + AGAIN),
    }[behaviour]
    with closing(partner.subscribe(queue, SUBSCRIPTION)) as consumer:
        view = view_of(next_of(consumer))
    return {f"{what}: {field}": value for field, value in view.items()}
