"""How often the broker by itself gives a message to two consumers, which every client then shows.

No JMS and nothing of ours takes part but the broker: plain pulsar-client sends, the broker is
killed and started, so that it reads from the disk, and consumers of one Shared subscription give
back one batch in twenty. What the broker sends for such a request carries a redelivery count; a
message that arrives twice with the same one was sent twice for one request. In turn with the
profile `plain` and with `serial-dispatch`, by which workloads are judged.
"""

from __future__ import annotations

import os
import random
import threading
import uuid
from collections import Counter
from typing import Final, NamedTuple

import _pulsar
import pulsar

from jms_brokers.families.pulsar.profiles import SERIAL_DISPATCH
from jms_brokers.shared.registry import broker_for
from jms_brokers.shared.settings import BrokerSettings

CONSUMERS: Final = 4
_BATCH: Final = 100
_BACK: Final = 0.05
_QUIET: Final = 5
"""Seconds without a message after which a consumer has seen all."""
_BODY: Final = 180
_SUBSCRIPTION: Final = "replays"


class Replays(NamedTuple):
    """Of one turn: messages that arrived, and those of them that the broker sent twice."""

    profile: str
    messages: int
    deliveries: int
    twice: int


def measure(messages: int, rounds: int, seed: int) -> list[Replays]:
    """Each profile in turn, as often as there are rounds."""
    return [
        _turn(profile, messages, seed + number)
        for number in range(rounds)
        for profile in ("plain", SERIAL_DISPATCH)
    ]


def _turn(profile: str, messages: int, seed: int) -> Replays:
    topic = f"persistent://public/default/replays-{uuid.uuid4().hex[:8]}"
    with broker_for(BrokerSettings(), profile) as broker:
        _send(broker.address.service_url, topic, messages)
        broker.kill()
        broker.start()
        seen = _count_arrivals(broker.address.service_url, topic, seed)
    arrived = {message for message, _ in seen}
    twice = {message for (message, _), times in seen.items() if times > 1}
    return Replays(profile, len(arrived), seen.total(), len(twice))


def _send(url: str, topic: str, messages: int) -> None:
    client = _client(url)
    client.subscribe(topic, _SUBSCRIPTION, consumer_type=_pulsar.ConsumerType.Shared).close()
    producer = client.create_producer(topic, batching_enabled=False, block_if_queue_full=True)
    for number in range(messages):
        producer.send_async(number.to_bytes(8, "big") + bytes(_BODY), None)
    producer.flush()
    client.close()


def _count_arrivals(url: str, topic: str, seed: int) -> Counter[tuple[int, int]]:
    """How often each message arrived with each redelivery count."""
    seen: list[list[tuple[int, int]]] = [[] for _ in range(CONSUMERS)]
    threads = [
        threading.Thread(
            target=_take_arrivals, args=(url, topic, random.Random(seed + number), rows)
        )
        for number, rows in enumerate(seen)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(row for rows in seen for row in rows)


def _take_arrivals(url: str, topic: str, draw: random.Random, rows: list[tuple[int, int]]) -> None:
    client = _client(url)
    consumer = client.subscribe(
        topic,
        _SUBSCRIPTION,
        consumer_type=_pulsar.ConsumerType.Shared,
        negative_ack_redelivery_delay_ms=100,
    )
    batch: list[pulsar.Message] = []
    quiet = 0
    while quiet < _QUIET:
        try:
            message = consumer.receive(1000)
        except _pulsar.Timeout:
            quiet += 1
        else:
            quiet = 0
            rows.append((int.from_bytes(message.data()[:8], "big"), message.redelivery_count()))
            batch.append(message)
        if len(batch) == _BATCH or quiet:
            settle = (
                consumer.negative_acknowledge if draw.random() < _BACK else consumer.acknowledge
            )
            for received in batch:
                settle(received)
            batch.clear()
    client.close()


def _client(url: str) -> pulsar.Client:
    return pulsar.Client(url, logger=pulsar.FileLogger(_pulsar.LoggerLevel.Error, os.devnull))
