"""A broker in Java of locked jars as a child process: all that a product need not say.

The jars come from a lock file, Java from pip or `TOUCHSTONE_JAVA`. A product names its lock, its
main class and its arguments; `child_process.py` says how long the broker lives and where its data
are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from jms_brokers.brokers.child_process import ChildBroker, PortTakenError, Starting
from jms_brokers.brokers.credentials import with_accounts
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.ports import free_ports
from jms_brokers.brokers.profiles import COMMON, profile_of
from jms_brokers.errors import BrokerError
from jms_brokers.shared.locked import LockedBroker
from jvm_runtime import fetch, locks, progress
from jvm_runtime.jvm_errors import JvmRuntimeError
from jvm_runtime.launch import JavaCommand, temporary_files_in

HOST = "127.0.0.1"
_JVM_OPTIONS = (
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dio.netty.leakDetectionLevel=disabled",
    "-Djava.net.preferIPv4Stack=true",
    "-Djava.util.logging.config.file=logging.properties",
)
_LOGGING = """\
.level=WARNING
handlers=java.util.logging.ConsoleHandler
java.util.logging.ConsoleHandler.level=ALL
"""


class JavaBroker(ChildBroker):
    """One broker of our own, on one port of the loopback address; see `ChildBroker`."""

    family: ClassVar[str]
    scheme: ClassVar[str]
    locked: ClassVar[LockedBroker]
    main: ClassVar[str]

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
        self._version = version
        self._profile = profile_of(self.family, COMMON, profile)
        super().__init__(f"{self.family}-{profile}", log=log, folder=folder)
        self._offline = offline
        self._show = show

    @abstractmethod
    def arguments(self, folder: Path, address: BrokerAddress) -> Sequence[str]:
        """The program's arguments, and its configuration in `folder`.

        The broker's name is that of the folder.
        """

    @abstractmethod
    def answers(self, address: BrokerAddress) -> bool:
        """Whether somebody answers at `address` yet."""

    @abstractmethod
    def name_and_version(self, address: BrokerAddress) -> tuple[str, str]:
        """Who answers at `address`."""

    @abstractmethod
    def pass_a_message(self) -> None:
        """Send a message and take it again, or raise BrokerError."""

    def start(self) -> BrokerAddress:
        """Start the broker and return when it is ready; raises BrokerError."""
        self._refuse_a_second_start()
        self._launch(self._command())
        self.pass_a_message()
        return self.address

    def _new_address(self, folder: Path) -> BrokerAddress:
        (port,) = free_ports(1)
        address = BrokerAddress(
            service_url=f"{self.scheme}://{HOST}:{port}",
            admin_url="",
            profile=self._profile.name,
            way="embedded",
            version="",
            family=self.family,
        )
        return with_accounts(address) if self._profile.secured else address

    def _ports(self, address: BrokerAddress) -> tuple[int, ...]:
        return (address.service_port,)

    def _configure(self, command: JavaCommand, address: BrokerAddress, folder: Path) -> JavaCommand:
        (folder / "logging.properties").write_text(_LOGGING)
        arguments = tuple(self.arguments(folder, address))
        # temporary files are in the folder, so that they go with it
        return replace(command.with_options(*temporary_files_in(folder)), arguments=arguments)

    def _await_answer(
        self, address: BrokerAddress, folder: Path, starting: Starting
    ) -> BrokerAddress:
        starting.until(lambda: self.answers(address))
        name, version = self.name_and_version(address)
        # Another broker may have taken the port at the same moment; then it was that one.
        if name != folder.name:
            raise PortTakenError(
                f"Another broker answers on {address.service_url}", hint="Start again"
            )
        return replace(address, version=version)

    def _command(self) -> JavaCommand:
        """The command without its folder; fetches what is missing; raises BrokerError."""
        try:
            runtime = self.locked.java()
            lock = locks.load(self.locked.lock(self._version))
            jars = fetch.fetch(lock, offline=self._offline, progress=self._show)
        except JvmRuntimeError as error:
            raise BrokerError(f"No embedded broker: {error.message}", hint=error.hint) from error
        newer = ("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")
        options = (*(newer if runtime.major >= 24 else ()), *_JVM_OPTIONS)
        return JavaCommand(jre=runtime, options=options, class_path=jars, main=self.main)
