"""What each session mode acknowledges, seen by what comes again after closing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest

from jmsapi import IllegalStateException, JMSException, Queue, Session, SessionMode, TextMessage
from pulsar_jms import INDIVIDUAL_ACKNOWLEDGE
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]


def send(session: Session, queue: Queue, *texts: str) -> None:
    """Send one text message for each text."""
    with session.create_producer(queue) as producer:
        for text in texts:
            producer.send(session.create_text_message(text))


def texts_of(session: Session, queue: Queue, wait: int = 300) -> list[str | None]:
    """The texts of everything that a new consumer gets, acknowledged."""
    texts = []
    with session.create_consumer(queue) as consumer:
        while isinstance(message := consumer.receive(wait), TextMessage):
            texts.append(message.text)
    return texts


def receive(consumer: object, count: int) -> list[TextMessage]:
    """The next messages, which must come."""
    messages = [consumer.receive(5000) for _ in range(count)]  # type: ignore[attr-defined]
    assert all(isinstance(message, TextMessage) for message in messages)
    return messages


@pytest.fixture
def connection(connect: Connect) -> PulsarConnection:
    """A started connection that may make transacted sessions."""
    return connect({"jms.emulateTransactions": True})


@pytest.fixture
def session(connection: PulsarConnection) -> PulsarSession:
    """A session that acknowledges by itself."""
    return connection.create_session()


def unread(pulsar: BrokerAddress, queue: str) -> int:
    """The backlog of the queue's subscription, as the broker counts it."""
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{queue}/stats"
    stats = httpx.get(url, params={"getPreciseBacklog": "true"}).json()
    return int(stats["subscriptions"]["jms-queue"]["msgBacklog"])


@pytest.mark.parametrize("mode", [*SessionMode, INDIVIDUAL_ACKNOWLEDGE])
def test_five_modes_are_accepted(connection: PulsarConnection, mode: int) -> None:
    assert connection.create_session(mode=mode).acknowledge_mode == mode


def test_other_modes_are_refused_by_number(connection: PulsarConnection) -> None:
    with pytest.raises(JMSException, match="999"):
        connection.create_session(mode=999)


@pytest.mark.parametrize("mode", [SessionMode.AUTO_ACKNOWLEDGE, SessionMode.DUPS_OK_ACKNOWLEDGE])
def test_automatic_modes_acknowledge_what_was_received_only(
    connection: PulsarConnection, session: PulsarSession, name: Name, mode: int
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2", "3", "4", "5")
    with connection.create_session(mode=mode) as automatic:
        receive(automatic.create_consumer(queue), 3)
    assert texts_of(session, queue) == ["4", "5"]


def test_automatic_acknowledgement_reaches_the_broker_while_the_session_is_open(
    pulsar: BrokerAddress, session: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    send(session, queue, "1", "2", "3", "4", "5")
    receive(consumer, 3)
    for _ in range(100):
        if unread(pulsar, queue.queue_name) == 2:
            break
    assert unread(pulsar, queue.queue_name) == 2


def test_client_acknowledge_covers_what_came_before_and_not_what_came_after(
    connection: PulsarConnection, session: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2", "3", "4", "5")
    with connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE) as client:
        receive(client.create_consumer(queue), 5)[2].acknowledge()
    assert texts_of(session, queue) == ["4", "5"]


def test_client_acknowledge_spans_the_consumers_of_the_session(
    connection: PulsarConnection, session: PulsarSession, name: Name
) -> None:
    queues = [session.create_queue(name()) for _ in range(2)]
    for queue in queues:
        send(session, queue, "1")
    with connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE) as client:
        last = [receive(client.create_consumer(queue), 1)[0] for queue in queues][-1]
        last.acknowledge()
    assert [texts_of(session, queue) for queue in queues] == [[], []]


def test_individual_acknowledge_covers_one_message(
    connection: PulsarConnection, session: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2", "3", "4", "5")
    with connection.create_session(mode=INDIVIDUAL_ACKNOWLEDGE) as individual:
        message = receive(individual.create_consumer(queue), 5)[2]
        message.acknowledge()
        message.acknowledge()
    assert texts_of(session, queue) == ["1", "2", "4", "5"]


def test_individual_acknowledge_works_inside_a_batch(
    connection: PulsarConnection, session: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    producer = session.create_producer(queue)
    outcomes = Outcomes()
    for number in range(10):
        producer.send(session.create_text_message(str(number)), completion_listener=outcomes)
    producer.close()
    with connection.create_session(mode=INDIVIDUAL_ACKNOWLEDGE) as individual:
        for message in receive(individual.create_consumer(queue), 10):
            if message.text != "7":
                message.acknowledge()
    assert texts_of(session, queue) == ["7"]


class Outcomes:
    """A completion listener that wants every send to succeed."""

    def on_completion(self, message: object) -> None:
        """A send succeeded."""

    def on_exception(self, message: object, exception: Exception) -> None:
        """A send failed."""
        raise exception


@pytest.mark.parametrize("mode", [SessionMode.CLIENT_ACKNOWLEDGE, INDIVIDUAL_ACKNOWLEDGE])
def test_nothing_is_acknowledged_without_a_call(
    connection: PulsarConnection, session: PulsarSession, name: Name, mode: int
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2")
    with connection.create_session(mode=mode) as client:
        receive(client.create_consumer(queue), 2)
    assert texts_of(session, queue) == ["1", "2"]


def test_acknowledge_after_the_consumer_closed_is_refused(
    connection: PulsarConnection, session: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1")
    client = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    with client.create_consumer(queue) as consumer:
        message = receive(consumer, 1)[0]
    with pytest.raises(IllegalStateException, match="closed"):
        message.acknowledge()
    assert texts_of(session, queue) == ["1"]
