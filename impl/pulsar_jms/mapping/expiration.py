"""When a message expires, and that it is then handed to nobody."""

from __future__ import annotations

from collections.abc import Mapping

from jmsapi.errors import JMSException
from pulsar_jms.implements import implements
from pulsar_jms.mapping.headers import EXPIRATION, decode_milliseconds

_LAST = (1 << 63) - 1
"""The last instant that JMSExpiration can hold, a Java long."""


@implements("SLJ-EXP-001", "SLJ-EXP-004", "JMS-EXP-003", "JMS-EXP-005", "JMS-EXP-006")
def expiration_of(sent_at: int, time_to_live: int) -> int:
    """JMSExpiration: the time of sending plus the time to live, 0 for never; milliseconds.

    `JMSException` where that lies beyond what JMSExpiration can hold.
    """
    if time_to_live <= 0:
        return 0
    if sent_at + time_to_live > _LAST:
        raise JMSException(
            f"time_to_live {time_to_live!r} ends after the last instant that JMSExpiration can "
            "hold; 0 is for messages that never expire"
        )
    return sent_at + time_to_live


@implements("SLJ-EXP-002", "SLJ-EXP-003", "SLJ-EXP-004", "JMS-EXP-001", "JMS-EXP-002")
def is_expired(text: str, now: int) -> bool:
    """Whether the raw property JMSExpiration names an instant that has come; 0 never does.

    Nothing is done to the topic: Pulsar knows no expiration of single messages. A text that is no
    number of milliseconds stands for 0.
    """
    return 0 < (decode_milliseconds(text) or 0) <= now


def expiration_text(wire: Mapping[str, str]) -> str | None:
    """The raw property that says when a message expires; None where it never does."""
    return wire.get(EXPIRATION)
