"""Calls with a deadline: what does not come back in time is left behind on its own thread."""

from __future__ import annotations

import contextvars
import sys
import threading
import traceback
from collections.abc import Callable, Collection
from concurrent.futures import Future
from types import FrameType
from typing import Final, TypeVar

from jms_brokers.machine.patience import patience
from jms_clients import recorded
from jms_clients.java.objects import Jms
from jms_clients.origins import Origin, frames_of, module_of, origin_in, owner
from jvm_runtime import in_process
from touchstone.outcomes.endings import Hung

T = TypeVar("T")
_CALLBACKS: Final = ("__call__", "on_completion", "on_exception")
"""Functions of `recorded` that clients call."""


def within(seconds: float, call: Callable[[], T], what: str, *, judged: Collection[str] = ()) -> T:
    """The result of `call`, run on a thread of its own; `Hung` when that takes too long.

    A busy machine is given more time; a client that is judged as much again, where `judged` are the
    packages of the scenarios. A hung call keeps its thread, which does not keep the process alive.
    """
    thread, result = begin(call, what)
    for more in patience(seconds):
        thread.join(more)
        if not thread.is_alive():
            return result.result()
    raise Hung(what, seconds, stacks(), _never_returning(thread, seconds, judged))


def begin(call: Callable[[], T], what: str) -> tuple[threading.Thread, Future[T]]:
    """Make a call on a thread of its own, which does not keep the process alive."""
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(call())
        except BaseException as error:
            result.set_exception(error)
        finally:
            in_process.leave_thread()

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name=what, daemon=True)
    thread.start()
    return thread, result


def _never_returning(
    thread: threading.Thread, seconds: float, judged: Collection[str]
) -> str | None:
    """The call into the client that a thread is in for all of these seconds, by its name."""
    stuck = _client_call(thread, judged) if judged else None
    if stuck is None:
        return None
    for more in patience(seconds):
        thread.join(more)
        if _client_call(thread, judged) is not stuck or _listener_at_work(judged):
            return None
    return _named(stuck)


def _client_call(thread: threading.Thread, judged: Collection[str]) -> FrameType | None:
    """The first of the client's frames that a thread has entered, if it is in one."""
    innermost = sys._current_frames().get(thread.ident or 0)
    if innermost is None or _origin(innermost, judged) is not Origin.CLIENT:
        return None
    entered = innermost
    for frame in frames_of(innermost):
        if owner(module_of(frame), judged) not in (None, Origin.CLIENT):
            break
        entered = frame
    return entered


def _listener_at_work(judged: Collection[str]) -> bool:
    """Whether a listener has been called and is not in the client itself."""
    return any(
        any(_is_callback(frame) for frame in frames_of(innermost))
        and _origin(innermost, judged) is not Origin.CLIENT
        for innermost in sys._current_frames().values()
    )


def _origin(innermost: FrameType, judged: Collection[str]) -> Origin:
    if _is_java(innermost):
        return Origin.CLIENT
    return origin_in((module_of(frame) for frame in frames_of(innermost)), judged)


def _is_callback(frame: FrameType) -> bool:
    return module_of(frame) == recorded.__name__ and frame.f_code.co_name in _CALLBACKS


def _is_java(frame: FrameType) -> bool:
    """Whether it waits for a method of Java, whose frames Python does not see."""
    return frame.f_code is Jms.run.__code__


def _named(entered: FrameType) -> str:
    method = entered.f_locals.get("method") if _is_java(entered) else None
    return f"{getattr(method, '__name__', entered.f_code.co_name)}()"


def stacks() -> str:
    """What every thread of this process is doing, those of a JVM in it too, as text."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts = []
    for ident, frame in sys._current_frames().items():
        stack = "".join(traceback.format_stack(frame))
        parts.append(f"--- thread {names.get(ident, ident)}\n{stack}")
    return "\n".join([*parts, in_process.stacks()])
