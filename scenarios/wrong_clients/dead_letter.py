"""Clients that are wrong about dead letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.mutant import WORKLOADS
from jms_clients.mutants.wrong import wrong
from pulsar_jms.configuration import checking
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.deliveries import dead_letters
from pulsar_jms.deliveries.dead_letters import DeadLetters, DeadLetterTopics
from pulsar_jms.deliveries.redelivery import Redelivery
from pulsar_jms.mapping.dead_letter import DeadLetterPolicy
from pulsar_jms.mapping.subscriptions import QUEUE_SUBSCRIPTION
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.transport_protocol import DeliveredMessage

_exhausted_after = DeadLetterPolicy.exhausted_after
_store_and_acknowledge = DeadLetters._store_and_acknowledge

_first_subscriptions: dict[str, str] = {}
_policies: dict[str, DeadLetterPolicy] = {}


@wrong("SLJ-DLQ-002", "SLJ-DLQ-010", "SLJ-DLQ-011", patches=(DeadLetterPolicy, "exceeded_by"))
def moved_at_the_limit(policy: Any, redelivery_count: Any) -> Any:
    """A message is set aside when its redeliveries reach maxRedeliverCount."""
    return redelivery_count >= policy.max_redeliver_count


@wrong("SLJ-DLQ-002", patches=(DeadLetterPolicy, "exceeded_by"))
def limit_capped(policy: Any, redelivery_count: Any) -> Any:
    """A maxRedeliverCount above 16 is taken for 16."""
    return redelivery_count > min(policy.max_redeliver_count, 16)


@wrong("SLJ-DLQ-001", "SLJ-DLQ-003", patches=(DeadLetterPolicy, "topic_for"))
def dead_letter_topic_ignored(policy: Any, topic: Any, subscription: Any) -> Any:
    """Dead letters go to the topic with the default name."""
    return f"{topic}-{subscription}-DLQ"


@wrong("SLJ-DLQ-004", patches=(DeadLetterTopics, "_subscribe"))
def first_subscription_forgotten(topics: Any, topic: Any, name: Any) -> None:
    """The dead letter topic does not get its first subscription."""


@wrong("SLJ-DLQ-004", patches=(DeadLetterTopics, "_subscribe"))
def one_first_subscription_for_a_topic(
    original: Callable[..., None], topics: DeadLetterTopics, topic: str, name: str
) -> None:
    """A dead letter topic gets the first subscription of one policy, whoever shares it."""
    original(topics, topic, _first_subscriptions.setdefault(topic, name))


@wrong("SLJ-DLQ-002", patches=(DeadLetters, "__init__"))
def one_limit_for_a_dead_letter_topic(
    original: Callable[..., None], letters: DeadLetters, policy: DeadLetterPolicy, *others: Any
) -> None:
    """Whoever shares a dead letter topic has the limit of the first."""
    topic = policy.topic_for("topic", "subscription")
    original(letters, _policies.setdefault(topic, policy), *others)


@wrong("SLJ-DLQ-005", patches=(dead_letters, "dead_letter_properties"))
def dead_letter_without_properties(properties: Any, topic: Any, subscription: Any, *_: Any) -> Any:
    """A dead letter has the message's payload, but not its properties."""
    return {"REAL_TOPIC": topic}


@wrong("SLJ-DLQ-006", "SLJ-DLQ-007", patches=(DeadLetters, "_settle"))
def dead_letter_stays(letters: Any, delivered: Any, topic: Any) -> None:
    """A message that was set aside is not acknowledged."""


@wrong("SLJ-DLQ-009")
def rejections_without_limit() -> AbstractContextManager[object]:
    """A message that the application rejects is redelivered without end."""
    return patch.multiple(
        Redelivery,
        redeliver_rejected=lambda redelivery, items, halt=False: redelivery._receive_queue.nack(
            items, 0.0, halt=halt
        ),
        dead_letter_if_exceeded=lambda redelivery, delivered: False,
    )


@wrong("SLJ-DLQ-008", patches=(Redelivery, "redeliver_timed_out"))
def time_outs_without_limit(redelivery: Any, items: Any) -> Any:
    """A message that is not acknowledged in time is redelivered without end."""
    return redelivery._receive_queue.nack(items, 0.0, halt=False)


@wrong("SLJ-DLQ-012", patches=(Redelivery, "redeliver_filtered"))
def selector_rejections_dropped(redelivery: Any, item: Any) -> Any:
    """What the selector of a queue's consumer rejects is acknowledged."""
    return redelivery._receive_queue.acknowledge(item)


@wrong("SLJ-DLQ-013", patches=(checking, "_dead_letter_policy"))
def limited_without_a_policy(original: Any, values: Any, kind: Any) -> Any:
    """Without a policy a message is set aside after 16 redeliveries."""
    return original(values, kind) or DeadLetterPolicy(16)


@wrong("SLJ-DLQ-003", patches=(DeadLetterPolicy, "topic_for"))
def named_topic_for_queues_only(
    original: Callable[..., str], policy: DeadLetterPolicy, topic: str, subscription: str
) -> str:
    """Dead letters of a topic's subscription go to the topic that Pulsar would name."""
    if subscription == QUEUE_SUBSCRIPTION:
        return original(policy, topic, subscription)
    return f"{topic}-{subscription}-DLQ"


def _once_in(
    every: int, right: Callable[..., Any], wrong: Callable[..., Any]
) -> Callable[..., Any]:
    turns = count(1)

    def call(*arguments: Any) -> Any:
        return (right if next(turns) % every else wrong)(*arguments)

    return call


@wrong("SLJ-DLQ-010", scenarios=WORKLOADS)
def one_in_five_set_aside_early() -> AbstractContextManager[object]:
    """One rejected message in five becomes a dead letter before its last delivery."""
    return patch.object(
        DeadLetterPolicy, "exhausted_after", _once_in(5, _exhausted_after, lambda *_: True)
    )


def _lose_letter(letters: DeadLetters, delivered: DeliveredMessage) -> None:
    letters._receive_queue.acknowledge(delivered)


@wrong("SLJ-DLQ-002", scenarios=WORKLOADS)
def one_dead_letter_in_five_lost() -> AbstractContextManager[object]:
    """One message in five that is to be set aside is acknowledged, and goes nowhere."""
    return patch.object(
        DeadLetters, "_store_and_acknowledge", _once_in(5, _store_and_acknowledge, _lose_letter)
    )


def _give_back_again(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    error: BaseException,
) -> None:
    consumer.receive_queue.nack([delivered], 1.0, halt=False)


@wrong("SLJ-DLQ-008", scenarios="refused_messages_are_set_aside")
@contextmanager
def unreadable_messages_are_never_set_aside() -> Iterator[None]:
    """A message that cannot be read comes again without end, whatever the limit.

    The limit is looked at twice: when a message is given back, and when it arrives again.
    """
    with (
        patch.object(Settlement, "redeliver_failed", _give_back_again),
        patch.object(Redelivery, "dead_letter_if_exceeded", lambda redelivery, delivered: False),
    ):
        yield
