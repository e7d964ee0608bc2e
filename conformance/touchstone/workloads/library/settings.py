"""What workloads ask of producers and of brokers."""

from __future__ import annotations

from typing import Final

FAST: Final = {
    "producerConfig": {
        "blockIfQueueFull": True,
        "batchingMaxPublishDelayMicros": 5_000,
    }
}
SINGLY: Final = {
    "producerConfig": {
        "batchingEnabled": False,
        "blockIfQueueFull": True,
    }
}
"""Pulsar takes back, counts and flags the messages of a batch together: where some of them are
given back, only messages that travel alone can be judged one by one."""
PULSAR: Final = frozenset({"pulsar"})
"""Who alone has the batches, partitions, kinds of subscriptions or dead letters that are driven."""
