"""What an ActiveMQ broker's beans tell, read over HTTP: Jolokia's agent in its process.

The statistics plug-in tells nothing of durable subscriptions, least of all of those that nobody
uses at the moment. None of the client under test is involved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import BrokerError

_TIMEOUT = 20.0
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
_NOTHING_FITS = 404


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
        self._address = address
        self._client = httpx.Client(timeout=_TIMEOUT, trust_env=False)

    def subscriptions(self, topic: str) -> list[TopicSubscription]:
        """The subscriptions of a topic; `BrokerError` where the broker does not answer."""
        found = self._read({"type": "read", "mbean": _SUBSCRIPTIONS, "attribute": _ATTRIBUTES})
        return [
            TopicSubscription(
                row["SubscriptionName"] or "",
                row["PendingQueueSize"] + row["DispatchedQueueSize"],
                row["Active"],
            )
            for row in found.values()
            if row["DestinationName"] == topic
        ]

    def users(self, queue: str) -> list[str]:
        """As whom the consumers of a queue have logged in; `BrokerError` as above."""
        found = self._read({"type": "read", "mbean": _CONSUMERS, "attribute": _LOGINS})
        return [row["UserName"] for row in found.values() if row["DestinationName"] == queue]

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _read(self, question: Mapping[str, object]) -> Mapping[str, Any]:
        url = f"{self._address.admin_url}/"
        try:
            answer = self._client.post(url, json=question).json()
        except (httpx.HTTPError, ValueError) as error:
            raise BrokerError(
                f"The agent at {url} did not tell of the broker's beans ({error!r})",
                hint="Is the broker running? Its log may say more.",
            ) from error
        if answer["status"] == _NOTHING_FITS:
            return {}
        if answer["status"] != httpx.codes.OK:
            raise BrokerError(
                f"The agent at {url} refused to tell of the broker's beans: {answer.get('error')}",
                hint="Only an embedded broker lets its beans be read.",
            )
        found: Mapping[str, Any] = answer["value"]
        return found
