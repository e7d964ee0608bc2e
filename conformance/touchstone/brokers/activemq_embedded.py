"""ActiveMQ Classic as a child process, on a machine that has only Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from touchstone.brokers.activemq_configuration import activemq_xml
from touchstone.brokers.java_amqp import HOST, JavaAmqpBroker


class EmbeddedActiveMq(JavaAmqpBroker):
    """One ActiveMQ broker of our own; it reads an `activemq.xml` of ours. See `JavaAmqpBroker`."""

    product = "ActiveMQ"
    family = "activemq"
    program = "activemq-broker"
    main = "org.apache.activemq.console.command.ShellCommand"

    def arguments(self, folder: Path, port: int) -> Sequence[str]:
        """The configuration, read from the folder in which it starts."""
        xml = activemq_xml(folder.name, str(folder / "data"), HOST, port)
        (folder / "activemq.xml").write_text(xml)
        return ("start", "xbean:file:activemq.xml")
