"""noLocal: the connection id that a message carries says who sent it."""

from __future__ import annotations

from collections.abc import Mapping

from pulsar_jms.implements import implements
from pulsar_jms.mapping.properties import CONNECTION_ID


@implements("SLJ-NLOC-001", "SLJ-NLOC-002", "JMS-NLOC-001")
def was_sent_through(connection_id: str, wire: Mapping[str, str]) -> bool:
    """Whether a message was sent through the connection of this id, by its raw properties."""
    return wire.get(CONNECTION_ID) == connection_id
