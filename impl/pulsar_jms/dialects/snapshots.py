"""Browsers that copy the queue when an enumeration is asked for, as RabbitMQ JMS promises."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, Self

from jmsapi import Enumeration, JMSException, Message, MessageFormatException
from pulsar_jms.consuming.browser import PulsarQueueBrowser
from pulsar_jms.consuming.message_filter import ACCEPT_ALL
from pulsar_jms.implements import implements
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.transport.wire_messages import Incoming

READ_MAX: Final = "queueBrowserReadMax"
"""The key of the limit of messages that a browser reads; zero or less means none."""

Copy = PulsarMessage | JMSException
"""A message, or why it cannot be decoded."""


@implements(
    *(f"RMQ-BRW-{number:03}" for number in range(1, 9)), "RMQ-BRW-015", "RMQ-BRW-018", "RMQ-BRW-034"
)
class SnapshotBrowser(PulsarQueueBrowser):
    """A browser whose enumerations are copies of what was in the queue when they were made."""

    @property
    def enumeration(self) -> Enumeration:
        """A copy of the messages in the queue, the selector applied; every access takes a new one.

        What sessions of this factory hold unacknowledged is not in the queue.
        """
        return Snapshot(self._copies())

    @implements("RMQ-BRW-019")
    def close(self) -> None:
        """Nothing."""

    @implements("RMQ-BRW-009", "RMQ-CFG-005", "RMQ-CFG-006", "RMQ-CFG-007", "RMQ-CFG-008")
    def _copies(self) -> list[Copy]:
        """What the queue holds, up to the limit on messages read, less what is not selected."""
        limit = self._session.settings.number(READ_MAX, 0)
        held = self._session.all_unacknowledged_positions()
        copies: list[Copy] = []
        look = self._look(ACCEPT_ALL)
        read = 0
        try:
            while (limit <= 0 or read < limit) and look.has_more_elements():
                try:
                    incoming = look.take()
                except MessageFormatException as error:
                    read += 1
                    copies.append(error)
                    continue
                if incoming is not None and incoming.position not in held:
                    read += 1
                    copies += self._select(incoming)
        finally:
            look.close()
            self.forget(look)
        return copies

    def _select(self, incoming: Incoming) -> list[Copy]:
        try:
            return [self.decode(incoming)] if self._message_filter.accepts(incoming) else []
        except JMSException as error:
            return [error]


@implements(
    *(f"RMQ-BRW-{number:03}" for number in (10, 11, 14, 16, 17, 20, 21, 22, 23, 26, 29, 30))
)
class Snapshot(Enumeration):
    """Copies in memory: nothing that happens later changes them, and each is let go when read."""

    def __init__(self, copies: Iterable[Copy]) -> None:
        self._copies = deque(copies)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Message:
        """The next copy; one that cannot be decoded raises `JMSException`, and the next follows."""
        if not self._copies:
            raise StopIteration
        copy = self._copies.popleft()
        if isinstance(copy, JMSException):
            raise copy
        return copy

    def has_more_elements(self) -> bool:
        """Whether a copy is left."""
        return bool(self._copies)
