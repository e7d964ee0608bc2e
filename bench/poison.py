"""Damaged messages by the thousand on a live broker: what a client makes of each kind of damage.

Streams of one kind of damage, with good messages among it, are read in turn by receive(), a
listener, a browser and a context. Counted is what became of the good ones, what was thrown, what is
gone without having been shown, and what the process holds in memory.
"""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any
from uuid import uuid4

from jms_brokers.damage import PARTS, Poison
from jms_brokers.shared.queue_view import QueueView
from jms_brokers.shared.registry import probe_for
from jms_brokers.shared.settings import BrokerSettings
from jms_clients.registry import load_provider
from jms_scenarios.listening import started
from jms_scenarios.poisoned import (
    PoisonListener,
    Seen,
    attempt,
    browsed,
    good_texts,
    named,
    received,
    spread_among,
)
from jmsapi import ConnectionFactory, Queue
from touchstone.brokers.broker_set import BrokerSet

STREAM = 200
"""Damaged messages of a stream, at most."""
GOOD = good_texts(11)
_PATIENCE = 3.0
"""Seconds without anything after which nothing more is expected."""
_CLOSED_WITHIN = 15.0
WAYS = ("receive", "listener", "browser", "context")


@dataclass
class PoisonFigures:
    """What became of the messages of one way of reading, or of one kind of damage."""

    sent: int = 0
    """Damaged messages that the broker took."""
    shown: int = 0
    refused: int = 0
    """Exceptions in place of a message."""
    good_lost: int = 0
    good_repeated: int = 0
    gone: int = 0
    """Damaged messages that are gone, and were not shown."""
    thrown: Counter[str] = field(default_factory=Counter)
    """Exceptions by class, those of reading what was shown included where they are not JMS's."""
    hung: int = 0
    """Calls of close() that did not come back."""

    def add(self, sent: int, seen: Seen, gone: int, *, hung: bool) -> None:
        """Count a stream."""
        self.sent += sent
        self.shown += seen.shown
        self.refused += len(seen.refusals)
        self.good_lost += len(set(GOOD) - set(seen.good))
        self.good_repeated += len(seen.good) - len(set(seen.good))
        self.gone += gone
        self.thrown.update(named(each) for each in (*seen.refusals, *seen.failures))
        self.hung += hung

    def described(self) -> dict[str, Any]:
        """As it is kept."""
        return {**vars(self), "thrown": dict(self.thrown.most_common())}


@dataclass
class Poisoned:
    """All of one run."""

    ways: dict[str, PoisonFigures]
    kinds: dict[str, PoisonFigures]
    seconds: float
    before: float
    """MiB of resident memory after the first stream."""
    after: float

    @property
    def whole(self) -> PoisonFigures:
        """All ways together."""
        total = PoisonFigures()
        for figures in self.ways.values():
            for name, value in vars(figures).items():
                setattr(total, name, getattr(total, name) + value)
        return total

    def described(self) -> dict[str, object]:
        """What is kept."""
        return {
            "load": os.getloadavg(),
            "seconds": round(self.seconds, 1),
            "resident MiB": {"after the first stream": self.before, "at the end": self.after},
            "in all": self.whole.described(),
            "ways": {name: figures.described() for name, figures in self.ways.items()},
            "kinds": {name: figures.described() for name, figures in self.kinds.items()},
        }


def measure(spelling: str, messages: int, seed: int) -> Poisoned:
    """Have the client read so many damaged messages, on an embedded broker of its family."""
    logging.disable(logging.CRITICAL)
    provider = load_provider(spelling)
    settings = BrokerSettings(family=provider.broker_family)
    with (
        BrokerSet(settings) as brokers,
        closing(probe_for(brokers.address(), f"touchstone/poison-{uuid4().hex[:8]}")) as ours,
        provider.open(ours.client_address(ours.address)) as client,
        closing(client.connection_factory(ours.settings)) as factory,
    ):
        poisoned = Poisoned({way: PoisonFigures() for way in WAYS}, {}, 0.0, 0.0, 0.0)
        begun = time.monotonic()
        for poisons, way in _streams(ours.queues, messages, seed):
            kind = poisoned.kinds.setdefault(poisons[0].kind, PoisonFigures())
            outcome = _Stream(ours.queues, factory).read(way, poisons)
            for figures in (poisoned.ways[way], kind):
                figures.add(*outcome[:3], hung=outcome[3])
            poisoned.before = poisoned.before or _resident()
        poisoned.seconds, poisoned.after = time.monotonic() - begun, _resident()
        return poisoned


def _streams(queues: QueueView, messages: int, seed: int) -> Iterator[tuple[list[Poison], str]]:
    """Streams of one kind of damage each, and the way to read them: every kind by every way."""
    kinds = [kind for part in PARTS for kind in queues.poisons(part)]
    turns = [(kind, way) for way in WAYS for kind in kinds]
    size = max(1, min(STREAM, messages // len(turns)))
    numbers: Counter[str] = Counter()
    for kind, way in cycle(turns):
        count = min(size, messages - numbers.total())
        if not count:
            return
        begin = numbers[kind]
        numbers[kind] += count
        yield [Poison(kind, begin + number, seed) for number in range(count)], way


class _Stream:
    """One queue, filled and read."""

    def __init__(self, queues: QueueView, factory: ConnectionFactory) -> None:
        self._queues = queues
        self._factory = factory

    def read(self, way: str, poisons: Sequence[Poison]) -> tuple[int, Seen, int, bool]:
        """How many came, what was seen of them, how many are gone unseen, whether close() hung."""
        if way == "context":
            context = self._factory.create_context()
            queue = context.create_queue(f"poison-{uuid4().hex}")
            consumer = context.create_consumer(queue)
            came = len(self._queues.send_poisoned(queue, spread_among(poisons, GOOD)))
            seen = received(consumer, _PATIENCE)
            hung = _hangs(context.close)
        else:
            connection = self._factory.create_connection()
            connection.start()
            session = connection.create_session()
            queue = session.create_queue(f"poison-{uuid4().hex}")
            reader = session.create_consumer(queue)
            listener = PoisonListener()
            if way == "browser":
                reader.close()
            if way == "listener":
                reader.message_listener = listener
            came = len(self._queues.send_poisoned(queue, spread_among(poisons, GOOD)))
            if way == "listener":
                listener.ends(_PATIENCE)
            seen = listener.seen
            if way == "receive":
                seen = received(reader, _PATIENCE)
            if way == "browser":
                seen_or_none, error = attempt(
                    lambda: browsed(session.create_browser(queue).enumeration)
                )
                seen = seen_or_none or Seen(refusals=[error] if error else [])
            hung = _hangs(connection.close)
        if way == "browser":
            gone = came + len(GOOD) - self._left(queue, came + len(GOOD))
            self._queues.purge(queue)
            return came, seen, gone, hung
        expected = came + len(GOOD) - seen.shown - len(set(seen.good))
        return came, seen, max(0, expected - self._left(queue, expected)), hung

    def _left(self, queue: Queue, expected: int) -> int:
        """What the broker still has, once that is no more than what is expected."""
        end = time.monotonic() + _PATIENCE
        while True:
            left = self._queues.pending(queue) + self._queues.dead_letters(queue)
            if left <= expected or time.monotonic() > end:
                return left
            time.sleep(0.01)


def _hangs(close: Any) -> bool:
    closing_ = started(lambda: attempt(close))
    try:
        closing_.result(_CLOSED_WITHIN)
    except TimeoutError:
        return True
    return False


def _resident() -> float:
    """MiB of memory of this process, those of a JVM in it included."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)
