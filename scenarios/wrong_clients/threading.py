"""Clients that are wrong about the use of several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import IllegalStateException
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.sessions.session import PulsarSession

_BUSY = 0.05
"""Seconds."""
_making = threading.Lock()


@wrong("JMS-THR-001", patches=(PulsarConnection, "create_session"))
def connection_for_one_at_a_time(
    original: Callable[..., PulsarSession],
    connection: PulsarConnection,
    transacted: bool = False,
    mode: int = 1,
) -> PulsarSession:
    """Two threads that make a session at the same time are refused."""
    if not _making.acquire(blocking=False):
        raise IllegalStateException("Another thread is using the connection")
    try:
        threading.Event().wait(_BUSY)
        return original(connection, transacted, mode)
    finally:
        _making.release()


def _end_at_once(dispatcher: Dispatcher) -> None:
    with dispatcher._lock:
        dispatcher._closed = True
        dispatcher._changed.notify_all()


@wrong("JMS-THR-003")
def close_leaves_listeners_at_work() -> AbstractContextManager[object]:
    """A session that is closed does not wait for the listener that is at work."""
    return patch.multiple(Dispatcher, _wait=lambda dispatcher, condition: None, close=_end_at_once)
