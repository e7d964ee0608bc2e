"""What temporary destinations need of the administration, and what becomes of them without it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx
import pulsar as pulsar_client
import pytest

from jms_brokers.faults.http_proxy import HttpProxy
from jms_brokers.faults.rules import DROP, Answer
from jmsapi import (
    IllegalStateException,
    InvalidDestinationException,
    JMSException,
    Queue,
    TemporaryTopic,
)
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.temporary import temporary_destinations, temporary_producers

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
Exists = Callable[[Queue | TemporaryTopic], bool]


def through(proxy: HttpProxy) -> dict[str, object]:
    return {"webServiceUrl": f"http://{proxy.host}:{proxy.port}"}


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
