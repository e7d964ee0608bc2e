"""What is permitted of each call of a client, and of what an administrator then sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from jms_model.answers import (
    Answer,
    Effect,
    Expectation,
    Gave,
    Permitted,
    gives,
    raises,
    succeeds,
)
from jms_model.pulsar_subscriptions.cluster import (
    Cluster,
    Consumer,
    Message,
    SessionClient,
    together,
)
from jms_model.pulsar_subscriptions.destinations import QUEUE, Destination, PulsarTopic
from jms_model.pulsar_subscriptions.differences import (
    SubscriptionDifference,
    decided_by,
    of_lives,
    of_messages,
    of_subscriptions,
    of_topics,
)
from jms_model.pulsar_subscriptions.kinds import (
    FAILOVER,
    QUEUE_SUBSCRIPTION,
)
from jms_model.pulsar_subscriptions.refusals import REFUSAL, TAKEN
from jmsapi import JMSRuntimeException


def _do_nothing() -> None:
    """A look changes nothing."""


def connect(
    cluster: Cluster, factory: str, api: str, client_id: str | None, makes: str
) -> Expectation | None:
    """A client of a factory; `client_id`: what the application sets, where none is configured."""
    settings = cluster.factories[factory]
    if settings.client_id and client_id:
        return None
    client = SessionClient(api, factory, settings, settings.client_id or client_id)
    holder = client.client_id and cluster.holder_of(client.client_id)
    if holder:
        same = holder.factory == factory
        ids = ["SLJ-IDN-006" if same else "SLJ-IDN-007"]
        # JMS names no special exception for a context that cannot be made
        is_made = not (client.simplified and settings.client_id)
        kind = TAKEN[client.simplified] if is_made else JMSRuntimeException
        words = f"with a client id in use by {'the same' if same else 'another'} factory"
        return Expectation([raises(kind)], ids, words)

    def begin() -> None:
        cluster.clients[makes] = client

    ids = ["SLJ-IDN-008"] if client.client_id in cluster.freed else []
    return Expectation([succeeds(begin)], ids, "with a client id that was freed" if ids else "")


def client_id(client: SessionClient) -> Expectation | None:
    """The client identifier is the one that it was given."""
    if client.closed:
        return None
    configured = client.settings.client_id is not None
    ids = ["SLJ-IDN-002" if configured else "SLJ-IDN-001"] if client.client_id else []
    words = "that is configured" if configured else "that the application has set"
    return Expectation([gives(client.client_id)], ids, words if ids else "")


def close_consumer(cluster: Cluster, consumer: Consumer) -> Expectation | None:
    """A consumer is closed, once."""
    if consumer.closed:
        return None
    return Expectation([succeeds(lambda: cluster.close(consumer))], [])


def close_client(cluster: Cluster, client: SessionClient) -> Expectation | None:
    """A client is closed with its consumers, and its client id is free."""
    if client.closed:
        return None

    def end() -> None:
        for consumer in [*cluster.consumers_of(client)]:
            cluster.close(consumer)
        client.closed = True
        if client.client_id:
            cluster.freed.add(client.client_id)

    return Expectation([succeeds(end)], [])


def send(
    cluster: Cluster, client: SessionClient, destination: Destination, number: int
) -> Expectation | None:
    """A message gets to each subscription of its topic."""
    if client.closed or destination.is_virtual:
        return None
    settings = client.settings
    ids = destination.ids(settings.namespace)
    (topic,) = destination.topics(settings.namespace)

    def arrive() -> None:
        known = cluster.topic(topic, ids)
        message = Message(number, destination, client)
        known.sent.append(message)
        known.is_made = True
        known.domains.add(destination.domain)
        for subscription in known.subscriptions.values():
            subscription.due.append(message)
            if not subscription.consumers:
                subscription.kept.add(number)
            subscription.leave_out()
        if destination.domain == QUEUE:
            usual = settings.queue_subscription or QUEUE_SUBSCRIPTION
            ahead = known.not_ahead if settings.precreate is False else known.may_have
            ahead.add(destination.subscription or usual)

    known = cluster.topics.get(topic)
    if known is None:
        return Expectation([succeeds(arrive)], ["SLJ-DEST-022"], "to a new topic")
    mixed = known.is_used_otherwise(destination.domain)
    words = "to what is used as both queue and topic" if mixed else ""
    return Expectation([succeeds(arrive)], ["SLJ-DEST-003"] if mixed else [], words)


def take(cluster: Cluster, consumer: Consumer) -> Expectation | None:
    """All that is due to a consumer, and to those that it shares subscriptions with.

    No statement is on what Failover subscriptions give, which the broker holds back for a second.
    """
    if consumer.closed:
        return None
    subscriptions, _ = together(consumer)
    if any(FAILOVER in each.wanted.types for each in subscriptions):
        return None
    if not any(subscription.due for subscription in subscriptions):
        return None

    def end() -> None:
        for subscription in subscriptions:
            numbers = {message.number for message in subscription.due}
            subscription.has_kept |= bool(numbers & subscription.kept)
            subscription.taken |= numbers
            subscription.due = []
            subscription.is_made = True
            cluster.topics[subscription.topic].is_made = True
            subscription.is_used |= len(subscription.consumers) == 1

    ids = [id_ for each in subscriptions for id_ in decided_by(cluster, each)]
    differs = partial(of_messages, cluster, subscriptions)
    return _expect_no_difference("all that is due, once", differs, end, ids)


def unsubscribe(client: SessionClient) -> Expectation | None:
    """A name says nothing without its topic."""
    if client.closed:
        return None
    return Expectation([raises(REFUSAL[client.simplified])], ["SLJ-SUB-025"])


def look_at_subscriptions(cluster: Cluster, topic: PulsarTopic) -> Expectation | None:
    """What an administrator sees of a topic's subscriptions: which there are, and their types."""
    known = cluster.topics.get(topic)
    if known is None:
        return None
    wants = [each.wanted for each in known.subscriptions.values()]
    ids = [id_ for each in wants for id_ in (*each.name_ids, *each.type_ids)]
    ids += ["SLJ-SUB-034"] if known.stays_without else []
    ids += [id_ for each in known.gone.values() for id_ in each]
    ids += [id_ for each in known.subscriptions.values() for id_ in each.topic_ids]
    differs = partial(of_subscriptions, known)
    return _expect_no_difference(
        "those of the consumers, and durable ones", differs, _do_nothing, ids
    )


def look_at_lives(cluster: Cluster, topic: PulsarTopic) -> Expectation | None:
    """Which of a topic's subscriptions an administrator sees as durable."""
    known = cluster.topics.get(topic)
    if known is None:
        return None
    ids = [id_ for each in known.subscriptions.values() for id_ in each.wanted.life_ids]
    return _expect_no_difference("durable ones as such", partial(of_lives, known), _do_nothing, ids)


def look_at_topics(cluster: Cluster) -> Expectation:
    """What an administrator sees of the topics that a program has made."""

    ids = [id_ for known in cluster.topics.values() for id_ in known.ids]
    differs = partial(of_topics, cluster)
    return _expect_no_difference(
        "a persistent topic for each name", differs, _do_nothing, ["SLJ-DEST-001", *ids]
    )


def _expect_no_difference(
    words: str,
    differs: Callable[[Any], SubscriptionDifference | None],
    effect: Effect,
    ids: Sequence[str],
) -> Expectation:
    """What is seen differs in nothing; the difference says which statements are broken.

    It is compared when it is seen, since what has to be changes afterwards.
    """

    difference: SubscriptionDifference | None = None

    def holds(answer: Answer) -> bool:
        nonlocal difference
        difference = differs(answer.value) if isinstance(answer, Gave) else None
        return isinstance(answer, Gave) and difference is None

    return Expectation(
        [Permitted(words, holds, effect)],
        [*dict.fromkeys(ids)],
        accuse=lambda _: difference.ids if difference else (),
        instead=(),
        name=lambda _: f"shows {difference.words}" if difference else "",
    )
