"""A broker in Java as a child process: its folder, log and ports, its start and its end.

What is the same for every product: everything listens on the loopback address, every broker has its
own folder, and none outlives the process that started it unless it is asked to.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from jms_brokers.brokers import starts
from jms_brokers.brokers.broker_folders import BrokerFolder
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.ownership import OwnedBroker
from jms_brokers.brokers.ports import require_free
from jms_brokers.errors import BrokerError
from jms_brokers.machine.spending import Purpose, spent_on
from jvm_runtime import aot, launch

READY_WITHIN = 120.0
"""Seconds for a start."""
_STOPPED_WITHIN = 30.0
_POLL = 0.03
_TRIES = 5
_LOG_TAIL = 25
_PORT_TAKEN = re.compile(r"Address already in use|BindException|Failed to bind", re.IGNORECASE)
_DISK_FULL = re.compile(r"No space left on device|Disk quota exceeded")
_JAVA_CRASHED = re.compile(r"A fatal error has been detected by the Java Runtime Environment")
_DATA_IN_USE = re.compile(r"lock hold by current process|While lock file|LOCK: Resource")


class PortTakenError(BrokerError):
    """The broker's ports were taken between our look and its own."""


@dataclass(frozen=True)
class Starting:
    """A process on its way to being ready, and the log that it writes from `log_begin` (bytes)."""

    product: str
    process: subprocess.Popen[bytes]
    log: Path
    log_begin: int

    def until(self, ready: Callable[[], bool]) -> None:
        """Return when `ready` says so; BrokerError when the process ends or takes too long."""
        deadline = time.monotonic() + READY_WITHIN
        while not ready():
            if self.process.poll() is not None:
                raise self.failed(_end_in_words(self.process.returncode))
            if time.monotonic() > deadline:
                raise self.failed(f"was not ready within {READY_WITHIN:.0f} s")
            time.sleep(_POLL)

    def failed(self, what: str) -> BrokerError:
        """The error for a start that failed, with the end of what the broker wrote to its log."""
        with self.log.open("rb") as stream:
            stream.seek(self.log_begin)
            text = stream.read().decode(errors="replace")
        tail = "\n".join(text.splitlines()[-_LOG_TAIL:])
        message = f"The {self.product} broker {what}; the end of its log {self.log}:\n{tail}\n"
        if _PORT_TAKEN.search(text):
            return PortTakenError(message, hint="A port is taken: end what listens there")
        return BrokerError(message, hint=_hint(text))


class ChildBroker(OwnedBroker):
    """One broker of our own in a child process; see `Broker` for what its methods do.

    `log` names the file that gets the broker's output, by default one in its folder. With `folder`
    the broker keeps its data there and outlives this process; otherwise in a temporary folder.
    """

    product: str
    """Its name in messages."""

    def __init__(
        self, name: str, *, log: Path | None, folder: Path | None, fixed_ports: bool = False
    ) -> None:
        self._name = name
        self._kept_log = log
        self._folder = folder
        self._fixed_ports = fixed_ports
        self._outlives_us = folder is not None
        self._own_folder: BrokerFolder | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._address: BrokerAddress | None = None

    @abstractmethod
    def _new_address(self, folder: Path) -> BrokerAddress:
        """Where a broker that never ran shall be, its pid and version left open."""

    @abstractmethod
    def _ports(self, address: BrokerAddress) -> tuple[int, ...]:
        """The ports on which it shall listen."""

    @abstractmethod
    def _configure(
        self, command: launch.JavaCommand, address: BrokerAddress, folder: Path
    ) -> launch.JavaCommand:
        """Write the configuration into `folder`; return `command` for it."""

    @abstractmethod
    def _await_answer(
        self, address: BrokerAddress, folder: Path, starting: Starting
    ) -> BrokerAddress:
        """Wait until the broker answers; return the address, completed. Raises BrokerError."""

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is or, once ended, was; raises BrokerError before the first start."""
        if self._address is None:
            raise BrokerError(
                f"The broker {self._name} has not been started", hint="Start it first"
            )
        return self._address

    @property
    def log(self) -> Path | None:
        """The broker's own log; None before the first start."""
        if self._kept_log is not None:
            return self._kept_log
        return self._folder / "broker.log" if self._folder is not None else None

    def stop(self) -> None:
        """End the broker with SIGTERM, after half a minute with SIGKILL; the data stay."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the broker with SIGKILL; the data stay."""
        self._end(signal.SIGKILL)

    def restart(self) -> BrokerAddress:
        """Stop the broker and start it on the same data and ports."""
        self.stop()
        return self.start()

    def pause(self) -> None:
        """Freeze the process with SIGSTOP."""
        self._running_process().send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue the process with SIGCONT."""
        self._running_process().send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End the broker and remove its data, unless it was given a folder."""
        # Nobody wants the data: no need to wait for the broker to write them out.
        self._end(signal.SIGTERM if self._outlives_us else signal.SIGKILL)
        if self._own_folder is not None:
            self._own_folder.remove()
            self._own_folder = self._folder = self._address = None

    def resident_bytes(self) -> int:
        """Return the memory that the broker's process holds (RSS), in bytes."""
        return resident_bytes(self._running_process().pid)

    def _refuse_a_second_start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            raise BrokerError(
                f"The broker {self._name} runs already", hint="Use restart, or stop it first"
            )

    def _launch(self, command: launch.JavaCommand) -> None:
        """Bring the process up until it answers, on other ports if some were taken."""
        if self._folder is None:
            self._own_folder = BrokerFolder(self._name)
            self._folder = self._own_folder.path
        for attempt in range(1, _TRIES + 1):
            first = self._address is None
            address = self._address or self._new_address(self._folder)
            require_free(*self._ports(address))
            try:
                began = time.monotonic()
                with spent_on(Purpose.BROKER):
                    self._start_process(command, address, self._folder)
                starts.note(self.address, time.monotonic() - began)
                return
            except PortTakenError:
                # Only a broker without clients may move to other ports.
                if not first or self._fixed_ports or attempt == _TRIES:
                    raise

    def _start_process(
        self, command: launch.JavaCommand, address: BrokerAddress, folder: Path
    ) -> None:
        configured = self._configure(command, address, folder)
        log = self.log
        assert log is not None
        log.parent.mkdir(parents=True, exist_ok=True)
        log_begin = log.stat().st_size if log.exists() else 0
        process = launch.spawn(configured, folder=folder, log=log, outlives_us=self._outlives_us)
        self._process = process
        try:
            starting = Starting(self.product, process, log, log_begin)
            answering = self._await_answer(address, folder, starting)
        except BaseException:
            self.kill()
            raise
        self._address = replace(answering, pid=process.pid, log=str(log))

    def _end(self, how: signal.Signals, *, within: float = _STOPPED_WITHIN) -> None:
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(how)
            process.send_signal(signal.SIGCONT)  # a paused process ends too
            try:
                process.wait(within)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._process = None

    @property
    def alive(self) -> bool:
        """False when a broker that was started has ended by itself."""
        return self._process is None or self._process.poll() is None

    def _running_process(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise BrokerError(f"The broker {self._name} is not running", hint="Start it first")
        return self._process


def resident_bytes(pid: int) -> int:
    """Return the memory that the process `pid` holds (RSS), in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _end_in_words(status: int) -> str:
    """Return how a process ended, from its exit status as `subprocess` gives it."""
    return f"exited with status {status}" if status >= 0 else f"died by {signal.Signals(-status)!r}"


def _hint(log: str) -> str:
    """What to do about a start that failed and wrote `log`."""
    if _DISK_FULL.search(log):
        return "The disk is full: free some space, or name a folder on another disk with TMPDIR"
    if _JAVA_CRASHED.search(log):
        return f"Java itself crashed: remove the folder {aot.folder()} and start again"
    if _DATA_IN_USE.search(log):
        return "Another broker runs on the same data: end it first"
    return "`touchstone doctor` checks Java, jars, memory and ports"
