"""How well a consumer keeps the order of priority: the rate of inversions, switched on and off.

An inversion is a pair of messages of which the lower priority was received first. Messages of
random priority wait on a topic; one consumer, opened a moment before, receives them all. Either it
needs some time for each message, as consumers do that have a backlog, or none: then it is faster
than the broker delivers, and whatever arrives first is received first.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from uuid import uuid4

import httpx

from jms_brokers.brokers.interface import BrokerAddress
from jmsapi import Message
from pulsar_jms import PulsarConnectionFactory

COUNT = 10_000
PARTITIONS = (4, 10)
QUEUES = (100, 1000, 10_000)
"""Receiver queue sizes; the middle one is the default."""
DEFAULT_QUEUE = 1000
LIMITS = {4: 0.25, 10: 0.02}
"""What the ratio may be at the default receiver queue, by the number of partitions."""
WORK = 0.0002
"""Seconds that a busy consumer needs for a message, and more: waits end late."""


class Figure(NamedTuple):
    """Rates of inversions of one arrangement: 0 is the perfect order, 0.45 the order of chance."""

    partitions: int
    queue: int
    off: float
    """With priorities switched off."""
    on: float
    """Switched on, for a consumer that is busy with each message."""
    on_fast: float
    """Switched on, for one that only receives."""

    @property
    def ratio(self) -> float:
        """Switched on relative to off."""
        return self.on / self.off

    @property
    def fast_ratio(self) -> float:
        """The same for the consumer that only receives."""
        return self.on_fast / self.off


def inversions(priorities: Sequence[int]) -> float:
    """The share of pairs of which the lower priority stands first."""
    seen = [0] * 10
    inverted = 0
    for priority in priorities:
        inverted += sum(seen[:priority])
        seen[priority] += 1
    return inverted / (len(priorities) * (len(priorities) - 1) / 2)


def measure(address: BrokerAddress, seed: int) -> Iterator[Figure]:
    """The figures, by number of partitions and receiver queue."""
    priorities = random.Random(seed).choices(range(10), k=COUNT)
    for partitions in PARTITIONS:
        for queue in QUEUES:
            off, on, on_fast = (
                inversions(
                    _received_priorities(address, priorities, partitions, queue, switched_on, work)
                )
                for switched_on, work in ((False, 0.0), (True, WORK), (True, 0.0))
            )
            yield Figure(partitions, queue, off, on, on_fast)


def _received_priorities(
    address: BrokerAddress,
    priorities: Sequence[int],
    partitions: int,
    queue: int,
    switched_on: bool,
    work: float,
) -> list[int]:
    """The priorities in the order of receipt."""
    topic = f"bench-{uuid4()}"
    admin = httpx.Client(
        base_url=f"{address.admin_url}/admin/v2/persistent/public/default/{topic}/",
        trust_env=False,
        timeout=30,
    )
    admin.put("partitions", json=partitions).raise_for_status()
    factory = PulsarConnectionFactory(
        {
            "brokerServiceUrl": address.service_url,
            "webServiceUrl": address.admin_url,
            "jms.enableJMSPriority": switched_on,
            "consumerConfig.receiverQueueSize": queue,
        }
    )
    connection = factory.create_connection()
    session = connection.create_session()
    destination = session.create_queue(topic)
    confirmed = _Confirmed(len(priorities))
    with session.create_producer(destination) as producer:
        for priority in priorities:
            producer.send(
                session.create_message(), priority=priority, completion_listener=confirmed
            )
        confirmed.wait()
    consumer = session.create_consumer(destination)
    _wait_until_fetched(admin)
    connection.start()
    received = []
    pause = threading.Event()
    for _ in priorities:
        taken = consumer.receive(30_000)
        assert taken is not None
        received.append(taken.jms_priority)
        if work:
            pause.wait(work)
    factory.close()
    return received


class _Confirmed:
    """Waits until all sends are confirmed."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._done = threading.Event()

    def on_completion(self, message: Message) -> None:
        self._left -= 1
        if self._left == 0:
            self._done.set()

    def on_exception(self, message: Message, exception: Exception) -> None:
        raise exception

    def wait(self) -> None:
        if not self._done.wait(60):
            raise RuntimeError(f"{self._left} sends were not confirmed in 60 s")


def _wait_until_fetched(admin: httpx.Client) -> None:
    """Until the broker has sent out what the consumer's receiver queue takes, and rests."""
    until = time.monotonic() + 30
    before, rests = 0, 0
    while rests < 5:
        if time.monotonic() > until:
            raise RuntimeError(f"the broker does not come to rest in 30 s: {before} messages out")
        stats = admin.get("partitioned-stats").raise_for_status().json()
        sent = stats["subscriptions"]["jms-queue"]["msgOutCounter"]
        rests = rests + 1 if sent == before > 0 else 0
        before = sent
        threading.Event().wait(0.05)


_WIDTH, _HEIGHT = 680, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 48, 56
_STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .axis { stroke: #57606a; fill: none }
  .grid { stroke: #d0d7de; fill: none }
  .four { stroke: #0969da; fill: #0969da }
  .ten { stroke: #bc4c00; fill: #bc4c00 }
  polyline { fill: none !important; stroke-width: 2 }
  .fast { stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .axis { stroke: #8b949e } .grid { stroke: #30363d }
    .four { stroke: #58a6ff; fill: #58a6ff } .ten { stroke: #f0883e; fill: #f0883e }
  }
"""


def plot(figures: Sequence[Figure]) -> str:
    """The ratios over the receiver queue as an SVG that is readable on light and dark pages."""
    largest = max(max(figure.ratio, figure.fast_ratio) for figure in figures)
    top = max(0.2, -(-largest // 0.1) * 0.1)
    across = (_WIDTH - _LEFT - _RIGHT) / (len(QUEUES) - 1)

    def x(queue: int) -> float:
        return _LEFT + QUEUES.index(queue) * across

    def y(ratio: float) -> float:
        return _HEIGHT - _BOTTOM - ratio / top * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        "<title>Inversions of priority, switched on relative to off</title>",
        f"<style>{_STYLE}</style>",
        f'<text class="title" x="{_LEFT}" y="24">Inversions of priority, on relative to off</text>',
    ]
    for step in range(round(top / 0.1) + 1):
        ratio = step * 0.1
        line = f'd="M{_LEFT} {y(ratio):.1f}H{_WIDTH - _RIGHT}"'
        parts += [
            f'<path class="{"grid" if step else "axis"}" {line}/>',
            f'<text x="{_LEFT - 10}" y="{y(ratio) + 4:.1f}" text-anchor="end">{ratio:.1f}</text>',
        ]
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    below = [(x(queue), _HEIGHT - _BOTTOM + 22, f"{queue:,}") for queue in QUEUES]
    parts += [
        f'<text x="{at:.1f}" y="{height}" text-anchor="middle">{text}</text>'
        for at, height, text in [*below, (middle, _HEIGHT - 10, "receiver queue")]
    ]
    lines = [
        (
            partitions,
            kind,
            [(f.queue, getattr(f, kind)) for f in figures if f.partitions == partitions],
        )
        for partitions in PARTITIONS
        for kind in ("ratio", "fast_ratio")
    ]
    for row, (partitions, kind, points) in enumerate(lines):
        colour = {4: "four", 10: "ten"}[partitions]
        name = f"{partitions} partitions" + (", fast" if kind == "fast_ratio" else ", busy")
        style = f"{colour} fast" if kind == "fast_ratio" else colour
        drawn = " ".join(f"{x(queue):.1f},{y(ratio):.1f}" for queue, ratio in points)
        at = _TOP + 12 + 22 * row
        beside = _WIDTH - _RIGHT + 10
        parts.append(f'<polyline class="{style}" points="{drawn}"/>')
        parts += [
            f'<circle class="{colour}" cx="{x(queue):.1f}" cy="{y(ratio):.1f}" r="3"/>'
            for queue, ratio in points
        ]
        parts += [
            f'<polyline class="{style}" points="{beside},{at} {beside + 22},{at}"/>',
            f'<text x="{beside + 28}" y="{at + 4}">{name}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"
