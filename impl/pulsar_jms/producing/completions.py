"""Outcomes of asynchronous sends: handed over from the transport and told on one thread.

The transport's threads only put an outcome into a queue. One thread of the session calls the
completion listeners, one after another, each exactly once.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from queue import SimpleQueue
from typing import Protocol

from jmsapi import IllegalStateException

_LOG = logging.getLogger(__name__)

_MANY = 50
"""Sends on their way, above which outcomes are told by the bundle."""
_GATHERING = 0.001
"""Seconds for a bundle to gather: to wake up for each outcome takes longer than to tell it."""


class Outcome(Protocol):
    """What became of a send, and to whom it matters."""

    def tell(self) -> None:
        """Tell it."""
        ...


class Completions:
    """The sends of one session that are on their way, and the thread that tells their outcome."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._outcomes: SimpleQueue[Outcome | None] = SimpleQueue()
        self._open: deque[None] = deque()
        """One item for each send that has not been told: a count that needs no lock."""
        self._waiting = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    def is_current(self) -> bool:
        """Whether the caller is a completion listener of this session."""
        return threading.current_thread() is self._thread

    def expect(self) -> None:
        """Note that a send begins, whose outcome is to be given to `add`.

        `IllegalStateException` when the session was closed meanwhile.
        """
        self._open.append(None)
        if self._thread is None:
            self._start()
        if self._closed:
            self.cancelled()
            raise IllegalStateException("The session was closed before the send began")

    def cancelled(self) -> None:
        """Note that a send that was expected did not begin; it has no outcome."""
        self.add(_NOTHING)

    def add(self, outcome: Outcome) -> None:
        """Have an outcome told on the session's thread; never blocks."""
        self._outcomes.put(outcome)

    def wait(self) -> None:
        """Return when every send that began has been told (JMS 2.0, section 7.3.4)."""
        with self._lock:
            self._waiting += 1
            while self._open:
                self._changed.wait()
            self._waiting -= 1

    def close(self) -> None:
        """Wait for the outcomes and end the thread."""
        self._closed = True
        self.wait()
        if self._thread is not None and not self.is_current():
            self._outcomes.put(None)
            self._thread.join()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                run = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread = run
                run.start()

    def _run(self) -> None:
        while (outcome := self._outcomes.get()) is not None:
            if len(self._open) > _MANY and self._outcomes.empty():
                time.sleep(_GATHERING)
            try:
                outcome.tell()
            except BaseException:  # sys.exit() as well: close() waits for the outcomes that follow
                _LOG.exception("A completion listener failed")
            self._open.pop()
            if self._waiting:
                with self._lock:
                    self._changed.notify_all()


class _Nothing:
    """What a send that did not begin has to tell."""

    def tell(self) -> None:
        """Nothing."""


_NOTHING = _Nothing()
