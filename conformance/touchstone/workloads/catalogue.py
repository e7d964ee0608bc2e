"""The workloads, and why the documents promise what each is judged by."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from touchstone.errors import UsageError
from touchstone.history.values import Fault, Ordering
from touchstone.workloads.model import (
    Acknowledgement,
    Consuming,
    FaultPlan,
    Kind,
    Place,
    Sending,
    Workload,
    checked,
)

_FAST: Final = {
    "producerConfig": {
        "blockIfQueueFull": True,
        "batchingMaxPublishDelayMicros": 5_000,
    }
}
_SINGLY: Final = {
    "producerConfig": {
        "batchingEnabled": False,
        "blockIfQueueFull": True,
    }
}
"""Pulsar takes back, counts and flags the messages of a batch together: where some of them are
given back, only messages that travel alone can be judged one by one."""
_ALL_FAMILIES: Final = frozenset({"pulsar", "artemis", "activemq", "rabbitmq"})

BASIC: Final[Mapping[str, str]] = {
    "D01": "a message of a successful PERSISTENT send is delivered (JMS 2.0, 3.4.10)",
    "D02": "a provider delivers what was sent, and nothing else",
    "D04": "a subscription gets what is sent to its destination and passes its selector (8.3)",
    "D08": "a message is finished once on its queue or subscription (6.2.12)",
    "D11": "JMSXDeliveryCount counts the deliveries (3.5.11)",
    "D13": "the body arrives as it was sent (3.11)",
    "D14": "so do the headers and properties (3.4, 3.5)",
    "D20": "a session handles one message at a time (6.2.9)",
    "D27": "JMSMessageID tells messages apart (3.4.3)",
    "D28": "an alarm that counts what D01 judges one by one",
    "D33": "a number to report: how long messages take",
}
"""What every workload of queues and subscriptions promises."""
REPEATED: Final[Mapping[str, str]] = {
    "D05": "what is acknowledged is not delivered again (6.2.10)",
    "D06": "what comes again is flagged as redelivered (3.4.7)",
    "D07": "a message is with one consumer of its queue or subscription at a time (4.1.2, 8.3)",
    "D12": "a redelivered message has a count of 2 at least (3.5.11)",
}
"""What a workload promises in which messages come again."""
RETURNED: Final[Mapping[str, str]] = {
    **REPEATED,
    "D19": "what is not acknowledged comes again (6.2.10, 6.2.11)",
}
ORDERED: Final[Mapping[str, str]] = {
    "D09": "messages of a session to a destination are received in the order sent (6.2.9.1)",
}
BY_KEY: Final[Mapping[str, str]] = {
    "D09": "a key stays in one partition, and with one consumer where it is shared by key",
}
TOGETHER: Final[Mapping[str, str]] = {
    "D21": "acknowledge() settles all that the session has received (8.7)",
}
ALONE: Final[Mapping[str, str]] = {
    **ORDERED,
    "D10": "the only consumer of a subscription gets all of it (8.3.1, 8.3.3)",
}
RESUMED: Final[Mapping[str, str]] = {
    # Pulsar counts no redeliveries on Exclusive subscriptions, and its count is what
    # JMSRedelivered and JMSXDeliveryCount are (SLJ-REDL-001): a repeat looks like a first one
    **{check: why for check, why in BASIC.items() if check != "D11"},
    "D05": RETURNED["D05"],
    "D07": RETURNED["D07"],
    "D19": RETURNED["D19"],
    "D30": "after recover() delivery goes on with the oldest message (6.2.11)",
}
"""What an Exclusive subscription promises whose consumer recovers."""
LEFT: Final[Mapping[str, str]] = {
    # Pulsar counts no delivery to a consumer that went, and flags by that count (SLJ-REDL-001)
    **{check: why for check, why in BASIC.items() if check != "D11"},
    "D05": RETURNED["D05"],
    "D07": RETURNED["D07"],
    "D19": RETURNED["D19"],
}
"""What is promised of messages that a session had not acknowledged when it was closed."""
LAZILY: Final = {check: why for check, why in BASIC.items() if check != "D08"}
"""Of a mode in which messages may come twice."""


def _named(*workloads: Workload) -> Mapping[str, Workload]:
    return {workload.name: checked(workload) for workload in workloads}


WORKLOADS: Final[Mapping[str, Workload]] = _named(
    Workload(
        name="flagship",
        doc="A queue of 4 partitions, 4 consumers, 1 % forced redeliveries, a broker that dies.",
        places=(Place(name="queue", partitions=4),),
        sending=(Sending(to="queue", producers=2, window=2_000, keys=64, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
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
        faults=(FaultPlan(kind=Fault.BROKER_RESTART, earliest=0.3, latest=0.7),),
    ),
    Workload(
        name="queue",
        doc="Three producers and three consumers of one queue, each message to one of them.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=3, window=200),),
        consuming=(Consuming(place="queue", consumers=3, presets=("fair-shares",)),),
        promises={**BASIC, **ORDERED},
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="listeners",
        doc="Listeners, one call in twenty of which throws; connections that stop and start.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=200, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
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
    ),
    Workload(
        name="lazily",
        doc="Single sends that wait, to a queue consumed in DUPS_OK_ACKNOWLEDGE.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, body=1_000),),
        consuming=(Consuming(place="queue", consumers=2, acknowledgement=Acknowledgement.DUPS_OK),),
        promises={**LAZILY, **ORDERED},
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="client-acknowledge",
        doc="acknowledge() after ten messages, recover() instead of every tenth.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=200, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.1,
                presets=("quick-redelivery",),
            ),
        ),
        promises={**BASIC, **ORDERED, **RETURNED, **TOGETHER},
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="batches-recovered",
        doc="The same with messages that travel in batches, which Pulsar takes back whole.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=200, settings=_FAST),),
        consuming=(
            Consuming(
                place="queue",
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
    ),
    Workload(
        name="one-by-one",
        doc="Each message acknowledged by itself, in the vendor's mode; some recovered.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=200, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
                consumers=2,
                acknowledgement=Acknowledgement.INDIVIDUAL,
                every=5,
                again=0.1,
                presets=("quick-redelivery",),
            ),
        ),
        promises={**BASIC, **ORDERED, **RETURNED},
    ),
    Workload(
        name="rollbacks",
        doc="Transacted consumers, one transaction in ten of which is rolled back.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=200, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
                consumers=2,
                acknowledgement=Acknowledgement.TRANSACTED,
                every=10,
                again=0.1,
            ),
        ),
        promises={**BASIC, **ORDERED, **RETURNED},
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="exclusive",
        doc="The only consumer of a topic, which recovers one batch in twenty.",
        places=(Place(name="topic", queue=False),),
        sending=(Sending(to="topic", producers=2, window=200, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="topic",
                kind=Kind.SIMPLE,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.05,
                presets=("quick-redelivery",),
            ),
        ),
        promises={**RESUMED, "D10": ALONE["D10"]},
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="exclusive-partitions",
        doc="The same of a topic of 3 partitions, which Pulsar takes back one by one.",
        places=(Place(name="topic", queue=False, partitions=3),),
        sending=(Sending(to="topic", producers=2, window=200, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="topic",
                kind=Kind.SIMPLE,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.05,
                ordering=Ordering.NONE,
                presets=("quick-redelivery",),
            ),
        ),
        promises=RESUMED,
    ),
    Workload(
        name="durable",
        doc="A durable subscription whose consumer comes and goes.",
        places=(Place(name="topic", queue=False),),
        sending=(Sending(to="topic", producers=2, window=50, settings=_SINGLY),),
        consuming=(Consuming(place="topic", name="durable", kind=Kind.DURABLE, reopens=3),),
        promises={**BASIC, **ALONE},
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="failover",
        doc="Two consumers of a shared durable subscription, one of them active.",
        places=(Place(name="topic", queue=False),),
        sending=(Sending(to="topic", producers=2, window=200),),
        consuming=(
            Consuming(
                place="topic",
                name="failover",
                kind=Kind.SHARED_DURABLE,
                consumers=2,
                settings={"jms.topicSharedSubscriptionType": "Failover"},
            ),
        ),
        promises={**BASIC, **ORDERED},
    ),
    Workload(
        name="key-shared",
        doc="Groups on a topic of 3 partitions, shared by key: each group to one consumer.",
        places=(Place(name="topic", queue=False, partitions=3),),
        sending=(
            Sending(
                to="topic",
                producers=2,
                window=200,
                keys=32,
                settings={"producerConfig": {"batcherBuilder": "KEY_BASED"}},
            ),
        ),
        consuming=(
            Consuming(
                place="topic",
                name="by-key",
                kind=Kind.SHARED_DURABLE,
                consumers=3,
                ordering=Ordering.KEY,
                grouped=True,
                settings={"jms.topicSharedSubscriptionType": "Key_Shared"},
            ),
        ),
        promises={
            **BASIC,
            **BY_KEY,
            "D22": "messages of a group go to one consumer (JMSXGroupID, Starlight 001)",
            "D23": "in their order",
        },
    ),
    Workload(
        name="fan-out",
        doc="A topic with a subscription of each kind; one of them selects half.",
        places=(Place(name="topic", queue=False),),
        sending=(Sending(to="topic", producers=2, window=200, bands=4),),
        consuming=(
            Consuming(place="topic", kind=Kind.SIMPLE),
            Consuming(place="topic", name="durable", kind=Kind.DURABLE),
            Consuming(
                place="topic",
                name="shared",
                kind=Kind.SHARED,
                consumers=2,
                presets=("fair-shares",),
            ),
            Consuming(place="topic", name="half", kind=Kind.DURABLE, selector="band < 2"),
        ),
        promises={**BASIC, **ALONE},
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="delays",
        doc="Every other message is to be delivered a while after it was sent.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=100, delays=(0, 300, 0, 1_000)),),
        consuming=(Consuming(place="queue", consumers=2),),
        promises={
            **BASIC,
            **ORDERED,
            "D15": "no message comes before its delivery time (7.9)",
        },
    ),
    Workload(
        name="delays-of-topics",
        doc="The same on a topic, to simple consumers whose subscriptions are not Exclusive.",
        places=(Place(name="topic", queue=False),),
        sending=(Sending(to="topic", producers=2, window=100, delays=(0, 300, 0, 1_000)),),
        consuming=(
            Consuming(
                place="topic",
                kind=Kind.SIMPLE,
                settings={"jms.useExclusiveSubscriptionsForSimpleConsumers": False},
            ),
        ),
        promises={
            **BASIC,
            **ORDERED,
            "D15": "without Exclusive subscriptions the delay is respected (SLJ-DLY-004)",
        },
        families=frozenset({"pulsar", "artemis"}),
    ),
    Workload(
        name="lives",
        doc="Messages that expire, to consumers that are fast enough for most.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=100, lives=(0, 500, 60_000)),),
        consuming=(Consuming(place="queue", consumers=2),),
        promises={
            **BASIC,
            **ORDERED,
            "D16": "clients should not receive what has expired (3.4.9)",
        },
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="priorities",
        doc="Ten priorities on ten partitions, consumed while they are sent.",
        places=(Place(name="queue", partitions=10),),
        sending=(Sending(to="queue", producers=2, window=200, priorities=tuple(range(10))),),
        consuming=(Consuming(place="queue", presets=("priorities",)),),
        promises={
            **BASIC,
            **ORDERED,
            "D32": "a number to report: high priorities should come ahead (3.4.11)",
        },
    ),
    Workload(
        name="waiting-priorities",
        doc="Ten priorities wait on ten partitions: how well is their order kept?",
        places=(Place(name="queue", partitions=10),),
        sending=(Sending(to="queue", producers=2, window=200, priorities=tuple(range(10))),),
        consuming=(Consuming(place="queue", presets=("priorities",)),),
        promises={
            **BASIC,
            **ORDERED,
        },
        backlog=True,
    ),
    Workload(
        name="dead-letters",
        doc="One message in twenty is refused each time, until it becomes a dead letter.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=200, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
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
    ),
    Workload(
        name="non-persistent",
        doc="Both delivery modes by turns, each in its order.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=200, modes=(1, 2)),),
        consuming=(Consuming(place="queue"),),
        promises={**BASIC, **ORDERED},
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="transactions",
        doc="Transactions of the broker: sent together, rolled back, moved from queue to queue.",
        places=(Place(name="inbox"), Place(name="outbox")),
        sending=(Sending(to="inbox", producers=2, transaction=10, rolled_back=0.1),),
        consuming=(
            Consuming(
                place="inbox",
                consumers=2,
                acknowledgement=Acknowledgement.TRANSACTED,
                every=5,
                again=0.1,
                forwards_to="outbox",
            ),
            Consuming(place="outbox"),
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
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="transacted-sends",
        doc="Two producers send in transactions of twenty, one of ten of which is rolled back.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, transaction=20, rolled_back=0.1),),
        consuming=(Consuming(place="queue", consumers=2, presets=("fair-shares",)),),
        promises={
            **BASIC,
            **ORDERED,
            "D03": "what is rolled back is not delivered (6.2.7)",
            "D17": "a transaction is delivered as a whole (6.2.7)",
            "D18": "and not before it is committed (6.2.7)",
        },
        capabilities=frozenset({"transactions"}),
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="cuts",
        doc="Connections are cut three times while messages are sent, received and acknowledged.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", producers=2, window=100, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
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
            FaultPlan(kind=Fault.CUT),
            FaultPlan(kind=Fault.CUT),
            FaultPlan(kind=Fault.CUT),
        ),
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="listeners-cut",
        doc="Listeners, one call in twenty of which throws, behind connections that are cut twice.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", window=100, gap=5, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
                consumers=2,
                listener=True,
                again=0.05,
                ordering=Ordering.NONE,
                presets=("fair-shares", "quick-redelivery"),
            ),
        ),
        promises={**BASIC, **RETURNED},
        faults=(FaultPlan(kind=Fault.CUT), FaultPlan(kind=Fault.CUT)),
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="lazily-cut",
        doc="The same in DUPS_OK_ACKNOWLEDGE, in which messages may come again.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", window=100, gap=5, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
                consumers=2,
                acknowledgement=Acknowledgement.DUPS_OK,
                listener=True,
                again=0.05,
                ordering=Ordering.NONE,
                presets=("fair-shares", "quick-redelivery"),
            ),
        ),
        promises={
            **LAZILY,
            "D06": RETURNED["D06"],
            "D12": RETURNED["D12"],
        },
        faults=(FaultPlan(kind=Fault.CUT), FaultPlan(kind=Fault.CUT)),
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="left-on-a-queue",
        doc="Consumers of a queue close their connections with messages not acknowledged.",
        places=(Place(name="queue"),),
        sending=(Sending(to="queue", window=100, gap=5, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="queue",
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                ordering=Ordering.NONE,
                leaves=3,
            ),
        ),
        promises=LEFT,
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="left-on-a-subscription",
        doc="The same of a durable subscription, whose only consumer leaves and comes back.",
        places=(Place(name="topic", queue=False),),
        sending=(Sending(to="topic", window=100, gap=5, settings=_SINGLY),),
        consuming=(
            Consuming(
                place="topic",
                name="durable",
                kind=Kind.DURABLE,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                leaves=3,
            ),
        ),
        promises=LEFT,
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="left-over-a-restart",
        doc="All consumers leave with open messages, and come back to a broker that was killed.",
        places=(Place(name="topic", queue=False), Place(name="queue")),
        sending=(
            Sending(to="topic", window=10, gap=5, settings=_SINGLY),
            Sending(to="queue", window=10, gap=5, settings=_SINGLY),
        ),
        consuming=(
            Consuming(
                place="topic",
                name="durable",
                kind=Kind.DURABLE,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
            ),
            Consuming(
                place="queue",
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                again=0.1,
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
        # what is given back after it is judged for flags and counts; what it made come again, shown
        faults=(FaultPlan(kind=Fault.BROKER_RESTART, earliest=0.2, latest=0.4, alone=True),),
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="restart",
        doc="The broker is killed and started again; two durable subscriptions lose nothing.",
        places=(Place(name="topic", queue=False), Place(name="queue")),
        sending=(
            Sending(to="topic", window=100),
            Sending(to="queue", window=100),
        ),
        consuming=(
            Consuming(place="topic", name="durable", kind=Kind.DURABLE),
            Consuming(
                place="topic",
                name="shared",
                kind=Kind.SHARED_DURABLE,
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
            ),
            Consuming(
                place="queue",
                consumers=2,
                acknowledgement=Acknowledgement.TRANSACTED,
                every=10,
            ),
        ),
        promises={**BASIC, **ALONE},
        messages=10_000,
        faults=(FaultPlan(kind=Fault.BROKER_RESTART),),
        families=_ALL_FAMILIES,
    ),
    Workload(
        name="crash",
        doc="Processes with consumers are killed, and others take over what they had.",
        places=(Place(name="queue"), Place(name="topic", queue=False)),
        sending=(
            Sending(to="queue", producers=2, window=100),
            Sending(to="topic", window=100),
        ),
        consuming=(
            Consuming(
                place="queue",
                consumers=2,
                acknowledgement=Acknowledgement.CLIENT,
                every=10,
                # what the dead one had fetched goes to others, behind later messages
                ordering=Ordering.NONE,
            ),
            Consuming(
                place="topic",
                name="shared",
                kind=Kind.SHARED_DURABLE,
                consumers=2,
                acknowledgement=Acknowledgement.TRANSACTED,
                every=10,
                ordering=Ordering.NONE,
            ),
        ),
        promises={**BASIC},
        messages=10_000,
        faults=(
            FaultPlan(kind=Fault.CONSUMER_CRASH),
            FaultPlan(kind=Fault.CONSUMER_CRASH),
        ),
        families=_ALL_FAMILIES,
    ),
)


def workload(name: str) -> Workload:
    """The workload of that name; `UsageError` with close matches otherwise."""
    try:
        return WORKLOADS[name]
    except KeyError:
        close = get_close_matches(name, WORKLOADS, n=3)
        raise UsageError(
            f"There is no workload {name!r}",
            hint=f"Did you mean {' or '.join(close)}?"
            if close
            else f"There are: {', '.join(WORKLOADS)}.",
        ) from None
