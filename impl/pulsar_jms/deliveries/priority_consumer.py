"""A consumer that hands out what it has fetched ahead by priority, not in the order of arrival.

Each partition has a consumer of its own, whose receiver queue is the larger the higher its
priority. What arrives moves from there into one heap: the highest priority first, the oldest first
among equals. The heap takes as much from a partition as its receiver queue holds, so that low
priorities cannot crowd out high ones, and memory stays bounded by twice the receiver queue.

What waits here is unacknowledged at the broker, which delivers it to others when this closes.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import math
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from jmsapi import DEFAULT_PRIORITY, JMSException
from pulsar_jms.implements import implements
from pulsar_jms.mapping.priority import priority_of, receiver_queues
from pulsar_jms.transport.transport_protocol import (
    AsyncTransportConsumer,
    BrokerTransaction,
    DeliveredMessage,
    SubscriptionRequest,
    Transport,
)
from pulsar_jms.transport.wire_messages import Incoming, MessagePosition

_LOG = logging.getLogger(__name__)

_GRACE = 1.0
"""Seconds after a rewind in which what was on its way before may still arrive."""


class _TopicOrder:
    """One topic without partitions, in whose order a source delivers."""

    __slots__ = ("_age", "_grace", "_newest", "_patience_ends", "_rewound", "unsettled")

    def __init__(self, grace: float) -> None:
        """`grace` is how many seconds after a rewind the first copy may still come."""
        self._grace = grace
        self.unsettled = 0
        """How many of its messages were fetched and neither acknowledged nor nacked."""
        self._newest: MessagePosition | None = None
        self._age = 0
        self._rewound = False
        """Whether a repetition is due whose first message has not come."""
        self._patience_ends = float("inf")

    def age(self, message: Incoming, position: MessagePosition) -> int:
        """When the message was published in ms, but never before one that it stands behind."""
        if self._newest is not None and position <= self._newest:
            return message.publish_time
        self._newest = position
        self._age = max(self._age, message.publish_time)
        return self._age

    def rewind(self) -> None:
        """Expect everything unsettled once more, from the oldest on."""
        if self.unsettled:
            self._rewound = True
            self._patience_ends = float("inf")
            self.unsettled = 0

    def comes_again(self, position: MessagePosition) -> bool:
        """Whether a message was on its way before the rewind, which repeats it."""
        if not self._rewound or self._newest is None:
            return False
        now = time.monotonic()
        self._patience_ends = min(self._patience_ends, now + self._grace)
        self._rewound = position > self._newest and now < self._patience_ends
        return self._rewound


class _Partition:
    """One consumer and how much of it may wait here."""

    __slots__ = (
        "_news",
        "arrived",
        "asked",
        "consumer",
        "epoch",
        "handed",
        "held",
        "room",
        "streams",
    )

    def __init__(
        self, consumer: AsyncTransportConsumer, room: int, news: threading.Event, grace: float
    ) -> None:
        self.consumer = consumer
        self.room = room
        self.held = 0
        """How many of its messages wait here."""
        self.handed = 0
        """How many were handed out and neither acknowledged nor nacked."""
        self.asked = False
        """Whether the consumer was asked for the next message and has not answered."""
        self.arrived: deque[DeliveredMessage] = deque()
        """Answers of the consumer, put here by the transport's threads."""
        self.streams: defaultdict[str, _TopicOrder] = defaultdict(partial(_TopicOrder, grace))
        self.epoch = 0
        """How often it was rewound."""
        self._news = news

    def ask(self) -> None:
        """Have the next message put into `arrived`, now or when there is one."""
        self.asked = True
        self.consumer.receive_async(self._take)

    def _take(self, delivered: DeliveredMessage | None) -> None:
        if delivered is not None:
            self.arrived.append(delivered)
            self.asked = False
        self._news.set()


class _Fetched:
    """A message with the way back to where it came from."""

    __slots__ = ("delivered", "epoch", "source", "stream")

    def __init__(
        self, delivered: DeliveredMessage, source: _Partition, stream: _TopicOrder, epoch: int
    ) -> None:
        self.delivered = delivered
        self.source = source
        self.stream = stream
        self.epoch = epoch
        """Of the source, when it was fetched."""

    @property
    def message(self) -> Incoming:
        """The message itself."""
        return self.delivered.message

    def without_content(self) -> _Fetched:
        """What is left of it to be nacked."""
        return _Fetched(self.delivered.without_content(), self.source, self.stream, self.epoch)


@implements("JMS-PRIO-002", "SLJ-PRIO-005")
class PriorityConsumer:
    """Several consumers of one subscription, as one that orders by priority.

    `receive` and `nack_all` are for one thread at a time, the rest for any.
    """

    def __init__(
        self,
        consumers: Sequence[tuple[AsyncTransportConsumer, int]],
        *,
        keeps_order: bool,
        added: Callable[[], Sequence[tuple[AsyncTransportConsumer, int]]] | None = None,
        look_every: float = math.inf,
        grace: float = _GRACE,
    ) -> None:
        """Wrap consumers, the highest priority first, each with how much of it may wait here.

        `keeps_order` says that the broker delivers each topic in order and takes back all or
        nothing: what is nacked then comes again with everything after it. `open_added` makes the
        consumers of partitions that came later, and is asked every `look_every` seconds. `grace`
        is how many seconds after a rewind what was on its way before may still arrive.
        """
        self._news = threading.Event()
        self._grace = grace
        self._look_every = look_every
        self._sources = self._partitions(consumers)
        self._keeps_order = keeps_order
        self._added = added
        self._look_at = time.monotonic() + self._look_every
        self._heap: list[tuple[int, int, MessagePosition, int, _Fetched]] = []
        self._number = itertools.count()
        self._lock = threading.Lock()
        """Guards what is counted."""
        self._closed = False

    def receive(self, timeout: int) -> _Fetched | None:
        """The highest priority that is here, else what comes first within `timeout` ms."""
        until = time.monotonic() + timeout / 1000
        while True:
            self._news.clear()
            if self._closed:
                return None
            self._look_for_partitions()
            for source in self._sources:
                self._fetch(source)
            if self._heap:
                *_, fetched = heapq.heappop(self._heap)
                with self._lock:
                    fetched.source.held -= 1
                    fetched.source.handed += 1
                return fetched
            if not self._news.wait(max(0.0, until - time.monotonic())):
                return None

    def acknowledge(
        self, delivered: DeliveredMessage, transaction: BrokerTransaction | None = None
    ) -> None:
        """Acknowledge at the partition that the message came from."""
        fetched = _own(delivered)
        fetched.source.consumer.acknowledge(fetched.delivered, transaction)
        self._note_settled(fetched)

    def acknowledge_async(
        self, delivered: DeliveredMessage, failed: Callable[[JMSException], None]
    ) -> None:
        """Start to acknowledge at the partition that the message came from."""
        fetched = _own(delivered)
        fetched.source.consumer.acknowledge_async(fetched.delivered, failed)
        self._note_settled(fetched)

    def nack(self, delivered: DeliveredMessage) -> None:
        """Ask the partition that the message came from to deliver it again."""
        fetched = _own(delivered)
        fetched.source.consumer.nack(fetched.delivered)
        self._note_settled(fetched)

    def nack_all(self) -> None:
        """Rewind each partition of which the application has messages; others go on."""
        rewound = [source for source in self._sources if source.handed]
        for source in rewound:
            self._rewind(source)
        kept = [entry for entry in self._heap if entry[-1].source not in rewound]
        heapq.heapify(kept)
        self._heap = kept

    def is_connected(self) -> bool:
        """Whether every partition is connected."""
        return all(source.consumer.is_connected() for source in self._sources)

    def lost_at(self) -> int:
        """When a partition was lost last."""
        return max((source.consumer.lost_at() for source in self._sources), default=0)

    def close(self) -> None:
        """Close every partition's consumer; what waits here goes back to the broker."""
        self._closed = True
        for source in self._sources:
            source.consumer.close()
        self._news.set()

    # -- fetching ------------------------------------------------------------------------------

    def _fetch(self, source: _Partition) -> None:
        """Take over what the source has, as far as there is room."""
        while True:
            while source.arrived:
                self._admit(source, source.arrived.popleft())
            if source.asked or source.held >= source.room:
                return
            source.ask()

    def _admit(self, source: _Partition, delivered: DeliveredMessage) -> None:
        message = delivered.message
        position = message.position
        stream = source.streams[message.topic]
        if self._keeps_order and stream.comes_again(position):
            return
        age = stream.age(message, position)
        with self._lock:
            source.held += 1
            stream.unsettled += 1
        fetched = _Fetched(delivered, source, stream, source.epoch)
        entry = (-_priority(message), age, position, next(self._number), fetched)
        heapq.heappush(self._heap, entry)

    def _rewind(self, source: _Partition) -> None:
        while source.arrived:
            self._admit(source, source.arrived.popleft())
        for _ in range(source.room):
            delivered = source.consumer.receive(0)
            if delivered is None:
                break
            self._admit(source, delivered)
        with self._lock:
            source.held = source.handed = 0
            source.epoch += 1
            for stream in source.streams.values():
                stream.rewind()
        source.consumer.nack_all()

    def _note_settled(self, fetched: _Fetched) -> None:
        with self._lock:
            if fetched.epoch == fetched.source.epoch:
                fetched.stream.unsettled -= 1
                fetched.source.handed -= 1

    def _partitions(
        self, consumers: Sequence[tuple[AsyncTransportConsumer, int]]
    ) -> list[_Partition]:
        return [_Partition(consumer, room, self._news, self._grace) for consumer, room in consumers]

    def _look_for_partitions(self) -> None:
        if self._added is None or time.monotonic() < self._look_at or not self.is_connected():
            return
        self._look_at = time.monotonic() + self._look_every
        try:
            added = self._added()
        except JMSException as error:
            _LOG.warning("Cannot look for added partitions: %s", error.reason)
            return
        sources = self._partitions(added)
        self._sources = sources + self._sources
        if self._closed:
            for source in sources:
                source.consumer.close()


def open_by_priority(transport: Transport, request: SubscriptionRequest) -> PriorityConsumer:
    """The consumer that `request` asks for, ordered by priority.

    `JMSException` when the broker refuses it for a topic or a partition.
    """
    keeps_order = not request.type.redelivers_single_messages
    if request.pattern is not None:
        consumer = transport.subscribe(request)
        return PriorityConsumer([(consumer, request.prefetch)], keeps_order=keeps_order)
    opener = _Opener(transport, request)
    return PriorityConsumer(
        opener.open_added(),
        keeps_order=keeps_order,
        added=opener.open_added,
        look_every=request.new_partitions_every,
    )


class _Opener:
    """Opens a consumer for each partition of the topics of a request."""

    def __init__(self, transport: Transport, request: SubscriptionRequest) -> None:
        self._transport = transport
        self._request = request
        self._opened: set[str] = set()

    def open_added(self) -> list[tuple[AsyncTransportConsumer, int]]:
        """Consumers for the partitions that have none yet, the highest first, with their queues.

        Partitions that came after the first call are read from their first message on.
        """
        request = self._request
        numbered = sorted(
            (number, topic)
            for whole in request.topics
            for number, topic in enumerate(self._transport.partitions(whole))
        )
        sizes = receiver_queues(request.prefetch, [number for number, _ in numbered])
        new = [
            (topic, size)
            for (_, topic), size in zip(reversed(numbered), reversed(sizes), strict=True)
            if topic not in self._opened
        ]
        earliest = request.earliest or bool(self._opened)
        consumers: list[tuple[AsyncTransportConsumer, int]] = []
        try:
            for topic, size in new:
                single = replace(request, topics=(topic,), prefetch=size, earliest=earliest)
                consumers.append((self._transport.subscribe(single), size))
        except JMSException:
            for consumer, _ in consumers:
                with suppress(JMSException):
                    consumer.close()
            raise
        self._opened.update(topic for topic, _ in new)
        return consumers


def _priority(message: Incoming) -> int:
    """The usual one where it cannot be read, which the consumer finds out."""
    try:
        return priority_of(message.properties)
    except Exception:
        return DEFAULT_PRIORITY


def _own(delivered: DeliveredMessage) -> _Fetched:
    assert isinstance(delivered, _Fetched)
    return delivered
