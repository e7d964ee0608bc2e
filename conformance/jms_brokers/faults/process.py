"""Pause, resume and kill of processes that descend from this one, and of no others.

Signals go through a pidfd, so they can never reach a process that got the number later.
"""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import wait
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from jms_brokers.faults.rules import FaultError
from jms_brokers.machine.process_table import all_stopped, ancestors

SIGNAL_TIMEOUT = 10.0
"""Seconds in which a signal has taken effect."""
_POLL = 0.002


class OwnedProcess:
    """A process below this one; as a context manager it is resumed at the end if still paused."""

    def __init__(self, pid: int) -> None:
        """Take hold of `pid`; `FaultError` unless it descends from this process."""
        self.pid = pid
        self._paused = False
        try:
            self._handle = os.pidfd_open(pid)
        except ProcessLookupError as error:
            raise FaultError(f"no process {pid}", hint="it has ended already") from error
        if os.getpid() not in ancestors(pid):
            os.close(self._handle)
            raise FaultError(
                f"process {pid} was not started by this one",
                hint="faults befall only what the run itself started; ask for a private broker",
            )

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet; a paused process is alive."""
        return not wait([self._handle], 0)

    @property
    def paused(self) -> bool:
        """Whether `pause` is in force."""
        return self._paused

    def pause(self) -> None:
        """Freeze it: connections stay open, nothing answers; return when it stands still."""
        self._signal(signal.SIGSTOP)
        self._paused = True
        self._until_state(stopped=True)

    def resume(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)
        self._paused = False
        self._until_state(stopped=False)

    def kill(self) -> None:
        """End it at once, without any chance to clean up; return when it has ended."""
        self._signal(signal.SIGKILL)
        self._paused = False
        if not wait([self._handle], SIGNAL_TIMEOUT):
            raise FaultError(
                f"process {self.pid} has not ended {SIGNAL_TIMEOUT} s after SIGKILL",
                hint="it hangs in the kernel, mostly on a disk",
            )

    def close(self) -> None:
        """Let go of it; resumes it if it is paused."""
        if self._handle < 0:
            return
        if self._paused and self.alive:
            self.resume()
        os.close(self._handle)
        self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _signal(self, number: signal.Signals) -> None:
        try:
            signal.pidfd_send_signal(self._handle, number)
        except ProcessLookupError as error:
            raise FaultError(
                f"process {self.pid} has ended, so {number.name} cannot reach it",
                hint="start it again first",
            ) from error

    def _until_state(self, *, stopped: bool) -> None:
        deadline = monotonic() + SIGNAL_TIMEOUT
        while self.alive and all_stopped(self.pid) is not stopped:
            if monotonic() > deadline:
                raise FaultError(
                    f"process {self.pid} has not {'stopped' if stopped else 'gone on'} in time",
                    hint="somebody else sends it signals too",
                )
            sleep(_POLL)
