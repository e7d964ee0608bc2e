"""Clients of Pulsar for tests, by its own library, which wait and do not talk."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import closing, contextmanager

import _pulsar as native
import pulsar as client_library

TIMEOUT = 15.0
MILLIS = int(TIMEOUT * 1000)


@contextmanager
def client_of(service_url: str) -> Iterator[client_library.Client]:
    quiet = client_library.ConsoleLogger(native.LoggerLevel.Error)
    with closing(client_library.Client(service_url, logger=quiet)) as client:
        yield client


def subscribed(client: client_library.Client, topic: str) -> client_library.Consumer:
    earliest = native.InitialPosition.Earliest
    consumer: client_library.Consumer = client.subscribe(topic, "s", initial_position=earliest)
    return consumer


def received_until(consumer: client_library.Consumer, last: bytes) -> list[bytes]:
    """What comes, up to and without `last`."""
    got: list[bytes] = []
    while (data := consumer.receive(MILLIS).data()) != last:
        got.append(data)
    return got


class Outcomes:
    """Collects the callbacks of asynchronous sends."""

    def __init__(self) -> None:
        self._queue: queue.Queue[native.Result] = queue.Queue()

    def __call__(self, result: native.Result, _: object) -> None:
        self._queue.put(result)

    def none_yet(self) -> bool:
        return self._queue.empty()

    def next(self) -> native.Result:
        return self._queue.get(timeout=TIMEOUT)
