"""Clients that are wrong about subscriptions."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.consuming.subscription_requests import with_filter_metadata
from pulsar_jms.mapping.destinations import PulsarDestination
from pulsar_jms.mapping.subscriptions import ConsumerKind, NameOf, TypeOf
from pulsar_jms.sessions import consumer_opening
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.transport_protocol import SubscriptionRequest, SubscriptionType
from touchstone.mutants.registry import Mutant
from touchstone.mutants.subscription_rows import row_changed

_flag = Settings.flag
_subscribe = PulsarClientTransport.subscribe


def precreation(always: bool) -> Callable[[], AbstractContextManager[object]]:
    """jms.precreateQueueSubscription has no effect."""

    def flag(settings: Settings, key: str, default: bool) -> bool:
        return always if key == "jms.precreateQueueSubscription" else _flag(settings, key, default)

    return partial(patch.object, Settings, "flag", flag)


def subscribed_afresh(transport: PulsarClientTransport, request: SubscriptionRequest) -> Any:
    """An unshared subscription is removed before it is opened."""
    administration = transport._administration
    if administration is not None and request.type is SubscriptionType.EXCLUSIVE:
        administration.delete_subscription(request.topics[0], request.name)
    return _subscribe(transport, request)


def _named_by_selector(
    request: SubscriptionRequest,
    destination: PulsarDestination,
    message_filter: MessageFilter,
    settings: Settings,
) -> SubscriptionRequest:
    selector = message_filter.selector.text if message_filter.selector is not None else ""
    name = f"{request.name}-{zlib.crc32(selector.encode())}"
    return with_filter_metadata(replace(request, name=name), destination, message_filter, settings)


def _subscribed_from_the_start(
    transport: PulsarClientTransport, request: SubscriptionRequest
) -> Any:
    """A subscription that was there begins anew at the first message, others as they should."""
    administration = transport._administration
    if (
        administration is not None
        and request.type is SubscriptionType.EXCLUSIVE
        and administration.delete_subscription(request.topics[0], request.name)
    ):
        request = replace(request, earliest=True)
    return _subscribe(transport, request)


SIMPLE_CONSUMER_SHARED = Mutant(
    name="simple-consumer-shared",
    area="subscriptions",
    violates=("SLJ-SUB-001",),
    doc="The subscription of a simple topic consumer is Shared.",
    apply=row_changed(ConsumerKind.SIMPLE, type=TypeOf.SHARED),
)
DURABLE_CONSUMER_SHARED = Mutant(
    name="durable-consumer-shared",
    area="subscriptions",
    violates=("SLJ-SUB-004", "SLJ-SUB-013", "SLJ-SUB-018"),
    doc="An unshared durable subscription is Shared.",
    apply=row_changed(ConsumerKind.DURABLE, type=TypeOf.SHARED),
)
SHARED_CONSUMER_EXCLUSIVE = Mutant(
    name="shared-consumer-exclusive",
    area="subscriptions",
    violates=("SLJ-SUB-007", "SLJ-SUB-019"),
    doc="A shared subscription admits one consumer.",
    apply=row_changed(ConsumerKind.SHARED, type=TypeOf.EXCLUSIVE),
)
SHARED_TYPE_IGNORED = Mutant(
    name="shared-type-ignored",
    area="subscriptions",
    violates=("SLJ-SUB-021",),
    doc="jms.topicSharedSubscriptionType does not reach shared consumers.",
    apply=row_changed(ConsumerKind.SHARED, type=TypeOf.SHARED),
)
QUEUE_TYPE_CONFIGURED = Mutant(
    name="queue-type-configured",
    area="subscriptions",
    violates=("SLJ-SUB-023",),
    doc="jms.topicSharedSubscriptionType reaches queues, too.",
    apply=row_changed(ConsumerKind.QUEUE, type=TypeOf.CONFIGURED),
)
NON_DURABLE_STAYS = Mutant(
    name="non-durable-stays",
    area="subscriptions",
    violates=("SLJ-SUB-017",),
    doc="A shared non-durable subscription outlives its consumers.",
    apply=row_changed(ConsumerKind.SHARED, durable=True),
)
DURABLE_GOES = Mutant(
    name="durable-goes",
    area="subscriptions",
    violates=("SLJ-SUB-005", "SLJ-SUB-014"),
    doc="An unshared durable subscription is deleted with its consumer.",
    apply=row_changed(ConsumerKind.DURABLE, durable=False),
)
DURABLE_NAME_RANDOM = Mutant(
    name="durable-name-random",
    area="subscriptions",
    violates=("SLJ-SUB-006", "SLJ-SUB-015"),
    doc="Unshared durable subscriptions have a random name.",
    apply=row_changed(ConsumerKind.DURABLE, name=NameOf.RANDOM),
)
REOPENING_RESETS = Mutant(
    name="reopening-resets",
    area="subscriptions",
    violates=("SLJ-SUB-026", "SLJ-SUB-028"),
    doc="Opening an unshared durable subscription, as with another selector, begins a new one.",
    apply=partial(patch.object, PulsarClientTransport, "subscribe", subscribed_afresh),
)
REOPENING_REWINDS = Mutant(
    name="reopening-rewinds",
    area="subscriptions",
    violates=("SLJ-SUB-026",),
    doc="Reopening an unshared durable subscription sets it back to the topic's first message.",
    apply=partial(patch.object, PulsarClientTransport, "subscribe", _subscribed_from_the_start),
)
SELECTOR_IN_THE_NAME = Mutant(
    name="selector-in-the-name",
    area="subscriptions",
    violates=("SLJ-SUB-027",),
    doc="Consumers of one subscription with different selectors get different subscriptions.",
    apply=partial(patch.object, consumer_opening, "with_filter_metadata", _named_by_selector),
)
UNSUBSCRIBE_IN_VAIN = Mutant(
    name="unsubscribe-in-vain",
    area="subscriptions",
    violates=("SLJ-SUB-025",),
    doc="Unsubscribing by name alone returns as if it had done something.",
    apply=partial(patch.object, PulsarSession, "unsubscribe", lambda session, name: None),
)
PRECREATION_ALWAYS = Mutant(
    name="precreation-always",
    area="subscriptions",
    violates=("SLJ-SUB-037",),
    doc="The queue subscription is pre-created although the setting says no.",
    apply=precreation(always=True),
)
PRECREATION_NEVER = Mutant(
    name="precreation-never",
    area="subscriptions",
    violates=("SLJ-SUB-032", "SLJ-SUB-033", "SLJ-SUB-036"),
    doc="The queue subscription is left to the broker although the setting says yes.",
    apply=precreation(always=False),
)
