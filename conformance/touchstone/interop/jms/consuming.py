"""What JMS clients do as consumers in a behaviour; it runs in the client's process."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from jmsapi import Message, MessageConsumer, SessionMode, TextMessage
from touchstone.interop.expectations import ABSENT
from touchstone.interop.jms.access import JmsAccess
from touchstone.interop.jms.messages import destination_text, view_of
from touchstone.interop.parts import View
from touchstone.interop.script import (
    AGAIN,
    ANSWERS,
    AT_EACH_LEVEL,
    BATCH,
    DELAY,
    GRAIN,
    LEVELS,
    REDELIVERIES,
    RESENT_PRIORITY,
    SELECTOR,
    SEQUENCED,
)
from touchstone.interop.shown import shown
from touchstone.interop.telling import Missing, group_shares

PATIENCE = 15_000
"""Milliseconds that a message may take that has to come."""
QUICK = {"negativeAckRedeliveryBackoff": {"minDelayMs": 10, "maxDelayMs": 100, "multiplier": 2.0}}
"""Redeliveries that nobody waits for."""
_SETTINGS: Mapping[str, Mapping[str, object]] = {
    "groups": {"jms.topicSharedSubscriptionType": "Key_Shared"},
    "priority": {
        "jms.enableJMSPriority": True,
        "consumerConfig": {"receiverQueueSize": 10_000},
    },
    "selector": {"jms.enableClientSideEmulation": True},
    "chunked-again": {"consumerConfig": QUICK},
    "dead-letter": {
        "consumerConfig": {
            **QUICK,
            "deadLetterPolicy": {"maxRedeliverCount": REDELIVERIES},
        }
    },
}
"""What a behaviour asks of the factory of its consumer."""


def next_of(consumer: MessageConsumer, what: str) -> Message:
    """The next message; `Missing` when none comes."""
    message = consumer.receive(PATIENCE)
    if message is None:
        raise Missing(f"{what} did not come within {PATIENCE // 1000} s")
    return message


def text_of(message: Message) -> str:
    """The text of a text message, and what came instead of one."""
    return str(message.text) if isinstance(message, TextMessage) else f"no text: {message!r}"


class _At:
    """A consumer and its session, open until it has finished."""

    def __init__(
        self,
        partner: JmsAccess,
        behaviour: str,
        name: str,
        *,
        mode: int = SessionMode.AUTO_ACKNOWLEDGE,
    ) -> None:
        self.partner = partner
        self.name = name
        self.session = partner.connection(_SETTINGS.get(behaviour, {})).create_session(False, mode)
        self.consumer = self.open()

    def open(self) -> MessageConsumer:
        """The consumer of the queue."""
        return self.session.create_consumer(self.queue(self.name))

    def queue(self, name: str) -> Any:
        """The queue of a simple name."""
        return self.session.create_queue(self.partner.full_name(name))

    def seen(self, sent: Mapping[str, Any]) -> View:
        """What was seen, once the producer has done its part."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the session with what belongs to it."""
        self.session.close()

    def texts_up_to(self, last: str) -> list[str]:
        """The texts that come, up to `last`."""
        texts: list[str] = []
        while not texts or texts[-1] != last:
            texts.append(text_of(next_of(self.consumer, last)))
        return texts


class _Groups(_At):
    def __init__(self, partner: JmsAccess, behaviour: str, name: str) -> None:
        super().__init__(partner, behaviour, name)
        self.consumers = [self.consumer, self.open()]

    def open(self) -> MessageConsumer:
        topic = self.session.create_topic(self.partner.full_name(self.name))
        return self.session.create_shared_durable_consumer(topic, "members")

    def seen(self, sent: Mapping[str, Any]) -> View:
        def take(consumer: MessageConsumer) -> str | None:
            message = consumer.receive_no_wait()
            return None if message is None else text_of(message)

        return group_shares(self.consumers, take)


class _Delay(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        order, view = [], {}
        for _ in range(2):
            message = next_of(self.consumer, "a message")
            came = time.time_ns() // 1_000_000
            order.append(text_of(message))
            if order[-1] == "delayed":
                early = sent["since"] + DELAY - GRAIN - came
                time_told = view_of(message)["JMSDeliveryTime"]
                view = {
                    "came": f"{early} ms too early" if early > 0 else "in time",
                    "JMSDeliveryTime": time_told,
                }
        return {"received": " ".join(sorted(order)), **view}


class _Priority(_At):
    def __init__(self, partner: JmsAccess, behaviour: str, name: str) -> None:
        super().__init__(partner, behaviour, name)
        self.first = self.consumer.receive_no_wait()  # some clients begin to fetch now

    def seen(self, sent: Mapping[str, Any]) -> View:
        # The broker's answer to this send comes behind what it sent out before.
        with self.session.create_producer(self.queue(f"{self.name}-answered")) as producer:
            producer.send(self.session.create_text_message())
        messages = [] if self.first is None else [self.first]
        while len(messages) < AT_EACH_LEVEL * len(LEVELS):
            messages.append(next_of(self.consumer, f"message {len(messages) + 1}"))
        levels = [int(message.jms_priority) for message in messages]
        said = [int(text_of(message)) for message in messages]
        emptied = {level: place for place, level in enumerate(levels)}
        order = sorted((9, 0), key=lambda level: emptied.get(level, -1))
        return {
            "received": str(len(messages)),
            "levels as sent": shown(levels == said),
            "emptied first": " before ".join(map(str, order)),
        }


class _Selector(_At):
    def open(self) -> MessageConsumer:
        topic = self.session.create_topic(self.partner.full_name(self.name))
        return self.session.create_consumer(topic, SELECTOR)

    def seen(self, sent: Mapping[str, Any]) -> View:
        return {"selected": ", ".join(self.texts_up_to("final"))}


class _DeadLetter(_At):
    def __init__(self, partner: JmsAccess, behaviour: str, name: str) -> None:
        super().__init__(partner, behaviour, name, mode=SessionMode.CLIENT_ACKNOWLEDGE)

    def seen(self, sent: Mapping[str, Any]) -> View:
        counts: list[str] = []
        while True:
            message = next_of(self.consumer, "the next message")
            if text_of(message) == "next":
                message.acknowledge()
                return {"deliveries": " ".join(counts), "then": "next"}
            counts.append(str(int(message.get_int_property("JMSXDeliveryCount"))))
            self.session.recover()
            if len(counts) == REDELIVERIES + 1:
                with self.session.create_producer(self.queue(self.name)) as producer:
                    producer.send(self.session.create_text_message("next"))


class _Answer(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        question = next_of(self.consumer, "the question")
        answer = self.session.create_text_message("answer")
        answer.jms_correlation_id = question.jms_message_id
        with self.session.create_producer(question.jms_reply_to) as producer:
            producer.send(answer)
        return {
            "question": shown(text_of(question)),
            "JMSReplyTo": destination_text(question.jms_reply_to),
        }


class _Batch(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        messages = [next_of(self.consumer, f"message {number}") for number in range(BATCH)]
        return {
            "order": " ".join(map(text_of, messages)),
            "ids": " ".join(str(message.jms_message_id) for message in messages),
        }


class _Resent(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        message = next_of(self.consumer, "the message")
        with self.session.create_producer(self.queue(self.name + AGAIN)) as producer:
            producer.send(message, priority=RESENT_PRIORITY, delivery_mode=2, time_to_live=0)
        return {}


class _DefaultSequence(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        messages = [next_of(self.consumer, f"message {n + 1}") for n in range(SEQUENCED)]
        return {"JMSXGroupSeq": " ".join(map(_sequence_of, messages))}


def _sequence_of(message: Message) -> str:
    if message.get_object_property("JMSXGroupSeq") is None:
        return ABSENT
    return str(int(message.get_int_property("JMSXGroupSeq")))


class _Chunked(_At):
    what = "the long message"

    def __init__(self, partner: JmsAccess, behaviour: str, name: str) -> None:
        super().__init__(partner, behaviour, name, mode=SessionMode.CLIENT_ACKNOWLEDGE)

    def seen(self, sent: Mapping[str, Any]) -> View:
        message = next_of(self.consumer, self.what)
        view = view_of(message)
        message.acknowledge()
        return view


class _ChunkedAgain(_Chunked):
    what = "the long message, a second time,"

    def seen(self, sent: Mapping[str, Any]) -> View:
        next_of(self.consumer, "the long message")
        self.session.recover()
        view = super().seen(sent)
        return {f"again: {field}": value for field, value in view.items()}


class _UpToNext(_At):
    def seen(self, sent: Mapping[str, Any]) -> View:
        return {"received": " ".join(self.texts_up_to("next"))}


def _consumer(of: type[_At], behaviour: str) -> Callable[[JmsAccess, str], _At]:
    return lambda partner, name: of(partner, behaviour, name)


CONSUMERS: Mapping[str, Callable[[JmsAccess, str], _At]] = {
    behaviour: _consumer(of, behaviour)
    for behaviour, of in {
        "groups": _Groups,
        "delay": _Delay,
        "priority": _Priority,
        "selector": _Selector,
        "dead-letter": _DeadLetter,
        **dict.fromkeys(ANSWERS, _Answer),
        "batch": _Batch,
        "resent": _Resent,
        "default-sequence": _DefaultSequence,
        "chunked": _Chunked,
        "chunked-again": _ChunkedAgain,
        "expired": _UpToNext,
        "transaction": _UpToNext,
    }.items()
}
"""Who makes a consumer ready for each behaviour."""
