"""Queues and subscriptions as their broker sees them, by an independent client of any family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from jmsapi import Destination, Queue, Topic


@dataclass(frozen=True)
class Subscribed:
    """A subscription of a topic at its broker, which names it after what the client said."""

    name: str
    pending: int
    """Messages that are not acknowledged, delivered ones included."""
    consumers: int
    durable: bool


class QueueView(Protocol):
    """What scenarios that run on every family of brokers see and do without the client under test.

    Counts are the broker's own at this moment: one who has just sent asks with `eventually`.
    """

    def pending(self, queue: Queue) -> int:
        """Messages that are not acknowledged, delivered ones included."""
        ...

    def ready(self, queue: Queue) -> int:
        """Messages that are delivered to nobody at the moment."""
        ...

    def kept(self, topic: Topic, subscription: str) -> int | None:
        """Messages that the only durable subscription of a topic, without a consumer now, keeps.

        `subscription` is the name that the client gave it. None where it cannot be told.
        """
        ...

    def subscriptions(self, topic: Topic) -> list[Subscribed] | None:
        """The subscriptions of a topic; None where they cannot be told."""
        ...

    def send(self, queue: Queue, text: str) -> None:
        """A text message to the queue, which may not exist yet."""
        ...

    def take(self, queue: Queue) -> list[str]:
        """The texts of the messages that are ready, in order; they are gone afterwards."""
        ...

    def purge(self, queue: Queue) -> None:
        """Remove every message that is ready."""
        ...

    def consumers(self, queue: Queue) -> int | None:
        """How many consumers the queue has; None where it cannot be told."""
        ...

    def exists(self, destination: Destination) -> bool | None:
        """Whether the broker has this queue or topic; None where it cannot be told."""
        ...
