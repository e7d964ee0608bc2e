"""Which Pulsar subscription stands behind each kind of JMS consumer."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from jmsapi.errors import IllegalStateException, InvalidDestinationException, JMSException
from pulsar_jms.implements import implements, implements_rows
from pulsar_jms.mapping.destinations import PulsarDestination, PulsarQueue, PulsarTopic
from pulsar_jms.mapping.identity import broker_name

QUEUE_SUBSCRIPTION = "jms-queue"
SHARED_TYPES = ("Shared", "Key_Shared", "Failover")
"""What jms.topicSharedSubscriptionType may be, in any case of letters."""


class ConsumerKind(Enum):
    """The ways in which JMS makes a consumer."""

    QUEUE = "createConsumer(queue), createReceiver"
    SIMPLE = "createConsumer(topic), createSubscriber"
    SHARED = "createSharedConsumer"
    DURABLE = "createDurableConsumer, createDurableSubscriber"
    SHARED_DURABLE = "createSharedDurableConsumer"


class TypeOf(Enum):
    """Where the type of a subscription comes from."""

    SHARED = "always Shared"
    EXCLUSIVE = "always Exclusive"
    CONFIGURED = "jms.topicSharedSubscriptionType"
    SIMPLE = "Exclusive, or as configured without jms.useExclusiveSubscriptionsForSimpleConsumers"


class NameOf(Enum):
    """Where the name of a subscription comes from."""

    QUEUE = "the queue's name, else jms.queueSubscriptionName; never a client id"
    RANDOM = "a random UUID"
    GIVEN = "the given name, after clientId_ if there is a client id"
    GIVEN_AND_CLIENT_ID = "clientId_name; a client id is required"


class SubscriptionRow(NamedTuple):
    """One row of the documents' table."""

    name: NameOf
    type: TypeOf
    durable: bool
    earliest: bool
    """Whether a new subscription starts at the first message of the topic, not at its end."""
    requirements: tuple[str, ...]


SUBSCRIPTIONS: Mapping[ConsumerKind, SubscriptionRow] = {
    ConsumerKind.QUEUE: SubscriptionRow(
        NameOf.QUEUE,
        TypeOf.SHARED,
        durable=True,
        earliest=True,
        requirements=(
            "SLJ-DEST-006",
            "SLJ-DEST-007",
            "SLJ-DEST-008",
            "SLJ-DEST-009",
            "SLJ-DEST-010",
            "SLJ-DEST-011",
            "SLJ-DEST-012",
            "SLJ-DEST-013",
            "SLJ-SUB-023",
            "JMS-DEST-001",
            "JMS-DEST-004",
            "JMS-REDL-012",
        ),
    ),
    ConsumerKind.SIMPLE: SubscriptionRow(
        NameOf.RANDOM,
        TypeOf.SIMPLE,
        durable=False,
        earliest=False,
        requirements=(
            "SLJ-SUB-001",
            "SLJ-SUB-002",
            "SLJ-SUB-003",
            "SLJ-SUB-020",
            "JMS-SUB-001",
            "JMS-SUB-003..004",
            "JMS-SUB-016",
            "JMS-SUB-018",
            "JMS-DEST-005",
            "JMS-DLY-005",
        ),
    ),
    ConsumerKind.SHARED: SubscriptionRow(
        NameOf.GIVEN,
        TypeOf.CONFIGURED,
        durable=False,
        earliest=False,
        requirements=(
            "SLJ-SUB-007",
            "SLJ-SUB-008",
            "SLJ-SUB-009",
            "SLJ-SUB-017",
            "SLJ-SUB-019",
            "SLJ-SUB-020",
            "SLJ-SUB-021",
            "JMS-SUB-001",
            "JMS-SUB-019..020",
            "JMS-DEST-005",
            "JMS-DLY-005",
        ),
    ),
    ConsumerKind.DURABLE: SubscriptionRow(
        NameOf.GIVEN_AND_CLIENT_ID,
        TypeOf.EXCLUSIVE,
        durable=True,
        earliest=False,
        requirements=(
            "SLJ-SUB-004",
            "SLJ-SUB-005",
            "SLJ-SUB-006",
            "SLJ-SUB-013",
            "SLJ-SUB-014",
            "SLJ-SUB-015",
            "SLJ-SUB-016",
            "SLJ-SUB-018",
            "SLJ-SUB-024",
            "JMS-SUB-001",
            "JMS-SUB-006..008",
            "JMS-SUB-026",
            "JMS-REDL-013",
            "JMS-REDL-016",
            "JMS-DLY-005",
        ),
    ),
    ConsumerKind.SHARED_DURABLE: SubscriptionRow(
        NameOf.GIVEN,
        TypeOf.CONFIGURED,
        durable=True,
        earliest=False,
        requirements=(
            "SLJ-SUB-010",
            "SLJ-SUB-011",
            "SLJ-SUB-012",
            "SLJ-SUB-016",
            "SLJ-SUB-019",
            "SLJ-SUB-022",
            "JMS-SUB-006..008",
            "JMS-SUB-010",
            "JMS-REDL-013",
            "JMS-REDL-016",
        ),
    ),
}
"""Name, type, mode and start of the subscription behind each kind of consumer."""

implements_rows(
    __name__,
    "SUBSCRIPTIONS",
    [(kind.value, row.requirements) for kind, row in SUBSCRIPTIONS.items()],
)


class PulsarSubscription(NamedTuple):
    """A subscription as the broker is asked for it."""

    name: str
    type: str
    durable: bool
    earliest: bool


def subscription_for(
    kind: ConsumerKind,
    destination: PulsarDestination,
    name: str | None = None,
    client_id: str | None = None,
    *,
    queue_subscription: str = QUEUE_SUBSCRIPTION,
    shared_type: str = "Shared",
    exclusive_simple: bool = True,
) -> PulsarSubscription:
    """The subscription of a consumer of this kind; the keyword arguments are factory settings.

    Raises `InvalidDestinationException` for a queue where a topic is needed or the reverse, and
    `IllegalStateException` for an unshared durable consumer without a client id.
    """
    wanted = PulsarQueue if kind is ConsumerKind.QUEUE else PulsarTopic
    if not isinstance(destination, wanted):
        raise InvalidDestinationException(f"{kind.value} does not consume from {destination!r}")
    row = SUBSCRIPTIONS[kind]
    return PulsarSubscription(
        _name(row.name, destination, name, client_id, queue_subscription),
        _type(row.type, shared_type, exclusive_simple),
        row.durable,
        row.earliest,
    )


@implements("JMS-IDN-005")
def _name(
    rule: NameOf,
    destination: PulsarDestination,
    name: str | None,
    client_id: str | None,
    queue_subscription: str,
) -> str:
    """The name at the broker; `IllegalStateException` where a client id is missing for it."""
    if isinstance(destination, PulsarQueue):
        return destination.subscription or queue_subscription
    if rule is NameOf.RANDOM:
        return str(uuid.uuid4())
    if not name:
        raise InvalidDestinationException(f"a subscription of {destination!r} needs a name")
    if rule is NameOf.GIVEN_AND_CLIENT_ID and not client_id:
        raise IllegalStateException(
            f"durable subscription {name!r} needs a client id: "
            "set jms.clientId or connection.client_id first"
        )
    return broker_name(client_id, name)


@implements("SLJ-DLY-002", "SLJ-DLY-003", "SLJ-DLY-005")
def _type(rule: TypeOf, shared_type: str, exclusive_simple: bool) -> str:
    """The type of the subscription: Exclusive, Shared, Key_Shared or Failover."""
    if rule is TypeOf.SHARED:
        return "Shared"
    if rule is TypeOf.EXCLUSIVE or (rule is TypeOf.SIMPLE and exclusive_simple):
        return "Exclusive"
    return shared_type


@implements("SLJ-SUB-025", "JMS-SUB-014")
def unsubscribe_refusal(name: str) -> JMSException:
    """The error of unsubscribe: Pulsar's subscriptions belong to a topic, and it names none."""
    return JMSException(
        f"unsubscribe({name!r}) names no topic: delete the subscription on its topic "
        "through Pulsar's administration"
    )
