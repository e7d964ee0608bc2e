"""Temporary destinations: how they are called, so that everybody knows one by its name."""

from __future__ import annotations

import re
import uuid

from pulsar_jms.implements import implements

_QUEUE, _TOPIC = "jms-temp-queue-", "jms-temp-topic-"
_TEMPORARY = re.compile(
    rf"persistent://[^/]+/[^/]+/({_QUEUE}|{_TOPIC})[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}"
)


@implements("SLJ-TEMP-001", "JMS-TEMP-002")
def temporary_queue_name(namespace: str) -> str:
    """A full name that no other queue has, as the real client forms it."""
    return f"persistent://{namespace}/{_QUEUE}{uuid.uuid4()}"


@implements("SLJ-TEMP-002", "JMS-TEMP-002")
def temporary_topic_name(namespace: str) -> str:
    """A full name that no other topic has, as the real client forms it."""
    return f"persistent://{namespace}/{_TOPIC}{uuid.uuid4()}"


def is_temporary(topic: str) -> bool:
    """Whether a topic, by its full name, stands behind a temporary destination."""
    return _TEMPORARY.fullmatch(topic) is not None
