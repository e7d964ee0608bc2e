"""Things to do at a later time, done one after another on one thread."""

from __future__ import annotations

import heapq
import itertools
import logging
import math
import threading
import time
from collections.abc import Callable

from pulsar_jms.threads import FailureHandler, start_thread

_LOG = logging.getLogger(__name__)


class Timer:
    """Runs actions at their time; its thread starts with the first and does not keep a process."""

    def __init__(self, name: str, on_failure: FailureHandler) -> None:
        """`on_failure` is called should the thread end by an error: no action is done any more."""
        self._name = name
        self._on_failure = on_failure
        self._changed = threading.Condition()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._thread: threading.Thread | None = None
        self._closed = False

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Run `action` in `seconds`; dropped when the timer is closed before."""
        with self._changed:
            if self._closed:
                return
            entry = (time.monotonic() + seconds, next(self._order), action)
            heapq.heappush(self._due, entry)
            if self._thread is None:
                self._thread = start_thread(self._name, self._run, self._on_failure)
            if self._due[0] is entry:
                self._changed.notify()

    def close(self) -> None:
        """Drop what is waiting and end the thread; an action that runs is waited for."""
        with self._changed:
            self._closed = True
            self._due.clear()
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._closed and (not self._due or self._due[0][0] > time.monotonic()):
                    wait = self._due[0][0] - time.monotonic() if self._due else math.inf
                    self._changed.wait(min(wait, threading.TIMEOUT_MAX))
                if self._closed:
                    return
                action = heapq.heappop(self._due)[2]
            try:
                action()
            except BaseException:  # sys.exit() as well: others wait for their turn
                _LOG.exception("A timed action failed")
