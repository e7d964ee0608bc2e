"""Clients that are wrong about exceptions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.mutant import UNREADABLE
from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException, ResourceAllocationException
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.messages.bytes_message import PulsarBytesMessage
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.domains import PulsarQueueSession, PulsarTopicSession
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.java_client import java_producer
from pulsar_jms.transport.java_client.java_errors import jms_error
from pulsar_jms.transport.transport_protocol import DeliveredMessage


@wrong("JMS-ERR-001", patches=(PulsarSession, "commit"))
def commit_of_nothing(original: Callable[..., None], session: PulsarSession) -> None:
    """commit() of a session without a transaction does nothing."""
    if session.transacted:
        original(session)


@wrong("JMS-ERR-003", patches=(PulsarBytesMessage, "_take"))
def zeros_behind_the_end(
    original: Callable[..., bytes], message: PulsarBytesMessage, size: int
) -> bytes:
    """Behind the last byte of a body there are zeros."""
    missing = message._at + size - len(message._body)
    if missing > 0:
        message._body += bytes(missing)
    return original(message, size)


@wrong("JMS-ERR-006", patches=(PulsarMessage, "require_readable_body"))
def written_bodies_are_readable(message: Any) -> None:
    """A body may be read while it is written."""


@wrong("JMS-ERR-008", patches=(PulsarMessageProducer, "send"))
def sends_without_resources_are_dropped(
    original: Callable[..., None], producer: PulsarMessageProducer, *given: Any, **options: Any
) -> None:
    """What the broker has no resources for is not sent, and nobody is told."""
    with suppress(ResourceAllocationException):
        original(producer, *given, **options)


@wrong("JMS-ERR-010", provider="reference-java")
def rollback_by_commit_is_plain() -> AbstractContextManager[object]:
    """A commit that has rolled back fails as any other call."""
    return patch.object(java_producer, "commit_error", partial(jms_error, what="Commit"))


@wrong("JMS-ERR-011")
def exceptions_without_a_text() -> AbstractContextManager[object]:
    """No exception says what happened."""
    return patch.object(JMSException, "__str__", lambda error: "", create=True)


@wrong("JMS-ERR-020")
def queue_sessions_make_topics() -> AbstractContextManager[object]:
    """A session for queues alone makes temporary topics."""
    return patch.object(
        PulsarQueueSession, "create_temporary_topic", PulsarSession.create_temporary_topic
    )


@wrong("JMS-ERR-023")
def topic_sessions_browse_queues() -> AbstractContextManager[object]:
    """A session for topics alone makes browsers."""
    return patch.object(PulsarTopicSession, "create_browser", PulsarSession.create_browser)


@wrong("JMS-ERR-026", patches=(Settlement, "deliver"), scenarios=UNREADABLE)
def unreadable_messages_raise_anything(
    original: Callable[..., PulsarMessage | None],
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    kind: type | None,
) -> PulsarMessage | None:
    """receive() of a message that cannot be read raises a KeyError."""
    try:
        return original(settlement, consumer, delivered, kind)
    except JMSException as error:
        raise KeyError("the body") from error
