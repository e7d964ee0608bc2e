"""What is seen of topics, subscriptions and messages, and is not as it has to be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from jms_model.pulsar_subscriptions.cluster import Cluster, Message, Subscription, Topic
from jms_model.pulsar_subscriptions.destinations import QUEUE, PulsarTopic
from jms_model.pulsar_subscriptions.kinds import EXCLUSIVE, KINDS, RANDOM, RECEIVER

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DELIVERED_ONCE: Final = ("SLJ-DEST-006", "SLJ-DEST-011")


class ObservedSubscription(NamedTuple):
    """A subscription as an administrator sees it."""

    type: str
    durable: bool
    consumers: int


class SubscriptionDifference(NamedTuple):
    """One thing that is not as it has to be: the statements that it breaks, and words for it."""

    ids: Sequence[str]
    words: str


def of_subscriptions(
    topic: Topic, seen: Mapping[str, ObservedSubscription]
) -> SubscriptionDifference | None:
    """The first difference between the subscriptions of a topic and those that are seen."""
    left = dict(seen)
    missing = []
    for subscription in sorted(topic.subscriptions.values(), key=lambda of: len(of.wanted.types)):
        name = _name_of(subscription, left)
        if name is None and not subscription.is_made:
            continue
        if name is None:
            missing.append(subscription)
        elif difference := _of_one(subscription, left.pop(name)):
            return difference
    unknown = [name for name in left if name not in topic.may_have]
    if missing:
        subscription = missing[0]
        kind = subscription.kind
        if unknown:
            return SubscriptionDifference(
                subscription.wanted.name_ids, f"another name for that of a {kind}"
            )
        if not subscription.consumers:
            return SubscriptionDifference(
                subscription.wanted.life_ids, f"no more that of a closed {kind}"
            )
        return SubscriptionDifference(subscription.topic_ids, f"not that of a {kind}")
    for name in unknown:
        gone = topic.gone.get(RANDOM if _UUID.fullmatch(name) else name)
        if gone:
            return SubscriptionDifference(gone, "one that should have gone with its consumer")
    if topic.stays_without & set(unknown):
        return SubscriptionDifference(["SLJ-SUB-034"], "one that is made ahead of use")
    if unknown:
        last = [*topic.subscriptions.values()][-1:]
        ids = [id_ for each in last for id_ in each.wanted.name_ids]
        return SubscriptionDifference(ids, "one that nobody asked for")
    return None


def _name_of(subscription: Subscription, seen: Mapping[str, ObservedSubscription]) -> str | None:
    """The name by which it is seen."""
    name = subscription.wanted.name
    if name == RANDOM:
        random = [each for each in seen if _UUID.fullmatch(each)]
        alike = [each for each in random if seen[each].type in subscription.wanted.types]
        return next(iter([*alike, *random]), None)
    return name if name in seen else None


def _of_one(
    subscription: Subscription, seen: ObservedSubscription
) -> SubscriptionDifference | None:
    """What is wrong with a subscription that is there; its type shows only with a consumer."""
    wanted, kind = subscription.wanted, subscription.kind
    if seen.consumers and seen.type not in wanted.types:
        said = _said_of(kind, wanted.type_ids, KINDS[kind].type_id)
        return SubscriptionDifference(wanted.type_ids, f"that of a {said} as {seen.type}")
    several = len(subscription.consumers)
    fewest = several if kind != RECEIVER else min(several, subscription.is_used)
    if not fewest <= seen.consumers <= several:
        ids = ["SLJ-DEST-011"] if kind == RECEIVER else []
        return SubscriptionDifference(ids, f"that of a {kind} with other consumers")
    return None


def of_lives(
    topic: Topic, seen: Mapping[str, ObservedSubscription]
) -> SubscriptionDifference | None:
    """The first subscription that is durable and should not be, or the reverse."""
    left = dict(seen)
    for subscription in topic.subscriptions.values():
        name = _name_of(subscription, left)
        if name is not None and left.pop(name).durable is not subscription.wanted.durable:
            durable = "not durable" if subscription.wanted.durable else "durable"
            kind, ids = subscription.kind, subscription.wanted.life_ids
            said = _said_of(kind, ids, KINDS[kind].life_id)
            return SubscriptionDifference(ids, f"that of a {said} as {durable}")
    return None


def _said_of(kind: str, ids: Sequence[str], usual: str) -> str:
    """A kind of consumer, and whether other statements than the usual one are on its settings."""
    return kind if [*ids] == [usual] else f"{kind} that a setting is about"


def of_topics(cluster: Cluster, seen: Collection[str]) -> SubscriptionDifference | None:
    """The first difference between the topics that there have to be and those that are seen."""
    wanted = {str(topic): known for topic, known in cluster.topics.items()}
    unknown = set(seen) - set(wanted)
    for name, known in wanted.items():
        if name not in seen and known.is_made:
            return SubscriptionDifference(known.ids, "another topic" if unknown else "no topic")
    if unknown:
        return SubscriptionDifference(
            ["SLJ-DEST-001"], "a topic that has another name than its destination"
        )
    return None


def of_messages(
    cluster: Cluster, subscriptions: Sequence[Subscription], got: Mapping[str, Sequence[int]]
) -> SubscriptionDifference | None:
    """The first difference between what was due and what each consumer got."""
    counts = Counter(number for numbers in got.values() for number in numbers)
    due = Counter(message.number for each in subscriptions for message in each.due)
    for each in subscriptions:
        for message in each.due:
            if counts[message.number] < due[message.number]:
                return _missing(cluster, each, message)
    known = {number for each in subscriptions for number in each.taken}
    again = known if any(each.reopened for each in subscriptions) else set()
    again |= {number for each in subscriptions for number in each.left_out}
    for number, count in counts.items():
        if count > due[number] and not (number in again and number not in due):
            return _describe_unexpected(cluster, subscriptions, number)
    if difference := _left_in(cluster, subscriptions, got):
        return difference
    for each in subscriptions:
        if each.wanted.types != [EXCLUSIVE] or len(subscriptions) > 1:
            continue
        order = [message.number for message in each.due]
        if [number for number in got[each.consumers[0].name] if number in due] != order:
            return SubscriptionDifference(
                ["JMS-ORD-001"], f"a {each.kind}'s messages in another order"
            )
    return None


def _left_in(
    cluster: Cluster, subscriptions: Sequence[Subscription], got: Mapping[str, Sequence[int]]
) -> SubscriptionDifference | None:
    """What a consumer gets that its selector or noLocal leaves out."""
    sent = {m.number: m for each in subscriptions for m in cluster.topics[each.topic].sent}
    for name, numbers in got.items():
        consumer = cluster.consumers[name]
        for number in numbers:
            if id_ := consumer.rejects_by(sent[number]):
                kind = consumer.subscriptions[0].kind
                return SubscriptionDifference([id_], f"to a {kind} what it has to leave out")
    return None


def _missing(cluster: Cluster, of: Subscription, message: Message) -> SubscriptionDifference:
    """A message that did not come: what is special about it says which statement is broken."""
    topic = cluster.topics[of.topic]
    if message.number in of.early:
        return SubscriptionDifference(
            ["SLJ-DEST-008"], f"not to a {of.kind} what was sent before it"
        )
    if message.number in of.kept:
        kept = _on_kept(of)
        return SubscriptionDifference(
            kept, f"not to a {of.kind} what was sent while there was none"
        )
    is_other = (message.destination.domain == QUEUE) != (of.kind == RECEIVER)
    if is_other:
        ids = ["SLJ-DEST-002"]
        return SubscriptionDifference(
            ids, f"not to a {of.kind} what was sent to a {message.destination.domain}"
        )
    if of.consumers and of.consumers[0].destination.is_virtual:
        return SubscriptionDifference(
            ["SLJ-VIRT-001", "SLJ-VIRT-004"], f"not to a {of.kind} of a list"
        )
    if of.kind == RECEIVER:
        several = sum(each.kind == RECEIVER for each in topic.subscriptions.values()) > 1
        ids = ["SLJ-DEST-013"] if several else ["SLJ-DEST-006"]
        return SubscriptionDifference(ids, f"not to a {of.kind}")
    return SubscriptionDifference(["SLJ-SUB-020"], f"not to a {of.kind}")


def _on_kept(of: Subscription) -> Sequence[str]:
    """The statement by which a subscription keeps messages while it has no consumer.

    Where its consumers differ in what they filter by, that counts only if it has kept some before.
    """
    if of.kind == RECEIVER:
        return ["SLJ-DEST-010"]
    if not of.is_changed:
        return ["SLJ-SUB-016"]
    by = {"SLJ-SUB-027": "SLJ-SUB-026"}.get(of.changed_by, of.changed_by)
    return [by] if by and of.has_kept else []


def _describe_unexpected(
    cluster: Cluster, subscriptions: Sequence[Subscription], number: int
) -> SubscriptionDifference:
    """A message that nobody has to get there, or not once more."""
    of = next((each for each in subscriptions if number in _sent_to(cluster, each.topic)), None)
    if of is None:
        first = subscriptions[0]
        return SubscriptionDifference(
            first.topic_ids, f"to a {first.kind} what was sent to another topic"
        )
    if number in of.taken or any(message.number == number for message in of.due):
        ids = _DELIVERED_ONCE if of.kind == RECEIVER else ["SLJ-SUB-019"] if of.had_several else []
        return SubscriptionDifference(ids, f"to a {of.kind} once more")
    gone = of.wanted.name in cluster.topics[of.topic].gone
    ids = ["SLJ-SUB-017"] if gone and not of.wanted.durable else []
    return SubscriptionDifference(ids, f"to a {of.kind} what was sent before it")


def _sent_to(cluster: Cluster, topic: PulsarTopic) -> Iterator[int]:
    return (message.number for message in cluster.topics[topic].sent)


def decided_by(cluster: Cluster, of: Subscription) -> Iterator[str]:
    """The statements that are kept where a subscription gets what is due, and nothing else."""
    topic = cluster.topics[of.topic]
    numbers = {message.number for message in of.due}
    for message in topic.sent:
        if message.number in of.left_out:
            yield from filter(None, (each.rejects_by(message) for each in of.consumers))
    if any((m.destination.domain == QUEUE) != (of.kind == RECEIVER) for m in of.due):
        yield "SLJ-DEST-002"
    if any(each.destination.is_virtual for each in of.consumers):
        yield from ("SLJ-VIRT-001", "SLJ-VIRT-004")
    if of.kind == RECEIVER:
        yield from _DELIVERED_ONCE if of.had_several else _DELIVERED_ONCE[:1]
        if numbers & of.early:
            yield "SLJ-DEST-008"
        if sum(each.kind == RECEIVER for each in topic.subscriptions.values()) > 1:
            yield "SLJ-DEST-013"
        return
    if numbers & of.kept:
        yield from _on_kept(of)
    if len(topic.subscriptions) > 1:
        yield "SLJ-SUB-020"
    if of.had_several:
        yield "SLJ-SUB-019"
    if of.early and of.wanted.name in topic.gone:
        yield "SLJ-SUB-017"
    if sum(of.wanted.name in each.subscriptions for each in cluster.topics.values()) > 1:
        yield "SLJ-SUB-024"
