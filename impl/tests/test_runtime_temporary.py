"""Temporary destinations: whose they are, how they end, and what is left behind."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pulsar as pulsar_client
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
from pulsar_jms.temporary import temporary_destinations, temporary_producers
from touchstone.faults.http_proxy import HttpProxy
from touchstone.faults.rules import DROP, Answer

if TYPE_CHECKING:
    from touchstone.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
Exists = Callable[[Queue | TemporaryTopic], bool]


@pytest.fixture
def exists(pulsar: BrokerAddress) -> Exists:
    """Whether the broker knows the topic of a destination."""

    def exists(destination: Queue | TemporaryTopic) -> bool:
        name = destination.queue_name if isinstance(destination, Queue) else destination.topic_name
        path = name.replace("://", "/")
        answer = httpx.get(f"{pulsar.admin_url}/admin/v2/{path}/stats", timeout=20)
        assert answer.status_code in (200, 404)
        return answer.is_success

    return exists


@pytest.fixture
def proxy(pulsar: BrokerAddress) -> Iterator[HttpProxy]:
    """A proxy in front of the administration."""
    url = httpx.URL(pulsar.admin_url)
    with closing(HttpProxy(url.host, url.port or 80)) as proxy:
        yield proxy


def through(proxy: HttpProxy) -> dict[str, object]:
    return {"webServiceUrl": f"http://{proxy.host}:{proxy.port}"}


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


@pytest.mark.usefixtures("patient")
def test_who_answered_does_not_keep_the_queue(
    connect: Connect, factories: Factories, exists: Exists
) -> None:
    connection = connect()
    queue = connection.create_session().create_temporary_queue()
    elsewhere = factories().create_connection().create_session()
    producer = elsewhere.create_producer(elsewhere.create_queue(queue.queue_name))
    producer.send(elsewhere.create_text_message("x"))
    connection.close()
    assert not exists(queue)
    with pytest.raises(InvalidDestinationException, match="is gone"):
        producer.send(elsewhere.create_text_message("y"))


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


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deletions are tried for long, and idle producers leave soon."""
    monkeypatch.setattr(temporary_destinations, "_IN_USE_FOR", 60.0)
    monkeypatch.setattr(temporary_producers, "IDLE", 0.01)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deletions are tried once."""
    monkeypatch.setattr(temporary_destinations, "_IN_USE_FOR", 0.0)


@pytest.fixture
def closable(pulsar: BrokerAddress, name: Name) -> Iterator[tuple[str, Callable[[bool], None]]]:
    """A namespace, and the switch that lets topics come into being by their use, or not."""
    namespace = f"public/{name()}"
    with httpx.Client(base_url=f"{pulsar.admin_url}/admin/v2/", timeout=20) as rest:
        assert rest.put(f"namespaces/{namespace}", json={}).is_success

        def switch(allowed: bool) -> None:
            path = f"namespaces/{namespace}/autoTopicCreation"
            policy = {"allowAutoTopicCreation": allowed, "topicType": "non-partitioned"}
            assert rest.post(path, json=policy).is_success

        yield namespace, switch


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("force", [False, True])
def test_a_foreign_producer_keeps_the_queue_unless_force_is_set(
    connect: Connect,
    exists: Exists,
    pulsar: BrokerAddress,
    closable: tuple[str, Callable[[bool], None]],
    caplog: pytest.LogCaptureFixture,
    force: bool,
) -> None:
    namespace, allow_topics = closable
    settings = {
        "jms.systemNamespace": namespace,
        "jms.forceDeleteTemporaryDestinations": force,
    }
    connection = connect(settings)
    queue, deleted = (connection.create_session().create_temporary_queue() for _ in range(2))
    client = pulsar_client.Client(pulsar.service_url)
    for each in (queue, deleted):
        client.create_producer(each.queue_name)
    allow_topics(False)  # or the foreign client would make the topics again
    if force:
        deleted.delete()
        assert not exists(deleted)
    else:
        with pytest.raises(JMSException, match=r"jms\.forceDeleteTemporaryDestinations"):
            deleted.delete()
    with caplog.at_level(logging.WARNING):
        connection.close()
    assert (queue.queue_name in caplog.text) is not force
    assert exists(queue) is not force
    client.close()


@pytest.mark.usefixtures("patient")
def test_a_failed_deletion_is_tried_again(
    factories: Factories, proxy: HttpProxy, exists: Exists
) -> None:
    connection = factories(through(proxy)).create_connection()
    queue = connection.create_session().create_temporary_queue()
    failure = proxy.on("DELETE", action=Answer("SERVICE_UNAVAILABLE"), times=1)
    connection.close()
    assert failure.hits == 1
    assert not exists(queue)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("fault", ["refuses", "is down", "is silent"])
def test_close_goes_on_when_nothing_can_be_deleted(
    factories: Factories,
    proxy: HttpProxy,
    exists: Exists,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    monkeypatch.setattr(temporary_destinations, "_CLOSE_WITHIN", 0.5)
    factory = factories(through(proxy))
    connection = factory.create_connection()
    session = connection.create_session()
    queues = [session.create_temporary_queue() for _ in range(2)]
    if fault == "is down":
        proxy.down()
    else:
        proxy.on("DELETE", action=Answer("FORBIDDEN") if fault == "refuses" else DROP)
    with caplog.at_level(logging.WARNING):
        connection.close()
    for queue in queues:
        assert queue.queue_name in caplog.text
        assert exists(queue)
    with pytest.raises(IllegalStateException):
        session.create_temporary_queue()


def test_who_may_not_delete_leaves_a_queue_that_keeps_no_messages(
    factories: Factories, proxy: HttpProxy, pulsar: BrokerAddress, caplog: pytest.LogCaptureFixture
) -> None:
    connection = factories(through(proxy)).create_connection()
    queue = connection.create_session().create_temporary_queue()
    refused = proxy.on(
        "DELETE",
        action=Answer("FORBIDDEN", "no right"),
        where=lambda frame: "/subscription/" not in str(frame.fields["path"]),
    )
    with caplog.at_level(logging.WARNING):
        connection.close()
    assert (refused.hits, "permission" in caplog.text) == (1, True)
    path = queue.queue_name.replace("://", "/")
    stats = httpx.get(f"{pulsar.admin_url}/admin/v2/{path}/stats", timeout=20).json()
    assert stats["subscriptions"] == {}


def test_factory_close_deletes_what_open_connections_made(
    factories: Factories, exists: Exists
) -> None:
    factory = factories()
    session = factory.create_connection().create_session()
    queue, topic = session.create_temporary_queue(), session.create_temporary_topic()
    factory.close()
    assert not exists(queue)
    assert not exists(topic)


def test_where_topics_are_not_made_by_use_none_is_made(
    connect: Connect, pulsar: BrokerAddress, closable: tuple[str, Callable[[bool], None]]
) -> None:
    namespace, allow_topics = closable
    allow_topics(False)
    session = connect({"jms.systemNamespace": namespace}).create_session()
    for make in (session.create_temporary_queue, session.create_temporary_topic):
        with pytest.raises(JMSException, match="auto-created"):
            make()
    topics = httpx.get(f"{pulsar.admin_url}/admin/v2/persistent/{namespace}", timeout=20)
    assert topics.json() == []


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
