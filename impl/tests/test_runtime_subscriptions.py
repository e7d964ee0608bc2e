"""Which subscriptions consumers leave at the broker, and who is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from jmsapi import (
    IllegalStateException,
    InvalidClientIDException,
    InvalidDestinationException,
    JMSException,
    TextMessage,
)
from pulsar_jms.connections.connection import PulsarConnection

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture
def subscriptions(pulsar: BrokerAddress) -> Callable[[str], dict[str, Any]]:
    """Give the subscriptions of a topic with their statistics."""

    def look(topic: str) -> dict[str, Any]:
        url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic}/stats"
        return dict(httpx.get(url).json().get("subscriptions", {}))

    return look


Look = Callable[[str], dict[str, Any]]


def test_a_queue_has_one_shared_subscription_from_the_first_message(
    connect: Connect, name: Name, subscriptions: Look
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    session.create_producer(queue).send(session.create_text_message("early"))
    consumers = [session.create_consumer(queue) for _ in range(3)]
    existing = subscriptions(queue.queue_name)
    assert list(existing) == ["jms-queue"]
    assert (existing["jms-queue"]["type"], len(existing["jms-queue"]["consumers"])) == ("Shared", 3)
    assert any(consumer.receive(300) for consumer in consumers)


def test_a_simple_topic_consumer_takes_its_subscription_along(
    connect: Connect, name: Name, subscriptions: Look
) -> None:
    session = connect().create_session()
    topic = session.create_topic(name())
    consumers = [session.create_consumer(topic) for _ in range(2)]
    existing = subscriptions(topic.topic_name)
    assert len(existing) == 2
    assert all(UUID.fullmatch(each) for each in existing)
    assert {each["type"] for each in existing.values()} == {"Exclusive"}
    for consumer in consumers:
        consumer.close()
    assert subscriptions(topic.topic_name) == {}


def test_a_shared_subscription_ends_with_its_last_consumer(
    connect: Connect, name: Name, subscriptions: Look
) -> None:
    session = connect().create_session()
    topic = session.create_topic(name())
    first, second = (session.create_shared_consumer(topic, "s1") for _ in range(2))
    first.close()
    assert list(subscriptions(topic.topic_name)) == ["s1"]
    second.close()
    assert subscriptions(topic.topic_name) == {}


def test_a_durable_subscription_keeps_its_place(
    connect: Connect, name: Name, subscriptions: Look
) -> None:
    connection = connect({"jms.clientId": (client := name())})
    session = connection.create_session()
    topic = session.create_topic(name())
    producer = session.create_producer(topic)
    with session.create_durable_consumer(topic, "s1") as consumer:
        for number in range(5):
            producer.send(session.create_text_message(str(number)))
        for _ in range(2):
            assert consumer.receive(5000) is not None
    producer.send(session.create_text_message("5"))
    assert list(subscriptions(topic.topic_name)) == [f"{client}_s1"]
    with session.create_durable_subscriber(topic, "s1") as consumer:
        received = [consumer.receive(5000) for _ in range(4)]
    assert [each.text for each in received if isinstance(each, TextMessage)] == list("2345")


def test_a_second_consumer_of_an_unshared_subscription_is_refused(
    connect: Connect, name: Name
) -> None:
    session = connect({"jms.clientId": name()}).create_session()
    topic = session.create_topic(name())
    session.create_durable_consumer(topic, "s1")
    with pytest.raises(JMSException, match="ConsumerBusy"):
        session.create_durable_consumer(topic, "s1")


def test_durable_consumers_need_a_client_id(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    with pytest.raises(IllegalStateException, match="client id"):
        session.create_durable_consumer(session.create_topic(name()), "s1")


@pytest.mark.parametrize("kind", ["Key_Shared", "Failover"])
def test_the_type_of_shared_subscriptions_is_configured(
    connect: Connect, name: Name, subscriptions: Look, kind: str
) -> None:
    session = connect({"jms.topicSharedSubscriptionType": kind}).create_session()
    topic = session.create_topic(name())
    session.create_shared_durable_consumer(topic, "s1")
    session.create_consumer(session.create_queue(topic.topic_name))
    existing = subscriptions(topic.topic_name)
    assert (existing["s1"]["type"], existing["jms-queue"]["type"]) == (kind, "Shared")


def test_queues_work_without_the_administration(connect: Connect, name: Name) -> None:
    settings = {"jms.usePulsarAdmin": False, "webServiceUrl": "http://127.0.0.1:1"}
    session = connect(settings).create_session()
    queue = session.create_queue(name())
    session.create_producer(queue).send(session.create_text_message("early"))
    assert session.create_consumer(queue).receive(5000) is not None


def test_the_name_of_a_queue_can_carry_settings(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue = session.create_queue(f"{name()}?consumerConfig.receiverQueueSize=1")
    greedy, other = session.create_consumer(queue), session.create_consumer(queue)
    producer = session.create_producer(queue)
    for number in range(6):
        producer.send(session.create_text_message(str(number)))
    assert greedy.receive(5000) is not None
    assert other.receive(5000) is not None
    with pytest.raises(JMSException, match="receiverQueueSize"):
        session.create_consumer(
            session.create_queue(f"{name()}?consumerConfig.receiverQueueSize=x")
        )


def test_unsubscribe_is_refused_and_the_subscription_stays(
    connect: Connect, name: Name, subscriptions: Look
) -> None:
    session = connect({"jms.clientId": name()}).create_session()
    topic = session.create_topic(name())
    session.create_durable_consumer(topic, "s1").close()
    with pytest.raises(JMSException, match="s1"):
        session.unsubscribe("s1")
    assert len(subscriptions(topic.topic_name)) == 1


def test_destinations_that_are_none_are_refused(connect: Connect) -> None:
    session = connect().create_session()
    with pytest.raises(InvalidDestinationException):
        session.create_consumer(None)  # type: ignore[arg-type]
    with pytest.raises(InvalidDestinationException):
        session.create_durable_consumer(None, "s")  # type: ignore[arg-type]
    with pytest.raises(InvalidDestinationException):
        session.create_browser(None)  # type: ignore[arg-type]


def test_a_client_id_is_unique_in_the_process_until_its_connection_closes(
    factories: Callable[..., Any], name: Name
) -> None:
    first, second = factories().create_connection(), factories().create_connection()
    first.client_id = client = name()
    assert first.client_id == client
    with pytest.raises(InvalidClientIDException, match=client):
        second.client_id = client
    with pytest.raises(InvalidClientIDException):
        factories({"jms.clientId": client}).create_connection()
    first.close()
    second.client_id = client
    with pytest.raises(IllegalStateException):
        second.client_id = name()


def test_a_client_id_is_set_first_or_by_the_administrator(
    connect: Connect, connection: PulsarConnection, name: Name
) -> None:
    used = connect()
    used.create_session()
    with pytest.raises(IllegalStateException):
        used.client_id = name()
    administered = connect({"jms.clientId": (client := name())})
    assert administered.client_id == client
    with pytest.raises(IllegalStateException):
        administered.client_id = name()
    with pytest.raises(InvalidClientIDException):
        connection.client_id = ""


def test_clients_may_make_the_same_subscription_at_the_same_time(
    connect: Connect, name: Name
) -> None:
    sessions = [connect({"jms.clientId": name()}).create_session() for _ in range(4)]
    with ThreadPoolExecutor(len(sessions)) as threads:
        for _ in range(6):
            queue = name()
            made = [
                threads.submit(session.create_consumer, session.create_queue(queue))
                for session in sessions
            ]
            assert [consumer.exception() for consumer in made] == [None] * len(sessions)
            for consumer in made:
                consumer.result().close()
