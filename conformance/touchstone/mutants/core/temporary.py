"""Clients that break what the specification says of temporary destinations and requestors."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from jmsapi import Message, requestors
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.temporary.temporary_destinations import TemporaryDestinations
from touchstone.mutants.registry import Mutant
from touchstone.mutants.subscription_rows import row_changed

_close = PulsarSession.close


def _close_with_temporaries(session: PulsarSession) -> None:
    _close(session)
    session.connection.temporaries.close()


def _request_without_address(requestor: requestors._Requestor, message: Message) -> Message | None:
    requestor._producer.send(message)
    return requestor._consumer.receive()


TEMPORARIES_FOR_ANYBODY = Mutant(
    name="temporaries-for-anybody",
    area="temporary",
    violates=("JMS-TEMP-001", "JMS-TEMP-004", "JMS-TEMP-006"),
    doc="Every connection may consume from a temporary destination.",
    apply=partial(
        patch.object, TemporaryDestinations, "check_consumer", lambda owner, topic, kind: None
    ),
)
TEMPORARIES_END_WITH_THEIR_SESSION = Mutant(
    name="temporaries-end-with-their-session",
    area="temporary",
    violates=("JMS-TEMP-003", "JMS-TEMP-005"),
    doc="A session that is closed takes the connection's temporary destinations with it.",
    apply=partial(patch.object, PulsarSession, "close", _close_with_temporaries),
)
TEMPORARIES_ARE_NOT_DELETED = Mutant(
    name="temporaries-are-not-deleted",
    area="temporary",
    violates=("JMS-TEMP-008",),
    doc="delete() does nothing.",
    apply=partial(patch.object, TemporaryDestinations, "delete", lambda owner, topic: None),
)
REQUESTS_WITHOUT_ADDRESS = Mutant(
    name="requests-without-address",
    area="temporary",
    violates=("JMS-TEMP-009", "JMS-TEMP-010"),
    doc="A requestor does not say where the reply belongs.",
    apply=partial(patch.object, requestors._Requestor, "request", _request_without_address),
)
DURABLE_SUBSCRIPTIONS_END = Mutant(
    name="durable-subscriptions-end-with-their-consumer",
    area="delivery-mode",
    violates=("JMS-MODE-004",),
    doc="A durable subscription is there while its consumer is open.",
    apply=row_changed(ConsumerKind.DURABLE, durable=False),
)
