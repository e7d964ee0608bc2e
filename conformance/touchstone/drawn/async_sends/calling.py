"""The thread on which an application calls: a call that does not come back is given up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Final, TypeVar, cast

from jms_brokers.machine.patience import patience

T = TypeVar("T")
_FIRST: Final = 10.0
"""Seconds in which a call comes back; a callback is held for less."""
_AGAIN: Final = 4.0
"""The same, once one did not: what is shrunk loses many."""


class DidNotReturn(Exception):
    """A call did not come back."""


class Returns:
    """How long calls are waited for, by one program after another."""

    within = _FIRST


class Caller:
    """One thread, which makes one call after another."""

    def __init__(self, returns: Returns) -> None:
        self._returns = returns
        self._acts: SimpleQueue[tuple[Callable[[], object], Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def thread(self) -> int | None:
        """What tells it from other threads."""
        return self._thread.ident

    def call(self, act: Callable[[], T]) -> T:
        """What a call gives or raises; `DidNotReturn` where it does neither."""
        result: Future[Any] = Future()
        self._acts.put((act, result))
        for seconds in patience(self._returns.within):
            try:
                return cast(T, result.result(seconds))
            except TimeoutError:
                if result.done():
                    raise
        self._returns.within = _AGAIN
        raise DidNotReturn

    def end(self) -> None:
        """No call comes any more."""
        self._acts.put(None)

    def _run(self) -> None:
        while (asked := self._acts.get()) is not None:
            act, result = asked
            try:
                result.set_result(act())
            except Exception as error:
                result.set_exception(error)
