"""What a workload is: destinations, who sends to them, who consumes, what befalls them.

All of it is data that knows no client. Which checks a workload promises anything about stands in
`promises`, with the reason from the documents.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from jms_clients.lacking import SHARED_SUBSCRIPTIONS
from jms_histories.values import FaultKind, Ordering
from touchstone.catalogue.workload_steps import WorkloadStep
from touchstone.errors import UsageError

CONNECTION_FAULTS: Final = frozenset({FaultKind.CUT, FaultKind.BROKER_RESTART})
"""Faults in which every client loses its connections."""


class SubscriptionKind(Enum):
    """How a subscription comes about."""

    QUEUE = "queue"
    SIMPLE = "consumer of a topic"
    DURABLE = "durable"
    SHARED = "shared"
    SHARED_DURABLE = "shared durable"

    @property
    def exclusive(self) -> bool:
        """Whether only one consumer may have it at a time."""
        return self in (SubscriptionKind.SIMPLE, SubscriptionKind.DURABLE)

    @property
    def durable(self) -> bool:
        """Whether it stays when its last consumer closes."""
        return self in (
            SubscriptionKind.QUEUE,
            SubscriptionKind.DURABLE,
            SubscriptionKind.SHARED_DURABLE,
        )


class Acknowledgement(Enum):
    """How a consumer acknowledges."""

    AUTO = "AUTO_ACKNOWLEDGE"
    DUPS_OK = "DUPS_OK_ACKNOWLEDGE"
    CLIENT = "CLIENT_ACKNOWLEDGE"
    INDIVIDUAL = "one by one"
    """The vendor's mode where acknowledge() is for its message alone."""
    TRANSACTED = "SESSION_TRANSACTED"


@dataclass(frozen=True, kw_only=True)
class WorkloadDestination:
    """A destination of the run; `partitions` 0 means none."""

    name: str
    queue: bool = True
    partitions: int = 0


@dataclass(frozen=True, kw_only=True)
class SendingTask:
    """Some producers of one destination, each with a session and a sequence of its own.

    With `window` sends are asynchronous and at most so many are under way. `transaction` sends
    are committed together, and a share `rolled_back` of these transactions is not. Keys are groups,
    each belonging to one producer. Of priorities, delays (ms), lives (ms, 0: for ever) and modes
    the sends take one after the other. `bands` is the number of values of the property `band`.
    """

    to: str
    producers: int = 1
    window: int = 0
    gap: int = 0
    """Milliseconds between two sends: what is injected meanwhile falls between them."""
    transaction: int = 0
    rolled_back: float = 0.0
    keys: int = 0
    priorities: tuple[int, ...] = (4,)
    delays: tuple[int, ...] = (0,)
    lives: tuple[int, ...] = (0,)
    modes: tuple[int, ...] = (2,)
    bands: int = 0
    body: int = 64
    """Bytes behind the description."""
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Consuming:
    """A subscription and its consumers, each with a session of its own.

    A share `again` of what is received for the first time is given back: by a listener that
    throws, by recover() or rollback() of the batch it is in. With `refused` it is given back as
    often as it comes. acknowledge() or commit() are called after `every` messages. With
    `forwards_to` each message causes one send, in the same transaction. `reopens` is how often each
    consumer closes and opens again, `pauses` how often its connection stops and starts, `leaves`
    how often it closes that with messages that it has not settled, and comes back by a new one.
    """

    destination: str
    name: str = ""
    kind: SubscriptionKind = SubscriptionKind.QUEUE
    consumers: int = 1
    acknowledgement: Acknowledgement = Acknowledgement.AUTO
    listener: bool = False
    every: int = 1
    again: float = 0.0
    refused: bool = False
    ordering: Ordering = Ordering.PRODUCER
    grouped: bool = False
    selector: str = ""
    max_deliveries: int = -1
    dead_letters: str = ""
    """The queue that gets what was delivered too often."""
    forwards_to: str = ""
    reopens: int = 0
    pauses: int = 0
    leaves: int = 0
    presets: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    """In Starlight's keys; clients of other brokers are not given them."""


@dataclass(frozen=True, kw_only=True)
class FaultPlan:
    """A fault that begins when a share of the messages was sent, drawn from the seed.

    With `alone` all consumers leave before it (see `Consuming.leaves`) and come back after it.
    """

    kind: FaultKind
    earliest: float = 0.2
    latest: float = 0.8
    alone: bool = False


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One workload; `messages` is how many are sent in all unless somebody says otherwise."""

    name: str
    doc: str
    destinations: tuple[WorkloadDestination, ...]
    sending: tuple[SendingTask, ...]
    consuming: tuple[Consuming, ...]
    promises: Mapping[str, str]
    """Check -> why the documents promise what it looks at."""
    messages: int = 2_000
    backlog: bool = False
    """Consumers are there from the beginning, and start when everything was sent."""
    faults: tuple[FaultPlan, ...] = ()
    families: frozenset[str] = frozenset()
    """Of the brokers that have what it drives; empty for every one."""
    capabilities: frozenset[str] = frozenset()
    """`transactions`: those of a broker, not emulated ones."""

    def destination(self, name: str) -> WorkloadDestination:
        """The destination of that name."""
        return next(destination for destination in self.destinations if destination.name == name)

    @property
    def exercises(self) -> tuple[str, ...]:
        """What it drives, in a few words each."""
        kinds = [task.kind.value + (" grouped" if task.grouped else "") for task in self.consuming]
        modes = [task.acknowledgement.value for task in self.consuming]
        faults = [f"fault: {fault.kind.name.lower().replace('_', ' ')}" for fault in self.faults]
        return tuple(dict.fromkeys((*kinds, *modes, *faults)))


def leave_count(workload: Workload, consuming: Consuming) -> int:
    """How often each of these consumers leaves and comes back."""
    return consuming.leaves + sum(fault.alone for fault in workload.faults)


_GIVEN_BACK: Final = {
    Acknowledgement.CLIENT: WorkloadStep.RECOVER,
    Acknowledgement.INDIVIDUAL: WorkloadStep.RECOVER,
    Acknowledgement.TRANSACTED: WorkloadStep.ROLL_BACK,
}
_FAULTS: Final = {FaultKind.CUT: WorkloadStep.CUT, FaultKind.BROKER_RESTART: WorkloadStep.RESTART}


def steps_of(workload: Workload) -> frozenset[WorkloadStep]:
    """What it does besides sending, receiving and settling."""
    given_back = {
        _GIVEN_BACK.get(task.acknowledgement, WorkloadStep.THROW)
        for task in workload.consuming
        if task.again
    }
    left = {WorkloadStep.LEAVE for task in workload.consuming if leave_count(workload, task)}
    faults = {_FAULTS[fault.kind] for fault in workload.faults if fault.kind in _FAULTS}
    return frozenset(given_back | left | faults)


def possible_workload(workload: Workload, lacking: Collection[str]) -> Workload:
    """The workload without the subscriptions of a client that is `lacking` these things.

    `UsageError` where nothing is left.
    """
    shared = (
        (SubscriptionKind.SHARED, SubscriptionKind.SHARED_DURABLE)
        if SHARED_SUBSCRIPTIONS in lacking
        else ()
    )
    consuming = tuple(task for task in workload.consuming if task.kind not in shared)
    consumed = {task.destination for task in consuming}
    sending = tuple(task for task in workload.sending if task.to in consumed)
    if not sending:
        raise UsageError(
            f"The workload {workload.name} is all about shared subscriptions, which the client has"
            " not got",
            hint="Choose another workload; see `touchstone workload list`.",
        )
    return replace(workload, consuming=consuming, sending=sending)


def checked(workload: Workload) -> Workload:
    """The workload; `UsageError` where it cannot be recorded soundly."""
    kinds = {fault.kind for fault in workload.faults}
    for task in workload.consuming:
        settles = task.acknowledgement in (
            Acknowledgement.CLIENT,
            Acknowledgement.INDIVIDUAL,
            Acknowledgement.TRANSACTED,
        )
        if FaultKind.CONSUMER_CRASH in kinds and not settles:
            raise UsageError(
                f"{workload.name}: consumers are killed, and {task.destination} is consumed in"
                f" {task.acknowledgement.value}",
                hint="What acknowledges by itself cannot be recorded before it happens.",
            )
        if kinds & {FaultKind.CONSUMER_CRASH, FaultKind.BROKER_RESTART} and not task.kind.durable:
            raise UsageError(
                f"{workload.name}: consumers or the broker are killed, and {task.destination} has a"
                f" subscription ({task.kind.value}) that ends with them",
                hint="What is sent meanwhile waits for nobody: choose a workload of queues and"
                " durable subscriptions, or --faults cut.",
            )
        if task.listener and settles:
            raise UsageError(
                f"{workload.name}: a listener would leave messages of {task.destination} unsettled",
                hint="Listeners are for AUTO_ACKNOWLEDGE and DUPS_OK_ACKNOWLEDGE.",
            )
        if leave_count(workload, task) and not (
            settles and task.every > 1 and not task.forwards_to
        ):
            raise UsageError(
                f"{workload.name}: consumers of {task.destination} are to leave with unsettled "
                "messages, and have none",
                hint="Consume it in CLIENT_ACKNOWLEDGE or SESSION_TRANSACTED, several at a time.",
            )
        if task.forwards_to and task.acknowledgement is not Acknowledgement.TRANSACTED:
            raise UsageError(
                f"{workload.name}: what {task.destination} forwards has to be part of a"
                " transaction",
                hint="Consume it in SESSION_TRANSACTED.",
            )
    return workload
