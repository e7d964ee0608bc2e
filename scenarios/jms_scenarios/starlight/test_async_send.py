"""Asynchronous sends: they return before the broker confirms, and tell when it has."""

from concurrent.futures import wait

import pytest

from jms_scenarios.listening import started
from jms_scenarios.moments import a_while
from touchstone.api import (
    HOLD,
    eventually,
    judge_drawn_async_sends,
    observe,
    permissive,
    requirement,
    slow,
)


class NotingCompletions:
    """A completion listener that notes what it is told."""

    def __init__(self):
        self.completed = []
        self.failed = []

    def on_completion(self, message):
        self.completed.append(message)

    def on_exception(self, message, exception):
        self.failed.append(exception)


class Sender:
    """A session and a producer at work, whose further sends the broker does not confirm."""

    def __init__(self, session, queue, proxy):
        self.session = session
        self.listener = NotingCompletions()
        self._producer = session.create_producer(queue)
        self.send("first")
        eventually(lambda: self.listener.completed)
        self.listener = NotingCompletions()
        self.confirmations = proxy.on("SEND_RECEIPT", action=HOLD)

    def send(self, text):
        """Send asynchronously; gives the message."""
        message = self.session.create_text_message(text)
        self._producer.send(message, completion_listener=self.listener)
        return message


@pytest.fixture
def sender(faults, jms_at, queue):
    proxy, address = faults.frame_proxy()
    sender = Sender(jms_at(address).session(), queue, proxy)
    yield sender
    sender.confirmations.release()


def payloads(messages):
    return [message.payload for message in messages]


@requirement("SLJ-ASY-001")
def test_asynchronous_send_returns_before_the_broker_confirms(sender, queue, wire):
    """send() returns while the confirmation is held; once it comes, the listener is told."""
    sending = started(lambda: sender.send("second"))

    eventually(sending.done)
    eventually(lambda: sender.confirmations.held)
    assert payloads(wire.messages(queue)) == [b"first", b"second"]
    assert sender.listener.completed == sender.listener.failed == []

    sender.confirmations.release()

    eventually(lambda: sender.listener.completed)
    assert sender.listener.completed == [sending.result()]
    assert sender.listener.failed == []


@requirement("SLJ-ASY-002")
@permissive
def test_close_ends_with_an_asynchronous_send_outstanding(sender, queue, wire):
    """A session closed before the broker confirms does not hang, and the message is not lost."""
    sender.send("second")
    eventually(lambda: sender.confirmations.held)

    closing = started(sender.session.close)

    wait([closing], timeout=a_while())
    observe("close() returns before the completion", closing.done())
    sender.confirmations.release()
    eventually(closing.done)
    assert closing.exception() is None
    assert payloads(wire.messages(queue)) == [b"first", b"second"]
    observe("completions by the end of close()", len(sender.listener.completed))


@slow
@requirement("SLJ-ASY-001", "SLJ-ASY-002")
def test_drawn_programs_on_asynchronous_publishing(at_hand):
    """Each send comes back and is told, and each close comes back, whatever is outstanding."""
    judge_drawn_async_sends(at_hand, count=15, of_vendor=True)
