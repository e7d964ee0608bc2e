"""Redelivery: order, counts and waits after recover(), time-outs and failing listeners."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import httpx
import pytest

from jmsapi import IllegalStateException, Message, SessionMode, TextMessage
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.transport.transport_protocol import DeliveredMessage

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
QUICK = {"consumerConfig.negativeAckRedeliveryDelayMicros": 50_000}


def sent(session: PulsarSession, queue_name: str, count: int) -> PulsarSession:
    """Send texts 1 to `count` to the queue."""
    queue = session.create_queue(queue_name)
    with session.create_producer(queue) as producer:
        for number in range(1, count + 1):
            producer.send(session.create_text_message(str(number)))
    return session


def read(message: Message | None) -> tuple[str | None, int, bool]:
    """Text, delivery count and redelivered mark of a message that must be there."""
    assert isinstance(message, TextMessage)
    count = message.get_int_property("JMSXDeliveryCount")
    return message.text, int(count), message.jms_redelivered


def client_session(connection: PulsarConnection) -> PulsarSession:
    """A session in which the application acknowledges."""
    return connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)


def test_recover_starts_with_the_oldest_before_what_was_prefetched(
    connect: Connect, name: Name
) -> None:
    session = sent(client_session(connect(QUICK)), queue := name(), 5)
    consumer = session.create_consumer(session.create_queue(queue))
    assert [read(consumer.receive(5000)) for _ in range(3)] == [
        ("1", 1, False),
        ("2", 1, False),
        ("3", 1, False),
    ]
    session.recover()
    assert [read(consumer.receive(5000)) for _ in range(5)] == [
        ("1", 2, True),
        ("2", 2, True),
        ("3", 2, True),
        ("4", 1, False),
        ("5", 1, False),
    ]


def test_recover_leaves_out_what_was_acknowledged(connect: Connect, name: Name) -> None:
    session = sent(client_session(connect(QUICK)), queue := name(), 4)
    consumer = session.create_consumer(session.create_queue(queue))
    messages = [consumer.receive(5000) for _ in range(4)]
    assert messages[1] is not None
    messages[1].acknowledge()
    session.recover()
    assert [read(consumer.receive(5000)) for _ in range(2)] == [("3", 2, True), ("4", 2, True)]
    assert consumer.receive(300) is None


def test_recover_again_and_again_counts_by_one(connect: Connect, name: Name) -> None:
    session = sent(client_session(connect(QUICK)), queue := name(), 1)
    consumer = session.create_consumer(session.create_queue(queue))
    for count in range(1, 5):
        assert read(consumer.receive(5000)) == ("1", count, count > 1)
        session.recover()


@pytest.mark.parametrize(("transport", "partitions"), [("native", 0), ("java", 0), ("java", 2)])
def test_a_message_in_chunks_comes_again_beside_another(
    factories: Factories, pulsar: BrokerAddress, name: Name, transport: str, partitions: int
) -> None:
    in_chunks = {"chunkingEnabled": True, "batchingEnabled": False}
    connection = factories({**QUICK, "producerConfig": in_chunks}, transport).create_connection()
    connection.start()
    session = client_session(connection)
    long = "x" * (11 << 20)  # three chunks
    queue = session.create_queue(topic := name())
    if partitions:
        url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic}/partitions"
        assert httpx.put(url, json=partitions).is_success
    with session.create_producer(queue) as producer:
        for text in (long, "short"):
            producer.send(session.create_text_message(text))
    consumer = session.create_consumer(queue)
    for count in (1, 2, 3):
        assert {read(consumer.receive(20_000)) for _ in range(2)} == {
            (long, count, count > 1),
            ("short", count, count > 1),
        }
        session.recover()


def test_recover_in_a_listener_halts_before_the_next_message(connect: Connect, name: Name) -> None:
    session = sent(client_session(connect(QUICK)), queue := name(), 6)
    seen: list[str | None] = []
    done = threading.Event()

    def listen(message: Message) -> None:
        seen.append(read(message)[0])
        if len(seen) == 3:
            session.recover()
        if len(seen) == 9:
            done.set()

    session.create_consumer(session.create_queue(queue)).message_listener = listen
    assert done.wait(10)
    assert seen == ["1", "2", "3", "1", "2", "3", "4", "5", "6"]


def test_recover_on_an_exclusive_subscription_keeps_order(connect: Connect, name: Name) -> None:
    session = client_session(connect(QUICK))
    topic = session.create_topic(name())
    consumer = session.create_consumer(topic)
    with session.create_producer(topic) as producer:
        for number in range(1, 6):
            producer.send(session.create_text_message(str(number)))
    for _ in range(3):
        consumer.receive(5000)
    session.recover()
    assert [read(consumer.receive(5000))[0] for _ in range(5)] == ["1", "2", "3", "4", "5"]


def test_recover_is_not_for_transactions(connect: Connect) -> None:
    session = connect({"jms.emulateTransactions": "true"}).create_session(transacted=True)
    with pytest.raises(IllegalStateException):
        session.recover()


@pytest.mark.parametrize(
    ("config", "count"),
    [
        ({"minDelayMs": 20, "maxDelayMs": 100, "multiplier": 2.0}, 5),
        ({"minDelayMs": 10, "maxDelayMs": 100, "multiplier": 1.0}, 4),
    ],
)
def test_waits_after_negative_acknowledgement_follow_the_backoff(
    connect: Connect,
    name: Name,
    monkeypatch: pytest.MonkeyPatch,
    config: dict[str, object],
    count: int,
) -> None:
    waits: list[float] = []
    nack = ReceiveQueue.nack

    def noting(
        self: ReceiveQueue, items: Sequence[DeliveredMessage], wait: float, *, halt: bool
    ) -> None:
        waits.append(wait * 1000)
        nack(self, items, wait, halt=halt)

    monkeypatch.setattr(ReceiveQueue, "nack", noting)
    connection = connect({"consumerConfig": {"negativeAckRedeliveryBackoff": config}})
    session = sent(client_session(connection), queue := name(), 1)
    consumer = session.create_consumer(session.create_queue(queue))
    consumer.receive(5000)
    for _ in range(count):
        session.recover()
        assert consumer.receive(5000) is not None
    expected = [
        min(float(str(config["minDelayMs"])) * float(str(config["multiplier"])) ** number, 100)
        for number in range(count)
    ]
    assert waits == pytest.approx(expected)


def test_a_message_left_unacknowledged_comes_again_after_its_time(
    connect: Connect, name: Name
) -> None:
    session = sent(
        client_session(connect({"consumerConfig.ackTimeoutMillis": 400})), q := name(), 2
    )
    consumer = session.create_consumer(session.create_queue(q))
    before = time.monotonic()
    first = [consumer.receive(5000) for _ in range(2)]
    assert first[1] is not None
    assert [read(consumer.receive(5000)) for _ in range(2)] == [("1", 2, True), ("2", 2, True)]
    assert time.monotonic() - before >= 0.4
    first[1].acknowledge()
    assert read(consumer.receive(5000))[1] == 3


def test_acknowledged_in_time_is_not_delivered_again(connect: Connect, name: Name) -> None:
    session = sent(
        client_session(connect({"consumerConfig.ackTimeoutMillis": 200})), q := name(), 1
    )
    consumer = session.create_consumer(session.create_queue(q))
    message = consumer.receive(5000)
    assert message is not None
    message.acknowledge()
    assert consumer.receive(600) is None


def test_a_message_whose_listener_fails_comes_again_to_an_automatic_session(
    connect: Connect, name: Name
) -> None:
    session = sent(connect(QUICK).create_session(), queue := name(), 2)
    seen: list[tuple[str | None, int, bool]] = []
    done = threading.Event()

    def listen(message: Message) -> None:
        seen.append(read(message))
        if len(seen) == 1:
            raise ValueError("not yet")
        if len(seen) == 3:
            done.set()

    session.create_consumer(session.create_queue(queue)).message_listener = listen
    assert done.wait(10)
    assert seen == [("1", 1, False), ("1", 2, True), ("2", 1, False)]


def test_delivery_is_shared_again_while_messages_wait_for_redelivery(
    connect: Connect, name: Name
) -> None:
    """A message given back goes to whoever asks first; the one who gave it back is not stuck."""
    connection = connect({**QUICK, "consumerConfig.receiverQueueSize": 1})
    session = sent(client_session(connection), queue := name(), 3)
    consumer = session.create_consumer(session.create_queue(queue))
    assert read(consumer.receive(5000))[0] == "1"
    session.recover()
    other = connection.create_session()
    rest = other.create_consumer(other.create_queue(queue))
    received = set()
    for _ in range(40):
        for receiver in (consumer, rest):
            message = receiver.receive(50)
            if message is not None:
                received.add(read(message)[0])
        if received == {"1", "2", "3"}:
            break
    assert received == {"1", "2", "3"}
