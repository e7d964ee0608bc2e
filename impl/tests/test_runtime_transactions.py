"""Emulated transactions: what waits for commit, what comes back, and what fails clearly."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from jmsapi import (
    IllegalStateException,
    JMSException,
    Message,
    MessageConsumer,
    Queue,
    Session,
    TextMessage,
    TransactionRolledBackException,
)
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress
    from jms_brokers.families.pulsar.protocol.proxy import PulsarProxy

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
EMULATED = {"jms.emulateTransactions": True}


@pytest.fixture
def connection(connect: Connect) -> PulsarConnection:
    """A started connection that emulates transactions."""
    return connect(EMULATED)


@pytest.fixture
def session(connection: PulsarConnection) -> PulsarSession:
    """A session that acknowledges by itself."""
    return connection.create_session()


@pytest.fixture
def transacted(connection: PulsarConnection) -> PulsarSession:
    """An emulated transacted session."""
    return connection.create_session(transacted=True)


def send(session: Session, queue: Queue, *texts: str) -> None:
    """Send one text message for each text."""
    with session.create_producer(queue) as producer:
        for text in texts:
            producer.send(session.create_text_message(text))


def receive(consumer: MessageConsumer, count: int) -> list[TextMessage]:
    """The next messages, which must come."""
    messages = [consumer.receive(10_000) for _ in range(count)]
    assert all(isinstance(message, TextMessage) for message in messages)
    return messages  # type: ignore[return-value]


def texts_up_to(session: Session, queue: Queue, last: str) -> list[str | None]:
    """The texts that a new consumer gets until `last`, which is sent here, comes."""
    send(session, queue, last)
    received: list[str | None] = []
    with session.create_consumer(queue) as consumer:
        while not received or received[-1] != last:
            received += [message.text for message in receive(consumer, 1)]
    return received[:-1]


def test_a_send_is_out_at_once_and_stays_whatever_follows(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    message = transacted.create_text_message("out")
    transacted.create_producer(queue).send(message)
    assert message.jms_message_id is not None
    transacted.rollback()
    transacted.close()
    assert texts_up_to(session, queue, "end") == ["out"]


def test_commit_acknowledges_what_was_received(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2")
    for message in receive(transacted.create_consumer(queue), 2):
        message.acknowledge()
    transacted.commit()
    transacted.close()
    assert texts_up_to(session, queue, "end") == []


def test_a_session_closed_without_commit_gives_its_input_back(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2")
    receive(transacted.create_consumer(queue), 2)
    transacted.close()
    assert sorted(map(str, texts_up_to(session, queue, "end"))) == ["1", "2"]


def test_rollback_delivers_again_in_order(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2")
    consumer = transacted.create_consumer(queue)
    receive(consumer, 2)
    transacted.rollback()
    again = receive(consumer, 2)
    assert [message.text for message in again] == ["1", "2"]
    assert [message.jms_redelivered for message in again] == [True, True]
    transacted.commit()
    transacted.close()
    assert texts_up_to(session, queue, "end") == []


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_the_end_waits_for_asynchronous_sends(
    transacted: PulsarSession, name: Name, end: str
) -> None:
    entered, release = threading.Event(), threading.Event()
    told: list[Message] = []

    class Outcome:
        def on_completion(self, message: Message) -> None:
            entered.set()
            release.wait(30)
            told.append(message)

        def on_exception(self, message: Message, exception: Exception) -> None:
            raise exception

    producer = transacted.create_producer(transacted.create_queue(name()))
    producer.send(transacted.create_text_message("x"), completion_listener=Outcome())
    assert entered.wait(30)
    told_at_the_end: list[int] = []

    def finish() -> None:
        getattr(transacted, end)()
        told_at_the_end.append(len(told))

    ending = threading.Thread(target=finish)
    ending.start()
    assert told_at_the_end == []
    release.set()
    ending.join(30)
    assert told_at_the_end == [1]


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_the_end_is_refused_where_there_is_no_transaction(
    session: PulsarSession, transacted: PulsarSession, end: str
) -> None:
    with pytest.raises(IllegalStateException, match="transacted session"):
        getattr(session, end)()
    transacted.close()
    with pytest.raises(IllegalStateException, match="closed"):
        getattr(transacted, end)()


def test_another_thread_may_commit(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2")
    receive(transacted.create_consumer(queue), 2)
    other = threading.Thread(target=transacted.commit)
    other.start()
    other.join(30)
    transacted.close()
    assert texts_up_to(session, queue, "end") == []


def test_transacted_sessions_need_their_setting(connect: Connect) -> None:
    with pytest.raises(JMSException, match=r"enableTransaction.*jms\.emulateTransactions"):
        connect().create_session(transacted=True)


def test_transactions_of_the_broker_need_the_java_transport(connect: Connect) -> None:
    with pytest.raises(JMSException, match=r'transport="java".*jms\.emulateTransactions'):
        connect({"enableTransaction": True}).create_session(transacted=True)


@pytest.fixture
def proxy(pulsar: BrokerAddress) -> Iterator[PulsarProxy]:
    """A way to the broker that can be taken down."""
    from jms_brokers.families.pulsar.protocol.proxy import PulsarProxy, host_and_port

    with PulsarProxy(*host_and_port(pulsar.service_url)) as proxy:
        yield proxy


def test_a_commit_without_the_broker_fails_and_its_input_comes_again(
    pulsar: BrokerAddress, proxy: PulsarProxy, session: PulsarSession, name: Name
) -> None:
    factory = PulsarConnectionFactory(
        {
            "brokerServiceUrl": f"pulsar://{proxy.host}:{proxy.port}",
            "webServiceUrl": pulsar.admin_url,
            **EMULATED,
        }
    )
    with factory.create_connection() as connection:
        connection.start()
        transacted = connection.create_session(transacted=True)
        queue = session.create_queue(name())
        send(session, queue, "1", "2")
        consumer = transacted.create_consumer(queue)
        receive(consumer, 2)
        proxy.down()
        until = time.monotonic() + 20
        while transacted.is_connected() and time.monotonic() < until:
            time.sleep(0.01)

        with pytest.raises(TransactionRolledBackException, match="not connected"):
            transacted.commit()

        proxy.up()
        assert sorted(str(message.text) for message in receive(consumer, 2)) == ["1", "2"]
        transacted.commit()
    factory.close()
    assert texts_up_to(session, queue, "end") == []
