"""Clients that are wrong about destinations."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch
from urllib.parse import quote

from pulsar_jms.configuration import Settings
from pulsar_jms.mapping import destinations
from pulsar_jms.mapping.destinations import DEFAULT_NAMESPACE, PulsarQueue, full_topic_name
from pulsar_jms.mapping.subscriptions import ConsumerKind, TypeOf
from pulsar_jms.transport import admin_rest
from touchstone.mutants.registry import Mutant
from touchstone.mutants.subscription_rows import row_changed


def _split_at_first_colon(queue: PulsarQueue) -> tuple[str, str | None]:
    topic, _, subscription = queue.name.partition(":")
    return topic, subscription or None


QUEUE_FROM_THE_END = Mutant(
    name="queue-from-the-end",
    area="destinations",
    violates=("SLJ-DEST-008",),
    doc="A new queue subscription begins at the end of the topic.",
    apply=row_changed(ConsumerKind.QUEUE, earliest=False),
)
QUEUE_FOR_ONE_CONSUMER = Mutant(
    name="queue-for-one-consumer",
    area="destinations",
    violates=("SLJ-DEST-006", "SLJ-DEST-009", "SLJ-DEST-011"),
    doc="The queue subscription is Exclusive.",
    apply=row_changed(ConsumerKind.QUEUE, type=TypeOf.EXCLUSIVE),
)
QUEUE_SUBSCRIPTION_NOT_CONFIGURABLE = Mutant(
    name="queue-subscription-not-configurable",
    area="destinations",
    violates=("SLJ-DEST-012",),
    doc="jms.queueSubscriptionName has no effect.",
    apply=partial(patch.object, Settings, "queue_subscription", "jms-queue"),
)
SUBSCRIPTION_SUFFIX_IS_TOPIC = Mutant(
    name="subscription-suffix-is-topic",
    area="destinations",
    violates=("SLJ-DEST-014", "SLJ-DEST-015", "SLJ-DEST-019", "SLJ-DEST-020"),
    doc="The text after the colon of a queue's name is part of the topic.",
    apply=partial(patch.object, PulsarQueue, "_split", lambda queue: (queue.name, None)),
)
SUBSCRIPTION_AFTER_FIRST_COLON = Mutant(
    name="subscription-after-first-colon",
    area="destinations",
    violates=("SLJ-DEST-019", "SLJ-DEST-020", "SLJ-DEST-021"),
    doc="The colon of a scheme separates a subscription, too.",
    apply=partial(patch.object, PulsarQueue, "_split", _split_at_first_colon),
)
SYSTEM_NAMESPACE_FIXED = Mutant(
    name="system-namespace-fixed",
    area="destinations",
    violates=("SLJ-DEST-017",),
    doc="Short names live in public/default, whatever jms.systemNamespace says.",
    apply=partial(
        patch.object,
        destinations,
        "full_topic_name",
        lambda name, _: full_topic_name(name, DEFAULT_NAMESPACE),
    ),
)
TOPICS_NOT_PERSISTENT = Mutant(
    name="topics-not-persistent",
    area="destinations",
    violates=("SLJ-DEST-004", "SLJ-DEST-005"),
    doc="Short names are non-persistent topics.",
    apply=partial(
        patch.object,
        destinations,
        "full_topic_name",
        lambda name, namespace: name if "://" in name else f"non-persistent://{namespace}/{name}",
    ),
)
SUBSCRIPTION_QUOTED_ONCE = Mutant(
    name="subscription-quoted-once",
    area="destinations",
    violates=("SLJ-DEST-012", "SLJ-DEST-014", "SLJ-DEST-020"),
    doc="A queue's subscription is asked for by a path that the broker decodes once too often.",
    apply=partial(patch.object, admin_rest, "_twice_quoted", partial(quote, safe="")),
)
