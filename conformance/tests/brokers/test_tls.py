"""Whoever speaks TLS tells a server nothing whose authority or name is not the right one."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar.protocol.raw_producer import open_connection
from jms_brokers.families.pulsar.readiness import AdminApi, client
from jms_brokers.families.pulsar.rest import PulsarRest
from jms_brokers.families.rabbitmq import readiness as rabbitmq_readiness
from jms_clients import rabbitmq, reference
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.factories import client_opening

pytestmark = pytest.mark.thorough

HOST = "127.0.0.1"
TOKEN = "a-token-that-nobody-else-may-hear"


class Server:
    """A server that lets everybody in and keeps the first words that it hears inside of TLS."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.heard: list[bytes] = []
        self.asked = 0
        self._context = context
        self._listening = socket.create_server((HOST, 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                accepted, _ = self._listening.accept()
            except OSError:
                return
            self.asked += 1
            accepted.settimeout(5)
            with suppress(OSError), self._context.wrap_socket(accepted, server_side=True) as inside:
                if words := inside.recv(4096):
                    self.heard.append(words)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@contextmanager
def a_server(authority: trustme.CA, *hosts: str) -> Iterator[Server]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*hosts).configure_cert(context)
    server = Server(context)
    try:
        yield server
    finally:
        server.close()


def address_of(server: Server, trusted: Path) -> BrokerAddress:
    return BrokerAddress(
        f"pulsar+ssl://{HOST}:{server.port}",
        f"https://{HOST}:{server.port}",
        "tls",
        "external",
        "4.0.7",
        "pulsar",
        token=TOKEN,
        trust_certificate=str(trusted),
    )


def amqps(address: BrokerAddress) -> BrokerAddress:
    return replace(
        address,
        service_url=address.service_url.replace("pulsar+ssl", "amqps"),
        user_name="me",
        password=TOKEN,
    )


def harness_client(address: BrokerAddress) -> None:
    connection = client(address, seconds=2)
    try:
        connection.create_producer("persistent://public/default/t")
    finally:
        connection.close()


def harness_admin(address: BrokerAddress) -> None:
    with AdminApi(address) as admin:
        admin.delete_topic("public/default/t")


def harness_rest(address: BrokerAddress) -> None:
    PulsarRest(address).request("GET", "clusters")


def harness_schema(address: BrokerAddress) -> None:
    with open_connection(address):
        pass


def harness_amqp(address: BrokerAddress) -> None:
    amqp_readiness.connect(amqps(address), seconds=2).close()


def harness_rabbitmq(address: BrokerAddress) -> None:
    rabbitmq_readiness.connect(amqps(address)).close()


def reference_native(address: BrokerAddress) -> None:
    connect_reference(address, transport="native")


def reference_java(address: BrokerAddress) -> None:
    connect_reference(address, transport="java")


def connect_reference(address: BrokerAddress, transport: str) -> None:
    settings = {
        **reference.connection_settings(address),
        "jms.usePulsarAdmin": False,
        "operationTimeoutMs": 2_000,
        "lookupTimeoutMs": 2_000,
        "producerConfig": {"sendTimeoutMs": 2_000},
    }
    with (
        PulsarConnectionFactory(settings, transport=transport) as factory,
        factory.create_connection() as connection,
        connection.create_session() as session,
    ):
        session.create_producer(session.create_queue("t")).send(session.create_message())


SPEAKERS = (
    harness_client, harness_admin, harness_rest, harness_schema, harness_amqp, harness_rabbitmq,
    reference_native, reference_java,
)  # fmt: skip


@pytest.mark.parametrize("speak", SPEAKERS, ids=lambda speak: speak.__name__)
@pytest.mark.parametrize("wrong", ["nothing", "authority", "host"])
def test_nothing_is_told_to_the_wrong_server(
    speak: Callable[[BrokerAddress], None],
    wrong: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The reference asks first by a connection of Python's own; here its transport has to notice.
    monkeypatch.setattr(client_opening, "check_reachable", lambda *_: None)
    ours, others = trustme.CA(), trustme.CA()
    trusted = tmp_path / "authority.pem"
    ours.cert_pem.write_to_path(trusted)
    authority = others if wrong == "authority" else ours
    # Pulsar's Java client looks for the name that the address resolves back to.
    hosts = ("elsewhere.example",) if wrong == "host" else (HOST, "localhost")
    with a_server(authority, *hosts) as server:
        with pytest.raises(Exception, match=r".") as refusal:
            speak(address_of(server, trusted))  # the right one does not understand a word either
        assert server.asked, refusal.value
        if wrong == "nothing":
            assert server.heard, refusal.value
        else:
            assert server.heard == []


def test_clients_in_java_are_told_to_look_at_the_host_name() -> None:
    address = BrokerAddress(
        "pulsar+ssl://host:1", "https://host:2", "tls", "external", "1", "pulsar"
    )
    assert reference.connection_settings(address)["tlsEnableHostnameVerification"] is True
    assert rabbitmq.connection_settings(amqps(address))["hostnameVerification"] is True
    plain = replace(address, service_url="pulsar://host:1")
    assert "tlsEnableHostnameVerification" not in reference.connection_settings(plain)
