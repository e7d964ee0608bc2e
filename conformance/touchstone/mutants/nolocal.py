"""Clients that are wrong about noLocal."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

from pulsar_jms.consuming import message_filter
from pulsar_jms.mapping.properties import CONNECTION_ID
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.sessions.session import PulsarSession
from touchstone.mutants.registry import Mutant

_create_consumer = PulsarSession.create_consumer


def _never_local(session: PulsarSession, *arguments: Any, **named: Any) -> Any:
    return _create_consumer(session, *arguments[:2], **{**named, "no_local": True})


NO_LOCAL_ALWAYS = Mutant(
    name="no-local-always",
    area="nolocal",
    violates=("JMS-NLOC-003",),
    doc="No consumer gets what its own connection sends.",
    apply=partial(patch.object, PulsarSession, "create_consumer", _never_local),
)
NO_LOCAL_IGNORED = Mutant(
    name="no-local-ignored",
    area="nolocal",
    violates=("SLJ-NLOC-001", "SLJ-NLOC-003", "SLJ-NLOC-004", "JMS-NLOC-001"),
    doc="A noLocal consumer gets what its own connection sends.",
    apply=partial(
        patch.object, message_filter, "was_sent_through", lambda connection_id, wire: False
    ),
)
NO_LOCAL_REJECTS_ALL = Mutant(
    name="no-local-rejects-all",
    area="nolocal",
    violates=("SLJ-NLOC-002", "JMS-NLOC-001"),
    doc="A noLocal consumer rejects what any JMS connection sends.",
    apply=partial(
        patch.object,
        message_filter,
        "was_sent_through",
        lambda connection_id, wire: CONNECTION_ID in wire,
    ),
)
LOCAL_NEVER_ACKNOWLEDGED = Mutant(
    name="local-never-acknowledged",
    area="nolocal",
    violates=("SLJ-NLOC-003",),
    doc="Local messages stay in the backlog of exclusive subscriptions.",
    apply=partial(
        patch.object,
        message_filter,
        "result_for_rejected",
        lambda kind, always=False: FilterResult.LEFT,
    ),
)
LOCAL_ALWAYS_ACKNOWLEDGED = Mutant(
    name="local-always-acknowledged",
    area="nolocal",
    violates=("SLJ-NLOC-004",),
    doc="Local messages are acknowledged on shared subscriptions too, and so lost.",
    apply=partial(
        patch.object,
        message_filter,
        "result_for_rejected",
        lambda kind, always=False: FilterResult.ACKNOWLEDGED,
    ),
)
