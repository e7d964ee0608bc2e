"""What an ActiveMQ broker's beans report.

The statistics plug-in reports nothing of durable subscriptions, least of all of those that nobody
uses at the moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.shared.jolokia import Agent

_SUBSCRIPTIONS = "org.apache.activemq:type=Broker,destinationType=Topic,endpoint=Consumer,*"
_CONSUMERS = "org.apache.activemq:type=Broker,destinationType=Queue,endpoint=Consumer,*"
_LOGINS = ("DestinationName", "UserName")
_ATTRIBUTES = (
    "DestinationName",
    "SubscriptionName",
    "PendingQueueSize",
    "DispatchedQueueSize",
    "Active",
)


@dataclass(frozen=True)
class TopicSubscription:
    """A subscription of a topic; `name` is empty where the client gave none, and so not durable."""

    name: str
    pending: int
    """Messages that are not acknowledged, delivered ones included."""
    active: bool
    """Whether somebody consumes."""


class Beans:
    """The beans of one broker."""

    def __init__(self, address: BrokerAddress) -> None:
        self._agent = Agent(address)

    def subscriptions(self, topic: str) -> list[TopicSubscription]:
        """The subscriptions of a topic; `BrokerError` where the broker does not answer."""
        rows = self._read(_SUBSCRIPTIONS, _ATTRIBUTES)
        return [
            TopicSubscription(
                row["SubscriptionName"] or "",
                row["PendingQueueSize"] + row["DispatchedQueueSize"],
                row["Active"],
            )
            for row in rows.values()
            if row["DestinationName"] == topic
        ]

    def users(self, queue: str) -> list[str]:
        """As whom the consumers of a queue have logged in; `BrokerError` as above."""
        rows = self._read(_CONSUMERS, _LOGINS)
        return [row["UserName"] for row in rows.values() if row["DestinationName"] == queue]

    def close(self) -> None:
        """Give the connections back."""
        self._agent.close()

    def _read(self, beans: str, attributes: tuple[str, ...]) -> Mapping[str, Any]:
        """The attributes of each bean, by its name."""
        return self._agent.ask({"type": "read", "mbean": beans, "attribute": attributes}) or {}
