"""Apache Artemis as a child process, on a machine that has only Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from touchstone.brokers import artemis_readiness
from touchstone.brokers.artemis_configuration import broker_xml
from touchstone.brokers.interface import BrokerAddress
from touchstone.brokers.java_amqp import HOST, JavaAmqpBroker


class EmbeddedArtemis(JavaAmqpBroker):
    """One Artemis broker of our own; it reads a `broker.xml` of ours. See `JavaAmqpBroker`."""

    product = "Artemis"
    family = "artemis"
    program = "artemis"
    main = "org.apache.activemq.artemis.core.server.embedded.Main"

    def arguments(self, folder: Path, port: int) -> Sequence[str]:
        """The folder with the configuration."""
        (folder / "etc").mkdir(exist_ok=True)
        xml = broker_xml(folder.name, str(folder / "data"), HOST, port)
        (folder / "etc" / "broker.xml").write_text(xml)
        return (str(folder),)

    def name_and_version(self, address: BrokerAddress) -> tuple[str, str]:
        """From its management: its container id is another one at each start."""
        return artemis_readiness.name(address), artemis_readiness.version(address)
