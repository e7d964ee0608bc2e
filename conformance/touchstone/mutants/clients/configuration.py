"""Clients that are wrong about their configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import JMSException
from pulsar_jms.configuration import Settings, keys, settings
from pulsar_jms.consuming.subscription_requests import subscription_request
from pulsar_jms.factories import factory
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.sessions import consumer_opening
from pulsar_jms.transport.transport_protocol import SubscriptionRequest
from touchstone.mutants.registry import Mutant

_QUEUES = "jms.queueSubscriptionName"


def _without_queues(given: Mapping[str, object], *others: Any) -> Settings:
    return settings({key: value for key, value in given.items() if key != _QUEUES}, *others)


def _refusing_nothing_to_go_by(given: Mapping[str, object], *others: Any) -> Settings:
    if not given.keys() & {"webServiceUrl", "brokerServiceUrl"}:
        raise JMSException("webServiceUrl or brokerServiceUrl has to be set")
    return settings(given, *others)


def _for_queues_only(kind: ConsumerKind, *others: Any) -> SubscriptionRequest:
    request = subscription_request(kind, *others)
    return request if kind is ConsumerKind.QUEUE else replace(request, consumer_name=None)


def _nothing_closed(one: PulsarConnectionFactory) -> None:
    """What is open stays so."""


A_SETTING_IGNORED = Mutant(
    name="a-setting-ignored",
    area="configuration",
    violates=("SLJ-CFG-001",),
    doc="One of the settings in the map has no effect.",
    apply=partial(patch.object, factory, "settings", _without_queues),
)
ADDRESS_REQUIRED = Mutant(
    name="address-required",
    area="configuration",
    violates=("SLJ-CFG-002",),
    doc="A factory without the address of a broker is refused.",
    apply=partial(patch.object, factory, "settings", _refusing_nothing_to_go_by),
)
WEB_ADDRESS_IGNORED = Mutant(
    name="web-address-ignored",
    area="configuration",
    violates=("SLJ-CFG-003",),
    doc="webServiceUrl has no effect.",
    apply=partial(patch.object, Settings, "web_url", "http://127.0.0.1:1"),
)
CONSUMER_CONFIG_FOR_QUEUES = Mutant(
    name="consumer-config-for-queues",
    area="configuration",
    violates=("SLJ-CFG-004",),
    doc="consumerConfig reaches the consumers of queues alone.",
    apply=partial(patch.object, consumer_opening, "subscription_request", _for_queues_only),
)
ANY_TEXT_IS_TRUE = Mutant(
    name="any-text-is-true",
    area="configuration",
    violates=("SLJ-CFG-005",),
    doc="The text 'false' counts as true.",
    apply=partial(
        patch.dict,
        keys.PARSERS,
        {"jms.precreateQueueSubscription": bool},
    ),
)
CLOSED_FACTORY_GOES_ON = Mutant(
    name="closed-factory-goes-on",
    area="configuration",
    violates=("SLJ-CFG-006",),
    doc="A closed factory keeps what it made open.",
    apply=partial(patch.object, PulsarConnectionFactory, "close", _nothing_closed),
)
TEXT_FALSE_IS_TRUE = Mutant(
    name="text-false-is-true",
    area="configuration",
    violates=("SLJ-CFG-005",),
    doc="A boolean inside consumerConfig that is given as a text is true, whatever it says.",
    apply=partial(patch.dict, keys.PARSERS, {"consumerConfig.useSchema": bool}),
)
