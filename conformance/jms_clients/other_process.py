"""The client under test a second time, in a child process that can be paused and killed."""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import sys
import tempfile
import threading
from types import TracebackType
from typing import IO, Self, cast

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.faults.process import OwnedProcess
from jms_clients.errors import ProviderError
from jms_clients.interface import Client
from jms_clients.remote_objects import Peer
from jvm_runtime.child import ending_with_us
from jvm_runtime.own_folders import OwnFolder, environment

LOAD_PROVIDER = "jms_clients.registry:load_provider"
"""What makes a provider of its spelling."""
CLOSE_TIMEOUT = 15.0
"""Seconds that the child may take to close its client and end, before it is killed."""
_LOG_LINES = 20


class OtherProcess:
    """A provider opened in a child process; the child ends with this process at the latest."""

    def __init__(
        self, provider: str, broker: BrokerAddress, *, opener: str = LOAD_PROVIDER
    ) -> None:
        """Start the child and open `provider` against `broker` there.

        Raises what opening raised there; `OtherProcessGone` when the child did not live that long.
        """
        self._temporary = OwnFolder("other-process")
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self._socket, child_end = socket.socketpair()
        self._peer = Peer(self._socket, side="parent")
        self._started: queue.SimpleQueue[OwnedProcess | OSError] = queue.SimpleQueue()
        self._thread = threading.Thread(
            target=self._attend, args=(child_end,), name="other-process", daemon=True
        )
        self._thread.start()
        started = self._started.get()
        if isinstance(started, OSError):
            self._thread.join()
            self._forget()
            raise ProviderError(
                f"{provider} could not be started in another process: {started}",
                hint="look at the limits on processes and memory of this user",
            ) from started
        self.process = started
        """The child, to be paused, resumed or killed."""
        try:
            self._opened = self._peer.root()
            self.client = cast(Client, self._opened.open(opener, provider, broker.to_dict()))
            """The provider's client; it and whatever it makes lives in the child."""
        except BaseException:
            self._end()
            raise

    @property
    def pid(self) -> int:
        """The process number of the child."""
        return self.process.pid

    def run(self, function: str, *args: object) -> object:
        """What `function`, as `module:attribute`, gives in the child; objects of it may be `args`.

        For what must not wait for a pipe between two steps. `OtherProcessGone` when the child ends
        meanwhile, by its own hand or not.
        """
        return self._opened.run(function, *args)

    def kill(self) -> None:
        """End the child at once; calls of its objects raise `OtherProcessGone` from now on."""
        self.process.kill()
        self._thread.join(CLOSE_TIMEOUT)

    def close(self) -> None:
        """Close the client in the child and end the child; kills it where that takes too long."""
        if self._log.closed:
            return
        try:
            if self.process.alive and not self.process.paused:
                self._close_client()
        finally:
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _close_client(self) -> None:
        outcome: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()

        def close() -> None:
            try:
                self._opened.close()
            except Exception as error:
                outcome.put(error)
            else:
                outcome.put(None)

        threading.Thread(target=close, name="other-process-close", daemon=True).start()
        try:
            error = outcome.get(timeout=CLOSE_TIMEOUT)
        except queue.Empty:
            raise ProviderError(
                f"the client in process {self.pid} was not closed within {CLOSE_TIMEOUT:g} s",
                hint=f"the process was killed; its last output:\n{self._last_output()}",
            ) from None
        if error is not None:
            raise error

    def _end(self) -> None:
        if self.process.alive:
            self.process.kill()
        self._thread.join(CLOSE_TIMEOUT)
        self.process.close()
        self._forget()

    def _forget(self) -> None:
        self._log.close()
        self._temporary.remove()

    def _attend(self, child_end: socket.socket) -> None:
        """Start the child, read what it sends, and reap it.

        The kernel kills the child when the thread that started it ends; so this one does both.
        """
        with self._socket:
            with child_end:
                try:
                    child = self._start(child_end)
                except OSError as error:
                    self._started.put(error)
                    return
            self._started.put(OwnedProcess(child.pid))
            self._peer.read()
            try:
                code = child.wait(CLOSE_TIMEOUT)
            except subprocess.TimeoutExpired:
                child.kill()
                code = child.wait()
            output = self._last_output() or "nothing"
            self._peer.end(
                f"the other process ({child.pid}) has ended with exit status {code};"
                f" its last output:\n{output}"
            )

    def _start(self, child_end: socket.socket) -> subprocess.Popen[bytes]:
        serving = [sys.executable, "-P", "-m", "jms_clients.other_process_child"]
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            ending_with_us([*serving, str(child_end.fileno())]),
            pass_fds=[child_end.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env={
                **environment(self._temporary.path),
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
            start_new_session=True,
        )

    def _last_output(self) -> str:
        size = os.fstat(self._log.fileno()).st_size
        text = os.pread(self._log.fileno(), 8192, max(0, size - 8192))
        return "\n".join(text.decode(errors="replace").splitlines()[-_LOG_LINES:])
