"""Consumers of the transport whose receiver queue a test fills."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from pulsar_jms.transport.transport_protocol import (
    DeliveredMessage,
)
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition


class Item:
    """A delivered message."""

    def __init__(self, message: IncomingMessage) -> None:
        self.message = message

    def without_content(self) -> Item:
        return Item(self.message._replace(payload=b""))


class Messages:
    """Makes messages: their payload names them, their entry counts up within a partition."""

    def __init__(self) -> None:
        self._entries: dict[int, itertools.count[int]] = {}
        self._times = itertools.count(1)

    def __call__(self, priority: int, name: str = "", partition: int = 0, time: int = 0) -> Item:
        entries = self._entries.setdefault(partition, itertools.count())
        return Item(
            IncomingMessage(
                (name or str(priority)).encode(),
                False,
                {"JMSPriority": str(priority)},
                MessagePosition(1, next(entries), partition),
                publish_time=time or next(self._times),
                topic=f"t-partition-{partition}",
            )
        )


class FakeConsumer:
    """A consumer whose receiver queue the test fills; it notes what is done to it."""

    def __init__(self, waiting: Iterable[Item] = ()) -> None:
        self.waiting = deque(waiting)
        self.calls: list[tuple[str, str]] = []
        self.closed = False
        self.connected = True
        self._asking: Callable[[DeliveredMessage | None], None] | None = None

    def put(self, item: Item) -> None:
        """Let a message arrive, on whatever thread calls."""
        if self._asking is None:
            self.waiting.append(item)
        else:
            asking, self._asking = self._asking, None
            asking(item)

    def receive(self, timeout: int) -> DeliveredMessage | None:
        return self.waiting.popleft() if self.waiting else None

    def receive_async(self, arrived: Callable[[DeliveredMessage | None], None]) -> None:
        assert self._asking is None
        if self.closed:
            arrived(None)
        elif self.waiting:
            arrived(self.waiting.popleft())
        else:
            self._asking = arrived

    def acknowledge(self, delivered: DeliveredMessage, transaction: Any = None) -> None:
        self._note("acknowledge", delivered)

    def acknowledge_async(self, delivered: DeliveredMessage, failed: Any) -> None:
        self._note("acknowledge_async", delivered)

    def nack(self, delivered: DeliveredMessage) -> None:
        self._note("nack", delivered)

    def nack_all(self) -> None:
        self.calls.append(("nack_all", ""))

    def lost_at(self) -> int:
        return 0

    def is_connected(self) -> bool:
        return self.connected

    def close(self) -> None:
        self.closed = True
        if self._asking is not None:
            asking, self._asking = self._asking, None
            asking(None)

    def _note(self, call: str, delivered: DeliveredMessage) -> None:
        assert isinstance(delivered, Item)
        self.calls.append((call, delivered.message.payload.decode()))
