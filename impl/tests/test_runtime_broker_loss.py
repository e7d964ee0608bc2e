"""The broker goes away: the exception listener hears of it, and nothing hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from jmsapi import JMSException, TextMessage
from pulsar_jms import PulsarConnectionFactory

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress
    from jms_brokers.families.pulsar.protocol.proxy import PulsarProxy

Name = Callable[[], str]


@pytest.fixture
def proxy(pulsar: BrokerAddress) -> Iterator[PulsarProxy]:
    """A way to the broker that can be taken down."""
    from jms_brokers.families.pulsar.protocol.proxy import PulsarProxy, host_and_port

    with PulsarProxy(*host_and_port(pulsar.service_url)) as proxy:
        yield proxy


@pytest.fixture
def factory(pulsar: BrokerAddress, proxy: PulsarProxy) -> Iterator[PulsarConnectionFactory]:
    """A factory that goes through the proxy and gives up soon."""
    factory = PulsarConnectionFactory(
        {
            "brokerServiceUrl": f"pulsar://{proxy.host}:{proxy.port}",
            "webServiceUrl": pulsar.admin_url,
            "operationTimeoutMs": 2000,
            "producerConfig.sendTimeoutMs": 1500,
        }
    )
    yield factory
    factory.close()


def test_the_loss_is_told_once_and_the_client_comes_back(
    factory: PulsarConnectionFactory, proxy: PulsarProxy, name: Name
) -> None:
    connection = factory.create_connection()
    told: list[JMSException] = []
    heard = threading.Event()

    def listen(error: JMSException) -> None:
        told.append(error)
        heard.set()

    connection.exception_listener = listen
    connection.start()
    session = connection.create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    producer = session.create_producer(queue)
    producer.send(session.create_text_message("before"))
    assert consumer.receive(5000) is not None

    proxy.down()
    assert heard.wait(10)
    with pytest.raises(JMSException, match="Timeout"):
        producer.send(session.create_text_message("lost"))
    assert consumer.receive(200) is None
    assert len(told) == 1
    assert str(proxy.port) in told[0].reason

    proxy.up()
    until = time.monotonic() + 15
    while not factory.client.is_connected() and time.monotonic() < until:
        time.sleep(0.05)
    producer.send(session.create_text_message("after"))
    texts = []
    while isinstance(message := consumer.receive(3000), TextMessage):
        texts.append(message.text)
        if message.text == "after":
            break
    assert texts[-1:] == ["after"]


def test_closing_without_a_broker_does_not_hang(
    factory: PulsarConnectionFactory, proxy: PulsarProxy, name: Name
) -> None:
    session = factory.create_connection().create_session()
    topic = session.create_topic(name())
    session.create_consumer(topic)
    outcomes: list[object] = []

    class Outcome:
        def on_completion(self, message: object) -> None:
            outcomes.append(message)

        def on_exception(self, message: object, exception: Exception) -> None:
            outcomes.append(exception)

    producer = session.create_producer(topic)
    producer.send(session.create_text_message("x"), completion_listener=Outcome())
    producer.close()
    proxy.down()
    other = session.create_producer(topic)
    other.send(session.create_text_message("y"), completion_listener=Outcome())
    factory.close()
    assert len(outcomes) == 2
    assert isinstance(outcomes[1], JMSException)


def test_a_listener_set_anew_is_not_watched_for_twice(
    factory: PulsarConnectionFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = factory.create_connection()
    looks: list[object] = []
    monkeypatch.setattr(factory.client.timer, "after", lambda seconds, look: looks.append(look))
    for _ in range(20):
        connection.exception_listener = print
        connection.exception_listener = None
    connection.exception_listener = print
    assert len(looks) == 1
