"""Transactions of the broker: what is seen before and after their end, and how commits fail."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from jmsapi import (
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

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]


@pytest.fixture
def connection(factories: Factories) -> PulsarConnection:
    """A started connection with transactions of the broker; single messages are fetched ahead."""
    settings = {"enableTransaction": True, "consumerConfig.receiverQueueSize": 1}
    connection = factories(settings, transport="java").create_connection()
    connection.start()
    return connection


@pytest.fixture
def session(connection: PulsarConnection) -> PulsarSession:
    """A session that acknowledges by itself."""
    return connection.create_session()


@pytest.fixture
def transacted(connection: PulsarConnection) -> PulsarSession:
    """A session in a transaction of the broker."""
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


def texts(messages: list[TextMessage]) -> list[str | None]:
    """The bodies of messages."""
    return [message.text for message in messages]


def texts_up_to(session: Session, queue: Queue, last: str) -> list[str | None]:
    """The texts that a new consumer gets until `last`, which is sent here, comes."""
    send(session, queue, last)
    received: list[str | None] = []
    with session.create_consumer(queue) as consumer:
        while not received or received[-1] != last:
            received += texts(receive(consumer, 1))
    return received[:-1]


def test_a_send_has_an_id_at_once_and_is_seen_after_the_commit(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    message = transacted.create_text_message("in")
    transacted.create_producer(queue).send(message)
    assert str(message.jms_message_id).startswith("ID:")
    consumer = session.create_consumer(queue)
    assert consumer.receive(300) is None
    transacted.commit()
    [received] = receive(consumer, 1)
    assert (received.text, received.jms_message_id) == ("in", message.jms_message_id)


@pytest.mark.parametrize("end", ["rollback", "close"])
def test_what_is_not_committed_is_never_seen(
    session: PulsarSession, transacted: PulsarSession, name: Name, end: str
) -> None:
    queue = session.create_queue(name())
    send(transacted, queue, "never")
    getattr(transacted, end)()
    assert texts_up_to(session, queue, "end") == []


def test_commit_acknowledges_what_was_received(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue, target = session.create_queue(name()), session.create_queue(name())
    send(session, queue, "1", "2")
    consumer = transacted.create_consumer(queue)
    for message in receive(consumer, 2):
        message.acknowledge()
    send(transacted, target, "out")
    transacted.commit()
    transacted.rollback()
    transacted.close()
    assert texts_up_to(session, queue, "end") == []
    assert texts_up_to(session, target, "end") == ["out"]


def test_rollback_delivers_again_at_once_in_order_with_a_higher_count(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2", "3", "4")
    consumer = transacted.create_consumer(queue)
    for count in (1, 2, 3):
        messages = receive(consumer, 3)
        assert texts(messages) == ["1", "2", "3"]
        assert [m.get_int_property("JMSXDeliveryCount") for m in messages] == [count] * 3
        transacted.rollback()
    assert texts(receive(consumer, 4)) == ["1", "2", "3", "4"]


@pytest.mark.parametrize(("end", "left"), [("commit", []), ("rollback", ["1", "2"])])
def test_what_a_closed_consumer_received_stays_in_the_transaction(
    session: PulsarSession, transacted: PulsarSession, name: Name, end: str, left: list[str]
) -> None:
    queue = session.create_queue(name())
    send(session, queue, "1", "2")
    with transacted.create_consumer(queue) as consumer:
        receive(consumer, 2)
    getattr(transacted, end)()
    assert sorted(map(str, texts_up_to(session, queue, "end"))) == left


def test_asynchronous_sends_take_part(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    told: list[str | None] = []

    class Outcome:
        def on_completion(self, message: Message) -> None:
            told.append(message.jms_message_id)

        def on_exception(self, message: Message, exception: Exception) -> None:
            raise exception

    queue = session.create_queue(name())
    producer = transacted.create_producer(queue)
    for number in range(5):
        message = transacted.create_text_message(str(number))
        producer.send(message, completion_listener=Outcome())
    transacted.rollback()
    assert len(set(told)) == 5
    for number in range(5, 10):
        message = transacted.create_text_message(str(number))
        producer.send(message, completion_listener=Outcome())
    transacted.commit()
    assert len(set(told)) == 10
    assert texts_up_to(session, queue, "end") == ["5", "6", "7", "8", "9"]


def test_a_listener_may_commit(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    heard: list[str | None] = []
    done = threading.Event()

    def listener(message: Message) -> None:
        assert isinstance(message, TextMessage)
        heard.append(message.text)
        if len(heard) == 3:
            transacted.rollback()
        elif message.text == "3" and len(heard) > 3:
            transacted.commit()
            done.set()

    send(session, queue, "1", "2", "3")
    transacted.create_consumer(queue).message_listener = listener
    assert done.wait(30)
    transacted.close()
    assert heard == ["1", "2", "3", "1", "2", "3"]
    assert texts_up_to(session, queue, "end") == []


def test_a_transaction_that_the_broker_has_ended_is_rolled_back_by_commit(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue, source = session.create_queue(name()), session.create_queue(name())
    send(session, source, "1")
    consumer = transacted.create_consumer(source)
    receive(consumer, 1)
    send(transacted, queue, "late")
    transaction: Any = transacted.transaction
    transaction._open.native.abort().get()

    with pytest.raises(TransactionRolledBackException, match="comes again"):
        transacted.commit()

    [again] = receive(consumer, 1)
    assert (again.text, again.jms_redelivered) == ("1", True)
    transacted.commit()
    assert texts_up_to(session, queue, "end") == []


def test_a_transaction_that_cannot_begin_loses_no_input(
    session: PulsarSession, transacted: PulsarSession, name: Name, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(timeout: int) -> None:
        raise JMSException("no coordinator")

    queue = session.create_queue(name())
    send(session, queue, "1")
    consumer = transacted.create_consumer(queue)
    receive(consumer, 1)
    monkeypatch.setattr(transacted.connection.client.transport, "begin", refuse)
    with pytest.raises(JMSException, match="no coordinator"):
        send(transacted, queue, "out")
    with pytest.raises(TransactionRolledBackException, match="no coordinator"):
        transacted.commit()
    monkeypatch.undo()
    assert texts(receive(consumer, 1)) == ["1"]
    transacted.commit()
    transacted.close()
    assert texts_up_to(session, queue, "end") == []


def test_a_message_that_another_transaction_acknowledged_fails_the_commit(
    connection: PulsarConnection, session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    """Its effects are dropped as a whole: the send with the acknowledgement."""
    queue, target = session.create_queue(name()), session.create_queue(name())
    send(session, queue, "1")
    consumer = transacted.create_consumer(queue)
    receive(consumer, 1)
    [delivery] = transacted.settlement.take_all()
    other = connection.client.transport.begin(60_000)
    delivery.consumer.receive_queue.acknowledge(delivery.item, other)
    send(transacted, target, "out")
    transaction: Any = transacted.transaction
    delivery.consumer.receive_queue.acknowledge(delivery.item, transaction._open)

    with pytest.raises(TransactionRolledBackException, match="did not commit"):
        transacted.commit()

    other.commit()
    transacted.close()
    assert texts_up_to(session, target, "end") == []
    assert texts_up_to(session, queue, "end") == []


@pytest.fixture
def proxy(pulsar: BrokerAddress) -> Iterator[PulsarProxy]:
    """A way to the broker that can be taken down."""
    from jms_brokers.families.pulsar.protocol.proxy import PulsarProxy, host_and_port

    with PulsarProxy(*host_and_port(pulsar.service_url)) as proxy:
        yield proxy


@pytest.fixture
def behind_proxy(factories: Factories, proxy: PulsarProxy) -> PulsarSession:
    """A session in a transaction of the broker, which is reached through the proxy."""
    settings = {
        "brokerServiceUrl": f"pulsar://{proxy.host}:{proxy.port}",
        "enableTransaction": True,
        "operationTimeoutMs": 3_000,
    }
    connection = factories(settings, transport="java").create_connection()
    connection.start()
    return connection.create_session(transacted=True)


def test_a_session_closes_without_the_broker_and_says_what_becomes_of_its_transaction(
    behind_proxy: PulsarSession,
    proxy: PulsarProxy,
    session: PulsarSession,
    name: Name,
    caplog: pytest.LogCaptureFixture,
) -> None:
    send(behind_proxy, session.create_queue(name()), "never")
    proxy.down()
    with caplog.at_level(logging.WARNING):
        behind_proxy.close()
    assert "closes all the same" in caplog.text
    assert behind_proxy.closed
    proxy.up()


def test_a_commit_whose_answer_does_not_come_says_that_nobody_knows(
    behind_proxy: PulsarSession, proxy: PulsarProxy, session: PulsarSession, name: Name
) -> None:
    send(behind_proxy, session.create_queue(name()), "perhaps")
    proxy.down()
    with pytest.raises(JMSException, match=r"is unknown.*Timeout") as failed:
        behind_proxy.commit()
    assert not isinstance(failed.value, TransactionRolledBackException)
    proxy.up()


def test_transactions_after_the_first_are_numbered_on_the_wire(
    session: PulsarSession, transacted: PulsarSession, name: Name
) -> None:
    queue = session.create_queue(name())
    for number in ("1", "2", "3"):
        send(transacted, queue, number)
        transacted.commit()
    consumer = session.create_consumer(queue)
    delivered = [
        consumer.receive_queue.take(10.0) or consumer.receive_queue.take(10.0) for _ in range(3)
    ]
    marks = [each and each.message.properties.get("JMSTX") for each in delivered]
    assert marks[0] is None
    assert int(str(marks[1])) + 1 == int(str(marks[2]))


def test_emulation_goes_first_where_both_are_asked_for(
    factories: Factories, session: PulsarSession, name: Name
) -> None:
    settings = {"enableTransaction": True, "jms.emulateTransactions": True}
    with factories(settings, transport="java").create_connection() as connection:
        send(connection.create_session(transacted=True), session.create_queue(name()), "x")
        kind = type(connection.create_session(transacted=True).transaction).__name__
    assert kind == "EmulatedTransaction"


@pytest.mark.parametrize(
    ("settings", "transport"),
    [({"enableTransaction": True}, "java"), ({"jms.emulateTransactions": True}, "native")],
)
def test_a_transaction_keeps_to_one_partition_where_asked_for(
    factories: Factories,
    pulsar: BrokerAddress,
    name: Name,
    settings: dict[str, object],
    transport: str,
) -> None:
    import httpx

    topic = name()
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic}/partitions"
    httpx.put(url, json=4).raise_for_status()
    sticky = {**settings, "jms.transactionsStickyPartitions": True}
    with factories(sticky, transport=transport).create_connection() as connection:
        session = connection.create_session(transacted=True)
        queue = session.create_queue(topic)
        partitions = []
        with session.create_producer(queue) as producer:
            for end in (session.commit, session.rollback, session.commit):
                sent = [session.create_text_message(str(number)) for number in range(6)]
                for message in sent:
                    producer.send(message)
                end()
                ids = [str(message.jms_message_id) for message in sent]
                partitions.append({int(id_.split(":")[3]) for id_ in ids})
        plain = connection.create_session()
        spread = [plain.create_text_message("x") for _ in range(40)]
        with plain.create_producer(queue) as producer:
            for message in spread:
                producer.send(message)
    assert [len(each) for each in partitions] == [1, 1, 1]
    first = partitions[0].pop()
    assert partitions[1:] == [{(first + 1) % 4}, {(first + 2) % 4}]
    assert len({str(message.jms_message_id).split(":")[3] for message in spread}) > 1
