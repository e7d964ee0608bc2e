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
        for task in self._plan.workload.consuming:
            if task.dead_letters:
                self._admin.create_topic(self._plan.endpoints[task.dead_letters].name)

    def waiting(self) -> dict[int, int]:
        """The backlogs."""
        return {sub: backlog.backlog for sub, backlog in self._found().items()}

    def fetched(self) -> dict[int, int]:
        """What was sent to consumers of the backlogs."""
        return {sub: backlog.unacked for sub, backlog in self._found().items()}

    def consumers(self) -> dict[int, int]:
        """The consumers, of a partitioned topic one for each partition."""
        return {sub: backlog.consumers for sub, backlog in self._found().items()}

    def _found(self) -> dict[int, SubscriptionBacklog]:
        backlogs: dict[int, SubscriptionBacklog] = {}
        for topic, subscriptions in _by_source(self._plan.subscriptions).items():
            seen = self._admin.subscriptions(topic)
            named = {subscription.broker_name for subscription in subscriptions}
            for subscription in subscriptions:
                if subscription.broker_name in seen:
                    backlogs[subscription.sub] = seen[subscription.broker_name]
                elif not subscription.broker_name:
                    others = [row for name, row in seen.items() if name not in named]
                    if others:
                        backlogs[subscription.sub] = max(others, key=lambda row: row.backlog)
        for subscription in self._plan.subscriptions:
            if subscription.consuming.dead_letters:
                letters = self._plan.endpoints[subscription.consuming.dead_letters].name
                row = self._admin.subscriptions(letters).get("jms-queue")
                if row is not None:
                    backlogs[-1 - subscription.sub] = row
        return backlogs


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
            subscription.sub: self._queues.pending(NamedQueue(subscription.source.name))
            for subscription in self._plan.subscriptions
            if subscription.source.queue
        }
        return pending | {sub: state.pending for sub, state in self._subscribed().items()}

    def fetched(self) -> dict[int, int]:
        """Nothing: not every broker tells."""
        return {}

    def consumers(self) -> dict[int, int]:
        """The consumers of each queue and subscription, where the broker tells."""
        consumers = {
            subscription.sub: number
            for subscription in self._plan.subscriptions
            if subscription.source.queue
            and (number := self._queues.consumers(NamedQueue(subscription.source.name))) is not None
        }
        return consumers | {sub: state.consumers for sub, state in self._subscribed().items()}

    def _subscribed(self) -> dict[int, Subscribed]:
        """Of topics: the broker's names have those that the client gave in them."""
        states: dict[int, Subscribed] = {}
        of_topics = [
            subscription
            for subscription in self._plan.subscriptions
            if not subscription.source.queue
        ]
        for topic, subscriptions in _by_source(of_topics).items():
            rest = self._queues.subscriptions(NamedTopic(topic)) or []
            for subscription in sorted(
                subscriptions, key=lambda subscription: -len(subscription.name)
            ):
                fitting = [row for row in rest if subscription.name in row.name]
                if fitting:
                    states[subscription.sub] = max(fitting, key=lambda row: row.pending)
                    if subscription.name:
                        rest = [row for row in rest if row not in fitting]
        return states


def broker_view(plan: WorkloadPlan, probe: BrokerProbe) -> BrokerView:
    """The view that the broker allows."""
    if isinstance(probe, AdministersTopics):
        return TopicsView(plan, probe.admin)
    return QueuesView(plan, probe.queues)


def _by_source(subscriptions: Iterable[Numbered]) -> dict[str, list[Numbered]]:
    grouped: dict[str, list[Numbered]] = {}
    for subscription in subscriptions:
        grouped.setdefault(subscription.source.name, []).append(subscription)
    return grouped
