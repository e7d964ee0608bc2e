"""Which schema a received message has: the one that it names, or the current one of its topic."""

from __future__ import annotations

import time

from jmsapi import JMSException
from pulsar_jms.mapping.properties import MESSAGE_TYPE
from pulsar_jms.mapping.schema import TopicSchema
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.wire_messages import Incoming

_CURRENT_FOR = 5.0
"""Seconds for which the current schema of a topic is not asked for again."""


class Schemas:
    """The schemas in the broker's registry as far as they were needed; usable from any thread."""

    def __init__(self, administration: Administration) -> None:
        self._administration = administration
        self._versions: dict[tuple[str, int], TopicSchema] = {}
        self._current: dict[str, tuple[float, TopicSchema | None]] = {}

    def of(self, incoming: Incoming) -> TopicSchema | None:
        """The schema to read a message by; None where it is read as without schemas.

        A message that names a version has that one, whatever came after it. One that names none is
        read by its message type if a JMS client wrote it, else by the topic's current schema.
        `JMSException` when the registry does not answer or the version is gone.
        """
        if incoming.schema_version is not None:
            return self._version(incoming.topic, incoming.schema_version)
        if MESSAGE_TYPE in incoming.properties:
            return None
        return self._now(incoming.topic)

    def _version(self, topic: str, version: int) -> TopicSchema:
        schema = self._versions.get((topic, version))
        if schema is None:
            schema = self._administration.schema(topic, version)
            if schema is None:
                raise JMSException(f"version {version} of its schema is not in the registry")
            self._versions[topic, version] = schema
        return schema

    def _now(self, topic: str) -> TopicSchema | None:
        asked, schema = self._current.get(topic, (-_CURRENT_FOR, None))
        now = time.monotonic()
        if now - asked >= _CURRENT_FOR:
            schema = self._administration.schema(topic, None)
            self._current[topic] = now, schema
        return schema
