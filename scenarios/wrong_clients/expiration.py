"""Clients that are wrong about expiration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from pulsar_jms.consuming import message_filter
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.messages import message, wire_encoding
from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.wire_messages import Incoming

_fate = MessageFilter.filter_result
_make = AdminRest.__init__


@wrong("JMS-EXP-004", patches=(message, "read_expiration"))
def expiration_is_not_read(wire: Any) -> int:
    """A receiver reads JMSExpiration as 0."""
    return 0


@wrong("SLJ-EXP-001", "JMS-EXP-003", "JMS-HDR-023", patches=(wire_encoding, "expiration_of"))
def expiration_is_time_to_live(sent_at: Any, lives: Any) -> Any:
    """JMSExpiration holds the time to live, not an instant."""
    return lives


@wrong(
    "SLJ-EXP-002",
    "JMS-EXP-001",
    "JMS-EXP-002",
    "JMS-EXP-006",
    patches=(message_filter, "is_expired"),
)
def expired_handed_over(text: Any, now: Any) -> bool:
    """Expired messages are delivered."""
    return False


@wrong("SLJ-EXP-004", "JMS-EXP-005", patches=(wire_encoding, "expiration_of"))
def expires_without_time_to_live(sent_at: Any, lives: Any) -> Any:
    """A time to live of 0 ends at once."""
    return sent_at + lives


@wrong("SLJ-EXP-003")
@contextmanager
def expired_skipped_for_all() -> Iterator[None]:
    """An expired message is taken from every subscription of its topic.

    What a consumer does not hand over is skipped on every subscription of the topic.
    """
    made: list[AdminRest] = []

    def make(administration: AdminRest, *args: Any, **options: Any) -> None:
        _make(administration, *args, **options)
        made.append(administration)

    def filter_result(message_filter: MessageFilter, incoming: Incoming) -> FilterResult:
        fate = _fate(message_filter, incoming)
        if fate is FilterResult.ACKNOWLEDGED:
            path = incoming.topic.replace("://", "/")
            what = "skip an expired message"
            for name in made[-1]._request("GET", f"{path}/subscriptions", what).json():
                made[-1]._request("POST", f"{path}/subscription/{name}/skip/1", what)
        return fate

    with (
        patch.object(AdminRest, "__init__", make),
        patch.object(MessageFilter, "filter_result", filter_result),
    ):
        yield


@wrong("SLJ-EXP-002", patches=(MessageFilter, "filter_result"))
def expired_ones_come_again(
    original: Callable[..., FilterResult], message_filter: MessageFilter, incoming: Incoming
) -> FilterResult:
    """A message that expires after its first delivery is handed over again."""
    if not incoming.redelivery_count:
        return original(message_filter, incoming)
    return FilterResult.DELIVERED if message_filter.accepts(incoming) else message_filter.rejected
