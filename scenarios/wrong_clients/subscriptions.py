"""Clients that are wrong about subscriptions."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.consuming.subscription_requests import with_filter_metadata
from pulsar_jms.mapping import subscriptions
from pulsar_jms.mapping.destinations import PulsarDestination
from pulsar_jms.mapping.identity import broker_name
from pulsar_jms.mapping.subscriptions import ConsumerKind, NameOf, TypeOf
from pulsar_jms.sessions import consumer_opening
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.transport_protocol import SubscriptionRequest, SubscriptionType
from wrong_clients.helpers.subscription_rows import row_changed
from wrong_clients.selectors import selector_ignored

_LONGEST = 64
"""Characters of a name that a wrong client keeps."""
_flag = Settings.flag


@wrong("JMS-SUB-003")
def plain_consumers_read_what_was_before() -> AbstractContextManager[object]:
    """A non-durable subscription begins with the first message of its topic."""
    return row_changed(ConsumerKind.SIMPLE, earliest=True)


@wrong("JMS-SUB-004", "JMS-SUB-016", scenarios="test_subscriptions or test_shared")
def plain_subscriptions_stay() -> AbstractContextManager[object]:
    """The subscription of a plain consumer outlives it."""
    return row_changed(ConsumerKind.SIMPLE, durable=True)


@wrong("JMS-SUB-020")
def shared_subscriptions_stay() -> AbstractContextManager[object]:
    """A shared non-durable subscription outlives its last consumer."""
    return non_durable_stays.apply()


@wrong("JMS-SUB-006", "JMS-SUB-007", "JMS-SUB-008", scenarios="test_subscriptions or test_shared")
def durable_subscriptions_go() -> AbstractContextManager[object]:
    """An unshared durable subscription goes with its consumer."""
    return durable_goes.apply()


@wrong("JMS-SUB-006")
def durable_subscriptions_begin_anew() -> AbstractContextManager[object]:
    """Reopened, an unshared durable subscription delivers what was settled before, too."""
    return reopening_rewinds.apply()


@wrong(
    "JMS-SUB-009",
    "JMS-SUB-031",
    patches=(subscriptions, "broker_name"),
    scenarios="test_subscriptions or test_shared",
)
def subscriptions_of_everybody(client_id: str | None, name: str) -> str:
    """The client id is no part of a subscription's identity."""
    return name


@wrong("JMS-SUB-030", patches=(subscriptions, "broker_name"))
def names_shortened(client_id: str | None, name: str) -> str:
    """Of the name of a subscription 64 characters count."""
    return broker_name(client_id, name[:_LONGEST])


@wrong("JMS-SUB-017", "JMS-SUB-021", scenarios="test_subscriptions or test_shared")
def selectors_of_subscriptions_ignored() -> AbstractContextManager[object]:
    """A subscription takes in what its selector leaves out."""
    return selector_ignored.apply()


@wrong("JMS-SUB-026", "JMS-SUB-027", "JMS-SUB-028", scenarios="test_subscriptions or test_shared")
def unshared_subscriptions_are_shared() -> AbstractContextManager[object]:
    """A second consumer of an unshared durable subscription joins the first."""
    return durable_consumer_shared.apply()


@wrong("JMS-SUB-014")
def unsubscribed_whatever_is_there() -> AbstractContextManager[object]:
    """Unsubscribing from a subscription that has a consumer is no error."""
    return unsubscribe_in_vain.apply()


@wrong("SLJ-SUB-001")
def simple_consumer_shared() -> AbstractContextManager[object]:
    """The subscription of a simple topic consumer is Shared."""
    return row_changed(ConsumerKind.SIMPLE, type=TypeOf.SHARED)


@wrong("SLJ-SUB-004", "SLJ-SUB-013", "SLJ-SUB-018")
def durable_consumer_shared() -> AbstractContextManager[object]:
    """An unshared durable subscription is Shared."""
    return row_changed(ConsumerKind.DURABLE, type=TypeOf.SHARED)


@wrong("SLJ-SUB-007", "SLJ-SUB-019")
def shared_consumer_exclusive() -> AbstractContextManager[object]:
    """A shared subscription admits one consumer."""
    return row_changed(ConsumerKind.SHARED, type=TypeOf.EXCLUSIVE)


@wrong("SLJ-SUB-021")
def shared_type_ignored() -> AbstractContextManager[object]:
    """jms.topicSharedSubscriptionType does not reach shared consumers."""
    return row_changed(ConsumerKind.SHARED, type=TypeOf.SHARED)


@wrong("SLJ-SUB-023")
def queue_type_configured() -> AbstractContextManager[object]:
    """jms.topicSharedSubscriptionType reaches queues, too."""
    return row_changed(ConsumerKind.QUEUE, type=TypeOf.CONFIGURED)


@wrong("SLJ-SUB-017")
def non_durable_stays() -> AbstractContextManager[object]:
    """A shared non-durable subscription outlives its consumers."""
    return row_changed(ConsumerKind.SHARED, durable=True)


@wrong("SLJ-SUB-005", "SLJ-SUB-014")
def durable_goes() -> AbstractContextManager[object]:
    """An unshared durable subscription is deleted with its consumer."""
    return row_changed(ConsumerKind.DURABLE, durable=False)


@wrong("SLJ-SUB-006", "SLJ-SUB-015")
def durable_name_random() -> AbstractContextManager[object]:
    """Unshared durable subscriptions have a random name."""
    return row_changed(ConsumerKind.DURABLE, name=NameOf.RANDOM)


@wrong("SLJ-SUB-026", "SLJ-SUB-028", patches=(PulsarClientTransport, "subscribe"))
def reopening_resets(
    original: Callable[..., Any], transport: PulsarClientTransport, request: SubscriptionRequest
) -> Any:
    """Opening an unshared durable subscription, as with another selector, begins a new one.

    An unshared subscription is removed before it is opened.
    """
    administration = transport._administration
    if administration is not None and request.type is SubscriptionType.EXCLUSIVE:
        administration.delete_subscription(request.topics[0], request.name)
    return original(transport, request)


@wrong("SLJ-SUB-026", patches=(PulsarClientTransport, "subscribe"))
def reopening_rewinds(
    original: Callable[..., Any], transport: PulsarClientTransport, request: SubscriptionRequest
) -> Any:
    """Reopening an unshared durable subscription sets it back to the topic's first message.

    A subscription that was there begins anew at the first message, others as they should.
    """
    administration = transport._administration
    if (
        administration is not None
        and request.type is SubscriptionType.EXCLUSIVE
        and administration.delete_subscription(request.topics[0], request.name)
    ):
        request = replace(request, earliest=True)
    return original(transport, request)


@wrong("SLJ-SUB-027", patches=(consumer_opening, "with_filter_metadata"))
def selector_in_the_name(
    request: SubscriptionRequest,
    destination: PulsarDestination,
    message_filter: MessageFilter,
    settings: Settings,
) -> SubscriptionRequest:
    """Consumers of one subscription with different selectors get different subscriptions."""
    selector = message_filter.selector.text if message_filter.selector is not None else ""
    name = f"{request.name}-{zlib.crc32(selector.encode())}"
    return with_filter_metadata(replace(request, name=name), destination, message_filter, settings)


@wrong("SLJ-SUB-025", patches=(PulsarSession, "unsubscribe"))
def unsubscribe_in_vain(session: Any, name: Any) -> None:
    """Unsubscribing by name alone returns as if it had done something."""


def _precreation(always: bool) -> AbstractContextManager[object]:
    """jms.precreateQueueSubscription has no effect."""

    def flag(settings: Settings, key: str, default: bool) -> bool:
        return always if key == "jms.precreateQueueSubscription" else _flag(settings, key, default)

    return patch.object(Settings, "flag", flag)


@wrong("SLJ-SUB-037")
def precreation_always() -> AbstractContextManager[object]:
    """The queue subscription is pre-created although the setting says no."""
    return _precreation(always=True)


@wrong("SLJ-SUB-032", "SLJ-SUB-033", "SLJ-SUB-036")
def precreation_never() -> AbstractContextManager[object]:
    """The queue subscription is left to the broker although the setting says yes."""
    return _precreation(always=False)
