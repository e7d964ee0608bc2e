"""Clients that are wrong about what the broker's filter does for them."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from pulsar_jms.configuration import Settings
from pulsar_jms.consuming import subscription_requests
from pulsar_jms.consuming.message_filter import ACCEPT_ALL, SERVER_SIDE, MessageFilter, filter_for
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.sessions import consumer_opening
from pulsar_jms.transport.transport_protocol import SubscriptionType
from touchstone.mutants.registry import Mutant


def _unchecked(
    kind: ConsumerKind,
    subscription_type: SubscriptionType,
    settings: Settings,
    selector: str | None,
    not_from: str | None,
) -> MessageFilter:
    message_filter = filter_for(kind, subscription_type, settings, selector, not_from)
    return (
        _Trusting(message_filter.selector) if settings.flag(SERVER_SIDE, False) else message_filter
    )


class _Trusting(MessageFilter):
    """Has a selector to announce, and lets everything pass."""

    filter_result = ACCEPT_ALL.filter_result


FILTER_TRUSTED = Mutant(
    name="filter-trusted",
    area="selectors",
    violates=("SLJ-SEL-008",),
    doc="The client delivers whatever a broker that filters sends.",
    apply=partial(patch.object, consumer_opening, "filter_for", _unchecked),
)
EVERY_SELECTOR_ANNOUNCED = Mutant(
    name="every-selector-announced",
    area="selectors",
    violates=("SLJ-SEL-001",),
    doc="The broker's filter gets selectors, too, that it cannot evaluate.",
    apply=partial(patch.object, subscription_requests, "means_the_same", lambda selector: True),
)
