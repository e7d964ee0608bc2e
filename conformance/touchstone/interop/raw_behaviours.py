"""What the plain Pulsar client does in a behaviour; what takes more than that is left out."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import _pulsar
import pulsar

from jmsapi import Int
from touchstone.interop.behaviours import (
    AGAIN,
    AT_EACH_LEVEL,
    BATCH,
    CANDIDATES,
    DELAY,
    GRAIN,
    GROUPS,
    IN_EACH_GROUP,
    LETTERS_OF,
    LEVELS,
    REDELIVERIES,
    group_members,
)
from touchstone.interop.parts import Sent, View
from touchstone.interop.raw_messages import message_id, view_of
from touchstone.interop.shown import shown
from touchstone.interop.telling import Missing, group_shares

if TYPE_CHECKING:
    from touchstone.interop.raw_partner import RawPartner

_PATIENCE = 15_000
_SUBSCRIPTION = "jms-queue"


def next_of(consumer: pulsar.Consumer) -> pulsar.Message:
    """The next message; `Missing` when none comes."""
    try:
        message: pulsar.Message = consumer.receive(_PATIENCE)
    except _pulsar.Timeout:
        raise Missing(f"no message came within {_PATIENCE // 1000} s") from None
    return message


class _At:
    """A consumer, open until it has finished."""

    options: Mapping[str, Any] = {}
    subscription = _SUBSCRIPTION

    def __init__(self, partner: RawPartner, name: str) -> None:
        self.partner = partner
        self.name = name
        self.consumer = self.open()

    def open(self) -> pulsar.Consumer:
        """A consumer of the topic."""
        return self.partner.subscribe(self.name, self.subscription, **self.options)

    def next(self) -> pulsar.Message:
        """The next message, acknowledged."""
        message = next_of(self.consumer)
        self.consumer.acknowledge(message)
        return message

    def seen(self, sent: Mapping[str, Any]) -> View:
        """What was seen, once the producer has done its part."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the consumer."""
        self.consumer.close()


def _text(message: pulsar.Message) -> str:
    return str(message.data(), errors="backslashreplace")


class _Groups(_At):
    options: Mapping[str, Any] = {"consumer_type": _pulsar.ConsumerType.KeyShared}
    subscription = "members"

    def __init__(self, partner: RawPartner, name: str) -> None:
        super().__init__(partner, name)
        self.other = self.open()

    def seen(self, sent: Mapping[str, Any]) -> View:
        def take(consumer: pulsar.Consumer) -> str | None:
            try:
                message = consumer.receive(10)
            except _pulsar.Timeout:
                return None
            consumer.acknowledge(message)
            return _text(message)

        return group_shares([self.consumer, self.other], take)

    def close(self) -> None:
        self.other.close()
        super().close()


class _Delay(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        order, view = [], {}
        for _ in range(2):
            message = self.next()
            came = time.time_ns() // 1_000_000
            order.append(_text(message))
            if order[-1] == "delayed":
                early = sent["since"] + DELAY - GRAIN - came
                field = 'raw "JMSDeliveryTime"'
                view = {
                    "came": f"{early} ms too early" if early > 0 else "in time",
                    field: view_of(message)[field],
                }
        return {"received": " ".join(sorted(order)), **view}


class _Priority(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        partitions: dict[str, set[int]] = {}
        for _ in range(AT_EACH_LEVEL * len(LEVELS)):
            message = self.next()
            partitions.setdefault(_text(message), set()).add(message.message_id().partition())
        return {
            f"partition of level {level}": " ".join(map(str, sorted(found)))
            for level, found in partitions.items()
        }


class _DeadLetter(_At):
    def open(self) -> pulsar.Consumer:
        letters = self.partner.full_name(self.name + LETTERS_OF)
        policy = pulsar.ConsumerDeadLetterPolicy(REDELIVERIES, letters)
        return self.partner.subscribe(
            self.name,
            _SUBSCRIPTION,
            dead_letter_policy=policy,
            negative_ack_redelivery_delay_ms=100,
        )

    def seen(self, sent: Mapping[str, Any]) -> View:
        counts: list[str] = []
        while True:
            message = next_of(self.consumer)
            if _text(message) == "next":
                self.consumer.acknowledge(message)
                return {"deliveries": " ".join(counts), "then": "next"}
            counts.append(str(message.redelivery_count() + 1))
            self.consumer.negative_acknowledge(message)
            if len(counts) == REDELIVERIES + 1:
                self.partner.send_text(self.name, "next")


class _Answer(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        question = self.next()
        id_ = base64.b64encode(message_id(question.message_id()).encode()).decode()
        topic = question.properties().get("JMSReplyTo", f"{self.name}-no-answers")
        self.partner.send_text(topic, "answer", raw={"JMSCorrelationID": id_})
        return {"question": shown(_text(question))}


class _Batch(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        messages = [self.next() for _ in range(BATCH)]
        return {
            "order": " ".join(map(_text, messages)),
            "ids": " ".join(message_id(message.message_id()) for message in messages),
        }


class _UpToNext(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        texts: list[str] = []
        while not texts or texts[-1] != "next":
            texts.append(_text(self.next()))
        return {"received": " ".join(texts)}


CONSUMERS: Mapping[str, Callable[[RawPartner, str], _At]] = {
    "groups": _Groups,
    "delay": _Delay,
    "priority": _Priority,
    "dead-letter": _DeadLetter,
    "answer": _Answer,
    "batch": _Batch,
    "expired": _UpToNext,
    "transaction": _UpToNext,
}
"""Who makes a consumer ready for each behaviour."""


# ---- producers -----------------------------------------------------------------------------------


def _groups(partner: RawPartner, name: str) -> None:
    for number in range(IN_EACH_GROUP):
        for group in GROUPS:
            partner.send_text(name, group_members(group)[number], key=group)


def _delay(partner: RawPartner, name: str) -> dict[str, Any]:
    sent = partner.send_text(name, "delayed", delay=DELAY)
    partner.send_text(name, "prompt")
    return sent


def _candidates(partner: RawPartner, name: str) -> None:
    for one in CANDIDATES:
        raw = {} if one.type is None else {"JMSType": one.type}
        if one.priority != 4:
            raw["JMSPriority"] = str(one.priority)
        partner.send_text(name, one.text, properties=one.properties, raw=raw)


def _bad(partner: RawPartner, name: str) -> None:
    partner.send_text(name, "bad", properties={"size": Int(42)}, raw={"JMSType": "order"}, key="g1")


def _ask(partner: RawPartner, name: str) -> dict[str, Any]:
    answers = partner.full_name(f"{name}-answers")
    partner.asking[name] = partner.subscribe(f"{name}-answers", _SUBSCRIPTION)
    return partner.send_text(
        name, "question", raw={"JMSReplyTo": answers, "JMSReplyToType": "queue"}
    )


def _batch(partner: RawPartner, name: str) -> dict[str, Any]:
    return {**Sent().as_dict(), "ids": partner.send_batch(name, [str(n) for n in range(BATCH)])}


def _once_more(partner: RawPartner, name: str) -> None:
    partner.send_text(
        name,
        "once more",
        properties={"size": Int(42)},
        raw={"JMSPriority": "2", "JMSDeliveryMode": "1"},
        lives=3_600_000,
    )


def _expired(partner: RawPartner, name: str) -> None:
    sent = partner.send_text(name, "expired", lives=1)
    while time.time_ns() // 1_000_000 < sent["since"] + 3:
        time.sleep(0.001)
    partner.send_text(name, "next")


PRODUCERS: Mapping[str, Callable[[RawPartner, str], dict[str, Any] | None]] = {
    "groups": _groups,
    "delay": _delay,
    "selector": _candidates,
    "dead-letter": _bad,
    "answer": _ask,
    "batch": _batch,
    "resent": _once_more,
    "expired": _expired,
}
"""Who does the producer's part."""


def after(partner: RawPartner, behaviour: str, name: str) -> View:
    """What the producer sees when the consumer has done its part."""
    if behaviour == "answer":
        with closing(partner.asking.pop(name)) as consumer:
            answer = next_of(consumer)
        correlation = answer.properties().get("JMSCorrelationID", "")
        decoded = base64.b64decode(correlation).decode(errors="backslashreplace")
        return {"answer": shown(_text(answer)), "correlation": shown(decoded)}
    what, queue = {
        "dead-letter": ("letter", name + LETTERS_OF),
        "resent": ("again", name + AGAIN),
    }[behaviour]
    with closing(partner.subscribe(queue, _SUBSCRIPTION)) as consumer:
        view = view_of(next_of(consumer))
    return {f"{what}: {field}": value for field, value in view.items()}
