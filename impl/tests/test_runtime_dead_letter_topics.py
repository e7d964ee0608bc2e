"""Topics of dead letters: refused, with a first subscription, partitioned, named by the queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
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
from jmsapi import JMSException
from pulsar_jms.connections.connection import PulsarConnection

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]


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
    received: list[str | None] = []

    def moved() -> bool:
        assert consumer.receive_no_wait() is None
        received.extend(text(each) for each in [other.receive(100)] if each is not None)
        return bool(received) and place.backlog() == 0

    assert waited_for(moved)
    assert set(received) == {"bad"}


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
        subscriptions = place.stats(place.letters).get("subscriptions", {})
        return {name: row["msgBacklog"] for name, row in subscriptions.items()}

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
