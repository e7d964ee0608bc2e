"""Clients that are wrong about expiration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from pulsar_jms.consuming import message_filter
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.messages import wire_encoding
from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.wire_messages import Incoming
from touchstone.mutants.registry import Mutant

_fate = MessageFilter.filter_result
_make = AdminRest.__init__


@contextmanager
def _skipping() -> Iterator[None]:
    """What a consumer does not hand over is skipped on every subscription of the topic."""
    made: list[AdminRest] = []

    def make(administration: AdminRest, *args: Any, **options: Any) -> None:
        _make(administration, *args, **options)
        made.append(administration)

    def filter_result(message_filter: MessageFilter, incoming: Incoming) -> FilterResult:
        found = _fate(message_filter, incoming)
        if found is FilterResult.ACKNOWLEDGED:
            path = incoming.topic.replace("://", "/")
            what = "skip an expired message"
            for name in made[-1]._request("GET", f"{path}/subscriptions", what).json():
                made[-1]._request("POST", f"{path}/subscription/{name}/skip/1", what)
        return found

    with (
        patch.object(AdminRest, "__init__", make),
        patch.object(MessageFilter, "filter_result", filter_result),
    ):
        yield


EXPIRATION_IS_TIME_TO_LIVE = Mutant(
    name="expiration-is-time-to-live",
    area="expiration",
    violates=("SLJ-EXP-001", "JMS-EXP-003", "JMS-HDR-023"),
    doc="JMSExpiration holds the time to live, not an instant.",
    apply=partial(patch.object, wire_encoding, "expiration_of", lambda sent_at, lives: lives),
)
EXPIRED_HANDED_OVER = Mutant(
    name="expired-handed-over",
    area="expiration",
    violates=("SLJ-EXP-002", "JMS-EXP-001", "JMS-EXP-002", "JMS-EXP-006"),
    doc="Expired messages are delivered.",
    apply=partial(patch.object, message_filter, "is_expired", lambda text, now: False),
)
EXPIRES_WITHOUT_TIME_TO_LIVE = Mutant(
    name="expires-without-time-to-live",
    area="expiration",
    violates=("SLJ-EXP-004", "JMS-EXP-005"),
    doc="A time to live of 0 ends at once.",
    apply=partial(
        patch.object, wire_encoding, "expiration_of", lambda sent_at, lives: sent_at + lives
    ),
)
EXPIRED_SKIPPED_FOR_ALL = Mutant(
    name="expired-skipped-for-all",
    area="expiration",
    violates=("SLJ-EXP-003",),
    doc="An expired message is taken from every subscription of its topic.",
    apply=_skipping,
)


def _fate_of_what_comes_first(message_filter: MessageFilter, incoming: Incoming) -> FilterResult:
    if not incoming.redelivery_count:
        return _fate(message_filter, incoming)
    return FilterResult.DELIVERED if message_filter.accepts(incoming) else message_filter.rejected


EXPIRED_ONES_COME_AGAIN = Mutant(
    name="expired-ones-come-again",
    area="expiration",
    violates=("SLJ-EXP-002",),
    doc="A message that expires after its first delivery is handed over again.",
    apply=partial(patch.object, MessageFilter, "filter_result", _fate_of_what_comes_first),
)
