"""Messages that come again although nobody nacked them: something else was.

The broker takes back whole batches, of which it leaves out what was acknowledged. So when one
message of a batch is nacked, those come along that the application still holds, or that were
fetched ahead and are here twice. And where everything is nacked for one message's sake, what is on
its way here comes now and again. They were handed out already and must not be again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable

from pulsar_jms.implements import implements
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from pulsar_jms.transport.wire_messages import MessagePosition

_REMEMBERED = 10_000
"""Batches and single messages; the oldest are forgotten, as what was nacked of them has come."""

Batch = tuple[int, int, int]


def batch_of(position: MessagePosition) -> Batch | None:
    """What the messages of one batch have in common; None for one that travelled alone."""
    return position[:3] if position.batch_index >= 0 else None


@implements("JMS-REDL-007", "JMS-REDL-009")
class Repeats:
    """What one consumer handed out, from the moment at which it nacks something."""

    def __init__(self) -> None:
        self.active = False
        """Whether a message was nacked; nothing is remembered before."""
        self._lock = threading.Lock()
        self._handed_out: OrderedDict[Batch, set[int]] = OrderedDict()

    def note_nacked(
        self, items: Iterable[DeliveredMessage], held: Callable[[], Iterable[DeliveredMessage]]
    ) -> None:
        """Note that `items` are to come again, and that what the application holds is not."""
        if not self.active:
            self.active = True
            for item in held():
                self.note_handed_out(item)
        with self._lock:
            for item in items:
                position = item.message.position
                self._handed_out.get(position[:3], set()).discard(position.batch_index)

    def note_handed_out(self, item: DeliveredMessage) -> None:
        """Note that the application got a message."""
        position = item.message.position
        with self._lock:
            self._handed_out.setdefault(position[:3], set()).add(position.batch_index)
            self._handed_out.move_to_end(position[:3])
            if len(self._handed_out) > _REMEMBERED:
                self._handed_out.popitem(last=False)

    def is_repeat(self, item: DeliveredMessage) -> bool:
        """Whether the application got this message and it was not nacked since."""
        position = item.message.position
        with self._lock:
            indices = self._handed_out.get(position[:3])
            return indices is not None and position.batch_index in indices
