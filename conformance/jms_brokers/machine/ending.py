"""The end of a command that is told to end (SIGTERM): it ends what it started, and tidies up."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from jms_brokers.machine.process_table import children


class Terminated(SystemExit):
    """This process was told to end; `code` is what a shell makes of that."""


@contextmanager
def tidy_on_sigterm() -> Iterator[None]:
    """In the block, which is of the main thread, SIGTERM kills the children and is `Terminated`.

    Who waits for a child then waits no longer, and whatever has to be undone on the way out is.
    """
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough
    for child in children(os.getpid()):
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    raise Terminated(128 + number)
