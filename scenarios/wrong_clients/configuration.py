"""Clients that are wrong about their configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException
from pulsar_jms.configuration import Settings, keys, settings
from pulsar_jms.consuming.subscription_requests import subscription_request
from pulsar_jms.dialects.snapshots import READ_MAX, Copy, SnapshotBrowser
from pulsar_jms.factories import factory
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.sessions import consumer_opening
from pulsar_jms.transport.transport_protocol import SubscriptionRequest
from wrong_clients.helpers.rabbitmq_dialect import as_dialect

_QUEUES = "jms.queueSubscriptionName"


@wrong("SLJ-CFG-001", patches=(factory, "settings"))
def a_setting_ignored(given: Mapping[str, object], *others: Any) -> Settings:
    """One of the settings in the map has no effect."""
    return settings({key: value for key, value in given.items() if key != _QUEUES}, *others)


@wrong("SLJ-CFG-002", patches=(factory, "settings"))
def address_required(given: Mapping[str, object], *others: Any) -> Settings:
    """A factory without the address of a broker is refused."""
    if not given.keys() & {"webServiceUrl", "brokerServiceUrl"}:
        raise JMSException("webServiceUrl or brokerServiceUrl has to be set")
    return settings(given, *others)


@wrong("SLJ-CFG-003")
def web_address_ignored() -> AbstractContextManager[object]:
    """webServiceUrl has no effect."""
    return patch.object(Settings, "web_url", "http://127.0.0.1:1")


@wrong("SLJ-CFG-004", patches=(consumer_opening, "subscription_request"))
def consumer_config_for_queues(kind: ConsumerKind, *others: Any) -> SubscriptionRequest:
    """consumerConfig reaches the consumers of queues alone."""
    request = subscription_request(kind, *others)
    return request if kind is ConsumerKind.QUEUE else replace(request, consumer_name=None)


@wrong("SLJ-CFG-005")
def any_text_is_true() -> AbstractContextManager[object]:
    """The text 'false' counts as true."""
    return patch.dict(keys.PARSERS, {"jms.precreateQueueSubscription": bool})


@wrong("SLJ-CFG-006", patches=(PulsarConnectionFactory, "close"))
def closed_factory_goes_on(pulsar_factory: PulsarConnectionFactory) -> None:
    """A closed factory keeps what it made open."""


@wrong("SLJ-CFG-005")
def text_false_is_true() -> AbstractContextManager[object]:
    """A boolean inside consumerConfig that is given as a text is true, whatever it says."""
    return patch.dict(keys.PARSERS, {"consumerConfig.useSchema": bool})


@wrong("RMQ-CFG-006", patches=(SnapshotBrowser, "_copies"), provider="reference/rabbitmq")
def limit_counts_what_is_selected(
    original: Callable[..., list[Copy]], browser: SnapshotBrowser
) -> list[Copy]:
    """The limit counts the messages that the selector keeps.

    As many copies as the limit allows, however many messages are read for them.
    """
    limit = browser._session.settings.number(READ_MAX, 0)
    with patch.dict(browser._session.settings.values, {READ_MAX: 0}):
        copies = original(browser)
    return copies[:limit] if limit > 0 else copies


@wrong("RMQ-CFG-004", patches=(SnapshotBrowser, "_copies"), provider="reference/rabbitmq")
def limit_follows_the_factory(
    original: Callable[..., list[Copy]], browser: SnapshotBrowser
) -> list[Copy]:
    """A changed limit holds for connections that there are already."""
    session: Any = browser._session
    now = {READ_MAX: session.connection.factory.setting(READ_MAX)}
    with patch.dict(session.settings.values, now):
        return original(browser)


@wrong(
    "RMQ-CFG-007",
    "RMQ-CFG-010",
    patches=(SnapshotBrowser, "_copies"),
    provider="reference/rabbitmq",
)
def zero_reads_nothing(original: Callable[..., list[Copy]], browser: SnapshotBrowser) -> list[Copy]:
    """A limit of zero lets a browser read nothing."""
    limit = browser._session.settings.number(READ_MAX, 0)
    return [] if limit == 0 else original(browser)


@wrong("RMQ-CFG-009", provider="reference/rabbitmq")
def process_property_ignored() -> AbstractContextManager[object]:
    """The property of the process says nothing of the limit."""
    return as_dialect(initial=lambda environment: {READ_MAX: 0})
