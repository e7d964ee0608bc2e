"""What JMS clients do as producers in a behaviour; it runs in the client's process."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from jmsapi import Message, MessageProducer, Session
from touchstone.interop.jms import asking
from touchstone.interop.jms.access import JmsAccess
from touchstone.interop.jms.consuming import PATIENCE, next_of
from touchstone.interop.jms.messages import view_of
from touchstone.interop.parts import SendRecord, View
from touchstone.interop.script import (
    AGAIN,
    ANSWERS,
    AT_EACH_LEVEL,
    BATCH,
    CANDIDATES,
    DELAY,
    GROUPS,
    IN_EACH_GROUP,
    LETTERS_OF,
    LEVELS,
    SEQUENCED,
    group_members,
    long_text,
)
from touchstone.interop.telling import Confirmations

_IN_PARTS: Mapping[str, object] = {
    "producerConfig": {"chunkingEnabled": True, "batchingEnabled": False}
}
_SETTINGS: Mapping[str, Mapping[str, object]] = {
    "priority": {"jms.enableJMSPriority": True},
    "batch": {"producerConfig": {"batchingEnabled": True}},
    "transaction": {"enableTransaction": True},
    "chunked": _IN_PARTS,
    "chunked-again": _IN_PARTS,
}
"""What a behaviour asks of the factory of its producer."""
_ON_TOPICS = ("groups", "selector")
"""Behaviours whose destination is a topic."""

Act = Callable[[Session, MessageProducer], dict[str, Any] | None]


def act(partner: JmsAccess, behaviour: str, name: str) -> dict[str, Any]:
    """The producer's part; what is known of what was sent."""
    if kind := ANSWERS.get(behaviour):
        return asking.ask(partner, kind, name)
    connection = partner.connection(_SETTINGS.get(behaviour, {}))
    transacted = behaviour == "transaction"
    with connection.create_session(transacted) as session:
        make = session.create_topic if behaviour in _ON_TOPICS else session.create_queue
        with session.create_producer(make(partner.full_name(name))) as producer:
            return _ACTS[behaviour](session, producer) or SendRecord().as_dict()


def after(partner: JmsAccess, behaviour: str, name: str) -> View:
    """What the producer sees when the consumer has done its part."""
    if behaviour in ANSWERS:
        return asking.answered(partner, name)
    what, queue = {
        "dead-letter": ("letter", name + LETTERS_OF),
        "resent": ("again", name + AGAIN),
    }[behaviour]
    with partner.connection().create_session() as session:
        consumer = session.create_consumer(session.create_queue(partner.full_name(queue)))
        view = view_of(next_of(consumer, "what was sent on"))
    return {f"{what}: {field}": value for field, value in view.items()}


def _groups(session: Session, producer: MessageProducer) -> None:
    for number in range(IN_EACH_GROUP):
        for group in GROUPS:
            message = session.create_text_message(group_members(group)[number])
            message.set_string_property("JMSXGroupID", group)
            producer.send(message)


def _delay(session: Session, producer: MessageProducer) -> dict[str, Any]:
    producer.delivery_delay = DELAY
    since = _now()
    message = session.create_text_message("delayed")
    producer.send(message)
    sent = SendRecord(since, _now() + 1, message.jms_message_id).as_dict()
    producer.delivery_delay = 0
    producer.send(session.create_text_message("prompt"))
    return sent


def _levels(session: Session, producer: MessageProducer) -> None:
    for _ in range(AT_EACH_LEVEL):
        for level in LEVELS:
            producer.send(session.create_text_message(str(level)), priority=level)


def _candidates(session: Session, producer: MessageProducer) -> None:
    for candidate in CANDIDATES:
        message = session.create_text_message(candidate.text)
        message.jms_type = candidate.type
        for name, value in candidate.properties.items():
            message.set_object_property(name, value)
        producer.send(message, priority=candidate.priority)


def _bad(session: Session, producer: MessageProducer) -> None:
    message = session.create_text_message("bad")
    message.jms_type = "order"
    message.set_int_property("size", 42)
    message.set_string_property("JMSXGroupID", "g1")
    producer.send(message)


def _once_more(session: Session, producer: MessageProducer) -> None:
    message = session.create_text_message("once more")
    message.set_int_property("size", 42)
    producer.send(message, priority=2, delivery_mode=1, time_to_live=3_600_000)


def _batch(session: Session, producer: MessageProducer) -> dict[str, Any]:
    confirmations = Confirmations(BATCH)
    messages: list[Message] = [session.create_text_message(str(number)) for number in range(BATCH)]
    for message in messages:
        producer.send(message, completion_listener=confirmations)
    confirmations.wait(PATIENCE / 1000)
    return {**SendRecord().as_dict(), "ids": [str(message.jms_message_id) for message in messages]}


def _expired(session: Session, producer: MessageProducer) -> None:
    producer.send(session.create_text_message("expired"), time_to_live=1)
    gone = _now() + 2
    while _now() < gone:
        time.sleep(0.001)
    producer.send(session.create_text_message("next"))


def _transaction(session: Session, producer: MessageProducer) -> None:
    for text, end in (
        ("rolled back", session.rollback),
        ("committed", session.commit),
        ("next", session.commit),
    ):
        producer.send(session.create_text_message(text))
        end()


def _members(session: Session, producer: MessageProducer) -> None:
    for number in range(SEQUENCED):
        message = session.create_text_message(str(number))
        message.set_string_property("JMSXGroupID", "g1")
        producer.send(message)


def _long(session: Session, producer: MessageProducer) -> dict[str, Any]:
    message = session.create_text_message(long_text())
    message.set_int_property("size", 42)
    producer.send(message)
    return SendRecord(message_id=message.jms_message_id).as_dict()


_ACTS: Mapping[str, Act] = {
    "groups": _groups,
    "delay": _delay,
    "priority": _levels,
    "selector": _candidates,
    "dead-letter": _bad,
    "batch": _batch,
    "resent": _once_more,
    "expired": _expired,
    "default-sequence": _members,
    "chunked": _long,
    "chunked-again": _long,
    "transaction": _transaction,
}


def _now() -> int:
    return time.time_ns() // 1_000_000
