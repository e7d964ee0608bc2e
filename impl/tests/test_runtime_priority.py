"""Priorities on a real broker: the order of receipt, and that nothing is lost or comes twice."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from jmsapi import JMSException, Message, SessionMode
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]
Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
PRIORITIES = {"jms.enableJMSPriority": True}
QUICK = {**PRIORITIES, "consumerConfig.negativeAckRedeliveryDelayMicros": 50_000}


class Admin:
    """What the broker says of a topic."""

    def __init__(self, address: BrokerAddress) -> None:
        self._client = httpx.Client(
            base_url=f"{address.admin_url}/admin/v2/persistent/public/default/",
            timeout=20,
            trust_env=False,
        )

    def create(self, topic: str, partitions: int) -> None:
        """Create a partitioned topic; one without partitions comes by itself."""
        if partitions:
            self._client.put(f"{topic}/partitions", json=partitions).raise_for_status()

    def grow(self, topic: str, partitions: int) -> None:
        """Give a partitioned topic more partitions."""
        self._client.post(f"{topic}/partitions", json=partitions).raise_for_status()

    def stats(self, topic: str, partitions: int) -> Any:
        """The statistics of all partitions together."""
        kind = "partitioned-stats" if partitions else "stats"
        answer = self._client.get(f"{topic}/{kind}", params={"getPreciseBacklog": True})
        return answer.raise_for_status().json()

    def fetched(self, topic: str, partitions: int, count: int) -> bool:
        """Whether `count` messages were sent out to the consumers of the only subscription."""
        (row,) = self.stats(topic, partitions)["subscriptions"].values()
        return bool(row["unackedMessages"] >= count or row["msgOutCounter"] >= count)


@pytest.fixture
def admin(pulsar: BrokerAddress) -> Admin:
    return Admin(pulsar)


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until `condition` is true."""
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, "it did not come true within 30 s"
        threading.Event().wait(0.01)


def send(session: PulsarSession, destination: Any, priorities: Iterable[int]) -> None:
    """Send texts that name their priority and number."""
    with session.create_producer(destination) as producer:
        for number, priority in enumerate(priorities):
            text = session.create_text_message(f"{priority}-{number}")
            producer.send(text, priority=priority)


def take(consumer: Any, count: int) -> list[Message]:
    """`count` messages, which must come."""
    messages = [consumer.receive(20_000) for _ in range(count)]
    assert None not in messages
    return messages


def texts(messages: Iterable[Message]) -> list[str]:
    """The bodies of text messages."""
    return [str(message.get_body(str)) for message in messages]


def mixed(count: int, seed: int = 1) -> list[int]:
    """`count` priorities, every level equally often, in random order."""
    priorities = [number % 10 for number in range(count)]
    random.Random(seed).shuffle(priorities)
    return priorities


@pytest.mark.parametrize("partitions", [0, 1, 4, 10])
def test_what_was_fetched_ahead_is_drained_from_9_to_0(
    factories: Factories, admin: Admin, name: Name, partitions: int
) -> None:
    admin.create(topic := name(), partitions)
    connection = factories(PRIORITIES).create_connection()
    session = connection.create_session()
    queue = session.create_queue(topic)
    send(session, queue, mixed(100))
    consumer = session.create_consumer(queue)
    wait_for(lambda: admin.fetched(topic, partitions, 100))
    send(session, session.create_queue(name()), [4])  # answered behind what was sent out before
    connection.start()
    messages = take(consumer, 100)
    assert [message.jms_priority for message in messages] == sorted(mixed(100), reverse=True)
    in_order = sorted(texts(messages), key=lambda text: (-int(text[0]), int(text[2:])))
    assert texts(messages) == in_order


def test_without_the_switch_the_order_is_that_of_sending(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    send(session, queue, mixed(50))
    consumer = session.create_consumer(queue)
    assert [message.jms_priority for message in take(consumer, 50)] == mixed(50)


@pytest.mark.parametrize("partitions", [0, 4])
@pytest.mark.parametrize("kind", ["queue", "topic"])
def test_recover_loses_nothing_and_repeats_what_was_received(
    connect: Connect, admin: Admin, name: Name, kind: str, partitions: int
) -> None:
    admin.create(where := name(), partitions)
    session = connect(QUICK).create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    destination = session.create_queue(where) if kind == "queue" else session.create_topic(where)
    consumer = session.create_consumer(destination)
    send(session, destination, mixed(60))
    seen = set(texts(take(consumer, 15)))
    session.recover()
    rest = take(consumer, 60)
    assert len(set(texts(rest))) == 60
    rest[-1].acknowledge()
    assert consumer.receive(300) is None
    again = {m.get_body(str) for m in rest if m.get_int_property("JMSXDeliveryCount") > 1}
    assert again == (seen if kind == "queue" else set())  # counted where one may come by itself


def test_a_rollback_repeats_what_was_received(connect: Connect, admin: Admin, name: Name) -> None:
    admin.create(where := name(), 3)
    connection = connect({**QUICK, "jms.emulateTransactions": True})
    session = connection.create_session(transacted=True)
    queue = session.create_queue(where)
    consumer = session.create_consumer(queue)
    send(connection.create_session(), queue, mixed(30))
    first = texts(take(consumer, 10))
    session.rollback()
    again = texts(take(consumer, 30))
    session.commit()
    assert sorted(again[:10]) == sorted(first)
    assert len(set(again)) == 30
    assert consumer.receive(300) is None


def test_what_a_closed_consumer_had_fetched_goes_to_the_next(
    connect: Connect, admin: Admin, name: Name
) -> None:
    admin.create(where := name(), 4)
    session = connect(PRIORITIES).create_session()
    queue = session.create_queue(where)
    send(session, queue, mixed(80))
    with session.create_consumer(queue) as consumer:
        first = texts(take(consumer, 20))
    rest = texts(take(session.create_consumer(queue), 60))
    assert len({*first, *rest}) == 80


def test_a_listener_is_called_by_priority(factories: Factories, admin: Admin, name: Name) -> None:
    connection = factories(PRIORITIES).create_connection()
    session = connection.create_session()
    queue = session.create_queue(topic := name())
    send(session, queue, mixed(40))
    consumer = session.create_consumer(queue)
    wait_for(lambda: admin.fetched(topic, 0, 40))
    send(session, session.create_queue(name()), [4])  # answered behind what was sent out before
    seen: list[int] = []
    consumer.message_listener = lambda message: seen.append(message.jms_priority)
    connection.start()
    wait_for(lambda: len(seen) == 40)
    assert seen == sorted(mixed(40), reverse=True)


def test_the_subscription_of_a_topic_consumer_ends_with_it_on_every_partition(
    connect: Connect, admin: Admin, name: Name
) -> None:
    admin.create(where := name(), 3)
    session = connect(PRIORITIES).create_session()
    with session.create_consumer(session.create_topic(where)):
        assert len(admin.stats(where, 3)["subscriptions"]) == 1
    assert admin.stats(where, 3)["subscriptions"] == {}


def test_an_unshared_subscription_has_one_consumer_and_the_second_leaves_nothing(
    connect: Connect, admin: Admin, name: Name
) -> None:
    admin.create(where := name(), 3)
    connection = connect({**PRIORITIES, "jms.clientId": name()})
    session = connection.create_session()
    topic = session.create_topic(where)
    consumer = session.create_durable_consumer(topic, "sub")
    with pytest.raises(JMSException):
        session.create_durable_consumer(topic, "sub")
    send(session, topic, mixed(20))
    assert len(set(texts(take(consumer, 20)))) == 20


def test_priority_and_not_the_group_chooses_the_partition(
    connect: Connect, admin: Admin, name: Name
) -> None:
    admin.create(where := name(), 10)
    session = connect(PRIORITIES).create_session()
    queue = session.create_queue(where)
    with session.create_producer(queue) as producer:
        for priority in (0, 9):
            message = session.create_text_message()
            message.set_string_property("JMSXGroupID", "one group")
            producer.send(message, priority=priority)
    messages = take(session.create_consumer(queue), 2)
    assert {str(message.jms_message_id).split(":")[3] for message in messages} == {"0", "9"}


def test_partitions_that_are_added_are_consumed_from_their_start(
    factories: Factories, connect: Connect, admin: Admin, name: Name
) -> None:
    admin.create(where := name(), 2)
    every = {"consumerConfig": {"autoUpdatePartitionsIntervalSeconds": 1}}
    connection = connect({**PRIORITIES, **every})
    session = connection.create_session()
    topic = session.create_topic(where)
    consumer = session.create_consumer(topic)
    admin.grow(where, 10)
    other = factories(PRIORITIES).create_connection().create_session()
    send(other, other.create_topic(where), range(10))
    assert sorted(texts(take(consumer, 10))) == [f"{number}-{number}" for number in range(10)]


def test_several_topics_at_once_are_ordered_together(
    factories: Factories, admin: Admin, name: Name
) -> None:
    admin.create(first := name(), 3)
    other = name()
    connection = factories(PRIORITIES).create_connection()
    session = connection.create_session()
    for topic in (first, other):
        send(session, session.create_queue(topic), mixed(30))
    consumer = session.create_consumer(session.create_queue(f"multi:{first},{other}"))
    wait_for(lambda: admin.fetched(first, 3, 30) and admin.fetched(other, 0, 30))
    send(session, session.create_queue(name()), [4])  # answered behind what was sent out before
    connection.start()
    received = [message.jms_priority for message in take(consumer, 60)]
    assert received == sorted(mixed(30) * 2, reverse=True)


def test_topics_of_a_pattern_are_ordered_together(
    factories: Factories, admin: Admin, name: Name
) -> None:
    prefix = name()
    first, second = f"{prefix}-a", f"{prefix}-b"
    connection = factories(PRIORITIES).create_connection()
    session = connection.create_session()
    for topic in (first, second):
        send(session, session.create_queue(topic), mixed(30))
    consumer = session.create_consumer(session.create_queue(f"regex:{prefix}-.*"))
    wait_for(lambda: admin.fetched(first, 0, 30) and admin.fetched(second, 0, 30))
    send(session, session.create_queue(name()), [4])  # answered behind what was sent out before
    connection.start()
    received = [message.jms_priority for message in take(consumer, 60)]
    assert received == sorted(mixed(30) * 2, reverse=True)


@pytest.mark.parametrize("priority", [-1, 10, 4.5, True, "4"])
def test_a_priority_that_is_none_is_refused_and_nothing_is_sent(
    connect: Connect, name: Name, priority: Any
) -> None:
    session = connect(PRIORITIES).create_session()
    queue = session.create_queue(name())
    producer = session.create_producer(queue)
    with pytest.raises(JMSException, match=r"priority .* 0 \(lowest\) to 9"):
        producer.send(session.create_text_message("wrong"), priority=priority)
    with pytest.raises(JMSException, match=r"priority .* 0 \(lowest\) to 9"):
        producer.priority = priority
    producer.send(session.create_text_message("right"))
    assert texts(take(session.create_consumer(queue), 1)) == ["right"]
