"""Producers that the broker keeps when what made them is closed."""

from __future__ import annotations

from typing import Any

from pulsar_jms.connections.connection import PulsarConnection


def keep_producers(connection: PulsarConnection) -> None:
    """Have what its sessions send by used by somebody who never leaves."""
    transport_producers: Any = connection.client._producers
    for users in transport_producers._users.values():
        if any(session in users for session in connection._sessions):
            users.add("nobody")
