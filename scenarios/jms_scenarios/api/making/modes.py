"""The modes of sessions and contexts, and calls that make what nothing is given for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jmsapi import SessionMode

MODES = [
    SessionMode.SESSION_TRANSACTED,
    SessionMode.AUTO_ACKNOWLEDGE,
    SessionMode.CLIENT_ACKNOWLEDGE,
    SessionMode.DUPS_OK_ACKNOWLEDGE,
]
NO_MODES = (-1, 4711)
Make = Callable[[Any, Any, Any], Any]
MAKES: Mapping[str, tuple[str, Make]] = {
    "createBrowser": ("queue", lambda maker, place, rest: maker.create_browser(place, *rest)),
    "createConsumer": ("queue", lambda maker, place, rest: maker.create_consumer(place, *rest)),
    "createDurableConsumer": (
        "topic",
        lambda maker, place, rest: maker.create_durable_consumer(place, "of_nothing", *rest),
    ),
    "createSharedConsumer": (
        "topic",
        lambda maker, place, rest: maker.create_shared_consumer(place, "of_nothing", *rest),
    ),
    "createSharedDurableConsumer": (
        "topic",
        lambda maker, place, rest: maker.create_shared_durable_consumer(place, "of_nothing", *rest),
    ),
    "createDurableSubscriber": (
        "topic",
        lambda maker, place, rest: maker.create_durable_subscriber(place, "of_nothing", *rest),
    ),
}
"""By method: the kind of destination that it is for, and the call."""
