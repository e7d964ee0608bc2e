"""Workloads of a topic: the kinds of subscriptions."""

from __future__ import annotations

from typing import Final

from jms_histories.values import Ordering
from touchstone.workloads.library.promises import ALONE, BASIC, BY_KEY, GROUPED, ORDERED, RESUMED
from touchstone.workloads.library.settings import PULSAR, SINGLY
from touchstone.workloads.model import (
    Acknowledgement,
    Consuming,
    SendingTask,
    SubscriptionKind,
    Workload,
    WorkloadDestination,
)

TOPICS: Final = (
    Workload(
        name="exclusive",
        doc="The only consumer of a topic, which recovers one batch in twenty.",
        destinations=(WorkloadDestination(name="topic", queue=False),),
        sending=(SendingTask(to="topic", producers=2, window=200, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="topic",
                kind=SubscriptionKind.SIMPLE,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.05,
                presets=("quick-redelivery",),
            ),
        ),
        promises={**RESUMED, "D10": ALONE["D10"]},
    ),
    Workload(
        name="exclusive-partitions",
        doc="The same of a topic of 3 partitions, which Pulsar takes back one by one.",
        destinations=(WorkloadDestination(name="topic", queue=False, partitions=3),),
        sending=(SendingTask(to="topic", producers=2, window=200, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="topic",
                kind=SubscriptionKind.SIMPLE,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.05,
                ordering=Ordering.NONE,
                presets=("quick-redelivery",),
            ),
        ),
        promises=RESUMED,
        families=PULSAR,
    ),
    Workload(
        name="durable",
        doc="A durable subscription whose consumer comes and goes.",
        destinations=(WorkloadDestination(name="topic", queue=False),),
        sending=(SendingTask(to="topic", producers=2, window=50, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="topic", name="durable", kind=SubscriptionKind.DURABLE, reopens=3
            ),
        ),
        promises={**BASIC, **ALONE},
    ),
    Workload(
        name="failover",
        doc="Two consumers of a shared durable subscription, one of them active.",
        destinations=(WorkloadDestination(name="topic", queue=False),),
        sending=(SendingTask(to="topic", producers=2, window=200),),
        consuming=(
            Consuming(
                destination="topic",
                name="failover",
                kind=SubscriptionKind.SHARED_DURABLE,
                consumers=2,
                settings={"jms.topicSharedSubscriptionType": "Failover"},
            ),
        ),
        promises={**BASIC, **ORDERED},
        families=PULSAR,
    ),
    Workload(
        name="key-shared",
        doc="Groups on a topic of 3 partitions, shared by key: each group to one consumer.",
        destinations=(WorkloadDestination(name="topic", queue=False, partitions=3),),
        sending=(
            SendingTask(
                to="topic",
                producers=2,
                window=200,
                keys=32,
                settings={"producerConfig": {"batcherBuilder": "KEY_BASED"}},
            ),
        ),
        consuming=(
            Consuming(
                destination="topic",
                name="by-key",
                kind=SubscriptionKind.SHARED_DURABLE,
                consumers=3,
                ordering=Ordering.KEY,
                grouped=True,
                settings={"jms.topicSharedSubscriptionType": "Key_Shared"},
            ),
        ),
        promises={**BASIC, **BY_KEY, **GROUPED},
        families=PULSAR,
    ),
    Workload(
        name="fan-out",
        doc="A topic with a subscription of each kind; one of them selects half.",
        destinations=(WorkloadDestination(name="topic", queue=False),),
        sending=(SendingTask(to="topic", producers=2, window=200, bands=4),),
        consuming=(
            Consuming(destination="topic", kind=SubscriptionKind.SIMPLE),
            Consuming(destination="topic", name="durable", kind=SubscriptionKind.DURABLE),
            Consuming(
                destination="topic",
                name="shared",
                kind=SubscriptionKind.SHARED,
                consumers=2,
                presets=("fair-shares",),
            ),
            Consuming(
                destination="topic", name="half", kind=SubscriptionKind.DURABLE, selector="band < 2"
            ),
        ),
        promises={**BASIC, **ALONE},
    ),
)
