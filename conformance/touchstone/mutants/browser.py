"""Clients that are wrong about browsers."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

import _pulsar

from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.wire_messages import MessagePosition
from touchstone.mutants.registry import Mutant

_first_due = AdminRest.first_due
_reader = PulsarClientTransport.reader


def _consuming_reader(
    transport: PulsarClientTransport, topic: str, start: MessagePosition | None
) -> Any:
    """A reader beside which a consumer of the queue takes the messages."""
    transport._client.subscribe(topic, "jms-queue", consumer_type=_pulsar.ConsumerType.Shared)
    return _reader(transport, topic, start)


def _newest_or_due(
    administration: AdminRest, topic: str, subscription: str
) -> MessagePosition | None:
    return _first_due(administration, topic, subscription) or MessagePosition(0, 0)


BROWSER_CONSUMES = Mutant(
    name="browser-consumes",
    area="browser",
    violates=("SLJ-BRW-001", "JMS-BRW-001"),
    doc="A browser is a consumer of the queue's subscription.",
    apply=partial(patch.object, PulsarClientTransport, "reader", _consuming_reader),
)
BROWSER_BEGINS_AT_THE_FIRST_MESSAGE = Mutant(
    name="browser-begins-at-the-first-message",
    area="browser",
    violates=("SLJ-BRW-002", "SLJ-BRW-003", "SLJ-BRW-005"),
    doc="A browser begins at the first message of the topic and asks nobody where.",
    apply=partial(
        patch.object,
        AdminRest,
        "first_due",
        lambda administration, topic, subscription: MessagePosition(0, 0),
    ),
)
BROWSER_SHOWS_A_CONSUMED_QUEUE = Mutant(
    name="browser-shows-a-consumed-queue",
    area="browser",
    violates=("SLJ-BRW-004",),
    doc="Where nothing is due, a browser lists everything.",
    apply=partial(patch.object, AdminRest, "first_due", _newest_or_due),
)
BROWSER_FORGETS_THE_SUBSCRIPTION = Mutant(
    name="browser-forgets-the-subscription",
    area="browser",
    violates=("SLJ-BRW-005",),
    doc="A browser begins where jms-queue stands, whatever subscription the queue names.",
    apply=partial(
        patch.object,
        AdminRest,
        "first_due",
        lambda administration, topic, subscription: _first_due(administration, topic, "jms-queue"),
    ),
)
