"""What each producer and consumer of a run is told: plain data, so that it travels to processes.

A plan numbers everything: producers from 1, sessions, consumers, destinations and subscriptions
from 0. A consumer that opens again, or that replaces a killed one, has a number of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain, count
from typing import Any, Self

from jms_clients.interface import Provider
from jms_clients.presets import overlaid, preset
from touchstone.workloads.model import (
    CONNECTION_FAULTS,
    Acknowledgement,
    Consuming,
    SendingTask,
    SubscriptionKind,
    Workload,
    WorkloadDestination,
    leave_count,
)

_LOSSES_OF_A_FAULT = 3
"""Connections that a consumer may lose by one fault: the next one too, while it lasts."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A destination by its number and its name at the broker."""

    dest: int
    name: str
    queue: bool


@dataclass(frozen=True, kw_only=True)
class Producing:
    """One producer; see `SendingTask`. `selectors` are bit and text of each subscription."""

    session: int
    producer: int
    to: Endpoint
    messages: int
    seed: int
    window: int
    gap: int
    transaction: int
    rolled_back: float
    keys: tuple[int, ...]
    priorities: tuple[int, ...]
    delays: tuple[int, ...]
    lives: tuple[int, ...]
    modes: tuple[int, ...]
    bands: int
    body: int
    selectors: tuple[tuple[int, str], ...]
    settings: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class ReceivingTask:
    """One consumer; see `Consuming`. `sub` is -1-k for the dead-letter queue of k."""

    session: int
    consumers: tuple[int, ...]
    sub: int
    source: Endpoint
    name: str
    client_id: str
    kind: str
    acknowledgement: str
    listener: bool
    every: int
    again: float
    refused: bool
    selector: str
    seed: int
    settings: Mapping[str, object]
    losses: int = 0
    """How often its connection may be lost for good, and is opened anew."""
    waits: bool = False
    """Its connection starts at GO."""
    output: Endpoint | None = None
    producer: int = 0
    """Of what it forwards to `output`."""
    output_selectors: tuple[tuple[int, str], ...] = ()


def as_data(task: Producing | ReceivingTask) -> dict[str, Any]:
    """The task for `from_data` of another process."""
    return {**asdict(task), "task": type(task).__name__}


def from_data(data: Mapping[str, Any]) -> Producing | ReceivingTask:
    """The task that `as_data` described."""
    values = {name: value for name, value in data.items() if name != "task"}
    for name in ("to", "source", "output"):
        if values.get(name) is not None:
            values[name] = Endpoint(**values[name])
    for name in ("keys", "priorities", "delays", "lives", "modes", "consumers"):
        if name in values:
            values[name] = tuple(values[name])
    for name in ("selectors", "output_selectors"):
        if name in values:
            values[name] = tuple((bit, text) for bit, text in values[name])
    return Producing(**values) if data["task"] == "Producing" else ReceivingTask(**values)


@dataclass(frozen=True)
class Numbered:
    """A subscription of the workload with its numbers and its name at the broker."""

    sub: int
    bit: int
    consuming: Consuming
    source: Endpoint
    name: str
    """What the client calls it, as no other run does; empty where it has no name."""
    client_id: str

    @property
    def broker_name(self) -> str:
        """What Pulsar calls it; empty where the client makes up a name."""
        match self.consuming.kind:
            case SubscriptionKind.QUEUE:
                return "jms-queue"
            case SubscriptionKind.SIMPLE:
                return ""
            case SubscriptionKind.DURABLE:
                return f"{self.client_id}_{self.name}"
            case _:
                return self.name


@dataclass
class WorkloadPlan:
    """A workload made ready for one run. Destinations of dead letters follow the workload's own."""

    workload: Workload
    provider: Provider
    messages: int
    seed: int
    prefix: str
    own_settings: Mapping[str, object]
    """What each factory is given, such as a namespace."""
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    subscriptions: list[Numbered] = field(default_factory=list)
    _sessions: Iterator[int] = field(default_factory=count)
    _consumers: Iterator[int] = field(default_factory=count)
    _producers: Iterator[int] = field(default_factory=lambda: count(1))

    @classmethod
    def of(
        cls,
        workload: Workload,
        provider: Provider,
        own_settings: Mapping[str, object],
        *,
        messages: int,
        seed: int,
        prefix: str,
    ) -> Self:
        """Number the workload's destinations and subscriptions."""
        plan = cls(workload, provider, messages, seed, prefix, own_settings)
        letters = [task.dead_letters for task in workload.consuming if task.dead_letters]
        destinations = [
            *workload.destinations,
            *(WorkloadDestination(name=name) for name in letters),
        ]
        for dest, destination in enumerate(destinations):
            plan.endpoints[destination.name] = Endpoint(
                dest=dest, name=prefix + destination.name, queue=destination.queue
            )
        bits: dict[str, Iterator[int]] = {}
        for sub, task in enumerate(workload.consuming):
            bit = next(bits.setdefault(task.destination, count()))
            client_id = f"{prefix}c{sub}" if task.kind is SubscriptionKind.DURABLE else ""
            source = plan.endpoints[task.destination]
            name = prefix + task.name if task.name else ""
            plan.subscriptions.append(Numbered(sub, bit, task, source, name, client_id))
        return plan

    def selectors(self, destination: str) -> tuple[tuple[int, str], ...]:
        """Bit and selector of each subscription of a destination."""
        return tuple(
            (subscription.bit, subscription.consuming.selector)
            for subscription in self.subscriptions
            if subscription.consuming.destination == destination
        )

    def producing(self) -> list[Producing]:
        """The tasks of all producers; they share the messages, the first ones taking the rest."""
        groups = [
            (task, index) for task in self.workload.sending for index in range(task.producers)
        ]
        share, rest = divmod(self.messages, len(groups))
        return [
            self._producing(task, index, share + (number < rest))
            for number, (task, index) in enumerate(groups)
        ]

    def opening(self) -> list[Producing]:
        """Who sends first, alone, where several transacted sessions will: one message, rolled back.

        Where the first two sends of transactions to a topic meet, Pulsar 4.0.7 takes the first
        snapshot of its transaction buffer twice, and refuses all sends of transactions to this
        topic from then on (apache/pulsar#24945): that judges no client.
        """
        senders = Counter[str]()
        for sending in self.workload.sending:
            senders[sending.to] += sending.producers if sending.transaction else 0
        for consuming in self.workload.consuming:
            senders[consuming.forwards_to] += consuming.consumers if consuming.forwards_to else 0
        return [
            self._producing(SendingTask(to=destination, transaction=1, rolled_back=1.0), 0, 1)
            for destination, sessions in senders.items()
            if sessions > 1
        ]

    def _producing(self, task: SendingTask, index: int, messages: int) -> Producing:
        session = next(self._sessions)
        return Producing(
            session=session,
            producer=next(self._producers),
            to=self.endpoints[task.to],
            messages=messages,
            seed=self._seed(session),
            window=task.window,
            gap=task.gap,
            transaction=task.transaction,
            rolled_back=task.rolled_back,
            keys=tuple(range(index, task.keys, task.producers)),
            priorities=task.priorities,
            delays=task.delays,
            lives=task.lives,
            modes=task.modes,
            bands=task.bands,
            body=task.body,
            selectors=self.selectors(task.to),
            settings=self._settings(_presets_of_sending(task), task.settings),
        )

    def receiving(self, subscription: Numbered) -> ReceivingTask:
        """The task of one more consumer of a subscription."""
        faults = [fault for fault in self.workload.faults if fault.kind in CONNECTION_FAULTS]
        losses = _LOSSES_OF_A_FAULT * len(faults)
        consuming = subscription.consuming
        settings = self._settings(_presets_of_consuming(consuming), consuming.settings)
        if consuming.dead_letters:
            policy = {
                "maxRedeliverCount": consuming.max_deliveries - 1,
                "deadLetterTopic": self.letters_topic(consuming.dead_letters),
                "initialSubscriptionName": "jms-queue",
            }
            settings = overlaid(settings, {"consumerConfig": {"deadLetterPolicy": policy}})
        session = next(self._sessions)
        forwards = consuming.forwards_to
        return ReceivingTask(
            session=session,
            consumers=tuple(
                next(self._consumers)
                for _ in range(
                    1 + consuming.reopens + leave_count(self.workload, consuming) + losses
                )
            ),
            losses=losses,
            sub=subscription.sub,
            source=subscription.source,
            name=subscription.name,
            client_id=subscription.client_id,
            kind=consuming.kind.name,
            acknowledgement=consuming.acknowledgement.name,
            listener=consuming.listener,
            every=consuming.every,
            again=consuming.again,
            refused=consuming.refused,
            selector=consuming.selector,
            # of one subscription all refuse the same messages
            seed=self._seed(-1 - subscription.sub if consuming.refused else session),
            settings=settings,
            waits=self.workload.backlog,
            output=self.endpoints[forwards] if forwards else None,
            producer=next(self._producers) if forwards else 0,
            output_selectors=self.selectors(forwards) if forwards else (),
        )

    def reading_letters(self, subscription: Numbered) -> ReceivingTask:
        """The task of the consumer of a subscription's dead-letter queue."""
        return ReceivingTask(
            session=next(self._sessions),
            consumers=(next(self._consumers),),
            sub=-1 - subscription.sub,
            source=self.endpoints[subscription.consuming.dead_letters],
            name="",
            client_id="",
            kind=SubscriptionKind.QUEUE.name,
            acknowledgement=Acknowledgement.AUTO.name,
            listener=False,
            every=1,
            again=0.0,
            refused=False,
            selector="",
            seed=0,
            settings=self._settings((), {}),
        )

    def letters_topic(self, name: str) -> str:
        """The full name of the topic behind a dead-letter queue."""
        namespace = self.own_settings.get("jms.systemNamespace", "public/default")
        return f"persistent://{namespace}/{self.endpoints[name].name}"

    def _settings(self, presets: tuple[str, ...], own: Mapping[str, object]) -> dict[str, object]:
        presets += _presets_of_faults(self.workload)
        settings = overlaid(preset(self.provider, *presets), self.own_settings)
        if self.provider.broker_family != "pulsar":
            return settings
        return overlaid(settings, own)

    def _seed(self, number: int) -> int:
        return hash((self.seed, number)) & 0x7FFFFFFF


def presets_of(workload: Workload) -> tuple[str, ...]:
    """The presets that clients of a workload are given, each once."""
    asked = [_presets_of_faults(workload)]
    asked += [_presets_of_sending(each) for each in workload.sending]
    asked += [_presets_of_consuming(each) for each in workload.consuming]
    return tuple(dict.fromkeys(chain.from_iterable(asked)))


def _presets_of_faults(workload: Workload) -> tuple[str, ...]:
    cut = any(fault.kind in CONNECTION_FAULTS for fault in workload.faults)
    return ("reconnecting",) if cut else ()


def _presets_of_sending(task: SendingTask) -> tuple[str, ...]:
    presets: tuple[str, ...] = ("transactions",) if task.transaction else ()
    if any(priority != 4 for priority in task.priorities):
        presets += ("priorities",)
    return presets


def _presets_of_consuming(consuming: Consuming) -> tuple[str, ...]:
    transacted = consuming.acknowledgement is Acknowledgement.TRANSACTED
    return (*consuming.presets, *(("transactions",) if transacted else ()))
