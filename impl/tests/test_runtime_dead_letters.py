"""Dead letters on a real broker: every way in, what is kept, and that nothing is lost."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import pulsar as pulsar_client
import pytest

from jmsapi import JMSException, Message, SessionMode, TextMessage
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.mapping.session_modes import INDIVIDUAL_ACKNOWLEDGE
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    from touchstone.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
PATIENCE = 20_000
"""Milliseconds for something that has to happen on a loaded machine."""


def limited(limit: int = 1, **policy: str) -> dict[str, object]:
    """Settings that allow so many redeliveries, and redeliver at once."""
    return {
        "consumerConfig": {
            "deadLetterPolicy": {"maxRedeliverCount": limit, **policy},
            "negativeAckRedeliveryDelayMicros": 0,
        }
    }


class Place(NamedTuple):
    """A queue and the topic that its dead letters go to by default."""

    queue: str
    admin_url: str

    @property
    def letters(self) -> str:
        return f"{self.queue}-jms-queue-DLQ"

    def stats(self, topic: str) -> dict[str, Any]:
        """The broker's statistics of a topic; none when there is no such topic."""
        url = f"{self.admin_url}/admin/v2/persistent/public/default/{topic}/stats"
        answer = httpx.get(url, params={"getPreciseBacklog": "true"})
        return dict(answer.json()) if answer.is_success else {}

    def backlog(self) -> int:
        """What the queue's subscription has not acknowledged."""
        return int(self.stats(self.queue)["subscriptions"]["jms-queue"]["msgBacklog"])


@pytest.fixture
def place(pulsar: BrokerAddress, name: Name) -> Place:
    return Place(name(), pulsar.admin_url)


class Ignored:
    """A completion listener that does nothing."""

    def on_completion(self, message: Message) -> None: ...
    def on_exception(self, message: Message, exception: Exception) -> None: ...


def sent(session: PulsarSession, place: Place, *texts: str) -> None:
    with session.create_producer(session.create_queue(place.queue)) as producer:
        for text in texts:
            producer.send(session.create_text_message(text))


def opened(session: PulsarSession, queue: str) -> PulsarMessageConsumer:
    return session.create_consumer(session.create_queue(queue))


def text(message: Message | None) -> str | None:
    assert isinstance(message, TextMessage)
    return message.text


def waited_for(condition: Callable[[], object]) -> bool:
    until = time.monotonic() + PATIENCE / 1000
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def letter(connection: PulsarConnection, place: Place) -> Message:
    """The first message of the default dead letter topic, which has to come."""
    consumer = opened(connection.create_session(), place.letters)
    message = consumer.receive(PATIENCE)
    assert message is not None
    return message


def client_session(connection: PulsarConnection) -> PulsarSession:
    return connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)


def by_recover(connection: PulsarConnection, place: Place) -> None:
    session = client_session(connection)
    consumer = opened(session, place.queue)
    while text(consumer.receive(PATIENCE)) == "bad":
        session.recover()


def by_rollback(connection: PulsarConnection, place: Place) -> None:
    session = connection.create_session(transacted=True)
    consumer = opened(session, place.queue)
    while text(consumer.receive(PATIENCE)) == "bad":
        session.rollback()
    session.commit()


def by_time(connection: PulsarConnection, place: Place) -> None:
    session = connection.create_session(mode=INDIVIDUAL_ACKNOWLEDGE)
    consumer = opened(session, f"{place.queue}?consumerConfig.ackTimeoutMillis=200")
    bad = 0
    while bad < 2:
        message = consumer.receive(PATIENCE)
        assert message is not None
        if text(message) == "good":
            message.acknowledge()
        else:
            bad += 1


def by_listener(connection: PulsarConnection, place: Place) -> None:
    seen: list[str | None] = []

    def listen(message: Message) -> None:
        seen.append(text(message))
        if seen[-1] == "bad":
            raise ValueError("bad")

    opened(connection.create_session(), place.queue).message_listener = listen
    assert waited_for(lambda: seen.count("bad") == 2 and "good" in seen)


@pytest.mark.parametrize(
    ("way", "follows"),
    [
        (by_recover, "good"),
        (by_rollback, "good"),
        (by_time, "good"),
        (by_listener, "good"),
    ],
)
def test_every_way_back_leads_to_the_dead_letter_topic(
    connect: Connect,
    place: Place,
    way: Callable[[PulsarConnection, Place], None],
    follows: str | None,
) -> None:
    connection = connect({**limited(), "jms.emulateTransactions": True})
    sent(connection.create_session(), place, *filter(None, ("bad", follows)))
    way(connection, place)
    assert text(letter(connection, place)) == "bad"


def test_a_dead_letter_keeps_all_but_its_id(
    connect: Connect, place: Place, pulsar: BrokerAddress
) -> None:
    payload, properties = (
        bytes(range(256)),
        {"k": "ü", "JMSType": "t", "n": "1", "n_jsmtype": "int"},
    )
    connection = connect(limited())
    consumer = opened(session := client_session(connection), place.queue)
    client = pulsar_client.Client(pulsar.service_url, logger=logging.getLogger("native"))
    try:
        origin = client.create_producer(place.queue).send(
            payload, properties=properties, partition_key="g1", event_timestamp=1234567890123
        )
        for _ in range(2):
            assert consumer.receive(PATIENCE) is not None
            session.recover()
        reader = client.create_reader(place.letters, pulsar_client.MessageId.earliest)
        found = reader.read_next(PATIENCE)
    finally:
        client.close()
    identifier = f"{origin.ledger_id()}:{origin.entry_id()}:-1"
    assert found.data() == payload
    assert found.partition_key() == "g1"
    assert found.event_timestamp() == 1234567890123
    assert found.properties() == {
        **properties,
        "REAL_TOPIC": f"persistent://public/default/{place.queue}",
        "REAL_SUBSCRIPTION": "jms-queue",
        "ORIGIN_MESSAGE_ID": identifier,
        "ORIGIN_MESSAGE_IDY_TIME": identifier,
    }


def test_a_null_payload_stays_null(connect: Connect, place: Place, pulsar: BrokerAddress) -> None:
    connection = connect(limited())
    consumer = opened(session := client_session(connection), place.queue)
    with connection.create_session().create_producer(session.create_queue(place.queue)) as producer:
        producer.send(session.create_message())
    for _ in range(2):
        assert consumer.receive(PATIENCE) is not None
        session.recover()
    client = pulsar_client.Client(pulsar.service_url, logger=logging.getLogger("native"))
    try:
        reader = client.create_reader(place.letters, pulsar_client.MessageId.earliest)
        assert reader.read_next(PATIENCE).has_null_value()
    finally:
        client.close()


@pytest.mark.parametrize("transport", ["native", "java"])
def test_a_dead_letter_over_the_brokers_limit_goes_in_chunks(
    factories: Factories, place: Place, transport: str
) -> None:
    """The factory that moves it sends nothing else in chunks."""
    in_chunks: dict[str, object] = {
        "producerConfig": {"chunkingEnabled": True, "batchingEnabled": False}
    }
    sending = factories(in_chunks, transport).create_connection()
    long = "".join(f"{number:08}" for number in range(6 << 17))
    sent(sending.create_session(), place, long)
    connection = factories(limited(), transport).create_connection()
    connection.start()
    session = client_session(connection)
    consumer = opened(session, place.queue)
    for _ in range(2):
        assert text(consumer.receive(PATIENCE)) == long
        session.recover()

    assert text(letter(connection, place)) == long
    assert waited_for(lambda: place.backlog() == 0)


def test_a_dead_letter_is_moved_although_the_configured_name_of_producers_is_taken(
    connect: Connect, place: Place
) -> None:
    named: dict[str, object] = {"producerConfig.producerName": place.queue}
    other = connect(named).create_session()
    with other.create_producer(other.create_queue(place.letters)) as taking:
        taking.send(other.create_text_message("first"))
        session = client_session(connect({**limited(), **named}))
        sent(session, place, "bad")
        consumer = opened(session, place.queue)
        for _ in range(2):
            assert text(consumer.receive(PATIENCE)) == "bad"
            session.recover()

        assert waited_for(lambda: place.stats(place.letters)["msgInCounter"] == 2)


def test_the_rest_comes_in_its_order(connect: Connect, place: Place) -> None:
    session = client_session(connect(limited()))
    sent(session, place, *"12345")
    consumer = opened(session, place.queue)
    seen = []
    for _ in range(6):
        message = consumer.receive(PATIENCE)
        assert message is not None
        seen.append(text(message))
        if seen[-1] == "2":
            session.recover()
        else:
            message.acknowledge()
    assert seen == ["1", "2", "2", "3", "4", "5"]


def test_of_a_batch_the_bad_message_alone_is_moved(connect: Connect, place: Place) -> None:
    three_at_once = {"batchingMaxMessages": 3, "batchingMaxPublishDelayMicros": 10_000_000}
    connection = connect({**limited(), "producerConfig": three_at_once})
    session = connection.create_session()
    consumer = opened(session, place.queue)
    handled: list[str | None] = []

    def listen(message: Message) -> None:
        if text(message) == "2":
            raise ValueError("bad")
        handled.append(text(message))

    with connection.create_session() as sending:
        producer = sending.create_producer(sending.create_queue(place.queue))
        for number in "123":
            producer.send(sending.create_text_message(number), completion_listener=Ignored())
    consumer.message_listener = listen
    dead = letter(connection, place)
    assert text(dead) == "2"
    assert str(dead.get_string_property("ORIGIN_MESSAGE_ID")).endswith(":-1:1")
    assert waited_for(lambda: place.backlog() == 0)
    assert set(handled) == {"1", "3"}


def test_only_what_was_redelivered_often_enough_is_moved(connect: Connect, place: Place) -> None:
    """recover() gives back two messages, one of which is at its limit."""
    connection = connect(limited())
    session = client_session(connection)
    sent(session, place, "old", "new")
    consumer = opened(session, place.queue)
    assert text(consumer.receive(PATIENCE)) == "old"
    session.recover()
    assert [text(consumer.receive(PATIENCE)) for _ in range(2)] == ["old", "new"]
    session.recover()
    again = consumer.receive(PATIENCE)
    assert again is not None
    assert (text(again), again.get_int_property("JMSXDeliveryCount")) == ("new", 2)
    assert text(letter(connection, place)) == "old"


def test_a_moved_message_leaves_the_queue_even_if_the_consumer_closes_at_once(
    connect: Connect, place: Place
) -> None:
    session = client_session(connect(limited()))
    sent(session, place, "bad")
    consumer = opened(session, place.queue)
    for _ in range(2):
        assert consumer.receive(PATIENCE) is not None
        session.recover()
    consumer.close()
    assert waited_for(lambda: place.backlog() == 0)
    assert place.stats(place.letters)["msgInCounter"] == 1


def test_without_a_policy_nothing_is_moved(connect: Connect, place: Place) -> None:
    session = client_session(connect({"consumerConfig.negativeAckRedeliveryDelayMicros": 0}))
    sent(session, place, "bad")
    consumer = opened(session, place.queue)
    for expected in range(1, 6):
        message = consumer.receive(PATIENCE)
        assert message is not None
        assert message.get_int_property("JMSXDeliveryCount") == expected
        session.recover()
    assert place.stats(place.letters) == {}


@pytest.mark.parametrize("listening", [False, True])
def test_what_comes_beyond_the_limit_is_moved_without_being_delivered(
    connect: Connect, place: Place, listening: bool
) -> None:
    """Another consumer without a limit had it three times and went."""
    unlimited = client_session(
        connect(
            {
                "consumerConfig.negativeAckRedeliveryDelayMicros": 0,
                "consumerConfig.receiverQueueSize": 1,
            }
        )
    )
    sent(unlimited, place, "bad")
    first = opened(unlimited, place.queue)
    for deliveries in range(3):
        assert text(first.receive(PATIENCE)) == "bad"
        if deliveries < 2:
            unlimited.recover()
    connection = connect(limited())
    session = connection.create_session()
    consumer = opened(session, place.queue)
    seen: list[str | None] = []
    if listening:
        consumer.message_listener = lambda message: seen.append(text(message))
    first.close()

    def moved() -> bool:
        if not listening:  # which is when messages are looked at
            assert consumer.receive_no_wait() is None
        return bool(place.stats(place.letters).get("msgInCounter") == 1)

    assert waited_for(moved)
    sent(session, place, "good")
    if not listening:
        seen.append(text(consumer.receive(PATIENCE)))
    assert waited_for(lambda: seen)
    assert seen == ["good"]


def test_a_message_that_cannot_be_moved_stays_and_is_moved_later(
    connect: Connect, place: Place
) -> None:
    """The namespace of the dead letter topic does not exist yet."""
    space = f"public/{place.queue}"
    namespaces = f"{place.admin_url}/admin/v2/namespaces/{space}"
    connection = connect(limited(deadLetterTopic=f"persistent://{space}/letters"))
    session = client_session(connection)
    sent(session, place, "bad", "good")
    consumer = opened(session, place.queue)
    for _ in range(2):
        assert text(consumer.receive(PATIENCE)) == "bad"
        session.recover()
    good = consumer.receive(PATIENCE)
    assert good is not None
    assert text(good) == "good"
    good.acknowledge()
    assert waited_for(lambda: place.backlog() == 1)

    assert httpx.put(namespaces).is_success
    other = opened(connection.create_session(), f"persistent://{space}/letters")
    found: list[str | None] = []

    def moved() -> bool:
        assert consumer.receive_no_wait() is None
        found.extend(text(each) for each in [other.receive(100)] if each is not None)
        return bool(found) and place.backlog() == 0

    assert waited_for(moved)
    assert set(found) == {"bad"}


@pytest.mark.parametrize("administered", [True, False])
def test_the_first_subscription_is_there_before_the_first_letter(
    connect: Connect, place: Place, administered: bool
) -> None:
    connection = connect(
        {**limited(initialSubscriptionName="keep"), "jms.usePulsarAdmin": administered}
    )
    session = client_session(connection)
    sent(session, place, "a", "b")
    consumer = opened(session, place.queue)
    for _ in range(2):
        for _ in range(2):
            assert consumer.receive(PATIENCE) is not None
        session.recover()

    def kept() -> dict[str, int]:
        found = place.stats(place.letters).get("subscriptions", {})
        return {name: row["msgBacklog"] for name, row in found.items()}

    assert waited_for(lambda: kept() == {"keep": 2}), kept()


def test_a_first_subscription_in_use_is_left_alone(connect: Connect, place: Place) -> None:
    """Another client has it for itself alone; without administration that is found by trying."""
    topic = f"persistent://public/default/{place.letters}"
    other = connect({"jms.clientId": place.queue})
    reading = other.create_session()
    kept = reading.create_durable_consumer(reading.create_topic(topic), "keep")
    connection = connect(
        {
            **limited(initialSubscriptionName=f"{place.queue}_keep"),
            "jms.usePulsarAdmin": False,
        }
    )
    session = client_session(connection)
    sent(session, place, "bad")
    consumer = opened(session, place.queue)
    for _ in range(2):
        assert consumer.receive(PATIENCE) is not None
        session.recover()
    assert text(kept.receive(PATIENCE)) == "bad"


def test_each_partition_has_its_dead_letters(
    connect: Connect, place: Place, pulsar: BrokerAddress
) -> None:
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{place.queue}/partitions"
    assert httpx.put(url, json=2).is_success
    session = client_session(connect(limited()))
    consumer = opened(session, place.queue)
    sent(session, place, "a", "b")  # one on each, as they go round
    for _ in range(2):
        for _ in range(2):
            assert consumer.receive(PATIENCE) is not None
        session.recover()
    letters = [f"{place.queue}-partition-{number}-jms-queue-DLQ" for number in range(2)]
    assert waited_for(
        lambda: [place.stats(each).get("msgInCounter") for each in letters] == [1, 1]
    ), [place.stats(each) for each in letters]


def test_the_queues_name_may_carry_the_policy(connect: Connect, place: Place) -> None:
    connection = connect({"consumerConfig.negativeAckRedeliveryDelayMicros": 0})
    session = client_session(connection)
    sent(session, place, "bad")
    consumer = opened(session, f"{place.queue}?consumerConfig.deadLetterPolicy.maxRedeliverCount=1")
    for _ in range(2):
        assert consumer.receive(PATIENCE) is not None
        session.recover()
    assert text(letter(connection, place)) == "bad"


@pytest.mark.parametrize("setting", ["maxRedeliverCount=0", "maxRedeliverCount=x", "topic=x"])
def test_a_wrong_policy_in_the_queues_name_is_refused(
    connect: Connect, place: Place, setting: str
) -> None:
    session = connect().create_session()
    queue = session.create_queue(f"{place.queue}?consumerConfig.deadLetterPolicy.{setting}")
    with pytest.raises(JMSException, match=f"deadLetterPolicy.{setting.partition('=')[0]}"):
        session.create_consumer(queue)
