"""What the broker's administration does for a client, whoever asks it."""

from __future__ import annotations

from typing import Protocol

from pulsar_jms.mapping.browser import Extent
from pulsar_jms.mapping.schema import TopicSchema
from pulsar_jms.transport.wire_messages import MessagePosition


class Administration(Protocol):
    """What the broker's administration does for a client."""

    def check_access(self, namespace: str) -> None:
        """`JMSSecurityException` when the broker does not know the credentials."""
        ...

    def create_subscription(
        self, topic: str, name: str, *, earliest: bool, patient: bool = True
    ) -> None:
        """Make a subscription, and with it the topic where the broker lets topics come into being.

        One that exists is left as it is. With `patient` a starting server is waited for.
        """
        ...

    def delete_subscription(self, topic: str, name: str) -> bool:
        """Delete a subscription without consumers; False when it has some or does not exist."""
        ...

    def parts(self, topic: str) -> tuple[str, ...]:
        """The full names of a topic's partitions, itself where it has none, nothing without it."""
        ...

    def extent(self, topic: str, subscription: str) -> Extent | None:
        """What a topic without partitions holds; None where it keeps no messages or is not there.

        Nothing is made by asking.
        """
        ...

    def first_due(self, topic: str, subscription: str) -> MessagePosition | None:
        """The first message that a subscription has not acknowledged; None where all are.

        Asking makes a subscription that does not exist.
        """
        ...

    def has_consumers(self, topic: str) -> bool:
        """Whether anybody consumes the topic just now."""
        ...

    def all_sent_again(self, topic: str, subscription: str) -> bool:
        """Whether consumers share a subscription, and all that was nacked was sent again.

        False with one consumer at most, and where the broker does not say; asks for a second at
        most. `JMSException` where it cannot be asked.
        """
        ...

    def delete_topic(self, topic: str, *, force: bool, within: float) -> bool:
        """Delete a topic with its subscriptions; True also when it is not there.

        False when it is in use; with `force` that does not matter. `within` are the seconds that
        each request may take.
        """
        ...

    def schema(self, topic: str, version: int | None) -> TopicSchema | None:
        """A schema of `topic` or of its partitioned topic; the current one without a version.

        None where there is none.
        """
        ...

    def topics(self, domain: str, namespace: str) -> list[str]:
        """The full names of a namespace's topics, each partition by itself.

        `domain` is persistent or non-persistent; `JMSException` where there is no namespace.
        """
        ...

    def close(self) -> None: ...
