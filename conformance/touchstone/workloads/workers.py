"""Producers and consumers at work: each a thread of this process, or a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.faults.process import OwnedProcess
from jms_brokers.machine.secrecy import hide_in, hide_secrets
from jms_clients.errors import NotTheClients
from jms_clients.interface import Client
from jvm_runtime import own_folders
from jvm_runtime.child import ending_with_us
from touchstone.workloads.control import Control, Order
from touchstone.workloads.tasks import Producing, ReceivingTask, as_data
from touchstone.workloads.working import work

_LOG_TAIL = 10
_ENDS_WITHIN = 30.0
"""Seconds for a process that has told that it is done."""

Task = Producing | ReceivingTask


class WorkloadWorker(Protocol):
    """One producer or consumer at work."""

    task: Task
    failed: str
    """Why it ended before its time; empty while all is well."""
    trouble: str
    """What a call raised last that it tried again; empty while all is well."""
    fault: NotTheClients | None
    """What of ours made it fail, where it is known: that speaks against no client."""

    @property
    def counted(self) -> int:
        """Messages sent or received so far."""
        ...

    @property
    def ready(self) -> bool:
        """Whether everything of it is open."""
        ...

    @property
    def done(self) -> bool:
        """Whether it has ended as it should."""
        ...

    @property
    def disconnected(self) -> bool:
        """Whether it has left, and has not come back yet."""
        ...

    def order(self, order: Order) -> None:
        """Ask it for something."""
        ...

    def close(self) -> None:
        """End it, if need be by force."""
        ...


class _Told:
    """What a worker has told about itself."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.failed = self.trouble = ""
        self.fault: NotTheClients | None = None
        self.ready = self.done = self.disconnected = False

    def _note(self, what: str, rest: str) -> None:
        """Note what its `Control` told."""
        match what:
            case "ready":
                self.ready = True
            case "disconnected" | "back":
                self.disconnected = what == "disconnected"
            case "trouble":
                self.trouble = hide_secrets(str(json.loads(rest)))


class Thread(_Told):
    """One at work on a thread, by a client that others use as well."""

    def __init__(self, task: Task, client: Client, folder: Path, run: str) -> None:
        super().__init__(task)
        self._control = Control(self._told)
        self._thread = threading.Thread(
            target=self._work,
            args=(client, folder, run),
            name=f"workload-{task.session}",
            daemon=True,
        )
        self._thread.start()

    @property
    def counted(self) -> int:
        """Messages sent or received so far."""
        return self._control.counted

    def order(self, order: Order) -> None:
        """Ask it for something."""
        self._control.take(order)

    def close(self) -> None:
        """End it; a thread that hangs in its client is left behind."""
        self._control.take(Order.STOP)
        self._thread.join(_ENDS_WITHIN)

    def _told(self, text: str) -> None:
        what, _, rest = text.partition(" ")
        self._note(what, rest)

    def _work(self, client: Client, folder: Path, run: str) -> None:
        try:
            work(self.task, client, folder, run, self._control)
            self.done = True
        except Exception as error:
            self.fault = error if isinstance(error, NotTheClients) else None
            self.failed = hide_secrets(f"{type(error).__name__}: {error}")


class Process(_Told):
    """One in a process of its own, which can be killed.

    It records in `folder`, and has its temporary files in `temporary`, which is not its to remove.
    """

    def __init__(
        self,
        task: Task,
        provider: str,
        broker: BrokerAddress,
        folder: Path,
        run: str,
        *,
        temporary: Path,
    ) -> None:
        super().__init__(task)
        self.counted = 0
        self.killed = False
        self.log = folder / f"session-{task.session}.log"
        job = {
            "provider": provider,
            "broker": broker.to_dict(),
            "task": as_data(task),
            "folder": str(folder),
            "run": run,
        }
        self._environment = own_folders.environment(temporary)
        self._input: IO[str] | None = None
        self._ended = threading.Event()
        started = threading.Event()
        # its kernel-held leash is the thread that starts it, so that thread stays
        self._thread = threading.Thread(
            target=self._attend, args=(job, started), name=f"workload-{task.session}", daemon=True
        )
        self._thread.start()
        started.wait()

    def order(self, order: Order) -> None:
        """Ask it for something; one that has ended hears nothing."""
        self._write(order.value)

    def kill(self) -> None:
        """End it at once, as a crash would; returns when it has ended."""
        self.killed = True
        with OwnedProcess(self._process.pid) as process:
            process.kill()
        self._ended.wait()

    def close(self) -> None:
        """End it, if need be by force."""
        if self._input is not None:
            with suppress(OSError, ValueError):
                self._input.close()
        if not self._ended.wait(_ENDS_WITHIN):
            self._process.kill()
            self._ended.wait()

    def _attend(self, job: dict[str, object], started: threading.Event) -> None:
        command = [sys.executable, "-m", "touchstone.workloads.child"]
        try:
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(  # noqa: S603 - our own program
                    ending_with_us(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    env=self._environment,
                )
        except OSError as error:
            self.failed = f"it could not be started: {error}"
            self._ended.set()
            started.set()
            return
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._write(json.dumps(job))
        started.set()
        for line in self._process.stdout:
            self._told(line.rstrip("\n"))
        status = self._process.wait()
        hide_in(self.log)  # it stays with the recording, and a client writes there what it likes
        if not (self.done or self.failed or self.killed):
            self.failed = f"its process ended with status {status}: {self._last_words()}"
        self._ended.set()

    def _told(self, line: str) -> None:
        what, _, rest = line.partition(" ")
        match what:
            case "count":
                self.counted = int(rest)
            case "done":
                self.done = True
            case "failed":
                self.failed = hide_secrets(str(json.loads(rest)))
            case _:
                self._note(what, rest)

    def _write(self, line: str) -> None:
        if self._input is not None:
            with suppress(OSError, ValueError):  # it has ended
                self._input.write(line + "\n")
                self._input.flush()

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()
        return " | ".join(lines[-_LOG_TAIL:]) or "it wrote nothing"


StartWorker = Callable[[Task], WorkloadWorker]
"""What puts somebody to a task."""
