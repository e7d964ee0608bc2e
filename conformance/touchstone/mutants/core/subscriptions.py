"""Clients that break what the specification says of subscriptions."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from pulsar_jms.mapping import subscriptions
from pulsar_jms.mapping.identity import broker_name
from pulsar_jms.mapping.subscriptions import ConsumerKind
from touchstone.mutants.consuming.selectors import SELECTOR_IGNORED
from touchstone.mutants.consuming.subscriptions import (
    DURABLE_CONSUMER_SHARED,
    DURABLE_GOES,
    NON_DURABLE_STAYS,
    REOPENING_REWINDS,
    UNSUBSCRIBE_IN_VAIN,
)
from touchstone.mutants.registry import Mutant
from touchstone.mutants.subscription_rows import row_changed

_LONGEST = 64
"""Characters of a name that a wrong client keeps."""


def _shortened(client_id: str | None, name: str) -> str:
    return broker_name(client_id, name[:_LONGEST])


def _of_everybody(client_id: str | None, name: str) -> str:
    return name


PLAIN_CONSUMERS_READ_WHAT_WAS_BEFORE = Mutant(
    name="plain-consumers-read-what-was-before",
    area="subscriptions",
    violates=("JMS-SUB-003",),
    doc="A non-durable subscription begins with the first message of its topic.",
    apply=row_changed(ConsumerKind.SIMPLE, earliest=True),
)
PLAIN_SUBSCRIPTIONS_STAY = Mutant(
    name="plain-subscriptions-stay",
    area="subscriptions",
    violates=("JMS-SUB-004", "JMS-SUB-016"),
    doc="The subscription of a plain consumer outlives it.",
    apply=row_changed(ConsumerKind.SIMPLE, durable=True),
    scenarios="test_subscriptions",
)
SHARED_SUBSCRIPTIONS_STAY = Mutant(
    name="shared-subscriptions-stay",
    area="subscriptions",
    violates=("JMS-SUB-020",),
    doc="A shared non-durable subscription outlives its last consumer.",
    apply=NON_DURABLE_STAYS.apply,
)
DURABLE_SUBSCRIPTIONS_GO = Mutant(
    name="durable-subscriptions-go",
    area="subscriptions",
    violates=("JMS-SUB-006", "JMS-SUB-007", "JMS-SUB-008"),
    doc="An unshared durable subscription goes with its consumer.",
    apply=DURABLE_GOES.apply,
    scenarios="test_subscriptions",
)
DURABLE_SUBSCRIPTIONS_BEGIN_ANEW = Mutant(
    name="durable-subscriptions-begin-anew",
    area="subscriptions",
    violates=("JMS-SUB-006",),
    doc="Reopened, an unshared durable subscription delivers what was settled before, too.",
    apply=REOPENING_REWINDS.apply,
)
SUBSCRIPTIONS_OF_EVERYBODY = Mutant(
    name="subscriptions-of-everybody",
    area="subscriptions",
    violates=("JMS-SUB-009", "JMS-SUB-031"),
    doc="The client id is no part of a subscription's identity.",
    apply=partial(patch.object, subscriptions, "broker_name", _of_everybody),
    scenarios="test_subscriptions",
)
NAMES_SHORTENED = Mutant(
    name="names-shortened",
    area="subscriptions",
    violates=("JMS-SUB-030",),
    doc="Of the name of a subscription 64 characters count.",
    apply=partial(patch.object, subscriptions, "broker_name", _shortened),
)
SELECTORS_OF_SUBSCRIPTIONS_IGNORED = Mutant(
    name="selectors-of-subscriptions-ignored",
    area="subscriptions",
    violates=("JMS-SUB-017", "JMS-SUB-021"),
    doc="A subscription takes in what its selector leaves out.",
    apply=SELECTOR_IGNORED.apply,
    scenarios="test_subscriptions",
)
UNSHARED_SUBSCRIPTIONS_ARE_SHARED = Mutant(
    name="unshared-subscriptions-are-shared",
    area="subscriptions",
    violates=("JMS-SUB-026", "JMS-SUB-027", "JMS-SUB-028"),
    doc="A second consumer of an unshared durable subscription joins the first.",
    apply=DURABLE_CONSUMER_SHARED.apply,
    scenarios="test_subscriptions",
)
UNSUBSCRIBED_WHATEVER_IS_THERE = Mutant(
    name="unsubscribed-whatever-is-there",
    area="subscriptions",
    violates=("JMS-SUB-014",),
    doc="Unsubscribing from a subscription that has a consumer is no error.",
    apply=UNSUBSCRIBE_IN_VAIN.apply,
)
