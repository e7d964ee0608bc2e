"""Clients that forget, with a session, what nobody has read yet of its messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from pulsar_jms.messages import PulsarMessage
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import Settlement

_close = PulsarSession.close
_deliver = Settlement.deliver


@contextmanager
def forgotten_by_close(forget: Callable[[PulsarMessage], None]) -> Iterator[None]:
    """`forget` is called with each message that a session received, when that is closed."""
    received: WeakKeyDictionary[Settlement, list[PulsarMessage]] = WeakKeyDictionary()

    def deliver(settlement: Settlement, *arguments: Any) -> PulsarMessage | None:
        message = _deliver(settlement, *arguments)
        if message is not None:
            received.setdefault(settlement, []).append(message)
        return message

    def close(session: PulsarSession) -> None:
        _close(session)
        for message in received.pop(session.settlement, []):
            forget(message)

    with patch.object(Settlement, "deliver", deliver), patch.object(PulsarSession, "close", close):
        yield
