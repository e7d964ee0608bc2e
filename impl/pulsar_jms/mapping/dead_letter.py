"""Dead letters: when a message is set aside, where it goes, and what is added to it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pulsar_jms.implements import implements
from pulsar_jms.mapping.destinations import DEFAULT_NAMESPACE, full_topic_name
from pulsar_jms.mapping.headers import Position, message_id_text

REAL_TOPIC = "REAL_TOPIC"
REAL_SUBSCRIPTION = "REAL_SUBSCRIPTION"
ORIGIN_MESSAGE_IDS = ("ORIGIN_MESSAGE_ID", "ORIGIN_MESSAGE_IDY_TIME")
"""Pulsar's name, and the one that it had before; both are written."""


@implements("SLJ-DLQ-001")
@dataclass(frozen=True)
class DeadLetterPolicy:
    """What is done with a message that was redelivered too often."""

    max_redeliver_count: int
    """How often a message may be redelivered."""
    topic: str | None = None
    """The full name of the dead letter topic; None for Pulsar's default name."""
    initial_subscription: str | None = None
    """The durable subscription that the dead letter topic gets before its first message."""

    @implements("SLJ-DLQ-002", "SLJ-DLQ-010")
    def exceeded_by(self, redelivery_count: int) -> bool:
        """Whether a message may not be delivered that was redelivered so often, 0 for never."""
        return redelivery_count > self.max_redeliver_count

    @implements("SLJ-DLQ-009")
    def exhausted_after(self, redelivery_count: int) -> bool:
        """Whether that was a message's last delivery: its next one would exceed the limit."""
        return self.exceeded_by(redelivery_count + 1)

    @implements("SLJ-DLQ-003")
    def topic_for(self, topic: str, subscription: str) -> str:
        """Where the dead letters of a subscription of `topic` go; a partition has its own."""
        return self.topic or f"{topic}-{subscription}-DLQ"


@implements("SLJ-DLQ-005")
def dead_letter_properties(
    properties: Mapping[str, str],
    topic: str,
    subscription: str,
    position: Position,
    first: Position | None = None,
) -> dict[str, str]:
    """The raw properties of a dead letter: its own, and where it came from unless that is there.

    `first` is where its first part was, if it had several.
    """
    identifier = message_id_text(position, first).removeprefix("ID:")
    origin = {REAL_TOPIC: topic, REAL_SUBSCRIPTION: subscription}
    return origin | dict.fromkeys(ORIGIN_MESSAGE_IDS, identifier) | dict(properties)


def dead_letter_topic_name(value: object) -> str:
    """The full name of a topic by Pulsar's own rules; empty where the value is.

    Other than a destination's it does not look at jms.systemNamespace, as in the real client.
    Raises `ValueError` that says what is allowed.
    """
    if not isinstance(value, str):
        raise ValueError("a text")
    if not value:
        return ""
    scheme, separator, path = value.rpartition("://")
    parts = path.split("/")
    full = separator and scheme in ("persistent", "non-persistent") and len(parts) >= 3
    if not all(parts) or not (full or (not separator and len(parts) in (1, 3))):
        raise ValueError(
            "a topic: its name alone, tenant/namespace/name, or that after persistent://"
        )
    if full:
        return value
    return f"persistent://{value}" if len(parts) == 3 else full_topic_name(value, DEFAULT_NAMESPACE)
