"""What is permitted of opening a consumer."""

from __future__ import annotations

from collections.abc import Sequence

from jms_model.answers import Expectation, raises, succeeds
from jms_model.pulsar_subscriptions.cluster import Cluster, Consumer, SessionClient, Subscription
from jms_model.pulsar_subscriptions.destinations import Destination, PulsarTopic
from jms_model.pulsar_subscriptions.filters import EVERYTHING, Filter
from jms_model.pulsar_subscriptions.kinds import (
    EXCLUSIVE,
    FAILOVER,
    KINDS,
    RANDOM,
    RECEIVER,
    RequiredSubscription,
    required_subscription,
)
from jms_model.pulsar_subscriptions.refusals import REFUSAL


def open_consumer(
    cluster: Cluster,
    client: SessionClient,
    kind: str,
    destination: Destination,
    name: str,
    by: Filter | None = None,
    *,
    makes: str,
) -> Expectation | None:
    """A consumer of one of the kinds; `name`: that of its subscription, where it is given one."""
    row = KINDS[kind]
    if client.closed or (row.durable and row.is_unshared and not client.client_id):
        return None
    namespace = client.settings.namespace
    asked = required_subscription(kind, destination, name, client.client_id, client.settings)
    if by and by.leaves_out and asked.types != [EXCLUSIVE] and not client.settings.emulation:
        return None
    topics = destination.topics(namespace)
    ids = destination.ids(namespace)
    before = [_existing(cluster, topic, asked) for topic in topics]
    existing = [subscription for subscription in before if subscription]
    if any(not _is_same(each, asked, kind) for each in existing):
        return None
    if FAILOVER in asked.types and any(each.consumers for each in existing):
        return None
    if kind != RECEIVER and any(_may_have(cluster, topic, asked) for topic in topics):
        return None
    if asked.types == [EXCLUSIVE] and any(each.consumers for each in existing):

        def may_leave_some() -> None:
            for topic in topics:
                cluster.topic(topic, ids).may_have.add(asked.name)

        refused = [raises(REFUSAL[client.simplified], effect=may_leave_some)]
        return Expectation(refused, ["SLJ-SUB-018"], f"{kind} of a subscription that has one")

    def begin() -> None:
        consumer = Consumer(makes, client, destination, by or EVERYTHING)
        cluster.consumers[makes] = consumer
        for topic, earlier in zip(topics, before, strict=True):
            subscription = earlier or _begin_subscription(cluster, topic, kind, asked, ids, makes)
            subscription.is_made |= client.settings.precreate is not False
            cluster.topics[topic].is_made |= subscription.is_made
            cluster.topics[topic].domains.add(destination.domain)
            subscription.filters.append(consumer.filter)
            subscription.consumers.append(consumer)
            subscription.leave_out()
            subscription.had_several |= len(subscription.consumers) > 1
            consumer.subscriptions.append(subscription)

    fresh = any(topic not in cluster.topics for topic in topics)
    if fresh:
        return Expectation([succeeds(begin)], ["SLJ-DEST-022"], f"{kind} of a new topic")
    differs = [each.filters[-1].differs_from(by or EVERYTHING) for each in existing]
    if any(differs):
        said, words = [*filter(None, differs)], f"{kind} that filters by something else"
    elif any(cluster.topics[topic].is_used_otherwise(destination.domain) for topic in topics):
        said, words = ["SLJ-DEST-003"], f"{kind} of what is used as both queue and topic"
    else:
        makes_it = row.durable and not any(before)
        said, words = ["SLJ-SUB-029"] if makes_it else [], f"{kind} of a topic"
    return Expectation([succeeds(begin)], said, words)


def _existing(
    cluster: Cluster, topic: PulsarTopic, asked: RequiredSubscription
) -> Subscription | None:
    """The subscription of that name, which may be that of a consumer of another kind."""
    known = cluster.topics.get(topic)
    return known.subscriptions.get(asked.name) if known and asked.name != RANDOM else None


def _may_have(cluster: Cluster, topic: PulsarTopic, asked: RequiredSubscription) -> bool:
    """Whether nobody knows if a topic has such a subscription, and since when."""
    known = cluster.topics.get(topic)
    return known is not None and asked.name in known.may_have - set(known.subscriptions)


def _is_same(subscription: Subscription, asked: RequiredSubscription, kind: str) -> bool:
    """Whether both are alike, so that Pulsar takes them for one."""
    of_queues = RECEIVER in (subscription.kind, kind)
    alike = (subscription.wanted.types, subscription.wanted.durable) == (asked.types, asked.durable)
    return alike and (not of_queues or subscription.kind == kind)


def _begin_subscription(
    cluster: Cluster,
    topic: PulsarTopic,
    kind: str,
    asked: RequiredSubscription,
    ids: Sequence[str],
    consumer: str,
) -> Subscription:
    """A new subscription; that of a queue begins with the first message there is."""
    known = cluster.topic(topic, ids)
    due = [*known.sent] if kind == RECEIVER else []
    made = Subscription(kind, asked, topic, ids, due)
    made.is_made = made.is_used = kind != RECEIVER
    made.early = {message.number for message in known.sent}
    known.subscriptions[cluster.key_of(asked, consumer)] = made
    return made
