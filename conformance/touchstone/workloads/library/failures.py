"""Workloads in which connections are cut, processes die, and sessions go."""

from __future__ import annotations

from typing import Final

from jms_histories.values import FaultKind, Ordering
from touchstone.workloads.library.promises import ALONE, BASIC, LAZILY, LEFT, ORDERED, RETURNED
from touchstone.workloads.library.settings import SINGLY
from touchstone.workloads.model import (
    Acknowledgement,
    Consuming,
    FaultPlan,
    SendingTask,
    SubscriptionKind,
    Workload,
    WorkloadDestination,
)

FAILURES: Final = (
    Workload(
        name="cuts",
        doc="Connections are cut three times while messages are sent, received and acknowledged.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=100, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.05,
                presets=("quick-redelivery",),
            ),
        ),
        promises={**BASIC, **ORDERED, **RETURNED},
        messages=10_000,
        faults=(
            FaultPlan(kind=FaultKind.CUT),
            FaultPlan(kind=FaultKind.CUT),
            FaultPlan(kind=FaultKind.CUT),
        ),
    ),
    Workload(
        name="listeners-cut",
        doc="Listeners, one call in twenty of which throws, behind connections that are cut twice.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", window=100, gap=5, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                listener=True,
                again=0.05,
                ordering=Ordering.NONE,
                presets=("fair-shares", "quick-redelivery"),
            ),
        ),
        promises={**BASIC, **RETURNED},
        faults=(FaultPlan(kind=FaultKind.CUT), FaultPlan(kind=FaultKind.CUT)),
    ),
    Workload(
        name="lazily-cut",
        doc="The same in DUPS_OK_ACKNOWLEDGE, in which messages may come again.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", window=100, gap=5, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.DUPS_OK,
                listener=True,
                again=0.05,
                ordering=Ordering.NONE,
                presets=("fair-shares", "quick-redelivery", "quick-settlement"),
            ),
        ),
        promises={
            **LAZILY,
            "D06": RETURNED["D06"],
            "D12": RETURNED["D12"],
        },
        faults=(FaultPlan(kind=FaultKind.CUT), FaultPlan(kind=FaultKind.CUT)),
    ),
    Workload(
        name="left-on-a-queue",
        doc="Consumers of a queue close their connections with messages not acknowledged.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", window=100, gap=5, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                ordering=Ordering.NONE,
                leaves=3,
            ),
        ),
        promises=LEFT,
    ),
    Workload(
        name="left-on-a-subscription",
        doc="The same of a durable subscription, whose only consumer leaves and comes back.",
        destinations=(WorkloadDestination(name="topic", queue=False),),
        sending=(SendingTask(to="topic", window=100, gap=5, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="topic",
                name="durable",
                kind=SubscriptionKind.DURABLE,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                leaves=3,
            ),
        ),
        promises=LEFT,
    ),
    Workload(
        name="left-over-a-restart",
        doc="All consumers leave with open messages, and come back to a broker that was killed.",
        destinations=(
            WorkloadDestination(name="topic", queue=False),
            WorkloadDestination(name="queue"),
        ),
        sending=(
            SendingTask(to="topic", window=10, gap=5, settings=SINGLY),
            SendingTask(to="queue", window=10, gap=5, settings=SINGLY),
        ),
        consuming=(
            Consuming(
                destination="topic",
                name="durable",
                kind=SubscriptionKind.DURABLE,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
            ),
            Consuming(
                destination="queue",
                acknowledgement=Acknowledgement.CLIENT,
                every=5,
                # what comes again because the broker was killed is only shown: enough has to be
                # given back of what is sent afterwards for wrong flags and counts to be noticed
                again=0.8,
                ordering=Ordering.NONE,
                presets=("quick-redelivery",),
            ),
        ),
        promises={
            **BASIC,
            "D05": RETURNED["D05"],
            "D06": RETURNED["D06"],
            "D19": RETURNED["D19"],
        },
        faults=(FaultPlan(kind=FaultKind.BROKER_RESTART, earliest=0.2, latest=0.4, alone=True),),
    ),
    Workload(
        name="restart",
        doc="The broker is killed and started again; two durable subscriptions lose nothing.",
        destinations=(
            WorkloadDestination(name="topic", queue=False),
            WorkloadDestination(name="queue"),
        ),
        sending=(
            SendingTask(to="topic", window=100),
            SendingTask(to="queue", window=100),
        ),
        consuming=(
            Consuming(destination="topic", name="durable", kind=SubscriptionKind.DURABLE),
            Consuming(
                destination="topic",
                name="shared",
                kind=SubscriptionKind.SHARED_DURABLE,
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
            ),
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.TRANSACTED,
                every=10,
            ),
        ),
        promises={**BASIC, **ALONE},
        messages=10_000,
        faults=(FaultPlan(kind=FaultKind.BROKER_RESTART),),
    ),
    Workload(
        name="crash",
        doc="Processes with consumers are killed, and others take over what they had.",
        destinations=(
            WorkloadDestination(name="queue"),
            WorkloadDestination(name="topic", queue=False),
        ),
        sending=(
            SendingTask(to="queue", producers=2, window=100),
            SendingTask(to="topic", window=100),
        ),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                # what the dead one had fetched goes to others, behind later messages
                ordering=Ordering.NONE,
            ),
            Consuming(
                destination="topic",
                name="shared",
                kind=SubscriptionKind.SHARED_DURABLE,
                consumers=2,
                acknowledgement=Acknowledgement.TRANSACTED,
                every=10,
                ordering=Ordering.NONE,
            ),
        ),
        promises={**BASIC},
        messages=10_000,
        faults=(
            FaultPlan(kind=FaultKind.CONSUMER_CRASH),
            FaultPlan(kind=FaultKind.CONSUMER_CRASH),
        ),
    ),
)
