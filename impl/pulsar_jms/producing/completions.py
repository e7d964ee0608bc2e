"""Outcomes of asynchronous sends: handed over from the transport and reported on one thread.

The transport's threads only note an outcome. One thread of the session calls the completion
listeners, one after another, each exactly once, in the order of the sends: the transport knows at
once of a message that is too large, while the broker still has to confirm those before it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from queue import SimpleQueue
from typing import Protocol

from jmsapi import IllegalStateException
from pulsar_jms.implements import implements
from pulsar_jms.threads import FailureHandler, start_thread

_LOG = logging.getLogger(__name__)

_MANY = 50
"""Sends on their way, above which outcomes are reported in bundles."""
_GATHERING = 0.001
"""Seconds for a bundle to gather: to wake up for each outcome takes longer than to report it."""


class PendingSend(Protocol):
    """An asynchronous send that has not been reported to its listener yet."""

    known: bool
    """Whether the outcome is known, so that it can be reported."""

    def tell(self) -> None:
        """Call the listener with the outcome."""
        ...

    def cancel(self) -> None:
        """The send did not begin: there is nothing to report."""
        ...


@implements("JMS-ASY-011..013")
class Completions:
    """The sends of one session that are on their way, and the thread that reports their outcome."""

    def __init__(self, name: str, on_failure: FailureHandler) -> None:
        """`on_failure` is called if the thread ends by an error: no more outcomes are reported."""
        self._name = name
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._news: SimpleQueue[bool] = SimpleQueue()
        """True for each outcome that has become known, False at the end."""
        self._open: deque[PendingSend] = deque()
        """Those of the sends that have not been reported, in their order; it needs no lock."""
        self._waiting = 0
        self._closed = False
        self._failed = False
        """Whether the thread ended by an error."""
        self._thread: threading.Thread | None = None

    def is_current(self) -> bool:
        """Whether the caller is a completion listener of this session."""
        return threading.current_thread() is self._thread

    def expect(self, outcome: PendingSend) -> None:
        """Note that a send begins, whose outcome is to be given to `add`.

        `IllegalStateException` when the session was closed meanwhile.
        """
        self._open.append(outcome)
        if self._thread is None:
            self._start()
        if self._closed:
            outcome.cancel()
            raise IllegalStateException("The session was closed before the send began")

    def add(self, outcome: PendingSend) -> None:
        """Have an expected outcome reported on the session's thread, in its turn; never blocks."""
        outcome.known = True
        self._news.put(True)

    @implements("JMS-ASY-006", "JMS-ASY-007")
    def wait(self) -> None:
        """Return when every send that began is reported, or none will be (JMS 2.0, 7.3.4)."""
        with self._lock:
            self._waiting += 1
            while self._open and not self._failed:
                self._changed.wait()
            self._waiting -= 1

    @implements("JMS-ASY-007")
    def close(self) -> None:
        """Wait for the outcomes and end the thread."""
        self._closed = True
        self.wait()
        if self._thread is not None and not self.is_current():
            self._news.put(False)
            self._thread.join()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = start_thread(self._name, self._run, self._fail)

    def _fail(self, name: str, error: BaseException) -> None:
        with self._lock:
            self._closed = self._failed = True
            self._changed.notify_all()
        self._on_failure(name, error)

    def _run(self) -> None:
        while self._news.get():
            if len(self._open) > _MANY and self._news.empty():
                time.sleep(_GATHERING)
            while self._open and self._open[0].known:
                try:
                    self._open[0].tell()
                except BaseException:  # sys.exit() as well: close() waits for what follows
                    _LOG.exception("A completion listener failed")
                self._open.popleft()
                if self._waiting:
                    with self._lock:
                        self._changed.notify_all()
