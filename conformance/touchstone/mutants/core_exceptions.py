"""Clients that break what the specification says of exceptions."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import JMSException, ResourceAllocationException
from pulsar_jms.messages.bytes_message import PulsarBytesMessage
from pulsar_jms.messages.message import PulsarMessage
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.domains import PulsarQueueSession, PulsarTopicSession
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.transport.java_client import java_producer
from pulsar_jms.transport.java_client.java_errors import jms_error
from touchstone.mutants.registry import Mutant

_take = PulsarBytesMessage._take
_commit = PulsarSession.commit
_send = PulsarMessageProducer.send


def _commit_if_transacted(session: PulsarSession) -> None:
    if session.transacted:
        _commit(session)


def _send_if_allowed(producer: PulsarMessageProducer, *given: Any, **options: Any) -> None:
    with suppress(ResourceAllocationException):
        _send(producer, *given, **options)


def _take_padded(message: PulsarBytesMessage, size: int) -> bytes:
    missing = message._at + size - len(message._body)
    if missing > 0:
        message._body += bytes(missing)
    return _take(message, size)


COMMIT_OF_NOTHING = Mutant(
    name="commit-of-nothing",
    area="exceptions",
    violates=("JMS-ERR-001",),
    doc="commit() of a session without a transaction does nothing.",
    apply=partial(patch.object, PulsarSession, "commit", _commit_if_transacted),
)
ZEROS_BEHIND_THE_END = Mutant(
    name="zeros-behind-the-end",
    area="exceptions",
    violates=("JMS-ERR-003",),
    doc="Behind the last byte of a body there are zeros.",
    apply=partial(patch.object, PulsarBytesMessage, "_take", _take_padded),
)
WRITTEN_BODIES_ARE_READABLE = Mutant(
    name="written-bodies-are-readable",
    area="exceptions",
    violates=("JMS-ERR-006",),
    doc="A body may be read while it is written.",
    apply=partial(patch.object, PulsarMessage, "require_readable_body", lambda message: None),
)
SENDS_WITHOUT_RESOURCES_ARE_DROPPED = Mutant(
    name="sends-without-resources-are-dropped",
    area="exceptions",
    violates=("JMS-ERR-008",),
    doc="What the broker has no resources for is not sent, and nobody is told.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _send_if_allowed),
)
ROLLBACK_BY_COMMIT_IS_PLAIN = Mutant(
    name="rollback-by-commit-is-plain",
    area="exceptions",
    violates=("JMS-ERR-010",),
    doc="A commit that has rolled back fails as any other call.",
    apply=partial(patch.object, java_producer, "commit_error", partial(jms_error, what="Commit")),
    provider="reference-java",
)
EXCEPTIONS_WITHOUT_A_TEXT = Mutant(
    name="exceptions-without-a-text",
    area="exceptions",
    violates=("JMS-ERR-011",),
    doc="No exception says what happened.",
    apply=partial(patch.object, JMSException, "__str__", lambda error: "", create=True),
)
QUEUE_SESSIONS_MAKE_TOPICS = Mutant(
    name="queue-sessions-make-topics",
    area="exceptions",
    violates=("JMS-ERR-020",),
    doc="A session for queues alone makes temporary topics.",
    apply=partial(
        patch.object,
        PulsarQueueSession,
        "create_temporary_topic",
        PulsarSession.create_temporary_topic,
    ),
)
TOPIC_SESSIONS_BROWSE_QUEUES = Mutant(
    name="topic-sessions-browse-queues",
    area="exceptions",
    violates=("JMS-ERR-023",),
    doc="A session for topics alone makes browsers.",
    apply=partial(patch.object, PulsarTopicSession, "create_browser", PulsarSession.create_browser),
)
