"""Clients that leave their producers at the broker when what made them is closed."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.contexts.context import PulsarJMSContext
from touchstone.mutants.registry import Mutant

_close_connection, _close_context = PulsarConnection.close, PulsarJMSContext.close


def _keep(connection: PulsarConnection) -> None:
    """Have what its sessions send by used by somebody who never leaves."""
    transport_producers: Any = connection.client._producers
    for users in transport_producers._users.values():
        if any(session in users for session in connection._sessions):
            users.add("nobody")


def _close_but_producers(connection: PulsarConnection) -> None:
    _keep(connection)
    _close_connection(connection)


def _close_context_but_producers(context: PulsarJMSContext) -> None:
    _keep(context._connection)
    _close_context(context)


PRODUCERS_OUTLIVE_SESSIONS = Mutant(
    name="producers-outlive-sessions",
    area="sessions",
    violates=("JMS-SESS-007",),
    doc="The broker has the producers of a closed session until the factory is closed.",
    apply=partial(patch.object, BrokerClient, "leave", lambda client, user: None),
)
PRODUCERS_OUTLIVE_CONNECTIONS = Mutant(
    name="producers-outlive-connections",
    area="connections",
    violates=("JMS-CONN-020",),
    doc="The broker has the producers of a closed connection until the factory is closed.",
    apply=partial(patch.object, PulsarConnection, "close", _close_but_producers),
)
PRODUCERS_OUTLIVE_CONTEXTS = Mutant(
    name="producers-outlive-contexts",
    area="simplified-api",
    violates=("JMS-CTX-003",),
    doc="The broker has the producers of closed contexts until the factory is closed.",
    apply=partial(patch.object, PulsarJMSContext, "close", _close_context_but_producers),
)
