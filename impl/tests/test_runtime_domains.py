"""Sessions of the older API refuse what is of the other domain, and closed ones everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jmsapi import IllegalStateException
from pulsar_jms.connections.connection import PulsarConnection

TOPICS = {
    "create_durable_consumer": ("topic", "kept"),
    "create_durable_subscriber": ("topic", "kept"),
    "create_shared_consumer": ("topic", "shared"),
    "create_shared_durable_consumer": ("topic", "both"),
    "create_temporary_topic": (),
    "create_topic": ("topic",),
    "unsubscribe": ("kept",),
}
QUEUES = {
    "create_browser": ("queue",),
    "create_queue": ("queue",),
    "create_temporary_queue": (),
}


@pytest.mark.parametrize(("call", "given"), TOPICS.items())
def test_a_queue_session_is_not_for_topics(
    connection: PulsarConnection, call: str, given: tuple[str, ...]
) -> None:
    _refuses(connection.create_queue_session(), call, given, "a session of queues alone")


@pytest.mark.parametrize(("call", "given"), QUEUES.items())
def test_a_topic_session_is_not_for_queues(
    connection: PulsarConnection, call: str, given: tuple[str, ...]
) -> None:
    _refuses(connection.create_topic_session(), call, given, "a session of topics alone")


def _refuses(session: Any, call: str, given: tuple[str, ...], why: str) -> None:
    refused: Callable[..., None] = getattr(session, call)
    with pytest.raises(IllegalStateException, match=rf"{call}\(\) is not for {why}"):
        refused(*given)
    session.close()
    with pytest.raises(IllegalStateException, match="closed"):
        refused(*given)
