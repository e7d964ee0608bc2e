"""Sends and receives per second: the reference beside plain pulsar-client, in one run.

Both sides send the same payload, key and properties to a topic of their own on the same broker,
with the same batching, and acknowledge each message they receive in the same way. In each turn
they do the same work right after one another, so that what else the machine does hits both; the
figure that counts is the ratio within a turn. A third side sends the payload without properties:
the difference is the price of the properties, paid by any client.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import _pulsar
import pulsar

from jms_brokers.brokers.interface import BrokerAddress
from jmsapi import Message
from pulsar_jms import PulsarConnectionFactory

PAYLOAD = "x" * 100
KEY = "group-7"
TURNS = 4
"""How often each side has its turn in a round: short turns meet the same disturbances."""
SIDES = ("pulsar-client, bare", "pulsar-client", "reference")
"""Without properties and key; with those that the reference writes; the reference."""


@dataclass(frozen=True)
class ThroughputSample:
    """One side's turn: messages per second, and the process's CPU time for each."""

    rate: float
    cpu: float
    """Microseconds a message, all threads of the client together."""


@dataclass(frozen=True)
class ThroughputComparison:
    """One kind of work, done by every side in turns."""

    samples: Mapping[str, list[ThroughputSample]]

    def rate(self, side: str) -> float:
        """Messages per second, the median of the turns."""
        return statistics.median(sample.rate for sample in self.samples[side])

    def cpu(self, side: str) -> float:
        """Microseconds of CPU time a message, the median of the turns."""
        return statistics.median(sample.cpu for sample in self.samples[side])

    def shares(self, side: str, of: str) -> list[float]:
        """How the rates of `side` relate to those `of` another, turn by turn."""
        pairs = zip(self.samples[side], self.samples[of], strict=True)
        return [mine.rate / theirs.rate for mine, theirs in pairs]


def _sample(count: int, work: Callable[[int], None]) -> ThroughputSample:
    begun, used = time.perf_counter(), time.process_time()
    work(count)
    seconds = time.perf_counter() - begun
    return ThroughputSample(count / seconds, (time.process_time() - used) / count * 1e6)


class _Countdown:
    """Waits until `count` confirmations have come; remembers the first failure."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._done = threading.Event()
        self._failure: object = None

    def confirmed(self, failure: object = None) -> None:
        self._failure = self._failure or failure
        self._left -= 1
        if self._left == 0:
            self._done.set()

    def wait(self) -> None:
        if not self._done.wait(60) or self._failure:
            raise RuntimeError(f"a send was not confirmed: {self._failure or 'no answer in 60 s'}")


class _Completion:
    def __init__(self, countdown: _Countdown) -> None:
        self._countdown = countdown

    def on_completion(self, message: Message) -> None:
        self._countdown.confirmed()

    def on_exception(self, message: Message, exception: Exception) -> None:
        self._countdown.confirmed(exception)


class Plain:
    """pulsar-client used directly, with the properties that the reference writes, or none."""

    def __init__(self, client: pulsar.Client, topic: str, properties: dict[str, str]) -> None:
        self._client = client
        self._topic = topic
        self._properties = properties
        self._key = KEY if properties else None
        client.subscribe(
            topic,
            "jms-queue",
            _pulsar.ConsumerType.Shared,
            initial_position=_pulsar.InitialPosition.Earliest,
        ).close()
        self._batched = client.create_producer(
            topic, batching_enabled=True, batching_max_publish_delay_ms=1, block_if_queue_full=True
        )
        self._single = client.create_producer(topic)

    def send(self, count: int) -> None:
        payload = PAYLOAD.encode()
        for _ in range(count):
            self._single.send(payload, properties=self._properties, partition_key=self._key)

    def send_async(self, count: int) -> None:
        payload, countdown = PAYLOAD.encode(), _Countdown(count)

        def confirmed(result: _pulsar.Result, _: object) -> None:
            countdown.confirmed(None if result == _pulsar.Result.Ok else result)

        for _ in range(count):
            self._batched.send_async(
                payload, confirmed, properties=self._properties, partition_key=self._key
            )
        countdown.wait()

    @contextmanager
    def receiving(self) -> Iterator[Callable[[int], None]]:
        consumer = self._client.subscribe(
            self._topic, "jms-queue", _pulsar.ConsumerType.Shared, batch_index_ack_enabled=True
        )

        def receive(count: int) -> None:
            for _ in range(count):
                message = consumer.receive(10_000)
                message.data(), message.properties(), message.partition_key()
                consumer.acknowledge(message)

        yield receive
        consumer.close()


class ReferenceSide:
    """The reference implementation, asked as an application would."""

    def __init__(self, address: BrokerAddress, name: str) -> None:
        self._factory = PulsarConnectionFactory(
            {"brokerServiceUrl": address.service_url, "webServiceUrl": address.admin_url}
        )
        self._connection = self._factory.create_connection()
        self._connection.start()
        self._session = self._connection.create_session()
        self._queue = self._session.create_queue(name)
        self._session.create_consumer(self._queue).close()
        self._producer = self._session.create_producer(self._queue)

    def _message(self) -> Message:
        message = self._session.create_text_message(PAYLOAD)
        message.set_int_property("size", 42)
        message.set_string_property("kind", "order")
        message.set_double_property("price", 9.75)
        message.set_string_property("JMSXGroupID", KEY)
        return message

    def send(self, count: int) -> None:
        for _ in range(count):
            self._producer.send(self._message())

    def send_async(self, count: int) -> None:
        countdown = _Countdown(count)
        listener = _Completion(countdown)
        for _ in range(count):
            self._producer.send(self._message(), completion_listener=listener)
        countdown.wait()

    @contextmanager
    def receiving(self) -> Iterator[Callable[[int], None]]:
        session = self._connection.create_session()
        consumer = session.create_consumer(self._queue)

        def receive(count: int) -> None:
            for _ in range(count):
                message: Any = consumer.receive(10_000)
                message.text, message.get_int_property("size")

        yield receive
        session.close()

    def close(self) -> None:
        self._factory.close()


def _wire_properties(address: BrokerAddress, client: pulsar.Client) -> dict[str, str]:
    """The properties that the reference writes for the bench's message, read off the broker."""
    name = f"bench-{uuid4()}"
    reference = ReferenceSide(address, name)
    reference.send(1)
    consumer = client.subscribe(
        f"persistent://public/default/{name}",
        "look",
        initial_position=_pulsar.InitialPosition.Earliest,
    )
    properties = dict(consumer.receive(10_000).properties())
    reference.close()
    return properties


def measure(address: BrokerAddress, sends: int, rounds: int) -> dict[str, ThroughputComparison]:
    """How the sides do each kind of work: a tenth of `sends` waits, the rest does not."""
    client = pulsar.Client(
        address.service_url, logger=pulsar.ConsoleLogger(_pulsar.LoggerLevel.Error)
    )
    properties = _wire_properties(address, client)
    bare, plain = (Plain(client, f"bench-{uuid4()}", carried) for carried in ({}, properties))
    reference = ReferenceSide(address, f"bench-{uuid4()}")
    sides: dict[str, Plain | ReferenceSide] = dict(
        zip(SIDES, (bare, plain, reference), strict=True)
    )
    by_work: dict[str, dict[str, list[ThroughputSample]]] = {}
    count = sends // TURNS
    for turn in range((rounds + 1) * TURNS):
        in_turn = list(sides.items())[:: -1 if turn % 2 else 1]
        for work, name, sample in _turn(in_turn, count // 10, count):
            if turn >= TURNS:  # the first round warms up and is not counted
                by_work.setdefault(work, {}).setdefault(name, []).append(sample)
    reference.close()
    client.close()
    return {work: ThroughputComparison(samples) for work, samples in by_work.items()}


def _turn(
    sides: Sequence[tuple[str, Plain | ReferenceSide]], single: int, batched: int
) -> Iterator[tuple[str, str, ThroughputSample]]:
    for name, side in sides:
        yield "send", name, _sample(single, side.send)
    for name, side in sides:
        yield "asynchronous send", name, _sample(batched, side.send_async)
    for name, side in sides:
        with side.receiving() as receive:
            yield "receive", name, _sample(single + batched, receive)
