"""Sessions in memory that call listeners when they must not."""

from __future__ import annotations

from typing import Any

from drawn.sessions_in_memory import Call, InMemory
from jms_model.delivery.listener_rules import OVERLAPS


def called_at_once_again(_: InMemory, step: Any, call: Call) -> object:
    """The next call does not wait for the end of the one before."""
    answer = call()
    return OVERLAPS if step.method == "returns" else answer


def called_while_stopped(app: InMemory, step: Any, call: Call) -> object:
    """A listener does not wait for start()."""
    connection: Any = app.objects.get(step.on)
    if step.method == "start" and not connection.started:
        for session in app.model.sessions_of(connection):
            for name, each in session.listeners.items():
                for copy in each.backlog.next(each):
                    call()
                    return name, copy.sent.number
    return call()
