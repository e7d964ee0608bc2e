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
MAKES: Mapping[str, Make] = {
    "createBrowser": lambda maker, place, rest: maker.create_browser(place, *rest),
    "createConsumer": lambda maker, place, rest: maker.create_consumer(place, *rest),
    "createDurableConsumer": lambda maker, place, rest: maker.create_durable_consumer(
        place, "of_nothing", *rest
    ),
    "createSharedConsumer": lambda maker, place, rest: maker.create_shared_consumer(
        place, "of_nothing", *rest
    ),
    "createSharedDurableConsumer": lambda maker, place, rest: maker.create_shared_durable_consumer(
        place, "of_nothing", *rest
    ),
    "createDurableSubscriber": lambda maker, place, rest: maker.create_durable_subscriber(
        place, "of_nothing", *rest
    ),
}
"""The calls, by method: their destination comes second, a selector behind it."""
