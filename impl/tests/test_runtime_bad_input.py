"""Each bad input gives one clear error, and nothing is lost or acknowledged by it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import pulsar as pulsar_client
import pytest

from jmsapi import (
    BytesMessage,
    IllegalStateException,
    JMSException,
    JMSRuntimeException,
    JMSSecurityException,
    Message,
    MessageFormatException,
    SessionMode,
    TextMessage,
    UnsupportedOperationException,
)
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.messages import PulsarTextMessage

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
TOKEN = "org.apache.pulsar.client.impl.auth.AuthenticationToken"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"jms.usePulsarAdmn": True}, r"jms\.usePulsarAdmn"),
        ({"queueSubscriptionName": "x"}, r"did you mean 'jms\.queueSubscriptionName'"),
        ({"consumerConfig": {"ackTimeout": 1000}}, r"consumerConfig\.ackTimeout"),
        ({"jms.precreateQueueSubscription": "yes"}, "true or false"),
        ({"jms.topicSharedSubscriptionType": "Exclusive"}, "Shared, Key_Shared, Failover"),
        ({"consumerConfig.receiverQueueSize": "many"}, "whole number"),
        ({"consumerConfig.receiverQueueSize": 0}, "1 or more"),
        ({"consumerConfig.ackTimeoutMillis": -1}, "0 or more"),
        ({"consumerConfig.negativeAckRedeliveryBackoff.multiplier": 0}, "1 or more"),
        ({"jms.systemNamespace": 7}, "a text"),
        ({"brokerServiceUrl": "localhost:6650"}, "pulsar://"),
        ({"authPlugin": "AuthenticationSasl"}, "AuthenticationSasl"),
        ({"jms.priorityMapping": "cubic"}, r"jms\.priorityMapping.*exactly one of linear, non-li"),
        ({"jms.priorityMapping": "Linear"}, r"jms\.priorityMapping.*exactly one of linear, non-li"),
        ({"jms.enableJMSPriority": "on"}, r"jms\.enableJMSPriority.*true or false"),
        ({"enableTransaction": "on"}, "true or false"),
        ({"consumerConfig.ackReceiptEnabled": True}, "pulsar-client"),
        ({"consumerConfig": {"deadLetterPolicy": {"deadLetterTopic": "x"}}}, "maxRedeliverCount"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(
    connect: Connect, settings: dict[str, object], says: str
) -> None:
    with pytest.raises(JMSException, match=says):
        connect(settings)


@pytest.mark.parametrize("configuration", ["{", "[1]"])
def test_a_configuration_must_be_a_mapping_or_json(configuration: str) -> None:
    with pytest.raises(JMSException, match="configuration"):
        PulsarConnectionFactory(configuration).create_connection()


def test_a_broker_that_does_not_run_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    factory = PulsarConnectionFactory({"brokerServiceUrl": f"pulsar://127.0.0.1:{port}"})
    with pytest.raises(JMSException, match=f"127.0.0.1:{port}.*check that it runs"):
        factory.create_connection()
    factory.close()
    with pytest.raises(IllegalStateException, match="closed"):
        factory.create_connection()


def test_a_certificate_file_that_is_missing_is_named(pulsar: BrokerAddress) -> None:
    missing: dict[str, object] = {
        "brokerServiceUrl": pulsar.service_url,
        "webServiceUrl": pulsar.admin_url.replace("http:", "https:"),
        "tlsTrustCertsFilePath": "/nowhere/authority.pem",
    }
    with pytest.raises(JMSException, match=r"/nowhere/authority\.pem"):
        PulsarConnectionFactory(missing).create_connection()


def test_an_administration_without_tls_is_refused(pulsar: BrokerAddress) -> None:
    untrusted: dict[str, object] = {
        "brokerServiceUrl": pulsar.service_url,
        "webServiceUrl": pulsar.admin_url.replace("http:", "https:"),
    }
    with pytest.raises(JMSSecurityException, match="tlsTrustCertsFilePath"):
        PulsarConnectionFactory(untrusted).create_connection()


def settings_for(address: BrokerAddress, token: str | None) -> dict[str, object]:
    """The settings of a client that shows `token`."""
    settings: dict[str, object] = {
        "webServiceUrl": address.admin_url,
        "brokerServiceUrl": address.service_url,
    }
    if token is not None:
        settings |= {"authPlugin": TOKEN, "authParams": f"token:{token}"}
    return settings


def test_tokens_are_judged_and_never_shown(
    guarded: BrokerAddress, name: Name, caplog: pytest.LogCaptureFixture
) -> None:
    right = guarded.token or ""
    wrong = right[:-6] + "AAAAAA"
    for token in (wrong, None):
        factory = PulsarConnectionFactory(settings_for(guarded, token))
        with pytest.raises(JMSSecurityException, match="authParams") as refused:
            factory.create_connection()
        assert wrong not in f"{refused.value}{factory!r}{vars(factory)['_settings']!r}{caplog.text}"
    factory = PulsarConnectionFactory(settings_for(guarded, right))
    session = factory.create_connection().create_session()
    queue = session.create_queue(name())
    session.create_producer(queue).send(session.create_text_message("x"))
    assert right not in f"{factory!r}{session!r}{factory.client.transport!r}{caplog.text}"
    factory.close()


def test_missing_permission_is_a_security_exception(guarded: BrokerAddress, name: Name) -> None:
    from jms_brokers.brokers.profiles import NOBODY

    factory = PulsarConnectionFactory(
        {**settings_for(guarded, guarded.token_of(NOBODY)), "jms.clientId": name()}
    )
    session = factory.create_connection().create_session()
    topic = session.create_topic(name())
    with pytest.raises(JMSSecurityException, match="permission"):
        session.create_durable_consumer(topic, "s1")
    with pytest.raises(JMSSecurityException, match="permission"):
        session.create_consumer(session.create_queue(name()))
    factory.close()


POISON: dict[str, tuple[bytes | None, dict[str, str]]] = {
    "truncated map": (
        bytes.fromhex("aced000577070000000100016b7372"),
        {"JMSPulsarMessageType": "map"},
    ),
    "empty map payload": (b"", {"JMSPulsarMessageType": "map"}),
    "object that is no stream": (b"\x00\x01", {"JMSPulsarMessageType": "object"}),
    "unknown type": (b"abc", {"JMSPulsarMessageType": "TEXT"}),
    "text that is not UTF-8": (b"a\xffb", {"JMSPulsarMessageType": "text"}),
}


@pytest.mark.parametrize("kind", POISON)
def test_poison_is_named_stays_and_does_not_stop_the_consumer(
    pulsar: BrokerAddress, connect: Connect, name: Name, kind: str
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    payload, properties = POISON[kind]
    native = pulsar_client.Client(pulsar.service_url)
    native.create_producer(queue.queue_name).send(payload, properties=properties)
    native.close()
    session.create_producer(queue).send(session.create_text_message("good"))
    with pytest.raises(JMSException, match=r"ID:\d+:\d+:-1 of persistent://.*cannot be decoded"):
        consumer.receive(5000)
    good = consumer.receive(5000)
    assert isinstance(good, TextMessage)
    assert good.text == "good"
    consumer.close()
    again = session.create_consumer(queue)
    with pytest.raises(JMSException, match="cannot be decoded"):
        again.receive(5000)
    assert again.receive(200) is None


def test_poison_does_not_stop_a_listener(
    pulsar: BrokerAddress, connect: Connect, name: Name, caplog: pytest.LogCaptureFixture
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    heard: list[Message] = []
    session.create_consumer(queue).message_listener = heard.append
    native = pulsar_client.Client(pulsar.service_url)
    native.create_producer(queue.queue_name).send(b"", properties={"JMSPulsarMessageType": "map"})
    native.close()
    session.create_producer(queue).send(session.create_text_message("good"))
    until = time.monotonic() + 5
    while not heard and time.monotonic() < until:
        time.sleep(0.01)
    assert len(heard) == 1
    assert "cannot be decoded" in caplog.text


def test_foreign_payloads_that_can_be_read_are_read(
    pulsar: BrokerAddress, connect: Connect, name: Name
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    native = pulsar_client.Client(pulsar.service_url)
    producer = native.create_producer(queue.queue_name)
    producer.send(None)
    producer.send(b"abc", properties={"n": "five", "n_jsmtype": "int"})
    native.close()
    null, companion = (consumer.receive(5000) for _ in range(2))
    assert isinstance(null, BytesMessage)
    assert null.body_length == 0
    assert isinstance(companion, BytesMessage)
    with pytest.raises(MessageFormatException, match="n"):
        companion.get_int_property("n")


def test_sends_that_cannot_be_are_refused(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    bound, unbound = session.create_producer(queue), session.create_producer()
    message = session.create_text_message("x")
    with pytest.raises(MessageFormatException):
        bound.send(None)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedOperationException):
        bound.send(message, destination=queue)
    with pytest.raises(UnsupportedOperationException):
        unbound.send(message)
    for setting, value in (("priority", 10), ("delivery_mode", 3), ("time_to_live", -1)):
        with pytest.raises(JMSException, match=str(value)):
            setattr(bound, setting, value)
    with pytest.raises(JMSException, match="MessageTooBig"):
        bound.send(session.create_text_message("x" * (6 * 1024 * 1024)))
    bound.close()
    with pytest.raises(IllegalStateException, match="closed"):
        bound.send(message)
    session.close()
    with pytest.raises(IllegalStateException, match="closed"):
        session.create_text_message()


def test_a_session_closed_by_another_thread_refuses_everything_and_loses_nothing(
    connect: Connect, name: Name
) -> None:
    connection = connect()
    session = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    queue = session.create_queue(name())
    producer, consumer = session.create_producer(queue), session.create_consumer(queue)
    producer.send(session.create_text_message("kept"))
    message = consumer.receive(5000)
    assert message is not None
    waiting = started(lambda: consumer.receive())

    started(session.close).result(10)

    assert waiting.result(10) is None
    calls: tuple[Callable[[], object], ...] = (
        session.create_message,
        lambda: session.create_consumer(queue),
        lambda: producer.send(PulsarTextMessage("lost")),
        lambda: consumer.receive(1),
        message.acknowledge,
        session.recover,
    )
    for call in calls:
        with pytest.raises(IllegalStateException, match="closed"):
            call()
    again = connection.create_session().create_consumer(queue).receive(5000)
    assert isinstance(again, TextMessage)
    assert again.text == "kept"


def started(call: Callable[[], object]) -> Future[object]:
    """What a call on a thread of its own comes to."""
    done: Future[object] = Future()

    def run() -> None:
        try:
            done.set_result(call())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done


def test_a_mode_in_the_place_of_another_argument_is_refused(
    factories: Callable[..., PulsarConnectionFactory],
) -> None:
    """In Java createSession and createContext may be called with the mode alone."""
    mode: Any = SessionMode.CLIENT_ACKNOWLEDGE
    factory = factories()
    with factory.create_connection() as connection:
        with pytest.raises(JMSException, match=r"create_session\(mode=SessionMode"):
            connection.create_session(mode)
        assert connection.create_session(mode=mode).acknowledge_mode == mode
    with pytest.raises(JMSRuntimeException, match=r"create_context\(mode=SessionMode"):
        factory.create_context(mode)


def test_a_factory_closes_itself_at_the_end_of_its_block(
    factories: Callable[..., PulsarConnectionFactory],
) -> None:
    with factories() as factory:
        connection = factory.create_connection()
    with pytest.raises(IllegalStateException, match="closed"):
        connection.create_session()
    with pytest.raises(IllegalStateException, match="factory is closed"):
        factory.create_connection()
