"""What the interfaces of one domain call what the common ones have as well (JMS 2.0, 2.9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from jms_model.delivery.provider import QUEUE, TOPIC
from touchstone.scenario.either_version import durable_consumer

_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "": {},
    QUEUE: {
        "connection": "queue_connection",
        "session": "queue_session",
        "producer": "sender",
        "consumer": "receiver",
    },
    TOPIC: {
        "connection": "topic_connection",
        "session": "topic_session",
        "producer": "publisher",
        "consumer": "subscriber",
        "durable_consumer": "durable_subscriber",
    },
}


def creator(domain: str, of: Any, makes: str) -> Callable[..., Any]:
    """The method that makes such a thing, by the interfaces of QUEUE, of TOPIC, or the common."""
    if domain != TOPIC and makes == "durable_consumer":
        return partial(durable_consumer, of)
    return getattr(of, f"create_{_NAMES[domain].get(makes, makes)}")  # type: ignore[no-any-return]
