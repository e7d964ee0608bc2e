"""The broker's own view of topics and subscriptions."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

import httpx

from jms_brokers.errors import BrokerError, NotAsExpected
from jms_brokers.families.pulsar.rest import PulsarRest, TopicName
from jmsapi import Destination, Queue, Topic

_EARLIEST = {"ledgerId": -1, "entryId": -1, "partitionIndex": -1}
_LATEST = {"ledgerId": 2**63 - 1, "entryId": 2**63 - 1, "partitionIndex": -1}


@dataclass(frozen=True)
class SubscriptionStatistics:
    """A subscription as the broker reports it; of a partitioned topic the sum over partitions."""

    name: str
    type: str
    durable: bool
    backlog: int
    unacked: int
    consumers: int
    msg_out_counter: int
    replicated: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)


class PulsarAdmin:
    """What an administrator sees and does; names without a namespace mean the worker's."""

    def __init__(self, rest: PulsarRest, namespace: str) -> None:
        self.rest = rest
        self._namespace = namespace

    def topic(self, destination: Destination | str) -> TopicName:
        """The topic behind a destination or a name."""
        return topic_of(destination, self._namespace)

    def stats(self, destination: Destination | str) -> dict[str, Any]:
        """The broker's raw statistics of the topic (of all partitions together)."""
        return dict(self._stats(self.topic(destination)).json())

    def users(self, destination: Destination | str, subscription: str) -> list[str]:
        """As whom the broker knows the consumers of a subscription.

        BrokerError where it does not report it: Pulsar does from 3.2 on.
        """
        consumers = self.stats(destination)["subscriptions"][subscription]["consumers"]
        if any("appId" not in each for each in consumers):
            raise BrokerError(
                "The broker's statistics do not tell as whom it knows its consumers",
                hint="Pulsar does from 3.2 on: judge what is about users on such a version",
            )
        return [each["appId"] for each in consumers]

    def producers(self, destination: Destination | str) -> list[str]:
        """The names of the producers of the topic; none when there is no such topic."""
        answer = self._stats(self.topic(destination), accept=(404,))
        publishers = answer.json()["publishers"] if answer.is_success else ()
        return [each["producerName"] for each in publishers]

    def subscriptions(self, destination: Destination | str) -> dict[str, SubscriptionStatistics]:
        """The subscriptions of the topic by name; none when there is no such topic."""
        answer = self._stats(self.topic(destination), accept=(404,))
        if not answer.is_success:
            return {}
        return {
            name: SubscriptionStatistics(
                name=name,
                type=row.get("type", ""),
                durable=row["durable"],
                backlog=row["msgBacklog"],
                unacked=row["unackedMessages"],
                consumers=len(row["consumers"]),
                msg_out_counter=row["msgOutCounter"],
                replicated=row["replicated"],
                properties=row.get("subscriptionProperties") or {},
            )
            for name, row in answer.json()["subscriptions"].items()
        }

    def subscription(self, destination: Destination | str, name: str) -> SubscriptionStatistics:
        """The subscription of this name; NotAsExpected when there is none."""
        __tracebackhide__ = True
        subscriptions = self.subscriptions(destination)
        if name not in subscriptions:
            raise NotAsExpected(f"no {name!r} among the subscriptions {list(subscriptions)}")
        return subscriptions[name]

    def only_subscription(self, destination: Destination | str) -> SubscriptionStatistics:
        """The only subscription of the topic; NotAsExpected when there are none or several."""
        __tracebackhide__ = True
        subscriptions = self.subscriptions(destination)
        if len(subscriptions) != 1:
            raise NotAsExpected(f"one subscription was expected, there are {list(subscriptions)}")
        return next(iter(subscriptions.values()))

    def backlog(self, destination: Destination | str, subscription: str = "jms-queue") -> int:
        """Messages not acknowledged by the subscription; 0 when there is none of that name."""
        statistics = self.subscriptions(destination).get(subscription)
        return statistics.backlog if statistics is not None else 0

    def exists(self, destination: Destination | str | TopicName) -> bool:
        """Whether the topic exists, partitioned or not."""
        topic = destination if isinstance(destination, TopicName) else self.topic(destination)
        if self.rest.partitions(topic):
            return True
        path = f"{topic.path}/internalStats"
        return self.rest.request("GET", path, accept=(404,)).is_success

    def topics(self, namespace: str | None = None) -> list[str]:
        """The topics of a namespace, persistent or not, each partition by itself."""
        space = namespace or self._namespace
        return sorted(
            name
            for kind in ("persistent", "non-persistent")
            for name in self.rest.get(f"{kind}/{space}")
        )

    def create_topic(self, name: Destination | str, partitions: int = 0) -> str:
        """Create a topic and give its full name; with `partitions` a partitioned one."""
        topic = self.topic(name)
        if partitions:
            self.rest.request("PUT", f"{topic.path}/partitions", json=partitions)
        else:
            self.rest.request("PUT", topic.path)
        return str(topic)

    def delete_topic(self, destination: Destination | str) -> None:
        """Delete the topic with its subscriptions, even while it is in use."""
        topic = self.topic(destination)
        path = f"{topic.path}/partitions" if self.rest.partitions(topic) else topic.path
        self.rest.request("DELETE", path, params={"force": True})

    def create_subscription(
        self,
        destination: Destination | str,
        name: str,
        position: Literal["earliest", "latest"] = "latest",
    ) -> None:
        """Create a durable subscription at one end of the topic."""
        where = _EARLIEST if position == "earliest" else _LATEST
        self.rest.request("PUT", self._path(destination, name), json=where)

    def delete_subscription(self, destination: Destination | str, name: str) -> None:
        """Delete a subscription, even while it is in use."""
        self.rest.request("DELETE", self._path(destination, name), params={"force": True})

    def set_properties(
        self, destination: Destination | str, name: str, properties: dict[str, str]
    ) -> None:
        """Give a subscription these properties in place of those that it has."""
        self.rest.replace(f"{self._path(destination, name)}/properties", properties)

    def schema(self, destination: Destination | str) -> dict[str, Any] | None:
        """The schema of the topic, None when it has none."""
        topic = self.topic(destination)
        path = f"schemas/{topic.tenant}/{topic.space}/{topic.local}/schema"
        answer = self.rest.request("GET", path, accept=(404,))
        schema: dict[str, Any] | None = answer.json() if answer.is_success else None
        return schema

    def grant(self, namespace: str, role: str, *actions: Literal["produce", "consume"]) -> None:
        """Allow `role` to do `actions` in a namespace, and nothing else there."""
        path = f"namespaces/{namespace}/permissions/{role}"
        self.rest.request("POST", path, json=list(actions))

    def let_topics_come(self, namespace: str, allowed: bool) -> None:
        """Whether topics of the namespace come into being by their use."""
        policy = {"allowAutoTopicCreation": allowed, "topicType": "non-partitioned"}
        self.rest.request("POST", f"namespaces/{namespace}/autoTopicCreation", json=policy)

    def namespace(self) -> str:
        """A fresh namespace."""
        name = f"touchstone/namespace-{uuid.uuid4().hex[:12]}"
        self.rest.create_namespace(name)
        return name

    def _path(self, destination: Destination | str, subscription: str) -> str:
        return f"{self.topic(destination).path}/subscription/{quote(subscription, safe='')}"

    def _stats(self, topic: TopicName, accept: tuple[int, ...] = ()) -> httpx.Response:
        kind = "partitioned-stats" if self.rest.partitions(topic) else "stats"
        asked = {"getPreciseBacklog": True, "subscriptionBacklogSize": False}
        return self.rest.request("GET", f"{topic.path}/{kind}", params=asked, accept=accept)


def topic_of(destination: Destination | str, namespace: str) -> TopicName:
    """The Pulsar topic behind a JMS destination; a queue's `:subscription` suffix is cut off."""
    if isinstance(destination, Queue):
        scheme, mark, rest = destination.queue_name.rpartition("://")
        return TopicName(f"{scheme}{mark}{rest.partition(':')[0]}", namespace)
    if isinstance(destination, Topic):
        return TopicName(destination.topic_name, namespace)
    return TopicName(str(destination), namespace)
