"""Browsing queues: refused, clearly."""

from __future__ import annotations

from typing import NoReturn

from jmsapi import JMSException, Queue


def refuse_browser(queue: Queue) -> NoReturn:
    """Raise the `JMSException` that says that there is no browser."""
    raise JMSException(
        f"A browser of {queue!r} is not supported by this client; look at the messages by the "
        "broker's administration"
    )
