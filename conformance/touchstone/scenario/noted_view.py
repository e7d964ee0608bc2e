"""The broker's view of queues, its use noted: what is done by it plain Java does not repeat."""

from __future__ import annotations

from typing import Any, Final, cast

from jms_brokers.shared.queue_view import QueueView
from jms_clients.trace import Trace

_CHANGES: Final = frozenset({"send", "send_native", "take", "carried", "purge"})


def noted_view(queues: QueueView, trace: Trace) -> QueueView:
    """The same view; the trace tells when it was asked, and of what it changed."""
    return cast("QueueView", _NotedView(queues, trace))


class _NotedView:
    def __init__(self, queues: QueueView, trace: Trace) -> None:
        self._queues = queues
        self._trace = trace

    def __getattr__(self, name: str) -> Any:
        if name in _CHANGES:
            self._trace.add("call", "independent client", name)
        else:
            self._trace.calls.looked()
        return getattr(self._queues, name)
