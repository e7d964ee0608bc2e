"""Clients that are wrong about dead letters."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from pulsar_jms.configuration import checking
from pulsar_jms.deliveries import dead_letters
from pulsar_jms.deliveries.dead_letters import DeadLetters, DeadLetterTopics
from pulsar_jms.deliveries.redelivery import Redelivery
from pulsar_jms.mapping.dead_letter import DeadLetterPolicy
from pulsar_jms.mapping.subscriptions import QUEUE_SUBSCRIPTION
from touchstone.mutants.registry import Mutant

_policy_of = checking._dead_letter_policy
_topic_for = DeadLetterPolicy.topic_for

MOVED_AT_THE_LIMIT = Mutant(
    name="moved-at-the-limit",
    area="dead-letter",
    violates=("SLJ-DLQ-002", "SLJ-DLQ-010", "SLJ-DLQ-011"),
    doc="A message is set aside when its redeliveries reach maxRedeliverCount.",
    apply=partial(
        patch.object,
        DeadLetterPolicy,
        "exceeded_by",
        lambda policy, redelivery_count: redelivery_count >= policy.max_redeliver_count,
    ),
)
LIMIT_CAPPED = Mutant(
    name="limit-capped",
    area="dead-letter",
    violates=("SLJ-DLQ-002",),
    doc="A maxRedeliverCount above 16 is taken for 16.",
    apply=partial(
        patch.object,
        DeadLetterPolicy,
        "exceeded_by",
        lambda policy, redelivery_count: redelivery_count > min(policy.max_redeliver_count, 16),
    ),
)
DEAD_LETTER_TOPIC_IGNORED = Mutant(
    name="dead-letter-topic-ignored",
    area="dead-letter",
    violates=("SLJ-DLQ-001", "SLJ-DLQ-003"),
    doc="Dead letters go to the topic with the default name.",
    apply=partial(
        patch.object,
        DeadLetterPolicy,
        "topic_for",
        lambda policy, topic, subscription: f"{topic}-{subscription}-DLQ",
    ),
)
FIRST_SUBSCRIPTION_FORGOTTEN = Mutant(
    name="first-subscription-forgotten",
    area="dead-letter",
    violates=("SLJ-DLQ-004",),
    doc="The dead letter topic does not get its first subscription.",
    apply=partial(patch.object, DeadLetterTopics, "_subscribe", lambda topics, topic, name: None),
)
DEAD_LETTER_WITHOUT_PROPERTIES = Mutant(
    name="dead-letter-without-properties",
    area="dead-letter",
    violates=("SLJ-DLQ-005",),
    doc="A dead letter has the message's payload, but not its properties.",
    apply=partial(
        patch.object,
        dead_letters,
        "dead_letter_properties",
        lambda properties, topic, subscription, *_: {"REAL_TOPIC": topic},
    ),
)
DEAD_LETTER_STAYS = Mutant(
    name="dead-letter-stays",
    area="dead-letter",
    violates=("SLJ-DLQ-006", "SLJ-DLQ-007"),
    doc="A message that was set aside is not acknowledged.",
    apply=partial(patch.object, DeadLetters, "_settle", lambda letters, delivered, topic: None),
)
REJECTIONS_WITHOUT_LIMIT = Mutant(
    name="rejections-without-limit",
    area="dead-letter",
    violates=("SLJ-DLQ-009",),
    doc="A message that the application rejects is redelivered without end.",
    apply=partial(
        patch.multiple,
        Redelivery,
        redeliver_rejected=lambda redelivery, items, halt=False: redelivery._receive_queue.nack(
            items, 0.0, halt=halt
        ),
        dead_letter_if_exceeded=lambda redelivery, delivered: False,
    ),
)
TIME_OUTS_WITHOUT_LIMIT = Mutant(
    name="time-outs-without-limit",
    area="dead-letter",
    violates=("SLJ-DLQ-008",),
    doc="A message that is not acknowledged in time is redelivered without end.",
    apply=partial(
        patch.object,
        Redelivery,
        "redeliver_timed_out",
        lambda redelivery, items: redelivery._receive_queue.nack(items, 0.0, halt=False),
    ),
)
SELECTOR_REJECTIONS_DROPPED = Mutant(
    name="selector-rejections-dropped",
    area="dead-letter",
    violates=("SLJ-DLQ-012",),
    doc="What the selector of a queue's consumer rejects is acknowledged.",
    apply=partial(
        patch.object,
        Redelivery,
        "redeliver_filtered",
        lambda redelivery, item: redelivery._receive_queue.acknowledge(item),
    ),
)
LIMITED_WITHOUT_A_POLICY = Mutant(
    name="limited-without-a-policy",
    area="dead-letter",
    violates=("SLJ-DLQ-013",),
    doc="Without a policy a message is set aside after 16 redeliveries.",
    apply=partial(
        patch.object,
        checking,
        "_dead_letter_policy",
        lambda values, kind: _policy_of(values, kind) or DeadLetterPolicy(16),
    ),
)


def _topic_of_queues(policy: DeadLetterPolicy, topic: str, subscription: str) -> str:
    if subscription == QUEUE_SUBSCRIPTION:
        return _topic_for(policy, topic, subscription)
    return f"{topic}-{subscription}-DLQ"


NAMED_TOPIC_FOR_QUEUES_ONLY = Mutant(
    name="named-topic-for-queues-only",
    area="dead-letter",
    violates=("SLJ-DLQ-003",),
    doc="Dead letters of a topic's subscription go to the topic that Pulsar would name.",
    apply=partial(patch.object, DeadLetterPolicy, "topic_for", _topic_of_queues),
)
