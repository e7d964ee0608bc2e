"""Dead letters on a real broker: every way in, what is kept, and that nothing is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import pulsar as pulsar_client
import pytest

from dead_letters import (
    PATIENCE,
    Place,
    client_session,
    letter,
    limited,
    opened,
    sent,
    text,
    waited_for,
)
from jmsapi import Message
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.mapping.session_modes import INDIVIDUAL_ACKNOWLEDGE

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]


class Ignored:
    """A completion listener that does nothing."""

    def on_completion(self, message: Message) -> None: ...
    def on_exception(self, message: Message, exception: Exception) -> None: ...


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
        moved = reader.read_next(PATIENCE)
    finally:
        client.close()
    identifier = f"{origin.ledger_id()}:{origin.entry_id()}:-1"
    assert moved.data() == payload
    assert moved.partition_key() == "g1"
    assert moved.event_timestamp() == 1234567890123
    assert moved.properties() == {
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
