"""Apache Artemis as a child process, on a machine that has only Python.

The jars come from a lock file, Java from pip or `TOUCHSTONE_JAVA`; the broker reads a `broker.xml`
of ours. `child_process.py` tells how long it lives and where its data are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from jvm_runtime import fetch, jre, launch, locks, progress
from jvm_runtime.errors import JvmRuntimeError
from jvm_runtime.launch import JavaCommand
from touchstone.brokers import artemis_readiness
from touchstone.brokers.artemis_configuration import broker_xml
from touchstone.brokers.child_process import ChildBroker, PortTakenError, Starting
from touchstone.brokers.interface import BrokerAddress
from touchstone.brokers.ports import free_ports
from touchstone.brokers.profiles import require_plain
from touchstone.errors import BrokerError

PROGRAM = "artemis"
_HOST = "127.0.0.1"
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


class EmbeddedArtemis(ChildBroker):
    """One Artemis broker of our own; see `ChildBroker`."""

    product = "Artemis"

    def __init__(
        self,
        profile: str = "plain",
        *,
        offline: bool = False,
        log: Path | None = None,
        folder: Path | None = None,
        show: progress.Progress = progress.on_stderr,
    ) -> None:
        require_plain("artemis", profile)
        super().__init__(f"artemis-{profile}", log=log, folder=folder)
        self._profile = profile
        self._offline = offline
        self._show = show

    def start(self) -> BrokerAddress:
        """Starts the broker and returns when it is ready; raises BrokerError."""
        self._refuse_a_second_start()
        self._launch(_command(self._offline, self._show))
        artemis_readiness.pass_a_message(self.address)
        return self.address

    def _new_address(self, folder: Path) -> BrokerAddress:
        (port,) = free_ports(1)
        return BrokerAddress(
            service_url=f"amqp://{_HOST}:{port}",
            admin_url="",
            profile=self._profile,
            way="embedded",
            version="",
            family="artemis",
        )

    def _ports(self, address: BrokerAddress) -> tuple[int, ...]:
        return (address.service_port,)

    def _configure(self, command: JavaCommand, address: BrokerAddress, folder: Path) -> JavaCommand:
        xml = broker_xml(folder.name, str(folder / "data"), _HOST, address.service_port)
        (folder / "etc").mkdir(exist_ok=True)
        (folder / "etc" / "broker.xml").write_text(xml)
        (folder / "logging.properties").write_text(_LOGGING)
        # Native libraries are unpacked in the folder, so that they go with it.
        configured = command.with_options(f"-Djava.io.tmpdir={folder}")
        return replace(configured, arguments=(str(folder),))

    def _await_answer(
        self, address: BrokerAddress, folder: Path, starting: Starting
    ) -> BrokerAddress:
        starting.until(lambda: artemis_readiness.answers(address))
        # Another broker may have taken the port at the same moment; then it was that one.
        if artemis_readiness.name(address) != folder.name:
            raise PortTakenError(
                f"Another broker answers on {address.service_url}", hint="Start again"
            )
        return replace(address, version=artemis_readiness.version(address))


def _command(offline: bool, show: progress.Progress) -> launch.JavaCommand:
    """Returns the command without its folder; fetches what is missing; raises BrokerError."""
    try:
        runtime = jre.find_jre()
        jars = fetch.fetch(locks.load(PROGRAM), offline=offline, progress=show)
    except JvmRuntimeError as error:
        raise BrokerError(f"No embedded broker: {error.message}", hint=error.hint) from error
    newer = ("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")
    return launch.JavaCommand(
        jre=runtime,
        options=(*(newer if runtime.major >= 24 else ()), *_JVM_OPTIONS),
        class_path=jars,
        main="org.apache.activemq.artemis.core.server.embedded.Main",
    )
