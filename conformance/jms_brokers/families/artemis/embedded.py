"""Apache Artemis as a child process, on a machine that has only Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jms_brokers.amqp.embedded import JavaAmqpBroker
from jms_brokers.brokers import credentials
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.artemis import accounts as artemis_accounts
from jms_brokers.families.artemis import readiness as artemis_readiness
from jms_brokers.families.artemis.configuration import broker_xml
from jms_brokers.families.artemis.product import LOCKED, NAME
from jms_brokers.shared.java_broker import HOST
from jvm_runtime.launch import JavaCommand


class EmbeddedArtemis(JavaAmqpBroker):
    """One Artemis broker of our own; it reads a `broker.xml` of ours. See `JavaAmqpBroker`."""

    product = "Artemis"
    family = NAME
    locked = LOCKED
    main = "org.apache.activemq.artemis.core.server.embedded.Main"

    def arguments(self, folder: Path, address: BrokerAddress) -> Sequence[str]:
        """The folder with the configuration."""
        etc, data, secured = folder / "etc", str(folder / "data"), self._profile.secured
        etc.mkdir(exist_ok=True)
        port, limits = address.service_port, self._profile.limits
        xml = broker_xml(folder.name, data, HOST, port, secured=secured, limits=limits)
        (etc / "broker.xml").write_text(xml)
        if secured:
            for name, content in artemis_accounts.files(address.role_tokens).items():
                credentials.write(etc / name, content)
        return (str(folder),)

    def _configure(self, command: JavaCommand, address: BrokerAddress, folder: Path) -> JavaCommand:
        if self._profile.secured:
            login = folder / "etc" / artemis_accounts.LOGIN
            command = command.with_options(f"-Djava.security.auth.login.config={login}")
        return super()._configure(command, address, folder)

    def name_and_version(self, address: BrokerAddress) -> tuple[str, str]:
        """From its management: its container id is another one at each start."""
        return artemis_readiness.name(address), artemis_readiness.version(address)
