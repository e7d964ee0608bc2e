"""Queues and subscriptions as their broker sees them, by an independent client of any family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from jms_brokers.damage import Part, Poison
from jmsapi import Destination, Queue, Topic

NativeBody = str | bytes | dict[str, int] | list[int]
"""The body of a message that no JMS client wrote."""


@dataclass(frozen=True)
class Subscribed:
    """A subscription of a topic at its broker, which names it after what the client said."""

    name: str
    pending: int
    """Messages that are not acknowledged, delivered ones included."""
    consumers: int
    durable: bool


@dataclass(frozen=True)
class Carried:
    """A message as its broker carries it, in whatever form, in the terms of JMS."""

    text: str | None
    """The body of a text message."""
    properties: Mapping[str, str]
    """The properties of the message, as texts; beside them others that the client adds."""
    jms_type: str | None = None
    correlation_id: str | None = None
    group: str | None = None
    """What marks messages of one group for the broker or in the form."""
    durable: bool | None = None
    """Whether the broker is to store it; None where its form has no mark for that."""


def as_text(value: object) -> str:
    """A value of a property as JMS writes it as text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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

        `subscription` is the name that the client gave it. None where it cannot be known.
        """
        ...

    def subscriptions(self, topic: Topic) -> list[Subscribed] | None:
        """The subscriptions of a topic; None where they cannot be known."""
        ...

    def send(self, queue: Queue, text: str) -> None:
        """A text message to the queue, which may not exist yet."""
        ...

    def send_native(self, queue: Queue, body: NativeBody) -> bool:
        """A message with this body as a client of the broker's own protocol writes it.

        False where messages of the protocol have no such bodies.
        """
        ...

    def poisons(self, part: Part) -> tuple[str, ...]:
        """The kinds of damage to this part of a message that can be brought to the broker."""
        ...

    def send_poisoned(
        self, destination: Destination, messages: Sequence[str | Poison]
    ) -> list[Poison]:
        """Texts and damaged messages in their order, by one producer; the damaged ones that came.

        The broker may refuse those. On a topic of partitions each takes its turn.
        """
        ...

    def dead_letters(self, queue: Queue) -> int:
        """Messages of the queue that the broker has put among its dead letters by itself."""
        ...

    def take(self, queue: Queue) -> list[str]:
        """The texts of the messages that are ready, in order; they are gone afterwards."""
        ...

    def carried(self, queue: Queue) -> list[Carried]:
        """The messages that are ready, in order; they are gone afterwards."""
        ...

    def purge(self, queue: Queue) -> None:
        """Remove every message that is ready."""
        ...

    def consumers(self, queue: Queue) -> int | None:
        """How many consumers the queue has; None where it cannot be known."""
        ...

    def producers(self, queue: Queue) -> int | None:
        """How many producers to the queue the broker knows; None where it cannot be known."""
        ...

    def users(self, queue: Queue) -> list[str]:
        """As whom the broker knows those who consume from the queue, each once for a consumer."""
        ...

    def exists(self, destination: Destination) -> bool | None:
        """Whether the broker has this queue or topic; None where it cannot be known."""
        ...
