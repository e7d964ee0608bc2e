"""Clients that are wrong about noLocal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jms_clients.mutants.wrong import wrong
from pulsar_jms.consuming import message_filter
from pulsar_jms.mapping.properties import CONNECTION_ID
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.sessions.session import PulsarSession


@wrong("JMS-NLOC-003", patches=(PulsarSession, "create_consumer"))
def no_local_always(
    original: Callable[..., Any], session: PulsarSession, *arguments: Any, **named: Any
) -> Any:
    """No consumer gets what its own connection sends."""
    return original(session, *arguments[:2], **{**named, "no_local": True})


@wrong(
    "SLJ-NLOC-001",
    "SLJ-NLOC-003",
    "SLJ-NLOC-004",
    "JMS-NLOC-001",
    patches=(message_filter, "was_sent_through"),
)
def no_local_ignored(connection_id: Any, wire: Any) -> bool:
    """A noLocal consumer gets what its own connection sends."""
    return False


@wrong("SLJ-NLOC-002", "JMS-NLOC-001", patches=(message_filter, "was_sent_through"))
def no_local_rejects_all(connection_id: Any, wire: Any) -> Any:
    """A noLocal consumer rejects what any JMS connection sends."""
    return CONNECTION_ID in wire


@wrong("SLJ-NLOC-003", patches=(message_filter, "result_for_rejected"))
def local_never_acknowledged(kind: Any, always: Any = False) -> Any:
    """Local messages stay in the backlog of exclusive subscriptions."""
    return FilterResult.LEFT


@wrong("SLJ-NLOC-004", patches=(message_filter, "result_for_rejected"))
def local_always_acknowledged(kind: Any, always: Any = False) -> Any:
    """Local messages are acknowledged on shared subscriptions too, and so lost."""
    return FilterResult.ACKNOWLEDGED
