"""Temporary destinations: whose they are, how they end, and what is left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest

from jmsapi import (
    IllegalStateException,
    InvalidDestinationException,
    JMSException,
    Message,
    Queue,
    QueueRequestor,
    Session,
    SessionMode,
    TemporaryQueue,
    TemporaryTopic,
    TextMessage,
    TopicRequestor,
)
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.temporary import temporary_producers

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
Exists = Callable[[Queue | TemporaryTopic], bool]


def text_of(message: Message | None) -> str | None:
    assert isinstance(message, TextMessage)
    return message.text


def sent(session: Session, destination: Queue | TemporaryTopic, text: str) -> None:
    with session.create_producer(destination) as producer:
        producer.send(session.create_text_message(text))


def test_a_temporary_queue_keeps_what_comes_before_its_consumer(
    connect: Connect, exists: Exists
) -> None:
    connection = connect()
    session = connection.create_session()
    queue = session.create_temporary_queue()
    assert isinstance(queue, TemporaryQueue)
    assert exists(queue)
    sent(session, queue, "early")
    session.close()
    other = connection.create_session()
    assert text_of(other.create_consumer(queue).receive(10_000)) == "early"
    connection.close()
    assert not exists(queue)


def test_a_temporary_topic_has_no_subscription_of_its_own(
    connect: Connect, exists: Exists, pulsar: BrokerAddress
) -> None:
    connection = connect()
    session = connection.create_session()
    topic = session.create_temporary_topic()
    assert isinstance(topic, TemporaryTopic)
    path = topic.topic_name.replace("://", "/")
    stats = httpx.get(f"{pulsar.admin_url}/admin/v2/{path}/stats", timeout=20).json()
    assert stats["subscriptions"] == {}
    consumer = session.create_consumer(topic)
    sent(session, topic, "hello")
    assert text_of(consumer.receive(10_000)) == "hello"
    connection.close()
    assert not exists(topic)


def test_only_the_connection_that_made_it_consumes(factories: Factories) -> None:
    connection = factories().create_connection()
    own = connection.create_session()
    other = factories().create_connection().create_session()
    queue, topic = own.create_temporary_queue(), own.create_temporary_topic()
    by_name = other.create_queue(queue.queue_name)
    refused: list[Callable[[], object]] = [
        lambda: other.create_consumer(queue),
        lambda: other.create_consumer(by_name),
        lambda: other.create_consumer(topic),
        lambda: other.create_shared_consumer(topic, "s"),
    ]
    for call in refused:
        with pytest.raises(InvalidDestinationException, match="only the connection that made it"):
            call()
    with pytest.raises(InvalidDestinationException, match="no durable subscription"):
        own.create_shared_durable_consumer(topic, "s")
    sent(other, by_name, "from elsewhere")
    connection.start()
    assert text_of(own.create_consumer(queue).receive(10_000)) == "from elsewhere"


def test_a_reply_comes_back_to_a_temporary_queue(factories: Factories, name: Name) -> None:
    asking, answering = (factories().create_connection() for _ in range(2))
    asking.start()
    answering.start()
    session, other = asking.create_session(), answering.create_session()
    requests = other.create_queue(name())
    served = other.create_consumer(requests)
    replies = session.create_temporary_queue()
    consumer = session.create_consumer(replies)
    request = session.create_text_message("question")
    request.jms_reply_to = replies
    session.create_producer(requests).send(request)
    received = served.receive(10_000)
    assert received is not None
    assert received.jms_reply_to == replies
    reply = other.create_text_message("answer")
    other.create_producer(None).send(reply, destination=received.jms_reply_to)
    assert text_of(consumer.receive(10_000)) == "answer"


def test_delete_waits_for_no_consumer_and_ends_every_use(
    connect: Connect, factories: Factories, exists: Exists
) -> None:
    session = connect().create_session()
    elsewhere = factories().create_connection().create_session()
    queue = session.create_temporary_queue()
    producer = session.create_producer(queue)
    producer.send(session.create_text_message("x"))
    consumer = session.create_consumer(queue)
    with pytest.raises(JMSException, match="has consumers"):
        queue.delete()
    assert text_of(consumer.receive(10_000)) == "x"
    consumer.close()
    queue.delete()
    queue.delete()
    assert not exists(queue)
    with pytest.raises(InvalidDestinationException, match="is gone"):
        producer.send(session.create_text_message("y"))
    with pytest.raises(InvalidDestinationException, match="is gone"):
        sent(elsewhere, elsewhere.create_queue(queue.queue_name), "y")
    with pytest.raises(InvalidDestinationException, match="deleted"):
        session.create_consumer(queue)
    assert not exists(queue)


def test_an_idle_producer_leaves_and_comes_back(
    connect: Connect, pulsar: BrokerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary_producers, "IDLE", 0.01)
    session = connect().create_session()
    queue = session.create_temporary_queue()
    producer = session.create_producer(queue)
    path = queue.queue_name.replace("://", "/")

    def publishers() -> int:
        answer = httpx.get(f"{pulsar.admin_url}/admin/v2/{path}/stats", timeout=20)
        return len(answer.json()["publishers"])

    consumer = session.create_consumer(queue)
    for text in "abc":
        producer.send(session.create_text_message(text))
        assert text_of(consumer.receive(10_000)) == text
        wait_for(lambda: publishers() == 0)


def wait_for(condition: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(1500):
        if condition():
            return
        waiting.wait(0.02)
    raise AssertionError("not within 30 s")


class Outcomes:
    """A completion listener that counts."""

    def __init__(self) -> None:
        self.completed: list[Message] = []
        self.failed: list[Exception] = []

    def on_completion(self, message: Message) -> None:
        self.completed.append(message)

    def on_exception(self, message: Message, exception: Exception) -> None:
        self.failed.append(exception)


def test_sends_from_several_threads_survive_that_the_way_is_closed_and_opened(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary_producers, "IDLE", 0.0)
    connection = connect()
    queue = connection.create_session().create_temporary_queue()
    outcomes = Outcomes()

    def work() -> None:
        session = connection.create_session()
        producer = session.create_producer(queue)
        for number in range(20):
            message = session.create_text_message(str(number))
            producer.send(message, completion_listener=outcomes if number % 2 else None)
        session.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(outcomes.completed), outcomes.failed) == (30, [])
    consumer = connection.create_session().create_consumer(queue)
    assert [consumer.receive(10_000) is None for _ in range(60)] == [False] * 60


def test_without_administration_a_key_has_to_allow_it(connect: Connect) -> None:
    session = connect({"jms.usePulsarAdmin": False}).create_session()
    with pytest.raises(IllegalStateException, match=r"jms\.allowTemporaryTopicWithoutAdmin=true"):
        session.create_temporary_topic()
    settings = {"jms.usePulsarAdmin": False, "jms.allowTemporaryTopicWithoutAdmin": True}
    session = connect(settings).create_session(False, SessionMode.AUTO_ACKNOWLEDGE)
    queue = session.create_temporary_queue()
    consumer = session.create_consumer(queue)
    sent(session, queue, "x")
    assert text_of(consumer.receive(10_000)) == "x"
    consumer.close()
    queue.delete()
    with pytest.raises(InvalidDestinationException):
        session.create_consumer(queue)


@pytest.mark.parametrize("requestor", [QueueRequestor, TopicRequestor])
def test_a_requestor_needs_a_destination_of_its_kind(
    connect: Connect, requestor: type[QueueRequestor | TopicRequestor]
) -> None:
    session = connect().create_session()
    wrong = {
        QueueRequestor: session.create_topic("requests"),
        TopicRequestor: session.create_queue("requests"),
    }[requestor]
    with pytest.raises(InvalidDestinationException, match=requestor.__name__):
        requestor(session, wrong)  # type: ignore[arg-type]


def test_a_closed_requestor_has_deleted_its_replies(
    connect: Connect, name: Name, exists: Exists
) -> None:
    session = connect().create_session()
    replies: list[TemporaryQueue] = []
    make = session.create_temporary_queue
    session.create_temporary_queue = lambda: replies.append(made := make()) or made  # type: ignore
    with QueueRequestor(session, session.create_queue(name())):
        assert exists(replies[0])
    assert not exists(replies[0])
    with pytest.raises(IllegalStateException):
        session.create_message()
