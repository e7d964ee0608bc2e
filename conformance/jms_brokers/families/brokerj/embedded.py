"""Apache Qpid Broker-J as a child process, on a machine that has only Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.amqp.embedded import JavaAmqpBroker
from jms_brokers.brokers import credentials
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.brokerj.configuration import initial_config
from jms_brokers.families.brokerj.product import LOCKED, NAME
from jms_brokers.shared.java_broker import HOST
from jvm_runtime.launch import JavaCommand

_LOGGING = """\
<configuration>
  <statusListener class="ch.qos.logback.core.status.NopStatusListener"/>
  <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d %-5level %logger{0} %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="console"/></root>
</configuration>
"""


class EmbeddedBrokerJ(JavaAmqpBroker):
    """One Broker-J of our own; it reads an `initial-config.json` of ours. See `JavaAmqpBroker`."""

    product = "Qpid Broker-J"
    family = NAME
    locked = LOCKED
    main = "org.apache.qpid.server.Main"

    def arguments(self, folder: Path, address: BrokerAddress) -> Sequence[str]:
        """The configuration that it begins with, and where it keeps what becomes of that."""
        data, initial = folder / "data", folder / "initial-config.json"
        port, users, limits = address.service_port, address.role_tokens, self._profile.limits
        config = initial_config(folder.name, data, HOST, port, users, limits)
        credentials.write(initial, config.encode())
        return ("-icp", str(initial), "-sp", str(data / "config.json"))

    def name_and_version(self, address: BrokerAddress) -> tuple[str, str]:
        """From the properties of a connection: the container id is that of its virtual host."""
        with amqp_readiness.connect(address) as connection:
            about = connection.peer.get("properties", {})
            return str(about.get("qpid.instance_name")), str(about.get("version", ""))

    def _configure(self, command: JavaCommand, address: BrokerAddress, folder: Path) -> JavaCommand:
        logging = folder / "logback.xml"
        logging.write_text(_LOGGING)
        with_options = command.with_options(
            f"-Dlogback.configurationFile={logging}", f"-DQPID_WORK={folder / 'data'}"
        )
        return super()._configure(with_options, address, folder)
