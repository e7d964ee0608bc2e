"""What is permitted of each call of a client, and of what an administrator then sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

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
    Client,
    Cluster,
    Consumer,
    Message,
    Subscription,
    together,
)
from jms_model.pulsar_subscriptions.destinations import QUEUE, Destination, PulsarTopic
from jms_model.pulsar_subscriptions.differences import (
    Difference,
    decided_by,
    of_lives,
    of_messages,
    of_subscriptions,
    of_topics,
)
from jms_model.pulsar_subscriptions.kinds import (
    EXCLUSIVE,
    KINDS,
    QUEUE_SUBSCRIPTION,
    RANDOM,
    RECEIVER,
    Wanted,
    wanted,
)
from jmsapi import (
    InvalidClientIDException,
    InvalidClientIDRuntimeException,
    JMSException,
    JMSRuntimeException,
)

_REFUSAL: Final = {False: JMSException, True: JMSRuntimeException}
_TAKEN: Final = {False: InvalidClientIDException, True: InvalidClientIDRuntimeException}


def _nothing() -> None:
    """A look changes nothing."""


def connect(
    cluster: Cluster, factory: str, api: str, client_id: str | None, makes: str
) -> Expectation | None:
    """A client of a factory; `client_id`: what the application sets, where none is configured."""
    settings = cluster.factories[factory]
    if settings.client_id and client_id:
        return None
    client = Client(api, factory, settings, settings.client_id or client_id)
    holder = client.client_id and cluster.holder_of(client.client_id)
    if holder:
        same = holder.factory == factory
        ids = ["SLJ-IDN-006" if same else "SLJ-IDN-007"]
        # JMS names no special exception for a context that cannot be made
        is_made = not (client.simplified and settings.client_id)
        kind = _TAKEN[client.simplified] if is_made else JMSRuntimeException
        words = f"with a client id in use by {'the same' if same else 'another'} factory"
        return Expectation([raises(kind)], ids, words)

    def begin() -> None:
        cluster.clients[makes] = client

    ids = ["SLJ-IDN-008"] if client.client_id in cluster.freed else []
    return Expectation([succeeds(begin)], ids, "with a client id that was freed" if ids else "")


def client_id(client: Client) -> Expectation | None:
    """The client identifier is the one that it was given."""
    if client.closed:
        return None
    configured = client.settings.client_id is not None
    ids = ["SLJ-IDN-002" if configured else "SLJ-IDN-001"] if client.client_id else []
    words = "that is configured" if configured else "that the application has set"
    return Expectation([gives(client.client_id)], ids, words if ids else "")


def open_consumer(
    cluster: Cluster, client: Client, kind: str, destination: Destination, name: str, makes: str
) -> Expectation | None:
    """A consumer of one of the kinds; `name`: that of its subscription, where it is given one."""
    row = KINDS[kind]
    if client.closed or (row.durable and row.is_unshared and not client.client_id):
        return None
    namespace = client.settings.namespace
    asked = wanted(kind, destination, name, client.client_id, client.settings)
    topics = destination.topics(namespace)
    ids = destination.ids(namespace)
    before = [_existing(cluster, topic, asked) for topic in topics]
    existing = [subscription for subscription in before if subscription]
    if any(not _is_same(each, asked, kind) for each in existing):
        return None
    if kind != RECEIVER and any(_may_have(cluster, topic, asked) for topic in topics):
        return None
    if asked.types == [EXCLUSIVE] and any(each.consumers for each in existing):

        def may_leave_some() -> None:
            for topic in topics:
                cluster.topic(topic, ids).may_have.add(asked.name)

        refused = [raises(_REFUSAL[client.simplified], effect=may_leave_some)]
        return Expectation(refused, ["SLJ-SUB-018"], f"{kind} of a subscription that has one")

    def begin() -> None:
        consumer = Consumer(makes, client, destination)
        cluster.consumers[makes] = consumer
        for topic, found in zip(topics, before, strict=True):
            subscription = found or _begun(cluster, topic, kind, asked, ids, makes)
            subscription.is_made |= client.settings.precreate is not False
            cluster.topics[topic].is_made |= subscription.is_made
            subscription.consumers.append(consumer)
            subscription.had_several |= len(subscription.consumers) > 1
            consumer.subscriptions.append(subscription)

    fresh = any(topic not in cluster.topics for topic in topics)
    if fresh:
        return Expectation([succeeds(begin)], ["SLJ-DEST-022"], f"{kind} of a new topic")
    makes_it = row.durable and not any(before)
    said = ["SLJ-SUB-029"] if makes_it else []
    return Expectation([succeeds(begin)], said, f"{kind} of a topic")


def _existing(cluster: Cluster, topic: PulsarTopic, asked: Wanted) -> Subscription | None:
    """The subscription of that name, which may be that of a consumer of another kind."""
    known = cluster.topics.get(topic)
    return known.subscriptions.get(asked.name) if known and asked.name != RANDOM else None


def _may_have(cluster: Cluster, topic: PulsarTopic, asked: Wanted) -> bool:
    """Whether nobody knows if a topic has such a subscription, and since when."""
    known = cluster.topics.get(topic)
    return known is not None and asked.name in known.may_have - set(known.subscriptions)


def _is_same(subscription: Subscription, asked: Wanted, kind: str) -> bool:
    """Whether both are alike, so that Pulsar takes them for one."""
    of_queues = RECEIVER in (subscription.kind, kind)
    alike = (subscription.wanted.types, subscription.wanted.durable) == (asked.types, asked.durable)
    return alike and (not of_queues or subscription.kind == kind)


def _begun(
    cluster: Cluster,
    topic: PulsarTopic,
    kind: str,
    asked: Wanted,
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


def close_consumer(cluster: Cluster, consumer: Consumer) -> Expectation | None:
    """A consumer is closed, once."""
    if consumer.closed:
        return None
    return Expectation([succeeds(lambda: cluster.close(consumer))], [])


def close_client(cluster: Cluster, client: Client) -> Expectation | None:
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
    cluster: Cluster, client: Client, destination: Destination, number: int
) -> Expectation | None:
    """A message gets to each subscription of its topic."""
    if client.closed or destination.is_virtual:
        return None
    settings = client.settings
    ids = destination.ids(settings.namespace)
    (topic,) = destination.topics(settings.namespace)

    def arrive() -> None:
        known = cluster.topic(topic, ids)
        message = Message(number, destination)
        known.sent.append(message)
        known.is_made = True
        for subscription in known.subscriptions.values():
            subscription.due.append(message)
            if not subscription.consumers:
                subscription.kept.add(number)
        if destination.domain == QUEUE and settings.precreate is not False:
            usual = settings.queue_subscription or QUEUE_SUBSCRIPTION
            known.may_have.add(destination.subscription or usual)

    fresh = topic not in cluster.topics
    return Expectation([succeeds(arrive)], ["SLJ-DEST-022"] if fresh else [], "to a new topic")


def take(cluster: Cluster, consumer: Consumer) -> Expectation | None:
    """All that is due to a consumer, and to those that it shares subscriptions with."""
    if consumer.closed:
        return None
    subscriptions, _ = together(consumer)
    if not any(subscription.due for subscription in subscriptions):
        return None

    def end() -> None:
        for subscription in subscriptions:
            subscription.taken.update(message.number for message in subscription.due)
            subscription.due = []
            subscription.is_made = True
            cluster.topics[subscription.topic].is_made = True
            subscription.is_used |= len(subscription.consumers) == 1

    ids = [id_ for each in subscriptions for id_ in decided_by(cluster, each)]
    differs = partial(of_messages, cluster, subscriptions)
    return _seen_as("all that is due, once", differs, end, ids)


def unsubscribe(client: Client) -> Expectation | None:
    """A name says nothing without its topic."""
    if client.closed:
        return None
    return Expectation([raises(_REFUSAL[client.simplified])], ["SLJ-SUB-025"])


def look_at_subscriptions(cluster: Cluster, topic: PulsarTopic) -> Expectation | None:
    """What an administrator sees of a topic's subscriptions: which there are, and their types."""
    known = cluster.topics.get(topic)
    if known is None:
        return None
    wants = [each.wanted for each in known.subscriptions.values()]
    ids = [id_ for each in wants for id_ in (*each.name_ids, *each.type_ids)]
    ids += [id_ for each in known.gone.values() for id_ in each]
    ids += [id_ for each in known.subscriptions.values() for id_ in each.topic_ids]
    differs = partial(of_subscriptions, known)
    return _seen_as("those of the consumers, and durable ones", differs, _nothing, ids)


def look_at_lives(cluster: Cluster, topic: PulsarTopic) -> Expectation | None:
    """Which of a topic's subscriptions an administrator sees as durable."""
    known = cluster.topics.get(topic)
    if known is None:
        return None
    ids = [id_ for each in known.subscriptions.values() for id_ in each.wanted.life_ids]
    return _seen_as("durable ones as such", partial(of_lives, known), _nothing, ids)


def look_at_topics(cluster: Cluster) -> Expectation:
    """What an administrator sees of the topics that a program has made."""

    ids = [id_ for known in cluster.topics.values() for id_ in known.ids]
    differs = partial(of_topics, cluster)
    return _seen_as("a persistent topic for each name", differs, _nothing, ["SLJ-DEST-001", *ids])


def _seen_as(
    words: str,
    differs: Callable[[Any], Difference | None],
    effect: Effect,
    ids: Sequence[str],
) -> Expectation:
    """What is seen differs in nothing; what it differs in tells which statements are broken.

    It is compared when it is seen, since what has to be changes afterwards.
    """

    found: Difference | None = None

    def holds(answer: Answer) -> bool:
        nonlocal found
        found = differs(answer.value) if isinstance(answer, Gave) else None
        return isinstance(answer, Gave) and found is None

    return Expectation(
        [Permitted(words, holds, effect)],
        [*dict.fromkeys(ids)],
        accuse=lambda _: found.ids if found else (),
        instead=(),
        name=lambda _: f"shows {found.words}" if found else "",
    )
