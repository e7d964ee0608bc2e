"""Negative acknowledgements of single messages that hold up nothing else of their consumer.

They are for messages that the application does not get: rejected by its selector, or unreadable. A
consumer may have thousands of them, so no content is kept. Of a batch, which the broker takes back
whole, one message is nacked for all that wait.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import partial

from pulsar_jms.deliveries.repeats import Batch, batch_of
from pulsar_jms.transport.transport_protocol import DeliveredMessage


class QuietNacks:
    """Those of one consumer, which wait for their time; for any thread."""

    def __init__(
        self,
        nack: Callable[[DeliveredMessage], None],
        later: Callable[[float, Callable[[], None]], None],
        settled: Callable[[], None],
        spread: float,
    ) -> None:
        """`nack` asks the broker, `later` calls in so many seconds, `settled` counts a message.

        `spread` is by how many seconds, by chance, they come apart at most.
        """
        self._nack = nack
        self._later = later
        self._settled = settled
        self._spread = spread
        self._lock = threading.Lock()
        self._batches: set[Batch] = set()
        """Of which a message waits."""

    def add(self, delivered: DeliveredMessage, wait: float) -> None:
        """Nack a message in `wait` seconds, or somewhat later."""
        batch = batch_of(delivered.message.position)
        if batch is not None:
            self._settled()
            with self._lock:
                if batch in self._batches:
                    return
                self._batches.add(batch)
        apart = random.random() * self._spread  # noqa: S311 - no secret
        self._later(wait + apart, partial(self._nack_now, delivered.without_content(), batch))

    def _nack_now(self, delivered: DeliveredMessage, batch: Batch | None) -> None:
        self._nack(delivered)
        if batch is None:
            self._settled()
        else:
            with self._lock:
                self._batches.discard(batch)
