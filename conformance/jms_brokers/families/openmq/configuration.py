"""The configuration of an OpenMQ broker for tests, as data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from jms_brokers.brokers.limits import NONE, Limits
from jms_brokers.brokers.profiles import ADMIN, NOBODY

INSTANCES = "instances"
"""The folder below the broker's own in which each instance has one, by its name."""
GUEST = "guest"
"""Name and password with which clients log in that name nobody: a broker always asks."""
STOMP_PORT = "imq.bridge.stomp.tcp.port"
"""Given as a system property, so that its beans report it."""
_THREADS_OF_A_CONNECTION = 2
_SETTINGS: Mapping[str, object] = {
    "imq.instanceconfig.version": 300,
    # Clients are given the port of the service itself, so nobody asks for ports by name.
    "imq.portmapper.bind": "false",
    "imq.service.activelist": "jms,admin",
    "imq.jmx.connector.activelist": "",
    "imq.jmx.mbeans.msg.enabled": "true",
    "handlers": "java.util.logging.ConsoleHandler",
    ".level": "WARNING",
    # By itself it looks for expired messages once a minute.
    "imq.message.expiration.interval": 1,
    # What follows are limits of this broker, of which JMS knows none.
    "imq.autocreate.reaptime": 86_400,
    "imq.autocreate.destination.maxNumMsgs": -1,
    "imq.autocreate.destination.maxTotalMsgBytes": -1,
    "imq.autocreate.destination.maxBytesPerMsg": -1,
    "imq.autocreate.destination.maxNumProducers": -1,
    "imq.autocreate.queue.maxNumActiveConsumers": -1,
    "imq.transaction.producer.maxNumMsgs": 100_000,
    "imq.transaction.consumer.maxNumMsgs": 100_000,
    # The harness sends over STOMP.
    "imq.bridge.enabled": "true",
    "imq.bridge.activelist": "stomp",
    "imq.bridge.admin.user": ADMIN,
}
_ACCESS = """\
version=JMQFileAccessControlModel/100
connection.NORMAL.allow.user=*
connection.ADMIN.allow.group=admin
{permissions}"""
_RIGHTS = tuple(
    f"{kind}.{right}"
    for kind in ("queue", "topic")
    for right in ("*.produce", "*.consume", *(["*.browse"] if kind == "queue" else []), "create")
)
_POLICY = """\
<restrict>
  <commands>
    <command>read</command>
    <command>version</command>
  </commands>
  <allow>
    <mbean>
      <name>com.sun.messaging.jms.server:type=ConsumerManager,subtype=Monitor</name>
      <operation>getConsumerInfo</operation>
    </mbean>
    <mbean>
      <name>com.sun.messaging.jms.server:type=MessageManager,subtype=Monitor</name>
      <operation>getMessageInfo</operation>
    </mbean>
    <mbean>
      <name>com.sun.messaging.jms.server:type=MessageManager,subtype=Config</name>
      <operation>deleteMessage</operation>
    </mbean>
  </allow>
</restrict>
"""


def config_properties(host: str, port: int, password: str, limits: Limits = NONE) -> str:
    """Return `config.properties` of an instance; `password` is that of ADMIN.

    The broker has limits by itself on messages, bytes, producers and consumers of a destination,
    and on messages of a transaction: these are lifted, but for `limits`. A destination that is made
    by its first use, as all are here, stays for a day where nobody uses it, not for two minutes.
    """
    own: dict[str, object] = {
        "imq.hostname": host,
        "imq.jms.tcp.port": port,
        "imq.bridge.stomp.hostname": host,
        "imq.bridge.admin.password": password,
    }
    if limits.connections is not None:
        own["imq.jms.max_threads"] = _THREADS_OF_A_CONNECTION * limits.connections
    if limits.each is not None:
        own["imq.autocreate.destination.maxNumProducers"] = limits.each
        own["imq.autocreate.queue.maxNumActiveConsumers"] = limits.each
    return "".join(f"{name}={value}\n" for name, value in {**_SETTINGS, **own}.items())


def passwd(passwords: Mapping[str, str]) -> str:
    """Return the file of users: name, digest, group and whether the account is active."""
    return "".join(
        f"{user}:{_digest(user, password)}:{'admin' if user == ADMIN else 'user'}:1\n"
        for user, password in passwords.items()
    )


def access_control(passwords: Mapping[str, str]) -> str:
    """Return `accesscontrol.properties`: everybody but NOBODY may do what clients do."""
    users = ",".join(user for user in passwords if user != NOBODY)
    permissions = "".join(f"{right}.allow.user={users}\n" for right in _RIGHTS)
    return _ACCESS.format(permissions=permissions)


def access_xml() -> str:
    """Return the policy of Jolokia's agent: beans may be read, messages looked at and removed."""
    return _POLICY


def _digest(user: str, password: str) -> str:
    """MD5 of both as a signed number in hex, as the broker writes it."""
    digest = hashlib.md5(f"{user}:{password}".encode(), usedforsecurity=False).digest()
    return f"{int.from_bytes(digest, signed=True):x}"
