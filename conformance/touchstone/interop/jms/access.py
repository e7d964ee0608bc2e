"""What a JMS client as a partner works with: its connections, and names that all partners share."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType

from jms_clients.interface import Client
from jmsapi import Connection, MessageConsumer, Session
from touchstone.interop.samples import samples


class JmsAccess:
    """A provider's client, opened on one broker, with the namespace that all partners share."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self.samples = samples(namespace)
        self.asking: dict[str, tuple[Session, MessageConsumer]] = {}
        """Who waits for answers, by the name of the question's destination."""
        self._connections: dict[str, Connection] = {}
        self._connecting = threading.Lock()

    def connection(self, settings: Mapping[str, object] = MappingProxyType({})) -> Connection:
        """A started connection of a factory with these settings; one for all who ask for it."""
        key = repr(settings)
        with self._connecting:
            if key not in self._connections:
                self._connections[key] = self._connected(settings)
            return self._connections[key]

    def _connected(self, settings: Mapping[str, object]) -> Connection:
        factory = self.client.connection_factory(
            {"jms.systemNamespace": self.namespace, **settings}
        )
        connection = factory.create_connection()
        connection.start()
        return connection

    def full_name(self, name: str) -> str:
        """The topic of a simple name."""
        return f"persistent://{self.namespace}/{name}"
