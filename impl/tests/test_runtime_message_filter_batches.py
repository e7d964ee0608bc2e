"""Selectors on batches, which the broker takes back whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from jmsapi import (
    CompletionListener,
    Destination,
    Message,
    SessionMode,
)
from numbered_texts import NACK_DELAY, Backlog, Look, send, text, wait_for
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    pass

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]


# -- batches, which the broker takes back whole ------------------------------------------------


class Completed(CompletionListener):
    """Counts the sends that the broker has confirmed."""

    def __init__(self) -> None:
        self.count = 0

    def on_completion(self, message: Message) -> None:
        self.count += 1

    def on_exception(self, message: Message, exception: Exception) -> None:
        raise exception


def send_batch(session: PulsarSession, to: Destination, xs: list[int]) -> None:
    """Send as `send` does, in one batch; the texts are numbered from 0."""
    completed = Completed()
    with session.create_producer(to) as producer:
        for number, x in enumerate(xs):
            message = session.create_text_message(f"{number}")
            message.set_int_property("x", x)
            producer.send(message, completion_listener=completed)
        wait_for(lambda: completed.count == len(xs))


BATCHES = {
    NACK_DELAY: 200_000,
    "producerConfig.batchingMaxPublishDelayMicros": 3_000_000,
    "producerConfig.batchingMaxMessages": 6,
}


@pytest.mark.parametrize("mode", [SessionMode.CLIENT_ACKNOWLEDGE, SessionMode.SESSION_TRANSACTED])
def test_what_the_application_holds_does_not_come_again_with_its_batch(
    connect: Connect, name: Name, only_subscription: Look, backlog: Backlog, mode: SessionMode
) -> None:
    connection = connect({**BATCHES, "jms.emulateTransactions": True})
    session = connection.create_session(mode == SessionMode.SESSION_TRANSACTED, mode)
    plain = connection.create_session()
    queue = plain.create_queue(name())
    consumer = session.create_consumer(queue, "x = 1")
    send_batch(plain, queue, [1, 2, 1, 2, 1, 2])
    messages = [consumer.receive(10_000) for _ in range(3)]
    assert [text(message) for message in messages] == ["0", "2", "4"]

    def came_twice_more() -> bool:
        assert consumer.receive(50) is None
        return int(only_subscription(queue.queue_name)["msgOutCounter"]) >= 18

    wait_for(came_twice_more)
    send(plain, queue, [1])
    last = consumer.receive(10_000)
    assert last is not None
    assert text(last) == "1"
    if session.transaction is not None:
        session.commit()
    else:
        last.acknowledge()
    wait_for(lambda: backlog(queue.queue_name) == 1)  # the batch counts as one
    consumer.close()
    rest = plain.create_consumer(queue)
    assert [text(rest.receive(10_000)) for _ in range(3)] == ["1", "3", "5"]


def test_what_was_fetched_ahead_is_handed_out_once_although_its_batch_comes_again(
    connect: Connect, name: Name, only_subscription: Look
) -> None:
    session = connect(BATCHES).create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue, "x = 1")
    send_batch(session, queue, [2, 1, 1, 1, 1, 1])
    assert text(consumer.receive(10_000)) == "1"
    wait_for(lambda: only_subscription(queue.queue_name)["msgOutCounter"] > 6)
    assert [text(consumer.receive(10_000)) for _ in range(4)] == ["2", "3", "4", "5"]
    send(session, queue, [1])
    marker = consumer.receive(10_000)
    assert marker is not None
    assert (text(marker), marker.get_int_property("JMSXDeliveryCount")) == ("1", 1)


def test_recover_has_messages_of_a_batch_come_again(connect: Connect, name: Name) -> None:
    connection = connect(BATCHES)
    session = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue, "x = 1")
    send_batch(session, queue, [1, 2, 1, 2, 1, 2])
    for _ in range(3):
        assert [text(consumer.receive(10_000)) for _ in range(3)] == ["0", "2", "4"]
        session.recover()
