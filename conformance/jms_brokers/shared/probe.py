"""What the harness has of its own on one broker, beside the client under test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.shared.queue_view import QueueView
from jmsapi import Queue


class BrokerProbe(Protocol):
    """The harness's own clients on one broker; `close` gives their connections back."""

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is, with the harness's own rights."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """What each factory of the client under test is given, such as a namespace of its own."""
        ...

    @property
    def queues(self) -> QueueView:
        """Queues as the broker sees them."""
        ...

    def client_address(self, address: BrokerAddress) -> BrokerAddress:
        """`address` as the client under test gets it: without the harness's own rights."""
        ...

    def round_trip(self) -> float:
        """Seconds that a message of the independent client took; `BrokerError` when it is lost."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


@runtime_checkable
class EndsTransactions(Protocol):
    """A probe of brokers whose administrator can end a transaction while its client goes on."""

    def abort_transactions(self, queue: Queue) -> int:
        """End the open transactions that have sent to `queue`; how many there were."""
        ...


@runtime_checkable
class TellsWhatIsWithheld(Protocol):
    """A probe of brokers that may forget to deliver what they have, and show it."""

    def withheld(self, names: Iterable[str]) -> str | None:
        """What the broker keeps from consumers of destinations of these names; None: nothing."""
        ...


class SubscriptionBacklog(Protocol):
    """What a broker reports of a subscription."""

    @property
    def backlog(self) -> int:
        """Messages that are not acknowledged."""
        ...

    @property
    def unacked(self) -> int:
        """Those of them that consumers have."""
        ...

    @property
    def consumers(self) -> int: ...


class TopicAdmin(Protocol):
    """What an administrator of topics sees and does; names without more mean the worker's."""

    def create_topic(self, name: str, partitions: int = 0) -> str:
        """Create a topic and give its full name; with `partitions` a partitioned one."""
        ...

    def subscriptions(self, destination: str) -> Mapping[str, SubscriptionBacklog]:
        """The subscriptions of the topic by name; none when there is no such topic."""
        ...


@runtime_checkable
class AdministersTopics(Protocol):
    """A probe of brokers whose destinations are topics, which are made before they are used."""

    @property
    def admin(self) -> TopicAdmin:
        """The broker's own view of topics and subscriptions."""
        ...
