"""What a client does last: called in a process of its own, which ends in it."""

from __future__ import annotations

import os
import signal

from jmsapi import MessageConsumer

TIMEOUT = 20_000
"""Milliseconds for each message."""


def receive_and_die(count: int, *consumers: MessageConsumer) -> None:
    """Receive `count` messages from each consumer by turns; the process is killed right after.

    RuntimeError, in a process that lives, when one does not come.
    """
    for number in range(1, count + 1):
        for consumer in consumers:
            if consumer.receive(TIMEOUT) is None:
                raise RuntimeError(f"{consumer!r} got no message number {number}")
    os.kill(os.getpid(), signal.SIGKILL)
