"""What the plain Pulsar client does as a consumer; what takes more than that is left out."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from typing import Any

import _pulsar
import pulsar

from touchstone.interop.parts import View
from touchstone.interop.raw.access import RawAccess
from touchstone.interop.raw.messages import message_id, view_of
from touchstone.interop.script import (
    ANSWERS,
    AT_EACH_LEVEL,
    BATCH,
    DELAY,
    GRAIN,
    LETTERS_OF,
    LEVELS,
    REDELIVERIES,
)
from touchstone.interop.shown import shown
from touchstone.interop.telling import Missing, group_shares

_PATIENCE = 15_000
SUBSCRIPTION = "jms-queue"
"""That of queues."""


def next_of(consumer: pulsar.Consumer, what: str = "a message") -> pulsar.Message:
    """The next message; `Missing` when none comes."""
    try:
        message: pulsar.Message = consumer.receive(_PATIENCE)
    except _pulsar.Timeout:
        raise Missing(f"{what} did not come within {_PATIENCE // 1000} s") from None
    return message


class _At:
    """A consumer, open until it has finished."""

    options: Mapping[str, Any] = {}
    subscription = SUBSCRIPTION

    def __init__(self, partner: RawAccess, name: str) -> None:
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


def text_of(message: pulsar.Message) -> str:
    """The payload as text."""
    return str(message.data(), errors="backslashreplace")


class _Groups(_At):
    options: Mapping[str, Any] = {"consumer_type": _pulsar.ConsumerType.KeyShared}
    subscription = "members"

    def __init__(self, partner: RawAccess, name: str) -> None:
        super().__init__(partner, name)
        self.other = self.open()

    def seen(self, sent: Mapping[str, Any]) -> View:
        def take(consumer: pulsar.Consumer) -> str | None:
            try:
                message = consumer.receive(10)
            except _pulsar.Timeout:
                return None
            consumer.acknowledge(message)
            return text_of(message)

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
            order.append(text_of(message))
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
            partitions.setdefault(text_of(message), set()).add(message.message_id().partition())
        return {
            f"partition of level {level}": " ".join(map(str, sorted(partitions_used)))
            for level, partitions_used in partitions.items()
        }


class _DeadLetter(_At):
    def open(self) -> pulsar.Consumer:
        letters = self.partner.full_name(self.name + LETTERS_OF)
        policy = pulsar.ConsumerDeadLetterPolicy(REDELIVERIES, letters)
        return self.partner.subscribe(
            self.name,
            SUBSCRIPTION,
            dead_letter_policy=policy,
            negative_ack_redelivery_delay_ms=100,
        )

    def seen(self, sent: Mapping[str, Any]) -> View:
        counts: list[str] = []
        while True:
            message = next_of(self.consumer)
            if text_of(message) == "next":
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
        return {"question": shown(text_of(question)), 'raw "JMSReplyTo"': shown(topic)}


class _Batch(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        messages = [self.next() for _ in range(BATCH)]
        return {
            "order": " ".join(map(text_of, messages)),
            "ids": " ".join(message_id(message.message_id()) for message in messages),
        }


class _Chunked(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        return view_of(self.next())


class _ChunkedAgain(_At):
    options: Mapping[str, Any] = {"negative_ack_redelivery_delay_ms": 100}

    def seen(self, sent: Mapping[str, Any]) -> View:
        self.consumer.negative_acknowledge(next_of(self.consumer))
        again = next_of(self.consumer, "the long message, a second time,")
        self.consumer.acknowledge(again)
        return {f"again: {field}": value for field, value in view_of(again).items()}


class _UpToNext(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        texts: list[str] = []
        while not texts or texts[-1] != "next":
            texts.append(text_of(self.next()))
        return {"received": " ".join(texts)}


CONSUMERS: Mapping[str, Callable[[RawAccess, str], _At]] = {
    "groups": _Groups,
    "delay": _Delay,
    "priority": _Priority,
    "dead-letter": _DeadLetter,
    **dict.fromkeys(ANSWERS, _Answer),
    "batch": _Batch,
    "chunked": _Chunked,
    "chunked-again": _ChunkedAgain,
    "expired": _UpToNext,
    "transaction": _UpToNext,
}
"""Who makes a consumer ready for each behaviour."""
