"""Credentials at work: who is let in, who is refused, how it is reported, and tokens that end."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import jwt
import pytest
import trustme

from jmsapi import (
    IllegalStateException,
    IllegalStateRuntimeException,
    JMSException,
    JMSSecurityException,
    JMSSecurityRuntimeException,
    TextMessage,
)
from pulsar_jms import PulsarConnectionFactory

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

pytestmark = pytest.mark.thorough

Name = Callable[[], str]
TOKEN = "org.apache.pulsar.client.impl.auth.AuthenticationToken"
LOGIN: dict[str, object] = {"jms.useCredentialsFromCreateConnection": True}


@pytest.fixture
def factory_with(guarded: BrokerAddress) -> Iterator[Callable[..., PulsarConnectionFactory]]:
    """Make factories for that broker with further settings; close them after the test."""
    made: list[PulsarConnectionFactory] = []

    def make(settings: dict[str, object]) -> PulsarConnectionFactory:
        address: dict[str, object] = {
            "webServiceUrl": guarded.admin_url,
            "brokerServiceUrl": guarded.service_url,
        }
        made.append(PulsarConnectionFactory({**address, **settings}))
        return made[-1]

    yield make
    for factory in made:
        factory.close()


@pytest.fixture
def token(guarded: BrokerAddress) -> str:
    """The token of the role `client`."""
    return guarded.token_of("client")


@pytest.fixture
def issued(guarded: BrokerAddress) -> Callable[[float], str]:
    """Issue a token of that role that ends so many seconds from now, or a little later."""
    assert guarded.log is not None
    key = (Path(guarded.log).parent / "secrets" / "token.key").read_bytes()
    return lambda seconds: jwt.encode(
        {"sub": "client", "exp": int(time.time() + seconds) + 1}, key, algorithm="HS256"
    )


Factories = Callable[[dict[str, object]], PulsarConnectionFactory]


@pytest.mark.parametrize("administration", [True, False])
def test_a_wrong_token_is_refused_with_and_without_administration(
    factory_with: Factories, token: str, administration: bool
) -> None:
    wrong = token[:-6] + "AAAAAA"
    factory = factory_with({**LOGIN, "jms.usePulsarAdmin": administration})
    with pytest.raises(JMSSecurityException, match="authParams") as refused:
        factory.create_connection("user", f"token:{wrong}")
    assert wrong not in str(refused.value)
    with pytest.raises(JMSSecurityRuntimeException, match="authParams"):
        factory.create_context("user", f"token:{wrong}")


def test_a_login_that_was_refused_leaves_the_factory_to_the_next(
    factory_with: Factories, token: str
) -> None:
    factory = factory_with(LOGIN)
    for password in ("secret", f"token:{token}x", None):
        with pytest.raises(JMSSecurityException):
            factory.create_connection("user", password)
    factory.create_connection("user", f"token:{token}").start()
    with pytest.raises(IllegalStateException, match="another factory"):
        factory.create_connection("user", "secret")
    with pytest.raises(IllegalStateRuntimeException, match="another factory"):
        factory.create_context("other", f"token:{token}")
    factory.create_context("user", f"token:{token}").close()


def test_without_a_login_the_settings_count(
    factory_with: Factories, token: str, name: Name
) -> None:
    settings = {**LOGIN, "authPlugin": TOKEN, "authParams": f"token:{token}"}
    session = factory_with(settings).create_connection().create_session()
    message = session.create_text_message("x")
    session.create_producer(session.create_queue(name())).send(message)
    assert message.jms_message_id is not None


def test_the_flag_is_for_tokens_only(factory_with: Factories, token: str) -> None:
    factory = factory_with({**LOGIN, "authPlugin": "AuthenticationBasic", "authParams": "u:p"})
    with pytest.raises(JMSException, match="authPlugin is 'AuthenticationBasic'"):
        factory.create_connection("user", f"token:{token}")


@pytest.mark.parametrize("params", ["token:a\nb", "token:ä", "token:a b"])
def test_a_token_with_odd_characters_is_refused(factory_with: Factories, params: str) -> None:
    factory = factory_with({"authPlugin": TOKEN, "authParams": params})
    with pytest.raises(JMSSecurityException, match="authParams"):
        factory.create_connection()


def test_a_token_that_ends_is_told_to_whoever_listens_and_sends(
    factory_with: Factories, issued: Callable[[float], str], name: Name
) -> None:
    factory = factory_with(
        {
            "authPlugin": TOKEN,
            "authParams": f"token:{issued(2)}",
            "producerConfig.sendTimeoutMs": 1000,
        }
    )
    connection = factory.create_connection()
    told: list[Exception] = []
    heard = threading.Event()

    def listen(error: JMSException) -> None:
        told.append(error)
        heard.set()

    connection.exception_listener = listen
    session = connection.create_session()
    producer = session.create_producer(session.create_queue(name()))
    producer.send(session.create_text_message("in time"))

    assert heard.wait(60)
    assert isinstance(told[0], JMSSecurityException)
    with pytest.raises(JMSSecurityException, match="does not accept the credentials"):
        producer.send(session.create_text_message("too late"))


def test_a_token_that_is_renewed_in_its_file_goes_on(
    factory_with: Factories, issued: Callable[[float], str], name: Name, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(issued(2))
    ends = jwt.decode(file.read_text(), options={"verify_signature": False})["exp"]
    factory = factory_with({"authPlugin": TOKEN, "authParams": f"file:{file}"})
    connection = factory.create_connection()
    connection.start()
    session = connection.create_session()
    queue = session.create_queue(name())
    consumer, producer = session.create_consumer(queue), session.create_producer(queue)
    file.write_text(issued(3600))

    sent = 0
    while time.time() < ends + 3:
        producer.send(session.create_text_message(str(sent)))
        message = consumer.receive(20_000)
        assert isinstance(message, TextMessage)
        assert message.text == str(sent)
        sent += 1
        time.sleep(0.1)
    other = session.create_queue(name())
    assert session.create_consumer(other).receive_no_wait() is None


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """The port of a server whose certificate is another host's, and the authority's file."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("elsewhere.example").configure_cert(context)
    certificate = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                try:
                    accepted, _ = listening.accept()
                    with accepted, context.wrap_socket(accepted, server_side=True) as connection:
                        connection.recv(1024)
                except OSError:
                    continue

        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        yield listening.getsockname()[1], certificate
        ended.set()
        socket.create_connection(listening.getsockname()).close()
        serving.join(30)


@pytest.mark.parametrize("administration", [True, False])
def test_a_certificate_of_another_host_is_refused_by_name(
    elsewhere: tuple[int, Path], administration: bool
) -> None:
    port, authority = elsewhere
    factory = PulsarConnectionFactory(
        {
            "brokerServiceUrl": f"pulsar+ssl://127.0.0.1:{port}",
            "webServiceUrl": f"https://127.0.0.1:{port}",
            "tlsTrustCertsFilePath": str(authority),
            "jms.usePulsarAdmin": administration,
        }
    )
    with pytest.raises(JMSSecurityException, match=rf"127\.0\.0\.1:{port}.*not trusted"):
        factory.create_connection()


def test_a_server_of_something_else_is_no_broker(guarded: BrokerAddress) -> None:
    url = guarded.admin_url.replace("http:", "pulsar:")
    with pytest.raises(JMSException, match="does not answer in Pulsar's protocol"):
        PulsarConnectionFactory({"brokerServiceUrl": url}).create_connection()
