"""Workloads of what a send or a consumer may ask for besides."""

from __future__ import annotations

from typing import Final

from touchstone.workloads.library.promises import BASIC, ORDERED, RETURNED
from touchstone.workloads.library.settings import PULSAR, SINGLY
from touchstone.workloads.model import (
    Acknowledgement,
    Consuming,
    SendingTask,
    SubscriptionKind,
    Workload,
    WorkloadDestination,
)

FEATURES: Final = (
    Workload(
        name="delays",
        doc="Every other message is to be delivered a while after it was sent.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=100, delays=(0, 300, 0, 1_000)),),
        consuming=(Consuming(destination="queue", consumers=2),),
        promises={
            **BASIC,
            **ORDERED,
            "D15": "no message comes before its delivery time (7.9)",
        },
        families=PULSAR,
    ),
    Workload(
        name="delays-of-topics",
        doc="The same on a topic, to simple consumers whose subscriptions are not Exclusive.",
        destinations=(WorkloadDestination(name="topic", queue=False),),
        sending=(SendingTask(to="topic", producers=2, window=100, delays=(0, 300, 0, 1_000)),),
        consuming=(
            Consuming(
                destination="topic",
                kind=SubscriptionKind.SIMPLE,
                settings={"jms.useExclusiveSubscriptionsForSimpleConsumers": False},
            ),
        ),
        promises={
            **BASIC,
            **ORDERED,
            "D15": "without Exclusive subscriptions the delay is respected (SLJ-DLY-004)",
        },
        families=PULSAR | {"artemis"},
    ),
    Workload(
        name="lives",
        doc="Messages that expire, to consumers that are fast enough for most.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=100, lives=(0, 500, 60_000)),),
        consuming=(Consuming(destination="queue", consumers=2),),
        promises={
            **BASIC,
            **ORDERED,
            "D16": "clients should not receive what has expired (3.4.9)",
        },
    ),
    Workload(
        name="priorities",
        doc="Ten priorities on ten partitions, consumed while they are sent.",
        destinations=(WorkloadDestination(name="queue", partitions=10),),
        sending=(SendingTask(to="queue", producers=2, window=200, priorities=tuple(range(10))),),
        consuming=(Consuming(destination="queue", presets=("priorities",)),),
        promises={
            **BASIC,
            **ORDERED,
            "D32": "a number to report: high priorities should come ahead (3.4.11)",
        },
        families=PULSAR,
    ),
    Workload(
        name="waiting-priorities",
        doc="Ten priorities wait on ten partitions: how well is their order kept?",
        destinations=(WorkloadDestination(name="queue", partitions=10),),
        sending=(SendingTask(to="queue", producers=2, window=200, priorities=tuple(range(10))),),
        consuming=(Consuming(destination="queue", presets=("priorities",)),),
        promises={
            **BASIC,
            **ORDERED,
        },
        backlog=True,
        families=PULSAR,
    ),
    Workload(
        name="dead-letters",
        doc="One message in twenty is refused each time, until it becomes a dead letter.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=200, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                listener=True,
                again=0.05,
                refused=True,
                max_deliveries=3,
                dead_letters="letters",
                presets=("quick-redelivery",),
            ),
        ),
        promises={
            **BASIC,
            **ORDERED,
            **RETURNED,
            "D24": "redeliveries beyond maxRedeliverCount make a dead letter, no fewer",
            "D25": "and it is made then",
            "D26": "what was acknowledged becomes none",
        },
        families=PULSAR,
    ),
    Workload(
        name="non-persistent",
        doc="Both delivery modes by turns, each in its order.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=200, modes=(1, 2)),),
        consuming=(Consuming(destination="queue"),),
        promises={**BASIC, **ORDERED},
    ),
    Workload(
        name="transactions",
        doc="Transactions of the broker: sent together, rolled back, moved from queue to queue.",
        destinations=(WorkloadDestination(name="inbox"), WorkloadDestination(name="outbox")),
        sending=(SendingTask(to="inbox", producers=2, transaction=10, rolled_back=0.1),),
        consuming=(
            Consuming(
                destination="inbox",
                consumers=2,
                acknowledgement=Acknowledgement.TRANSACTED,
                every=5,
                again=0.1,
                forwards_to="outbox",
            ),
            Consuming(destination="outbox"),
        ),
        promises={
            **BASIC,
            **ORDERED,
            **RETURNED,
            "D03": "what is rolled back is not delivered (6.2.7)",
            "D17": "a transaction is delivered as a whole (6.2.7)",
            "D18": "and not before it is committed (6.2.7)",
            "D31": "input and output of a transaction stand and fall together (6.2.7)",
        },
        messages=1_000,
        capabilities=frozenset({"transactions"}),
    ),
    Workload(
        name="transacted-sends",
        doc="Two producers send in transactions of twenty, one of ten of which is rolled back.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, transaction=20, rolled_back=0.1),),
        consuming=(Consuming(destination="queue", consumers=2, presets=("fair-shares",)),),
        promises={
            **BASIC,
            **ORDERED,
            "D03": "what is rolled back is not delivered (6.2.7)",
            "D17": "a transaction is delivered as a whole (6.2.7)",
            "D18": "and not before it is committed (6.2.7)",
        },
        capabilities=frozenset({"transactions"}),
    ),
)
