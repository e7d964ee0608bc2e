"""A source of messages without a broker, which notes what is done to them."""

from __future__ import annotations

from queue import Empty, Queue
from types import SimpleNamespace
from typing import Any

from jmsapi import JMSException
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

WITHIN = 10.0


class Item:
    """A delivered message, known by its payload."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.message = IncomingMessage(name.encode(), False, {}, MessagePosition(1, 1))

    def without_content(self) -> Item:
        return self


class Source:
    """A consumer, a producer and a receive queue at once; it notes what is done to messages."""

    def __init__(self) -> None:
        self.lost = 0
        self.arriving: Queue[Item] = Queue()
        self.calls: Queue[tuple[str, str]] = Queue()
        self.refuses: set[str] = set()
        self.closed = False

    @property
    def transport_consumer(self) -> Source:
        return self

    def lost_at(self) -> int:
        return self.lost

    def is_connected(self) -> bool:
        return True

    def receive(self, timeout: int) -> DeliveredMessage | None:
        try:
            return self.arriving.get(timeout=timeout / 1000)
        except Empty:
            return None

    def acknowledge(self, delivered: Any, transaction: object = None) -> None:
        if delivered.name in self.refuses:
            raise JMSException("refused")
        self._note("acknowledge", delivered)

    def acknowledge_async(self, delivered: Any, failed: object) -> None:
        self._note("acknowledge_async", delivered)

    def nack(self, delivered: Any) -> None:
        self._note("nack", delivered)

    def nack_all(self) -> None:
        self.calls.put(("nack_all", ""))

    def ignore(self, delivered: Any) -> None:
        self._note("ignore", delivered)

    def rolled_back(self, items: list[Any]) -> None:
        for item in items:
            self._note("nack", item)

    def send(self, outgoing: object, transaction: object = None) -> SimpleNamespace:
        self.calls.put(("send", ""))
        return SimpleNamespace(position=MessagePosition(1, 2))

    def close(self) -> None:
        self.closed = True

    def noted(self) -> list[tuple[str, str]]:
        """What was done so far."""
        return [self.calls.get() for _ in range(self.calls.qsize())]

    def _note(self, call: str, delivered: Any) -> None:
        self.calls.put((call, delivered.name))
