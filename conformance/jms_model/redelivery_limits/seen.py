"""What was seen of a destination, its consumers and the dead letter topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Body:
    """What a message holds."""

    kind: str
    content: object
    properties: Mapping[str, object]


@dataclass(slots=True)
class ReceivedDelivery:
    """A message as an application got it. Moments are seconds of one clock."""

    number: int
    count: int
    """Its JMSXDeliveryCount."""
    redelivered: bool
    body: Body
    asked: float
    """It cannot have been handed out before."""
    came: float
    ended: float = 0.0
    """When the application began to reject it, or had acknowledged it."""
    letters: bool = False
    """Whether it was set aside before it came."""


@dataclass(frozen=True, slots=True)
class ObservedSubscription:
    """A subscription as an administrator sees it."""

    durable: bool
    backlog: int


@dataclass
class CaseObservation:
    """Of one case."""

    deliveries: list[ReceivedDelivery] = field(default_factory=list)
    """To the application, in order."""
    taken: list[ReceivedDelivery] = field(default_factory=list)
    """By the other consumer."""
    letters: dict[int, list[str]] = field(default_factory=dict)
    """In which dead letter topics each message is, as often as it is there."""
    read: dict[int, Body] = field(default_factory=dict)
    """The dead letters as JMS reads them."""
    subscriptions: dict[str, Mapping[str, ObservedSubscription]] = field(default_factory=dict)
    """Of the dead letter topics."""
    nameless: frozenset[str] = frozenset()
    """The dead letter topics with messages of which nobody knows which they were."""
    backlog: int = 0
    """Of its subscription, in the end."""
    went_on: bool = True
    """Whether what was sent in the end came."""
    failure: Exception | None = None
    """What the client raised where it should not have."""
    slack: float = 0.0
    """Seconds by which the machine may have made things late."""

    def of(self, number: int) -> Sequence[ReceivedDelivery]:
        """The deliveries of a message."""
        return [each for each in self.deliveries if each.number == number]
