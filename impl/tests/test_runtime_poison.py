"""What cannot be read follows the redelivery rules, and stops nothing."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pulsar as pulsar_client
import pytest

from jmsapi import (
    JMSException,
    JMSRuntimeException,
    Message,
    MessageFormatException,
    SessionMode,
    TextMessage,
)
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.mapping.session_modes import INDIVIDUAL_ACKNOWLEDGE
from pulsar_jms.transport.transport_protocol import DeliveredMessage

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

pytestmark = pytest.mark.thorough

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
Sends = Callable[..., None]
Settings = dict[str, Any]

transports = pytest.mark.parametrize("transport", ["native", "java"])
MODES: dict[str, tuple[bool, int]] = {
    "transacted": (True, 0),
    "auto": (False, SessionMode.AUTO_ACKNOWLEDGE),
    "client": (False, SessionMode.CLIENT_ACKNOWLEDGE),
    "dups-ok": (False, SessionMode.DUPS_OK_ACKNOWLEDGE),
    "individual": (False, INDIVIDUAL_ACKNOWLEDGE),
}
RULES: dict[str, Settings] = {
    "negative acknowledgement": {"negativeAckRedeliveryDelayMicros": 100_000},
    "its backoff": {"negativeAckRedeliveryBackoff": {"minDelayMs": 100, "maxDelayMs": 200}},
    "time-out": {"ackTimeoutMillis": 1000},
}
LIMIT = 2
GOOD = 5


@pytest.fixture
def sends(pulsar: BrokerAddress) -> Sends:
    """Send `GOOD` texts with one message that cannot be read among them."""

    def send(topic: str) -> None:
        client = pulsar_client.Client(pulsar.service_url)
        producer = client.create_producer(topic)
        for number in range(GOOD):
            producer.send(b"%d" % number, properties={"JMSPulsarMessageType": "text"})
            if number == 1:
                producer.send(b"broken", properties={"JMSPulsarMessageType": "map"})
        client.close()

    return send


class Received:
    """What a consumer gave: texts, and how often it failed."""

    def __init__(self) -> None:
        self.texts: Counter[str] = Counter()
        self.failures: list[BaseException] = []

    def once(self, receive: Callable[[], Message | None]) -> None:
        """Note what one call gives."""
        try:
            message = receive()
        except (JMSException, JMSRuntimeException) as error:
            self.failures.append(error)
        else:
            if message is not None:
                assert isinstance(message, TextMessage)
                self.texts[str(message.text)] += 1
                message.acknowledge()


def policy(topic: str) -> Settings:
    """Sets aside after `LIMIT` redeliveries."""
    return {"maxRedeliverCount": LIMIT, "deadLetterTopic": f"persistent://public/default/{topic}"}


def settings(rule: Settings, letters: str, **more: object) -> Settings:
    """A configuration."""
    consumer = {**rule, "deadLetterPolicy": policy(letters)}
    return {"consumerConfig": consumer, "jms.emulateTransactions": True, **more}


def until(condition: Callable[[], bool], step: Callable[[], object]) -> None:
    """Go on with `step` until `condition`, half a minute at most."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        step()


@pytest.mark.parametrize(
    ("mode", "rule", "transport"),
    [
        *((mode, "time-out", "native") for mode in MODES),
        *((mode, "negative acknowledgement", "java") for mode in MODES),
        ("auto", "its backoff", "native"),
        ("client", "negative acknowledgement", "native"),
    ],
)
def test_what_cannot_be_read_comes_as_often_as_the_rules_say_and_is_a_dead_letter(
    factories: Factories, sends: Sends, name: Name, mode: str, rule: str, transport: str
) -> None:
    letters, seen = name(), Received()
    factory = factories(settings(RULES[rule], letters), transport=transport)
    connection = factory.create_connection()
    connection.start()
    session = connection.create_session(*MODES[mode])
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    dead = connection.create_session().create_consumer(session.create_queue(letters))
    sends(queue.queue_name)

    def step() -> None:
        seen.once(lambda: consumer.receive(100))
        if session.transacted:
            session.commit()

    until(lambda: len(seen.failures) > LIMIT, step)
    with pytest.raises(MessageFormatException):
        dead.receive(10_000)
    seen.once(lambda: consumer.receive(100))
    assert len(seen.failures) == LIMIT + 1
    assert all(isinstance(each, MessageFormatException) for each in seen.failures)
    assert seen.texts == {str(number): 1 for number in range(GOOD)}


CALLS: dict[str, Callable[[Any], object]] = {
    "receive": lambda consumer: consumer.receive(5000),
    "receive_no_wait": lambda consumer: consumer.receive_no_wait(),
    "receive_body": lambda consumer: consumer.receive_body(str, 5000),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_context_is_told_by_every_call(
    factories: Factories, sends: Sends, name: Name, call: str
) -> None:
    letters = name()
    factory = factories(settings(RULES["time-out"], letters))
    given: list[object] = []
    failures: list[JMSRuntimeException] = []
    with factory.create_context() as context:
        queue = context.create_queue(name())
        consumer = context.create_consumer(queue)
        sends(queue.queue_name)

        def once() -> None:
            try:
                given.append(CALLS[call](consumer))
            except JMSRuntimeException as error:
                failures.append(error)

        until(lambda: len(failures) > LIMIT, once)
        dead = context.create_consumer(context.create_queue(letters))
        with pytest.raises(JMSRuntimeException, match="cannot be decoded"):
            dead.receive(10_000)
    assert len([each for each in given if each is not None]) == GOOD


@pytest.mark.parametrize(
    ("rule", "transport"), [*((rule, "native") for rule in RULES), ("time-out", "java")]
)
def test_a_listener_goes_on_and_the_connection_is_told(
    factories: Factories, sends: Sends, name: Name, transport: str, rule: str
) -> None:
    letters = name()
    connection = factories(settings(RULES[rule], letters), transport=transport).create_connection()
    told: list[JMSException] = []
    connection.exception_listener = told.append
    session = connection.create_session()
    queue = session.create_queue(name())
    heard: Counter[str] = Counter()
    session.create_consumer(queue).message_listener = lambda message: heard.update(
        [str(message.get_body(str))]
    )
    connection.start()
    sends(queue.queue_name)
    dead = connection.create_session().create_consumer(session.create_queue(letters))
    with pytest.raises(MessageFormatException):
        dead.receive(20_000)
    until(lambda: heard.total() >= GOOD, lambda: time.sleep(0.01))
    assert heard == {str(number): 1 for number in range(GOOD)}
    assert [type(each) for each in told] == [MessageFormatException] * (LIMIT + 1)
    connection.close()


@pytest.mark.parametrize(
    ("kind", "partitions", "transport"),
    [
        *itertools.product(["exclusive", "failover"], [0, 2], ["native"]),
        ("shared", 2, "native"),
        ("exclusive", 0, "java"),
    ],
)
def test_on_topics_it_comes_again_and_good_messages_come_once(
    factories: Factories,
    pulsar: BrokerAddress,
    sends: Sends,
    name: Name,
    kind: str,
    partitions: int,
    transport: str,
) -> None:
    rule = {"consumerConfig": {"ackTimeoutMillis": 1000}, "jms.clientId": name()}
    if kind == "failover":
        rule["jms.topicSharedSubscriptionType"] = "Failover"
    connection = factories(rule, transport=transport).create_connection()
    connection.start()
    session = connection.create_session()
    topic = session.create_topic(name())
    if partitions:
        url = f"{pulsar.admin_url}/admin/v2/persistent/public/default/{topic.topic_name}/partitions"
        httpx.put(url, json=partitions).raise_for_status()
    consumer = (
        session.create_durable_consumer(topic, "s")
        if kind == "exclusive"
        else session.create_shared_durable_consumer(topic, "s")
    )
    sends(topic.topic_name)
    seen = Received()
    until(lambda: len(seen.failures) > LIMIT, lambda: seen.once(lambda: consumer.receive(100)))
    assert seen.texts == {str(number): 1 for number in range(GOOD)}


def test_without_any_rule_it_comes_again_ever_less_often(
    factories: Factories, sends: Sends, name: Name
) -> None:
    connection = factories().create_connection()
    connection.start()
    session = connection.create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    waits: list[float] = []
    nack_quietly = consumer.receive_queue.nack_quietly

    def noted(delivered: DeliveredMessage, wait: float) -> None:
        waits.append(wait)
        nack_quietly(delivered, wait)

    consumer.receive_queue.nack_quietly = noted  # type: ignore[method-assign]
    sends(queue.queue_name)
    seen = Received()
    until(lambda: len(seen.failures) > LIMIT, lambda: seen.once(lambda: consumer.receive(100)))
    assert waits == [1.0, 2.0, 4.0]
    assert seen.texts == {str(number): 1 for number in range(GOOD)}


@transports
def test_a_browser_tells_of_it_and_goes_on(
    factories: Factories, sends: Sends, name: Name, transport: str
) -> None:
    with factories(transport=transport).create_connection() as connection:
        session = connection.create_session()
        queue = session.create_queue(name())
        session.create_consumer(queue).close()
        sends(queue.queue_name)
        browsed: list[object] = []
        with session.create_browser(queue) as browser:
            enumeration = browser.enumeration
            while enumeration.has_more_elements():
                try:
                    browsed.append(next(enumeration).get_body(str))
                except MessageFormatException as error:
                    browsed.append(type(error))
    assert browsed == ["0", "1", MessageFormatException, "2", "3", "4"]
