"""A workload's destinations at the broker: made before the run, watched by an independent view."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from jms_brokers.shared.named_destinations import NamedQueue, NamedTopic
from jms_brokers.shared.probe import AdministersTopics, BrokerProbe, SubscriptionBacklog, TopicAdmin
from jms_brokers.shared.queue_view import QueueView, Subscribed
from touchstone.workloads.tasks import Numbered, WorkloadPlan


class BrokerView(Protocol):
    """What the broker says of the subscriptions of a run, without the client under test."""

    def prepare(self) -> None:
        """Make the destinations."""
        ...

    def waiting(self) -> dict[int, int]:
        """By subscription, -1-k for dead letters of k: messages that are not acknowledged.

        BrokerError while the broker does not answer.
        """
        ...

    def fetched(self) -> dict[int, int]:
        """By subscription: messages that consumers have, of those that are not acknowledged.

        Nothing where the broker does not tell.
        """
        ...

    def consumers(self) -> dict[int, int]:
        """By subscription how many consumers it has."""
        ...


class TopicsView:
    """The broker's own counts, of brokers whose destinations are topics."""

    def __init__(self, plan: WorkloadPlan, admin: TopicAdmin) -> None:
        self._plan = plan
        self._admin = admin

    def prepare(self) -> None:
        """Create the topics, with partitions where there are to be some."""
        for destination in self._plan.workload.destinations:
            self._admin.create_topic(
                self._plan.endpoints[destination.name].name, destination.partitions
            )
        for one in self._plan.workload.consuming:
            if one.dead_letters:
                self._admin.create_topic(self._plan.endpoints[one.dead_letters].name)

    def waiting(self) -> dict[int, int]:
        """The backlogs."""
        return {sub: found.backlog for sub, found in self._found().items()}

    def fetched(self) -> dict[int, int]:
        """What was sent to consumers of the backlogs."""
        return {sub: found.unacked for sub, found in self._found().items()}

    def consumers(self) -> dict[int, int]:
        """The consumers, of a partitioned topic one for each partition."""
        return {sub: found.consumers for sub, found in self._found().items()}

    def _found(self) -> dict[int, SubscriptionBacklog]:
        found: dict[int, SubscriptionBacklog] = {}
        for topic, subscriptions in _by_source(self._plan.subscriptions).items():
            seen = self._admin.subscriptions(topic)
            named = {one.broker_name for one in subscriptions}
            for one in subscriptions:
                if one.broker_name in seen:
                    found[one.sub] = seen[one.broker_name]
                elif not one.broker_name:
                    others = [row for name, row in seen.items() if name not in named]
                    if others:
                        found[one.sub] = max(others, key=lambda row: row.backlog)
        for one in self._plan.subscriptions:
            if one.consuming.dead_letters:
                letters = self._plan.endpoints[one.consuming.dead_letters].name
                row = self._admin.subscriptions(letters).get("jms-queue")
                if row is not None:
                    found[-1 - one.sub] = row
        return found


class QueuesView:
    """Queues and subscriptions of any family, by the harness's own client."""

    def __init__(self, plan: WorkloadPlan, queues: QueueView) -> None:
        self._plan = plan
        self._queues = queues

    def prepare(self) -> None:
        """Nothing: queues come into being by their use."""

    def waiting(self) -> dict[int, int]:
        """What is pending on each queue and subscription."""
        pending = {
            one.sub: self._queues.pending(NamedQueue(one.source.name))
            for one in self._plan.subscriptions
            if one.source.queue
        }
        return pending | {sub: found.pending for sub, found in self._subscribed().items()}

    def fetched(self) -> dict[int, int]:
        """Nothing: not every broker tells."""
        return {}

    def consumers(self) -> dict[int, int]:
        """The consumers of each queue and subscription, where the broker tells."""
        consumers = {
            one.sub: found
            for one in self._plan.subscriptions
            if one.source.queue
            and (found := self._queues.consumers(NamedQueue(one.source.name))) is not None
        }
        return consumers | {sub: found.consumers for sub, found in self._subscribed().items()}

    def _subscribed(self) -> dict[int, Subscribed]:
        """Of topics: the broker's names have those that the client gave in them."""
        found: dict[int, Subscribed] = {}
        of_topics = [one for one in self._plan.subscriptions if not one.source.queue]
        for topic, subscriptions in _by_source(of_topics).items():
            rest = self._queues.subscriptions(NamedTopic(topic)) or []
            for one in sorted(subscriptions, key=lambda one: -len(one.name)):
                fitting = [row for row in rest if one.name in row.name]
                if fitting:
                    found[one.sub] = max(fitting, key=lambda row: row.pending)
                    if one.name:
                        rest = [row for row in rest if row not in fitting]
        return found


def broker_view(plan: WorkloadPlan, probe: BrokerProbe) -> BrokerView:
    """The view that the broker allows."""
    if isinstance(probe, AdministersTopics):
        return TopicsView(plan, probe.admin)
    return QueuesView(plan, probe.queues)


def _by_source(subscriptions: Iterable[Numbered]) -> dict[str, list[Numbered]]:
    grouped: dict[str, list[Numbered]] = {}
    for one in subscriptions:
        grouped.setdefault(one.source.name, []).append(one)
    return grouped
