"""Threads that report their end, and what is reported one after another."""

from __future__ import annotations

import queue
import sys
import threading

from lasting_threads import unexpected
from pulsar_jms.threads import ErrorReporter, start_thread
from pulsar_jms.timer import Timer

WITHIN = 30


def test_a_thread_that_ends_by_an_error_tells_which_and_why() -> None:
    told: list[tuple[str, BaseException]] = []

    def leave() -> None:
        sys.exit("enough")

    start_thread("short", leave, lambda *what: told.append(what)).join(WITHIN)
    start_thread("good", lambda: None, lambda *what: told.append(what)).join(WITHIN)

    [(name, error)] = told
    assert (name, type(error), error.args) == ("short", SystemExit, ("enough",))


def test_a_timer_goes_on_after_an_action_that_wants_to_end_the_thread() -> None:
    done = threading.Event()
    timer = Timer("test", unexpected)
    timer.after(0.0, sys.exit)
    timer.after(0.0, done.set)
    assert done.wait(WITHIN)
    timer.close()


def test_errors_are_told_in_their_order_whatever_a_listener_raises() -> None:
    told: queue.Queue[int] = queue.Queue()
    errors = ErrorReporter("test")
    errors.report_later(lambda: told.put(0))
    errors.report_later(sys.exit)
    for number in range(1, 4):
        errors.report_later(lambda number=number: told.put(number))  # type: ignore[misc]
    assert [told.get(timeout=WITHIN) for _ in range(4)] == [0, 1, 2, 3]
