"""When the broker is asked where messages went that were given back, and what follows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

import pytest

from jmsapi import JMSException, SessionMode
from lasting_threads import unexpected
from numbered_texts import Look
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.deliveries.redelivery_times import DEFAULT_TIMES, RedeliveryTimes
from pulsar_jms.deliveries.redelivery_tracker import RedeliveryTracker
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.timer import Timer
from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.credentials import Credentials

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
QUICK = {
    "consumerConfig": {"negativeAckRedeliveryDelayMicros": 1_000, "receiverQueueSize": 1},
}
SOON = 20.0


class Answers:
    """An administration that answers this question, as often as there are answers."""

    def __init__(self, *answers: bool | JMSException) -> None:
        self.answers = [*answers]
        self.asked: list[str] = []

    def all_sent_again(self, topic: str, subscription: str) -> bool:
        self.asked.append(topic)
        answer = self.answers.pop(0)
        if isinstance(answer, JMSException):
            raise answer
        return answer


@pytest.fixture
def timer() -> Iterator[Timer]:
    """A clock that ends with the test."""
    alarms = Timer("test", unexpected)
    yield alarms
    alarms.close()


def watching(answers: Answers, timer: Timer) -> RedeliveryTracker:
    """Who asks them."""
    return RedeliveryTracker(cast("Administration", answers), "s", timer)


def test_it_asks_until_all_topics_have_sent(timer: Timer) -> None:
    answers, sent = Answers(False, False, True), threading.Event()
    watching(answers, timer).watch(frozenset({"t"}), 0.0, lambda: True, sent.set)
    assert sent.wait(SOON)
    assert answers.asked == ["t"] * 3


def test_one_topic_that_has_not_sent_is_enough_to_ask_again(timer: Timer) -> None:
    answers, sent = Answers(True, False, True, True), threading.Event()
    watching(answers, timer).watch(frozenset({"t", "u"}), 0.0, lambda: True, sent.set)
    assert sent.wait(SOON)
    assert sorted(answers.asked) == ["t", "t", "u", "u"]


@pytest.mark.parametrize("answer", [JMSException("no rights"), False])
def test_it_ends_when_nobody_answers_or_waits(timer: Timer, answer: bool | JMSException) -> None:
    answers, asked, sent = Answers(answer), threading.Semaphore(0), threading.Event()

    def waits() -> bool:
        asked.release()
        return not answers.asked

    watching(answers, timer).watch(frozenset({"t"}), 0.0, waits, sent.set)
    for _ in range(1 if isinstance(answer, JMSException) else 2):
        assert asked.acquire(timeout=SOON)
    settled = threading.Event()
    timer.after(0.2, settled.set)  # longer than until another question
    assert settled.wait(SOON)
    assert answers.asked == ["t"]
    assert not sent.is_set()


Member = tuple[PulsarSession, PulsarMessageConsumer]


def member(
    factory: PulsarConnectionFactory, queue: str, times: RedeliveryTimes = DEFAULT_TIMES
) -> Member:
    """A session whose application acknowledges, and its consumer of a queue."""
    connection = factory.create_connection()
    factory.client.redelivery_times = times
    connection.start()
    session = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    return session, session.create_consumer(session.create_queue(queue))


def send(session: PulsarSession, queue: str, count: int) -> None:
    """Send as many messages."""
    with session.create_producer(session.create_queue(queue)) as producer:
        for _ in range(count):
            producer.send(session.create_message())


def given_back_to_the_other(first: Member, second: Member) -> bool:
    """Whether the second got the message that the first gave back, if it was the first's."""
    for session, consumer in (first, second) * 200:
        message = consumer.receive(50)
        if message is None:
            continue
        if session is first[0] and not message.jms_redelivered:
            session.recover()
            continue
        message.acknowledge()
        return session is second[0] and message.jms_redelivered
    raise AssertionError("nobody got the message")


@pytest.mark.parametrize("transport", ["native", "java"])
def test_who_gave_back_goes_on_when_another_got_it(
    factories: Factories, name: Name, transport: str
) -> None:
    """However long it would wait for a message that may still come."""
    queue, times = name(), RedeliveryTimes(arrival=3600.0)
    first, second = (member(factories(QUICK, transport), queue, times) for _ in range(2))
    for _ in range(100):
        send(first[0], queue, 1)
        if given_back_to_the_other(first, second):
            break
    else:
        raise AssertionError("no message went to the other in a hundred tries")
    send(first[0], queue, 5)
    assert first[1].receive(20_000) is not None


def until(condition: Callable[[], bool]) -> bool:
    """Whether it became true in a time that is enough for any machine."""
    end = time.monotonic() + SOON
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_the_broker_tells_what_it_has_sent_again(
    factories: Factories, pulsar: BrokerAddress, name: Name, only_subscription: Look
) -> None:
    topic = f"persistent://public/default/{(queue := name())}"
    admin = AdminRest(pulsar.admin_url, Credentials(), request_timeout=SOON, startup_timeout=0.0)
    assert not admin.all_sent_again(topic, "jms-queue")  # there is no topic

    session, consumer = member(factories(QUICK), queue)
    send(session, queue, 4)
    assert not admin.all_sent_again(topic, "other")
    assert not admin.all_sent_again(topic, "jms-queue")  # this consumer will get all

    _, other = member(factories(QUICK), queue)
    assert admin.all_sent_again(topic, "jms-queue")
    assert consumer.receive(5000) is not None
    # The second and third message are where there is room for one each.
    assert until(lambda: only_subscription(queue)["unackedMessages"] == 3)
    session.recover()
    assert until(lambda: not admin.all_sent_again(topic, "jms-queue"))

    def emptied() -> bool:
        for receiver in (consumer, other):
            while (message := receiver.receive(50)) is not None:
                message.acknowledge()
        return admin.all_sent_again(topic, "jms-queue")

    assert until(emptied)
    admin.close()
