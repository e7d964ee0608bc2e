"""Workloads of a queue: the acknowledgement modes, and what comes again."""

from __future__ import annotations

from typing import Final

from jms_histories.values import FaultKind, Ordering
from touchstone.workloads.library.promises import BASIC, LAZILY, ORDERED, RETURNED, TOGETHER
from touchstone.workloads.library.settings import FAST, PULSAR, SINGLY
from touchstone.workloads.model import (
    Acknowledgement,
    Consuming,
    FaultPlan,
    SendingTask,
    Workload,
    WorkloadDestination,
)

QUEUES: Final = (
    Workload(
        name="flagship",
        doc="A queue of 4 partitions, 4 consumers, 1 % forced redeliveries, a broker that dies.",
        destinations=(WorkloadDestination(name="queue", partitions=4),),
        sending=(SendingTask(to="queue", producers=2, window=2_000, keys=64, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=4,
                acknowledgement=Acknowledgement.CLIENT,
                every=100,
                again=0.01,
                # of a partitioned queue, shared by consumers, nobody promises an order
                ordering=Ordering.NONE,
                presets=("quick-redelivery",),
            ),
        ),
        promises={**BASIC, **RETURNED, **TOGETHER},
        messages=1_000_000,
        faults=(FaultPlan(kind=FaultKind.BROKER_RESTART, earliest=0.3, latest=0.7),),
        families=PULSAR,
    ),
    Workload(
        name="queue",
        doc="Three producers and three consumers of one queue, each message to one of them.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=3, window=200),),
        consuming=(Consuming(destination="queue", consumers=3, presets=("fair-shares",)),),
        promises={**BASIC, **ORDERED},
    ),
    Workload(
        name="listeners",
        doc="Listeners, one call in twenty of which throws; connections that stop and start.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=200, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                listener=True,
                again=0.05,
                pauses=3,
                presets=("fair-shares", "quick-redelivery"),
            ),
        ),
        promises={
            **BASIC,
            **ORDERED,
            **RETURNED,
            "D29": "a stopped connection delivers nothing (6.1.5)",
        },
        families=PULSAR,
    ),
    Workload(
        name="lazily",
        doc="Single sends that wait, to a queue consumed in DUPS_OK_ACKNOWLEDGE.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, body=1_000),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.DUPS_OK,
                presets=("quick-settlement",),
            ),
        ),
        promises={**LAZILY, **ORDERED},
    ),
    Workload(
        name="client-acknowledge",
        doc="acknowledge() after ten messages, recover() instead of every tenth.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=200, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.1,
                presets=("quick-redelivery",),
            ),
        ),
        promises={**BASIC, **ORDERED, **RETURNED, **TOGETHER},
    ),
    Workload(
        name="batches-recovered",
        doc="The same with messages that travel in batches, which Pulsar takes back whole.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=200, settings=FAST),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.1,
                presets=("quick-redelivery",),
            ),
        ),
        # beside what is given back its neighbours in the batch come again, and are counted; and
        # what one consumer gives back another, who got the batch as well, may have acknowledged
        promises={
            **{check: why for check, why in BASIC.items() if check not in ("D08", "D11")},
            "D19": RETURNED["D19"],
        },
        families=PULSAR,
    ),
    Workload(
        name="one-by-one",
        doc="Each message acknowledged by itself, in the vendor's mode; some recovered.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=200, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.INDIVIDUAL,
                every=5,
                again=0.1,
                presets=("quick-redelivery",),
            ),
        ),
        promises={**BASIC, **ORDERED, **RETURNED},
        families=PULSAR,
    ),
    Workload(
        name="rollbacks",
        doc="Transacted consumers, one transaction in ten of which is rolled back.",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue", producers=2, window=200, settings=SINGLY),),
        consuming=(
            Consuming(
                destination="queue",
                consumers=2,
                acknowledgement=Acknowledgement.TRANSACTED,
                every=10,
                again=0.1,
            ),
        ),
        promises={**BASIC, **ORDERED, **RETURNED},
    ),
)
