"""A JMS client asks, and waits for the answer at a destination of its own; in its process."""

from __future__ import annotations

from typing import Any

from jmsapi import Destination, Session
from touchstone.interop.jms.access import JmsAccess
from touchstone.interop.jms.consuming import next_of, text_of
from touchstone.interop.jms.messages import destination_text
from touchstone.interop.parts import SendRecord, View
from touchstone.interop.script import (
    TEMPORARY,
)
from touchstone.interop.shown import shown


def ask(partner: JmsAccess, kind: str, name: str) -> dict[str, Any]:
    """Send a question whose JMSReplyTo is a destination of this kind; what is known of it."""
    session = partner.connection().create_session()
    answers = _made(session, kind, partner.full_name(f"{name}-answers"))
    partner.asking[name] = session, session.create_consumer(answers)
    question = session.create_text_message("question")
    question.jms_reply_to = answers
    with session.create_producer(session.create_queue(partner.full_name(name))) as producer:
        producer.send(question)
    told = SendRecord(message_id=question.jms_message_id).as_dict()
    return {**told, "reply_to": destination_text(answers)}


def answered(partner: JmsAccess, name: str) -> View:
    """The answer, as the one who asked sees it."""
    session, consumer = partner.asking.pop(name)
    with session:
        answer = next_of(consumer, "the answer")
        return {
            "answer": shown(text_of(answer)),
            "correlation": shown(answer.jms_correlation_id),
        }


def _made(session: Session, kind: str, name: str) -> Destination:
    match kind.removeprefix(TEMPORARY), kind.startswith(TEMPORARY):
        case "queue", False:
            return session.create_queue(name)
        case "topic", False:
            return session.create_topic(name)
        case "queue", True:
            return session.create_temporary_queue()
    return session.create_temporary_topic()
