"""Apache Pulsar as a child process, on a machine that has only Python.

The jars come from a lock file, Java from pip or `TOUCHSTONE_JAVA`. Everything listens on the
loopback address, every broker has its own folder, and none outlives the process that started it
unless it is asked to (`detached.py`).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from jvm_runtime import aot, launch, progress
from jvm_runtime.errors import JavaError, JvmRuntimeError
from touchstone.brokers import blueprint, configuration, entry_filter, pulsar_java, readiness
from touchstone.brokers.interface import BrokerAddress
from touchstone.brokers.ownership import OwnedBroker
from touchstone.brokers.ports import require_free
from touchstone.brokers.profiles import CLIENT, profile_named
from touchstone.brokers.run_folders import RunFolder
from touchstone.errors import BrokerError

_READY_WITHIN = 120.0
_STOPPED_WITHIN = 30.0
_POLL = 0.03
_TRIES = 5
_LOG_TAIL = 25
_PORT_TAKEN = re.compile(r"Address already in use|BindException|Failed to bind", re.IGNORECASE)
_DISK_FULL = re.compile(r"No space left on device|Disk quota exceeded")
_JAVA_CRASHED = re.compile(r"A fatal error has been detected by the Java Runtime Environment")
_DATA_IN_USE = re.compile(r"lock hold by current process|While lock file|LOCK: Resource")

_LOG4J = """\
Configuration:
  status: ERROR
  Appenders:
    Console:
      name: Console
      target: SYSTEM_OUT
      PatternLayout: {Pattern: "%d{ISO8601} [%t] %-5level %logger{36} - %msg%n"}
  Loggers:
    Root: {level: warn, AppenderRef: [{ref: Console}]}
"""


@dataclass(frozen=True)
class StartTimings:
    """What a start took, in seconds: jars, Java and AOT cache looked up (or made); the JVM until
    the admin API answered; until a message had gone through.
    """

    prepared: float
    answering: float
    message: float

    @property
    def total(self) -> float:
        """From the call to a broker that is ready, in seconds."""
        return self.prepared + self.answering + self.message


class EmbeddedPulsar(OwnedBroker):
    """One Pulsar standalone of our own; see `Broker` for what its methods do.

    `log` names the file that gets the broker's output, by default one in its folder. With `folder`
    the broker keeps its data there and outlives this process; otherwise in a temporary folder.
    """

    def __init__(
        self,
        profile: str = "plain",
        *,
        offline: bool = False,
        log: Path | None = None,
        folder: Path | None = None,
        show: progress.Progress = progress.on_stderr,
    ) -> None:
        self._profile = profile_named(profile)
        self._offline = offline
        self._show = show
        self._kept_log = log
        self._folder = folder
        self._filter: Path | None = None
        """The archive of the entry filter, for the profile that has one."""
        self._outlives_us = folder is not None
        self._run_folder: RunFolder | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._address: BrokerAddress | None = None
        self.timings: StartTimings | None = None

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is or, once ended, was; raises BrokerError before the first start."""
        if self._address is None:
            raise BrokerError(
                f"The broker {self._profile.name} has not been started", hint="Start it first"
            )
        return self._address

    @property
    def log(self) -> Path | None:
        """The broker's own log; None before the first start."""
        if self._kept_log is not None:
            return self._kept_log
        return self._folder / "broker.log" if self._folder is not None else None

    def start(self) -> BrokerAddress:
        """Starts the broker and returns when it is ready; raises BrokerError."""
        if self._is_running():
            raise BrokerError(
                f"The broker {self._profile.name} runs already",
                hint="Use restart, or stop it first",
            )
        began = time.monotonic()
        command = _command(self._offline, self._show)
        if self._profile.filters:
            self._filter = entry_filter.archive(offline=self._offline, show=self._show)
        prepared = time.monotonic() - began
        self._launch(command)
        address = self.address
        answering = time.monotonic() - began - prepared
        readiness.pass_a_message(address)
        self.timings = StartTimings(
            prepared, answering, time.monotonic() - began - prepared - answering
        )
        return address

    def stop(self) -> None:
        """Ends the broker with SIGTERM, after half a minute with SIGKILL; the data stay."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends the broker with SIGKILL; the data stay."""
        self._end(signal.SIGKILL)

    def restart(self) -> BrokerAddress:
        """Stops the broker and starts it on the same data and ports."""
        self.stop()
        return self.start()

    def pause(self) -> None:
        """Freezes the process with SIGSTOP."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continues the process with SIGCONT."""
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        """Ends the broker and removes its data, unless it was given a folder."""
        # Nobody wants the data: no need to wait for the broker to write them out.
        self._end(signal.SIGTERM if self._outlives_us else signal.SIGKILL)
        if self._run_folder is not None:
            self._run_folder.remove()
            self._run_folder = self._folder = self._address = None

    def resident_bytes(self) -> int:
        """Returns the memory that the broker's process holds (RSS), in bytes."""
        return resident_bytes(self._running_process().pid)

    # -- starting

    def _launch(self, command: launch.JavaCommand) -> None:
        """Brings the process up until its admin API answers, on other ports if some were taken."""
        if self._folder is None:
            self._run_folder = RunFolder(self._profile.name)
            self._folder = self._run_folder.path
        for attempt in range(1, _TRIES + 1):
            first = self._address is None
            address = self._address or blueprint.new_address(
                self._profile, "embedded", self._folder / "secrets"
            )
            require_free(address.service_port, address.admin_port)
            try:
                self._start_process(command, address, self._folder)
                return
            except _PortTakenError:
                # Only a broker without clients may move to other ports.
                if not first or self._profile.fixed_ports or attempt == _TRIES:
                    raise

    def _start_process(
        self, command: launch.JavaCommand, address: BrokerAddress, folder: Path
    ) -> None:
        settings = {
            **configuration.SMALL,
            **blueprint.settings(self._profile, address, str(folder / "secrets")),
            "bindAddress": blueprint.HOST,
        }
        if self._filter is not None:
            settings |= entry_filter.settings(str(self._filter.parent), str(folder / "filters"))
        (folder / "standalone.conf").write_text(configuration.as_properties(settings))
        (folder / "standalone.conf").chmod(0o600)
        (folder / "log4j2.yaml").write_text(_LOG4J)
        log = self.log
        assert log is not None
        log.parent.mkdir(parents=True, exist_ok=True)
        log_begin = log.stat().st_size if log.exists() else 0
        self._process = launch.spawn(
            pulsar_java.on_data(command, folder),
            folder=folder,
            log=log,
            outlives_us=self._outlives_us,
        )
        try:
            self._await_answer(address, folder, log, log_begin)
        except BaseException:
            self.kill()
            raise

    def _await_answer(
        self, address: BrokerAddress, folder: Path, log: Path, log_begin: int
    ) -> None:
        process = self._running_process()
        deadline = time.monotonic() + _READY_WITHIN
        with readiness.AdminApi(address) as admin:
            while not admin.namespace_is_served():
                if process.poll() is not None:
                    raise _explain(_ended(process.returncode), log, log_begin)
                if time.monotonic() > deadline:
                    raise _explain(f"was not ready within {_READY_WITHIN:.0f} s", log, log_begin)
                time.sleep(_POLL)
            try:
                # Another broker may have taken the ports at the same moment; then it was that one.
                if folder.name not in admin.metadata_store():
                    raise _PortTakenError(
                        f"Another broker answers on {address.admin_url}", hint="Start again"
                    )
                if self._profile.secured:
                    admin.make_administrator(CLIENT, tenant="public", cluster=configuration.CLUSTER)
                version = admin.version()
            except httpx.HTTPError as error:
                raise _explain(f"failed when asked who it is ({error})", log, log_begin) from error
        self._address = replace(address, version=version, pid=process.pid, log=str(log))

    # -- the process

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

    def _signal(self, what: signal.Signals) -> None:
        self._running_process().send_signal(what)

    def _is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _running_process(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise BrokerError(
                f"The broker {self._profile.name} is not running", hint="Start it first"
            )
        return self._process


@dataclass(frozen=True)
class StartFigures:
    """What one start took, the memory of the ready broker in bytes, and the seconds of its stop."""

    timings: StartTimings
    resident_bytes: int
    stop_seconds: float


def measure_start(profile: str = "plain", *, offline: bool = False) -> StartFigures:
    """Starts and stops one broker and returns what that cost; raises BrokerError.

    With a new folder as `TOUCHSTONE_CACHE` it is a cold start: jars fetched and AOT cache made.
    """
    with EmbeddedPulsar(profile, offline=offline, show=progress.quiet) as broker:
        assert broker.timings is not None
        resident = broker.resident_bytes()
        began = time.monotonic()
        broker.stop()
        return StartFigures(broker.timings, resident, time.monotonic() - began)


class _PortTakenError(BrokerError):
    """The broker's ports were taken between our look and its own."""


def prepare(*, offline: bool = False, show: progress.Progress = progress.on_stderr) -> None:
    """Fetches and makes all that a start needs; the next one is quick. Raises BrokerError."""
    _command(offline, show)


def resident_bytes(pid: int) -> int:
    """Returns the memory that the process `pid` holds (RSS), in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _command(offline: bool, show: progress.Progress) -> launch.JavaCommand:
    """Returns the command of every start, with jars fetched and the AOT cache made if need be."""

    def train(command: launch.JavaCommand) -> None:
        with show("Preparing quick starts (once, about 20 s)", 0):
            _train(command)

    try:
        command = pulsar_java.command(offline, show)
        return aot.with_aot_cache(command, pulsar_java.PROGRAM, train)
    except JvmRuntimeError as error:
        raise BrokerError(f"No embedded broker: {error.message}", hint=error.hint) from error


def _train(command: launch.JavaCommand) -> None:
    """Runs a broker with `command` from start to end, with some messages in between."""
    broker = EmbeddedPulsar()
    try:
        broker._launch(command)
        readiness.pass_a_message(broker.address)
        # The JVM writes the cache while it ends.
        broker._end(signal.SIGTERM, within=180.0)
    except BrokerError as error:
        raise JavaError(f"The training start failed: {error.what}", hint=error.hint) from error
    finally:
        broker.close()


def _ended(status: int) -> str:
    """Returns how a process ended, from its exit status as `subprocess` gives it."""
    return f"exited with status {status}" if status >= 0 else f"died by {signal.Signals(-status)!r}"


def _explain(what: str, log: Path, log_begin: int) -> BrokerError:
    """Returns the error for a start that failed, with the end of what it wrote to its log."""
    with log.open("rb") as stream:
        stream.seek(log_begin)
        text = stream.read().decode(errors="replace")
    tail = "\n".join(text.splitlines()[-_LOG_TAIL:])
    message = f"The Pulsar broker {what}; the end of its log {log}:\n{tail}\n"
    if _PORT_TAKEN.search(text):
        return _PortTakenError(message, hint="A port is taken: end what listens there")
    if _DISK_FULL.search(text):
        return BrokerError(
            message,
            hint="The disk is full: free some space, or name a folder on another disk with TMPDIR",
        )
    if _JAVA_CRASHED.search(text):
        return BrokerError(
            message, hint=f"Java itself crashed: remove the folder {aot.folder()} and start again"
        )
    if _DATA_IN_USE.search(text):
        return BrokerError(message, hint="Another broker runs on the same data: end it first")
    return BrokerError(message, hint="`touchstone doctor` checks Java, jars, memory and ports")
