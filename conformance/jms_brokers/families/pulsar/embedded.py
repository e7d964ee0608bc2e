"""Apache Pulsar as a child process, on a machine that has only Python.

The jars come from a lock file, Java from pip or `TOUCHSTONE_JAVA`. `child_process.py` says how
long a broker lives and where its data are; `detached.py` has the one that outlives its starter.
"""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from jms_brokers.brokers.child_process import ChildBroker, PortTakenError, Starting
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.ports import is_free
from jms_brokers.brokers.profiles import CLIENT, profile_of
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar import blueprint, configuration, entry_filter, readiness
from jms_brokers.families.pulsar import java as pulsar_java
from jms_brokers.families.pulsar.product import LOCKED, NAME
from jms_brokers.families.pulsar.profiles import PROFILES
from jvm_runtime import aot, launch, progress
from jvm_runtime.jvm_errors import JavaError, JvmRuntimeError

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


class EmbeddedPulsar(ChildBroker):
    """One Pulsar standalone of our own, by default in its usual version; see `ChildBroker`."""

    product = "Pulsar"

    def __init__(
        self,
        profile: str = "plain",
        *,
        version: str = "",
        offline: bool = False,
        log: Path | None = None,
        folder: Path | None = None,
        show: progress.Progress = progress.on_stderr,
    ) -> None:
        self._profile = profile_of(NAME, PROFILES, profile)
        self._version = version
        super().__init__(profile, log=log, folder=folder, fixed_ports=self._profile.fixed_ports)
        self._offline = offline
        self._show = show
        self._filter: Path | None = None
        """The archive of the entry filter, for the profile that has one."""
        self.timings: StartTimings | None = None

    def start(self) -> BrokerAddress:
        """Start the broker and return when it is ready; raises BrokerError."""
        self._refuse_a_second_start()
        began = time.monotonic()
        command = _command(self._version, self._offline, self._show)
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

    def _new_address(self, folder: Path) -> BrokerAddress:
        return blueprint.new_address(self._profile, "embedded", folder / "secrets")

    def _ports(self, address: BrokerAddress) -> tuple[int, ...]:
        return address.service_port, address.admin_port

    def _configure(
        self, command: launch.JavaCommand, address: BrokerAddress, folder: Path
    ) -> launch.JavaCommand:
        settings = {
            **configuration.SMALL,
            **blueprint.settings(self._profile, address, str(folder / "secrets")),
            "bindAddress": blueprint.HOST,
        }
        if self._filter is not None:
            settings |= entry_filter.settings(str(self._filter.parent), str(folder / "filters"))
        (folder / "standalone.conf").write_text(configuration.properties_text(settings))
        (folder / "standalone.conf").chmod(0o600)
        (folder / "log4j2.yaml").write_text(_LOG4J)
        return pulsar_java.command_on_data(command, folder)

    def _await_answer(
        self, address: BrokerAddress, folder: Path, starting: Starting
    ) -> BrokerAddress:
        with readiness.AdminApi(address) as admin:
            # Most of a start nobody listens, and to see that costs less than a request.
            starting.until(lambda: not is_free(address.admin_port) and admin.namespace_is_served())
            try:
                # Another broker may have taken the ports at the same moment; then it was that one.
                if folder.name not in admin.metadata_store():
                    raise PortTakenError(
                        f"Another broker answers on {address.admin_url}", hint="Start again"
                    )
                if self._profile.secured:
                    admin.make_administrator(CLIENT, tenant="public", cluster=configuration.CLUSTER)
                return replace(address, version=admin.version())
            except httpx.HTTPError as error:
                raise starting.failed(f"failed when asked who it is ({error})") from error


@dataclass(frozen=True)
class StartFigures:
    """What one start took, the memory of the ready broker in bytes, and the seconds of its stop."""

    timings: StartTimings
    resident_bytes: int
    stop_seconds: float


def measure_start(profile: str = "plain", *, offline: bool = False) -> StartFigures:
    """Start and stop one broker and return what that cost; raises BrokerError.

    With a new folder as `TOUCHSTONE_CACHE` it is a cold start: jars fetched and AOT cache made.
    """
    with EmbeddedPulsar(profile, offline=offline, show=progress.quiet) as broker:
        assert broker.timings is not None
        resident = broker.resident_bytes()
        began = time.monotonic()
        broker.stop()
        return StartFigures(broker.timings, resident, time.monotonic() - began)


def prepare(*, offline: bool = False, show: progress.Progress = progress.on_stderr) -> None:
    """Fetch and make all that a start needs; the next one is quick. Raises BrokerError."""
    _command("", offline, show)


def _command(version: str, offline: bool, show: progress.Progress) -> launch.JavaCommand:
    """Return the command of every start, with jars fetched and the AOT cache made if need be."""

    def train(command: launch.JavaCommand) -> None:
        with show("Preparing quick starts (once, about 20 s)", 0):
            _train(command, version)

    lock = LOCKED.lock(version)
    try:
        command = pulsar_java.command(lock, offline, show)
        return aot.with_aot_cache(command, lock, train)
    except JvmRuntimeError as error:
        raise BrokerError(f"No embedded broker: {error.message}", hint=error.hint) from error


def _train(command: launch.JavaCommand, version: str) -> None:
    """Run a broker with `command` from start to end, with some messages in between."""
    broker = EmbeddedPulsar(version=version)
    try:
        broker._launch(command)
        readiness.pass_a_message(broker.address)
        # The JVM writes the cache while it ends.
        broker._end(signal.SIGTERM, within=180.0)
    except BrokerError as error:
        raise JavaError(f"The training start failed: {error.what}", hint=error.hint) from error
    finally:
        broker.close()
