"""Consumers of several topics: what they leave at the broker, and topics that come later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from jmsapi import InvalidDestinationException, Message, MessageConsumer, SessionMode
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
WITHIN = 20_000
"""Milliseconds in which whatever has to come comes, on the slowest machine."""


class Admin:
    """The broker's administration, in one namespace of the test's own."""

    def __init__(self, address: str, namespace: str) -> None:
        self._http = httpx.Client(base_url=f"{address}/admin/v2/")
        self.namespace = namespace
        self._http.put(f"namespaces/{namespace}", json={}).raise_for_status()

    def create(self, topic: str, partitions: int = 0) -> None:
        path = f"persistent/{self.namespace}/{topic}"
        if partitions:
            self._http.put(f"{path}/partitions", json=partitions).raise_for_status()
        else:
            self._http.put(path).raise_for_status()

    def subscriptions(self, topic: str) -> list[str]:
        return list(self._http.get(f"persistent/{self.namespace}/{topic}/subscriptions").json())

    def close(self) -> None:
        self._http.close()


@pytest.fixture
def admin(pulsar: BrokerAddress, name: Name) -> Iterator[Admin]:
    made = Admin(pulsar.admin_url, f"public/{name()}")
    yield made
    made.close()


@pytest.fixture
def session(connect: Connect, admin: Admin, name: Name) -> PulsarSession:
    settings = {"jms.systemNamespace": admin.namespace, "jms.clientId": name()}
    return connect(settings).create_session()


def send(session: PulsarSession, *names: str) -> None:
    for each in names:
        with session.create_producer(session.create_queue(each)) as producer:
            producer.send(session.create_text_message(each))


def received(consumer: MessageConsumer, count: int) -> list[str]:
    messages: list[Message | None] = [consumer.receive(WITHIN) for _ in range(count)]
    return sorted(str(message.get_body(str)) for message in messages if message is not None)


@pytest.mark.parametrize("virtual", ["multi:a1,a2", "regex:a.*"])
def test_a_queue_of_several_topics_has_its_subscription_on_each(
    session: PulsarSession, admin: Admin, virtual: str
) -> None:
    admin.create("a1")
    admin.create("a2", partitions=2)
    send(session, "a1", "a2")
    queue = session.create_queue(virtual)
    with session.create_consumer(queue) as consumer:
        assert received(consumer, 2) == ["a1", "a2"]
    assert [admin.subscriptions(topic) for topic in ("a1", "a2")] == [["jms-queue"]] * 2


@pytest.mark.parametrize("virtual", ["multi:a1,a2", "regex:a.*"])
def test_a_subscription_that_is_not_durable_goes_from_every_topic(
    session: PulsarSession, admin: Admin, virtual: str
) -> None:
    admin.create("a1")
    admin.create("a2", partitions=2)
    topic = session.create_topic(virtual)
    consumers = [session.create_consumer(topic), session.create_shared_consumer(topic, "s")]
    send(session, "a1", "a2")
    for consumer in consumers:
        assert received(consumer, 2) == ["a1", "a2"]
    assert [len(admin.subscriptions(each)) for each in ("a1", "a2")] == [2, 2]
    for consumer in consumers:
        consumer.close()
    assert [admin.subscriptions(each) for each in ("a1", "a2")] == [[], []]


@pytest.mark.parametrize("virtual", ["multi:a1,a2", "regex:a.*"])
def test_a_durable_subscription_of_several_topics_keeps_its_place(
    session: PulsarSession, admin: Admin, virtual: str
) -> None:
    admin.create("a1")
    admin.create("a2")
    topic = session.create_topic(virtual)
    session.create_durable_consumer(topic, "s1").close()
    send(session, "a1", "a2")
    with session.create_durable_consumer(topic, "s1") as consumer:
        assert received(consumer, 2) == ["a1", "a2"]


@pytest.mark.parametrize("create", ["create_queue", "create_topic"])
def test_a_topic_that_comes_later_is_read_from_its_first_message(
    session: PulsarSession, admin: Admin, create: str
) -> None:
    consumer = session.create_consumer(getattr(session, create)("regex:a.*"))
    send(session, "b1", "a1", "a1", "a2")
    assert received(consumer, 3) == ["a1", "a1", "a2"]
    assert consumer.receive_no_wait() is None


def test_a_pattern_may_name_another_namespace_and_alternatives(
    connect: Connect, session: PulsarSession, admin: Admin
) -> None:
    for topic in ("a", "b", "ab"):
        admin.create(topic)
    elsewhere = connect().create_session()
    pattern = f"regex:persistent://{admin.namespace}/a|b"
    consumer = elsewhere.create_consumer(elsewhere.create_topic(pattern))
    send(session, "ab", "a", "b")
    assert received(consumer, 2) == ["a", "b"]


def test_messages_of_several_topics_name_what_was_consumed(session: PulsarSession) -> None:
    queue = session.create_queue("multi:a1,a2:s?consumerConfig.receiverQueueSize=1")
    consumer = session.create_consumer(queue)
    send(session, "a1", "a2")
    for _ in range(2):
        message = consumer.receive(WITHIN)
        assert message is not None
        assert message.jms_destination == queue


@pytest.mark.parametrize("create", ["create_queue", "create_topic"])
def test_what_is_given_back_comes_again_once_from_each_topic(
    connect: Connect, admin: Admin, create: str
) -> None:
    settings = {
        "jms.systemNamespace": admin.namespace,
        "consumerConfig.negativeAckRedeliveryDelayMicros": 10_000,
    }
    session = connect(settings).create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
    consumer = session.create_consumer(getattr(session, create)("multi:a1,a2,a3"))
    send(session, "a1", "a2", "a3")
    first = received(consumer, 3)
    session.recover()
    assert received(consumer, 3) == first == ["a1", "a2", "a3"]
    session.acknowledge()
    send(session, "a1")
    assert received(consumer, 1) == ["a1"]


def test_nobody_sends_to_several_topics(session: PulsarSession) -> None:
    message = session.create_text_message("x")
    for name in ("multi:a1,a2", "regex:a.*"):
        for destination in (session.create_queue(name), session.create_topic(name)):
            with pytest.raises(InvalidDestinationException, match="one topic"):
                session.create_producer(destination)
            with session.create_producer() as producer:
                with pytest.raises(InvalidDestinationException, match="one topic"):
                    producer.send(message, destination=destination)
                message.jms_reply_to = destination
                with pytest.raises(InvalidDestinationException, match="one topic"):
                    producer.send(message, destination=session.create_queue("a1"))
                message.jms_reply_to = None
