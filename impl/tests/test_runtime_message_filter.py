"""Selectors, noLocal and expiration on the real broker, beyond what the catalogue judges."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest

from jmsapi import (
    Destination,
    IllegalStateException,
    IllegalStateRuntimeException,
    InvalidSelectorException,
    InvalidSelectorRuntimeException,
    JMSException,
    JMSRuntimeException,
    MessageFormatException,
    SessionMode,
)
from numbered_texts import NACK_DELAY, Backlog, send, text, wait_for
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
LONG, SHORT = {NACK_DELAY: 3_600_000_000}, {NACK_DELAY: 10_000}
FORBIDDING = {"jms.enableClientSideEmulation": False}


# -- what is told ------------------------------------------------------------------------------


def test_selector_is_told_and_the_empty_one_is_none(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue, topic = session.create_queue(name()), session.create_topic(name())
    assert session.create_consumer(queue, "x = 1").message_selector == "x = 1"
    assert session.create_receiver(queue, "x = 1").message_selector == "x = 1"
    assert session.create_consumer(queue, "").message_selector is None
    assert session.create_consumer(topic, None).message_selector is None
    assert session.create_shared_consumer(topic, "s", "x = 1").message_selector == "x = 1"


def test_a_subscriber_tells_whether_it_is_no_local(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    topic = session.create_topic(name())
    assert session.create_subscriber(topic, None, True).no_local is True
    assert session.create_subscriber(topic, "x = 1").no_local is False


def test_consumers_of_a_context_take_selectors(
    factories: Callable[..., PulsarConnectionFactory], name: Name
) -> None:
    with factories().create_context() as context:
        topic = context.create_topic(name())
        context.client_id = name()
        consumers = [
            context.create_consumer(topic, "x = 1", True),
            context.create_durable_consumer(topic, "d", "x = 1", True),
            context.create_shared_consumer(topic, "s", "x = 1"),
            context.create_shared_durable_consumer(topic, "sd", "x = 1"),
        ]
        assert [consumer.message_selector for consumer in consumers] == ["x = 1"] * 4


# -- what is refused ---------------------------------------------------------------------------


def test_a_malformed_selector_leaves_no_subscription(
    connect: Connect, name: Name, pulsar: BrokerAddress
) -> None:
    session = connect({"jms.clientId": name()}).create_session()
    topic = session.create_topic(name())
    for call in (session.create_durable_consumer, session.create_shared_durable_consumer):
        with pytest.raises(InvalidSelectorException, match="at character 5"):
            call(topic, "s", "x = = 1")
    with session.create_producer(topic) as producer:
        producer.send(session.create_text_message("makes the topic"))
    url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic.topic_name}/subscriptions"
    assert httpx.get(url).json() == []


def test_settings_may_forbid_emulation_on_shared_subscriptions(
    connect: Connect, factories: Callable[..., PulsarConnectionFactory], name: Name
) -> None:
    session = connect(FORBIDDING).create_session()
    topic = session.create_topic(name())
    with pytest.raises(InvalidSelectorException, match="enableClientSideEmulation"):
        session.create_shared_consumer(topic, "s", "x = 1")
    shared = {**FORBIDDING, "jms.useExclusiveSubscriptionsForSimpleConsumers": False}
    with pytest.raises(IllegalStateException, match="enableClientSideEmulation"):
        connect(shared).create_session().create_consumer(topic, None, True)
    with factories(shared).create_context() as context:
        with pytest.raises(InvalidSelectorRuntimeException):
            context.create_consumer(topic, "x = 1")
        with pytest.raises(IllegalStateRuntimeException):
            context.create_consumer(topic, None, True)


@pytest.mark.parametrize("lives", [-1, 2**63, 2**63 - 1, True, 1.5, "60"])
def test_a_time_to_live_that_none_can_have_sends_nothing(
    connect: Connect, name: Name, lives: int
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    with session.create_producer(queue) as producer:
        with pytest.raises(JMSException, match=f"time_to_live '?{lives}"):
            producer.send(session.create_text_message("too long"), time_to_live=lives)
        producer.send(session.create_text_message("next"))
    assert text(session.create_consumer(queue).receive(10_000)) == "next"


def test_a_time_to_live_of_a_context_is_checked(
    factories: Callable[..., PulsarConnectionFactory], name: Name
) -> None:
    with factories().create_context() as context:
        with pytest.raises(JMSRuntimeException, match="time_to_live -1"):
            context.create_producer().set_time_to_live(-1)
        producer = context.create_producer().set_time_to_live(2**63 - 1)
        with pytest.raises(JMSRuntimeException, match=r"time_to_live 9223372036854775807"):
            producer.send(context.create_queue(name()), "too long")


# -- messages that cannot be judged, or read ---------------------------------------------------


def send_unreadable(session: PulsarSession, to: Destination) -> None:
    """Send a message whose property x is marked int and holds another text."""
    with session.create_producer(to) as producer:
        message = session.create_text_message("unreadable")
        message.set_string_property("x", "one")
        message.set_string_property("x_jsmtype", "int")
        producer.send(message)


def test_a_message_that_the_selector_cannot_judge_is_told_and_kept(
    connect: Connect, name: Name
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    send_unreadable(session, queue)
    send(session, queue, [1])
    consumer = session.create_consumer(queue, "x = 1")
    with pytest.raises(MessageFormatException, match=r"(?s)'x = 1'.*'x' is marked int"):
        consumer.receive(10_000)
    assert text(consumer.receive(10_000)) == "1"
    consumer.close()
    assert text(session.create_consumer(queue).receive(10_000)) == "unreadable"


def test_a_listener_goes_on_after_a_message_that_its_selector_cannot_judge(
    connect: Connect, name: Name, caplog: pytest.LogCaptureFixture
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    seen: list[str | None] = []
    session.create_consumer(queue, "x = 1").message_listener = lambda m: seen.append(text(m))
    send_unreadable(session, queue)
    send(session, queue, [1])
    wait_for(lambda: seen)
    assert seen == ["1"]
    assert "'x' is marked int" in caplog.text


def test_a_body_that_cannot_be_read_matters_only_to_who_selects_it(
    connect: Connect, name: Name
) -> None:
    session = connect(SHORT).create_session()
    queue = session.create_queue(name())
    with session.create_producer(queue) as producer:
        poison = session.create_bytes_message()
        poison.write_bytes(b"\xff")
        poison.set_int_property("x", 2)
        producer.send(poison)
    send(session, queue, [1])
    with session.create_consumer(queue, "x = 1") as consumer:
        assert consumer.receive_body(str, 10_000) == "1"
    two = session.create_consumer(queue, "x = 2")
    with pytest.raises(MessageFormatException, match="cannot be given as str"):
        two.receive_body(str, 10_000)


# -- what becomes of the rejected --------------------------------------------------------------


def test_given_back_messages_do_not_hide_later_ones(connect: Connect, name: Name) -> None:
    session = connect(LONG).create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue, "x = 1")
    send(session, queue, [2] * 500 + [1] + [2] * 500 + [1])
    assert [text(consumer.receive(30_000)) for _ in range(2)] == ["1", "1"]


def test_given_back_messages_do_not_hide_later_ones_where_little_is_fetched_ahead(
    connect: Connect, name: Name
) -> None:
    session = connect({**LONG, "consumerConfig.receiverQueueSize": 1}).create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue, "x = 1")
    send(session, queue, [2] * 50 + [1] + [2] * 50 + [1])
    assert [text(consumer.receive(30_000)) for _ in range(2)] == ["1", "1"]


def test_receive_no_wait_looks_behind_what_does_not_match(connect: Connect, name: Name) -> None:
    session = connect(LONG).create_session()
    queue = session.create_queue(name())
    send(session, queue, [2, 2, 2, 1])
    consumer = session.create_consumer(queue, "x = 1 OR x = 3")
    assert text(consumer.receive(10_000)) == "1"
    send(session, queue, [2, 2, 2, 3])
    assert text(wait_for(consumer.receive_no_wait)) == "3"


def test_receive_ends_in_time_while_messages_bounce(connect: Connect, name: Name) -> None:
    session = connect({NACK_DELAY: 0}).create_session()
    queue = session.create_queue(name())
    send(session, queue, [2] * 20)
    consumer = session.create_consumer(queue, "x = 1")
    assert [consumer.receive(50) for _ in range(5)] == [None] * 5
    assert consumer.receive_no_wait() is None
    send(session, queue, [1])
    assert text(consumer.receive(10_000)) == "1"


def test_settings_may_have_the_rejected_acknowledged(
    connect: Connect, name: Name, backlog: Backlog
) -> None:
    session = connect({"jms.acknowledgeRejectedMessages": True}).create_session()
    queue = session.create_queue(name())
    send(session, queue, [2, 2, 1])
    assert text(session.create_consumer(queue, "x = 1").receive(10_000)) == "1"
    wait_for(lambda: backlog(queue.queue_name) == 0)


def test_expired_messages_of_a_queue_are_acknowledged(
    connect: Connect, name: Name, backlog: Backlog
) -> None:
    session = connect(LONG).create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue, "x = 1")
    with session.create_producer(queue) as producer:
        for x in (1, 2):
            message = session.create_text_message("expired")
            message.set_int_property("x", x)
            producer.send(message, time_to_live=1)
        wait_for(lambda: time.time_ns() // 1_000_000 > message.jms_expiration)
    send(session, queue, [1])
    assert text(consumer.receive(10_000)) == "1"
    wait_for(lambda: backlog(queue.queue_name) == 0)


def test_failover_leaves_the_rejected_to_the_next_consumer(
    connect: Connect, name: Name, backlog: Backlog
) -> None:
    connection = connect({"jms.topicSharedSubscriptionType": "Failover", **SHORT})
    session = connection.create_session()
    topic = session.create_topic(name())
    first = session.create_shared_durable_consumer(topic, "s", "x = 1")
    send(session, topic, [2, 1, 2, 1])
    assert [text(first.receive(10_000)) for _ in range(2)] == ["1", "1"]
    wait_for(lambda: backlog(topic.topic_name) == 2)
    first.close()
    second = session.create_shared_durable_consumer(topic, "s", "x = 2")
    assert [text(second.receive(10_000)) for _ in range(2)] == ["2", "2"]
    wait_for(lambda: backlog(topic.topic_name) == 0)


def test_the_rejected_take_no_part_in_recover_and_acknowledge(
    connect: Connect, name: Name, backlog: Backlog
) -> None:
    session = connect(LONG).create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    queue = session.create_queue(name())
    send(session, queue, [2, 1, 2, 1])
    consumer = session.create_consumer(queue, "x = 1")
    for _ in range(2):
        last = consumer.receive(10_000)
    assert last is not None
    last.acknowledge()
    wait_for(lambda: backlog(queue.queue_name) == 2)
    session.recover()
    consumer.close()
    rest = session.create_consumer(queue)
    assert [text(rest.receive(10_000)) for _ in range(2)] == ["2", "2"]


def test_the_rejected_of_a_transaction_do_not_come_again_by_rollback(
    connect: Connect, name: Name, backlog: Backlog
) -> None:
    connection = connect({"jms.emulateTransactions": True, "jms.clientId": name()})
    session = connection.create_session(transacted=True)
    plain = connection.create_session()
    topic = plain.create_topic(name())
    consumer = session.create_durable_consumer(topic, "s", "x = 1")
    send(plain, topic, [2, 1])
    assert text(consumer.receive(10_000)) == "1"
    wait_for(lambda: backlog(topic.topic_name) == 1)
    session.rollback()
    assert text(consumer.receive(10_000)) == "1"
    session.commit()
    wait_for(lambda: backlog(topic.topic_name) == 0)


def test_what_a_stopped_connection_holds_is_screened_when_it_starts(
    connect: Connect, name: Name
) -> None:
    connection = connect({"jms.clientId": name()})
    session = connection.create_session()
    topic = session.create_topic(name())
    consumer = session.create_durable_consumer(topic, "s", "x = 1")
    connection.stop()
    send(session, topic, [2, 1])
    assert consumer.receive(50) is None
    connection.start()
    assert text(consumer.receive(10_000)) == "1"


def test_closing_while_messages_wait_to_be_given_back_leaves_them_to_others(
    connect: Connect, name: Name
) -> None:
    session = connect(LONG).create_session()
    queue = session.create_queue(name())
    send(session, queue, [2, 2, 1])
    consumer = session.create_consumer(queue, "x = 1")
    assert text(consumer.receive(10_000)) == "1"
    consumer.close()
    other = session.create_consumer(queue)
    assert [text(other.receive(10_000)) for _ in range(2)] == ["2", "2"]
