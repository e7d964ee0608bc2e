"""ActiveMQ Classic as a child process, on a machine that has only Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jms_brokers.amqp.embedded import JavaAmqpBroker
from jms_brokers.brokers import credentials
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.ports import free_ports
from jms_brokers.families.activemq.configuration import access_xml, activemq_xml
from jms_brokers.families.activemq.product import LOCKED, NAME
from jms_brokers.shared.java_broker import HOST
from jms_brokers.shared.jolokia import agent_option, agent_url
from jvm_runtime.launch import JavaCommand


class EmbeddedActiveMq(JavaAmqpBroker):
    """One ActiveMQ broker of our own; it reads an `activemq.xml` of ours. See `JavaAmqpBroker`.

    Its `admin_url` is that of Jolokia's agent, by which its beans can be read.
    """

    product = "ActiveMQ"
    family = NAME
    locked = LOCKED
    main = "org.apache.activemq.console.command.ShellCommand"

    def arguments(self, folder: Path, address: BrokerAddress) -> Sequence[str]:
        """The configuration, read from the folder in which it starts."""
        data, users = str(folder / "data"), address.role_tokens
        port, limits = address.service_port, self._profile.limits
        xml = activemq_xml(folder.name, data, HOST, port, users, limits)
        credentials.write(folder / "activemq.xml", xml.encode())
        return ("start", "xbean:file:activemq.xml")

    def _new_address(self, folder: Path) -> BrokerAddress:
        (port,) = free_ports(1)
        return replace(super()._new_address(folder), admin_url=agent_url(HOST, port))

    def _ports(self, address: BrokerAddress) -> tuple[int, ...]:
        return (address.service_port, address.admin_port)

    def _configure(self, command: JavaCommand, address: BrokerAddress, folder: Path) -> JavaCommand:
        access = folder / "jolokia-access.xml"
        access.write_text(access_xml())
        agent = agent_option(command.class_path, HOST, address.admin_port, access)
        return super()._configure(command.with_options(agent), address, folder)
