"""Asynchronous sends: each outcome reported once, in order, on a thread of the session."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

from jmsapi import IllegalStateException, JMSException, Message, TextMessage
from lasting_threads import unexpected
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.producing.completions import Completions

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]


class Outcomes:
    """A completion listener that keeps what is reported."""

    def __init__(self, inside: Callable[[], None] | None = None) -> None:
        self.completed: list[Message] = []
        self.failed: list[tuple[Message, Exception]] = []
        self.raised: list[Exception] = []
        self.threads: set[threading.Thread] = set()
        self.inside = inside

    def on_completion(self, message: Message) -> None:
        """Keep a success."""
        self.threads.add(threading.current_thread())
        if self.inside is not None:
            try:
                self.inside()
            except IllegalStateException as error:
                self.raised.append(error)
        self.completed.append(message)

    def on_exception(self, message: Message, exception: Exception) -> None:
        """Keep a failure."""
        self.threads.add(threading.current_thread())
        self.failed.append((message, exception))


def test_every_outcome_is_told_once_in_order_with_its_id(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    producer = session.create_producer(queue)
    outcomes = Outcomes()
    sent = [session.create_text_message(str(number)) for number in range(500)]
    for message in sent:
        producer.send(message, completion_listener=outcomes)
    producer.close()
    assert outcomes.completed == sent
    assert outcomes.failed == []
    assert len({message.jms_message_id for message in sent}) == 500
    assert len(outcomes.threads) == 1
    assert threading.current_thread() not in outcomes.threads
    consumer = session.create_consumer(queue)
    received = [consumer.receive(5000) for _ in range(500)]
    assert [message.jms_message_id for message in received if message] == [
        message.jms_message_id for message in sent
    ]


def test_a_send_that_waits_comes_after_those_that_did_not(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    producer = session.create_producer(queue)
    for number in range(60):
        message = session.create_text_message(str(number))
        if number % 6:
            producer.send(message, completion_listener=Outcomes())
        else:
            producer.send(message)
    consumer = session.create_consumer(queue)
    received = [consumer.receive(5000) for _ in range(60)]
    texts = [message.text for message in received if isinstance(message, TextMessage)]
    assert texts == [str(number) for number in range(60)]


def test_closing_the_session_waits_for_every_outcome(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    producer = session.create_producer(session.create_queue(name()))
    outcomes = Outcomes()
    for _ in range(50):
        producer.send(session.create_text_message("x"), completion_listener=outcomes)
    session.close()
    assert len(outcomes.completed) == 50


def test_a_send_that_fails_is_told_as_failure(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    producer = session.create_producer(session.create_queue(name()))
    outcomes = Outcomes()
    message = session.create_text_message("x" * (6 * 1024 * 1024))
    producer.send(message, completion_listener=outcomes)
    session.close()
    assert outcomes.completed == []
    ((failed, error),) = outcomes.failed
    assert failed is message
    assert isinstance(error, JMSException)
    assert "MessageTooBig" in str(error)


@pytest.mark.parametrize("call", ["session.close", "connection.close", "producer.close"])
def test_a_completion_listener_may_not_close_what_calls_it(
    connect: Connect, name: Name, call: str
) -> None:
    connection = connect()
    session = connection.create_session()
    producer = session.create_producer(session.create_queue(name()))
    calls = {
        "session.close": session.close,
        "connection.close": connection.close,
        "producer.close": producer.close,
    }
    outcomes = Outcomes(calls[call])
    producer.send(session.create_text_message("x"), completion_listener=outcomes)
    producer.close()
    assert len(outcomes.raised) == 1


def test_a_completion_listener_may_send_again(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    producer = session.create_producer(queue)
    outcomes = Outcomes(lambda: producer.send(session.create_text_message("second")))
    producer.send(session.create_text_message("first"), completion_listener=outcomes)
    consumer = session.create_consumer(queue)
    received = [consumer.receive(5000) for _ in range(2)]
    assert [message.text for message in received if isinstance(message, TextMessage)] == [
        "first",
        "second",
    ]


def test_a_completion_listener_that_exits_stops_no_other(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    producer = session.create_producer(session.create_queue(name()))
    outcomes = Outcomes(sys.exit)
    for _ in range(2):
        producer.send(session.create_text_message("x"), completion_listener=outcomes)
    closing = threading.Thread(target=producer.close, daemon=True)
    closing.start()
    closing.join(5)
    assert not closing.is_alive()
    assert len(outcomes.threads) == 1


class Numbered:
    """An outcome that notes when it is reported."""

    def __init__(self, completions: Completions, number: int, told: list[int]) -> None:
        self.known = False
        self._completions = completions
        self._number = number
        self._told = told

    def tell(self) -> None:
        """Note it."""
        self._told.append(self._number)

    def cancel(self) -> None:
        """It is reported like any other here."""
        self._completions.add(self)


def test_outcomes_are_told_in_the_order_of_the_sends_whenever_they_come() -> None:
    completions, told = Completions("order", unexpected), list[int]()
    outcomes = [Numbered(completions, number, told) for number in range(4)]
    for outcome in outcomes:
        completions.expect(outcome)
    for number in (3, 1, 0, 2):
        completions.add(outcomes[number])
    completions.close()
    assert told == [0, 1, 2, 3]


def test_a_send_after_the_close_of_its_completions_is_refused() -> None:
    completions, told = Completions("closed", unexpected), list[int]()
    completions.close()
    with pytest.raises(IllegalStateException, match="closed before the send"):
        completions.expect(Numbered(completions, 1, told))
    completions.close()
    assert completions.is_current() is False
