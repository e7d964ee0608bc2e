"""Threads that are not meant to end by an error, and report it if they do."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

_LOG = logging.getLogger(__name__)

_KEPT = 1000
"""Errors that wait for a slow listener; the oldest are dropped beyond."""

FailureHandler = Callable[[str, BaseException], None]
"""Called on a thread that ends by an error, with its name and the error."""


def start_thread(
    name: str, run: Callable[[], None], on_failure: FailureHandler
) -> threading.Thread:
    """A thread of this name, which does not keep the process."""

    def guarded() -> None:
        try:
            run()
        except BaseException as error:
            _LOG.critical("The thread %s ended by an error", name, exc_info=True)
            on_failure(name, error)

    thread = threading.Thread(target=guarded, name=name, daemon=True)
    thread.start()
    return thread


class ErrorReporter:
    """Reports one error after another to one listener after another, apart from who noticed it.

    Its thread is there while there is something to report; nobody waits for it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._waiting: deque[Callable[[], None]] = deque(maxlen=_KEPT)
        self._running = False

    def report_later(self, tell: Callable[[], None]) -> None:
        """Have `tell` called; what it raises is logged."""
        with self._lock:
            self._waiting.append(tell)
            if self._running:
                return
            self._running = True
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running = False
                    return
                tell = self._waiting.popleft()
            try:
                tell()
            except BaseException:  # sys.exit() as well: what waits is reported all the same
                _LOG.exception("A listener of errors failed")
