"""Eclipse OpenMQ as a child process, on a machine that has only Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jms_brokers.brokers import credentials
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.ports import free_ports
from jms_brokers.brokers.profiles import ADMIN
from jms_brokers.errors import BrokerError
from jms_brokers.families.openmq.beans import Beans
from jms_brokers.families.openmq.configuration import (
    GUEST,
    INSTANCES,
    STOMP_PORT,
    access_control,
    access_xml,
    config_properties,
    passwd,
)
from jms_brokers.families.openmq.probe import OpenMqProbe
from jms_brokers.families.openmq.product import LOCKED, NAME
from jms_brokers.shared.java_broker import HOST, JavaBroker
from jms_brokers.shared.jolokia import agent_option, agent_url
from jvm_runtime.launch import JavaCommand


class EmbeddedOpenMq(JavaBroker):
    """One OpenMQ broker of our own; it reads a `config.properties` of ours. See `JavaBroker`.

    Its `admin_url` is that of Jolokia's agent, by which its beans can be read.
    """

    product = LOCKED.product
    family = NAME
    scheme = "mqtcp"
    locked = LOCKED
    main = "com.sun.messaging.jmq.jmsserver.Broker"

    def arguments(self, folder: Path, address: BrokerAddress) -> Sequence[str]:
        """Its instance, whose folder holds configuration, users and data."""
        instance = folder / INSTANCES / folder.name
        users = address.role_tokens or {ADMIN: credentials.make_password(), GUEST: GUEST}
        limits = self._profile.limits
        properties = config_properties(HOST, address.service_port, users[ADMIN], limits)
        credentials.write(instance / "props" / "config.properties", properties.encode())
        credentials.write(instance / "etc" / "passwd", passwd(users).encode())
        credentials.write(
            instance / "etc" / "accesscontrol.properties", access_control(users).encode()
        )
        return ("-name", folder.name)

    def answers(self, address: BrokerAddress) -> bool:
        """Whether its beans are there, and a message goes through it."""
        try:
            _pass_a_message(address)
        except BrokerError:
            return False
        return True

    def name_and_version(self, address: BrokerAddress) -> tuple[str, str]:
        """As its beans report it."""
        beans = Beans(address)
        try:
            return beans.name_and_version()
        finally:
            beans.close()

    def pass_a_message(self) -> None:
        """Over a queue of its own."""
        _pass_a_message(self.address)

    def _new_address(self, folder: Path) -> BrokerAddress:
        (port,) = free_ports(1)
        return replace(super()._new_address(folder), admin_url=agent_url(HOST, port))

    def _ports(self, address: BrokerAddress) -> tuple[int, ...]:
        return (address.service_port, address.admin_port)

    def _configure(self, command: JavaCommand, address: BrokerAddress, folder: Path) -> JavaCommand:
        policy = folder / "jolokia-access.xml"
        policy.write_text(access_xml())
        (stomp,) = free_ports(1)
        (broker, *_) = command.class_path
        options = (
            agent_option(command.class_path, HOST, address.admin_port, policy),
            f"-Dimq.home={broker.parents[1]}",
            f"-Dimq.libhome={broker.parent}",
            f"-Dimq.varhome={folder}",
            f"-D{STOMP_PORT}={stomp}",
        )
        return super()._configure(command.with_options(*options), address, folder)


def _pass_a_message(address: BrokerAddress) -> None:
    probe = OpenMqProbe(address)
    try:
        probe.round_trip()
    finally:
        probe.close()
