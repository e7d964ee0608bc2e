"""The configuration of an Artemis broker for tests, as data; the same wherever it runs."""

from __future__ import annotations

from xml.sax.saxutils import escape

from jms_brokers.brokers.limits import NONE, Limits
from jms_brokers.families.artemis import accounts as artemis_accounts

DEAD_LETTERS = "DLQ"
EXPIRED = "EXPIRY"
MANAGEMENT = "activemq.management"
"""The address to which questions about the broker are sent."""
MAX_DELIVERIES = 10
"""Deliveries of a message before it goes to the dead letters: what Artemis does by itself, too."""

_XML = """\
<configuration xmlns="urn:activemq">
  <core xmlns="urn:activemq:core">
    <name>{name}</name>
    <persistence-enabled>true</persistence-enabled>
    <security-enabled>{secured}</security-enabled>
    <jmx-management-enabled>true</jmx-management-enabled>
    <paging-directory>{data}/paging</paging-directory>
    <bindings-directory>{data}/bindings</bindings-directory>
    <journal-directory>{data}/journal</journal-directory>
    <large-messages-directory>{data}/large</large-messages-directory>
    <journal-type>NIO</journal-type>
    <journal-file-size>1M</journal-file-size>
    <journal-min-files>2</journal-min-files>
    <journal-datasync>false</journal-datasync>
    <max-disk-usage>-1</max-disk-usage>
    <graceful-shutdown-enabled>false</graceful-shutdown-enabled>
    <message-expiry-scan-period>200</message-expiry-scan-period>
    <address-queue-scan-period>1000</address-queue-scan-period>
    <thread-pool-max-size>8</thread-pool-max-size>
    <scheduled-thread-pool-max-size>2</scheduled-thread-pool-max-size>
    <management-address>{management}</management-address>
    <acceptors>
      <acceptor name="amqp">tcp://{host}:{port}?protocols=AMQP,CORE;amqpIdleTimeout=-1{acceptor}</acceptor>
    </acceptors>
{permissions}    <address-settings>
      <address-setting match="#">
        <dead-letter-address>{dead_letters}</dead-letter-address>
        <expiry-address>{expired}</expiry-address>
        <max-delivery-attempts>{max_deliveries}</max-delivery-attempts>
        <redelivery-delay>0</redelivery-delay>
        <auto-create-queues>true</auto-create-queues>
        <auto-create-addresses>true</auto-create-addresses>
        <auto-delete-queues>false</auto-delete-queues>
        <auto-delete-addresses>false</auto-delete-addresses>
{limits}      </address-setting>
    </address-settings>
    <addresses>
      <address name="{dead_letters}"><anycast><queue name="{dead_letters}"/></anycast></address>
      <address name="{expired}"><anycast><queue name="{expired}"/></anycast></address>
    </addresses>
  </core>
</configuration>
"""


def broker_xml(
    name: str, data: str, host: str, port: int, *, secured: bool = False, limits: Limits = NONE
) -> str:
    """Return `broker.xml` of a broker that keeps its data in the folder `data`.

    A `secured` one asks for users and what they may do: see `artemis_accounts`.
    The queues of dead letters and of expired messages are made up front: without them the broker
    drops what belongs there. Expired messages are looked for five times a second.
    """
    domain = f";securityDomain={artemis_accounts.DOMAIN}" if secured else ""
    return _XML.format(
        name=escape(name),
        data=escape(data),
        host=host,
        port=port,
        management=MANAGEMENT,
        dead_letters=DEAD_LETTERS,
        expired=EXPIRED,
        max_deliveries=MAX_DELIVERIES,
        secured=str(secured).lower(),
        acceptor=domain + _acceptor(limits),
        limits=_address_settings(limits),
        permissions=artemis_accounts.permissions() if secured else "",
    )


def _address_settings(limits: Limits) -> str:
    """The lines of `broker.xml` for every address."""
    settings = {"default-max-consumers": limits.each, "max-expiry-delay": limits.time_to_live}
    return "".join(
        f"        <{name}>{value}</{name}>\n" for name, value in settings.items() if value
    )


def _acceptor(limits: Limits) -> str:
    """The end of the acceptor's URL."""
    return f";connectionsAllowed={limits.connections}" if limits.connections else ""
