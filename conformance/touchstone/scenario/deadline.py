"""Calls with a deadline: what does not come back in time is left behind on its own thread."""

from __future__ import annotations

import contextvars
import sys
import threading
import traceback
from collections.abc import Callable
from typing import TypeVar

from jvm_runtime import in_process
from touchstone.machine.patience import patience
from touchstone.scenario.judgement import Inconclusive

T = TypeVar("T")


class Hung(Inconclusive):
    """A call that did not come back in time; `threads` tells what every thread was doing."""

    def __init__(self, what: str, seconds: float, threads: str) -> None:
        super().__init__(f"{what} did not come back within {seconds:g} s")
        self.threads = threads


def within(seconds: float, call: Callable[[], T], what: str) -> T:
    """The result of `call`, run on a thread of its own; `Hung` when that takes too long.

    A busy machine is given more time.
    A hung call keeps its thread, which does not keep the process alive.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            errors.append(error)
        finally:
            in_process.leave_thread()

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name=what, daemon=True)
    thread.start()
    for more in patience(seconds):
        thread.join(more)
        if not thread.is_alive():
            break
    else:
        raise Hung(what, seconds, stacks())
    if errors:
        raise errors[0]
    return results[0]


def stacks() -> str:
    """What every thread of this process is doing, those of a JVM in it too, as text."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts = []
    for ident, frame in sys._current_frames().items():
        stack = "".join(traceback.format_stack(frame))
        parts.append(f"--- thread {names.get(ident, ident)}\n{stack}")
    return "\n".join([*parts, in_process.stacks()])
