"""Drawn programs on asynchronous sends notice wrong clients, by the statement that they break."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import pytest

from drawn.sends_in_memory import AloneSession, Connection, Transport, hunted
from drawn.sessions_in_memory import declared_by
from jms_scenarios.core.async_send import test_drawn_programs as test_async_send
from jmsapi import IllegalStateException, JMSException, MessageFormatException
from pulsar_jms.messages import mark_sent
from pulsar_jms.producing.async_send import _Send
from pulsar_jms.producing.completions import Completions
from pulsar_jms.producing.producer import PulsarMessageProducer

pytestmark = pytest.mark.thorough

DECLARED = declared_by(test_async_send.test_drawn_programs_on_asynchronous_sends)
Patch = pytest.MonkeyPatch


def second_is_not_told(patch: Patch) -> None:
    """Of every third send nobody is told."""
    told, count = _Send.tell, iter(range(10**6))

    def tell(self: Any) -> None:
        if next(count) % 3 != 1:
            told(self)

    patch.setattr(_Send, "tell", tell)


def told_twice(patch: Patch) -> None:
    """A listener that throws is called again."""
    told = _Send.tell

    def tell(self: Any) -> None:
        try:
            told(self)
        except Exception:
            told(self)

    patch.setattr(_Send, "tell", tell)


def failures_are_completions(patch: Patch) -> None:
    """What is too large is told of to nobody."""
    told = _Send.tell

    def tell(self: Any) -> None:
        if not isinstance(self._outcome[0], JMSException):
            told(self)

    patch.setattr(_Send, "tell", tell)


def told_before_it_is_sent(patch: Patch) -> None:
    """The last message of a queue is lost."""
    sent = Transport.send_async

    def send(self: Any, message: Any, done: Any, transaction: object) -> None:
        sent(self, message, done, transaction)
        queue = self._session.factory.queues.get(self._name, [])
        if len(queue) > 2:
            queue.pop()

    patch.setattr(Transport, "send_async", send)


def refused_is_told(patch: Patch) -> None:
    """Of a send by a closed producer a listener is told, too."""
    sent = PulsarMessageProducer.send

    def send(self: Any, message: Any, **given: Any) -> None:
        try:
            sent(self, message, **given)
        except Exception as error:
            listener = given.get("completion_listener")
            if listener is not None and message is not None:
                thread = threading.Thread(target=listener.on_exception, args=(message, error))
                thread.start()
                thread.join()
            raise

    patch.setattr(PulsarMessageProducer, "send", send)


def asynchronous_first(patch: Patch) -> None:
    """They overtake what was sent synchronously."""
    sent = Transport.send_async

    def send(self: Any, message: Any, done: Any, transaction: object) -> None:
        sent(self, message, done, transaction)
        queue = self._session.factory.queues.get(self._name, [])
        if queue:
            queue.insert(0, queue.pop())

    patch.setattr(Transport, "send_async", send)


def commit_does_not_wait(patch: Patch) -> None:
    """The end of a transaction looks for no callbacks."""
    patch.setattr(AloneSession, "_ends", lambda self: self.check_no_completion("end"))


def close_of_a_producer_does_not_wait(patch: Patch) -> None:
    """Callbacks come later."""
    patch.setattr(PulsarMessageProducer, "close", lambda self: setattr(self, "_closed", True))


def close_of_a_connection_is_not_refused(patch: Patch) -> None:
    """In a callback it does nothing."""
    closed = Connection.close

    def close(self: Any) -> None:
        if not any(each.completions.is_current() for each in self.sessions):
            closed(self)

    patch.setattr(Connection, "close", close)


def refused_with_another_exception(patch: Patch) -> None:
    """A callback that closes its session gets a JMSException."""

    def check(self: Any, what: str) -> None:
        if self.completions.is_current():
            raise JMSException(what)

    patch.setattr(AloneSession, "check_no_completion", check)


def refused_close_closes(patch: Patch) -> None:
    """A callback that may not close its session has closed it all the same."""

    def check(self: Any, what: str) -> None:
        if self.completions.is_current():
            self.closed = "close" in what
            raise IllegalStateException(what)

    patch.setattr(AloneSession, "check_no_completion", check)


def headers_come_behind(patch: Patch) -> None:
    """The message has its id when the listener has returned."""

    def tell(self: Any) -> None:
        try:
            at = self._transport_producer.read_outcome(*self._outcome)
        except JMSException as error:
            self._listener.on_exception(self._message, error)
            return
        self._listener.on_completion(self._message)
        mark_sent(self._message, at)

    patch.setattr(_Send, "tell", tell)


def session_is_its_listeners(patch: Patch) -> None:
    """While a callback is outstanding the session makes no producer."""
    created = AloneSession.create_consumer

    def create(self: Any, queue: Any) -> Any:
        if self.completions._open:
            raise JMSException("busy")
        return created(self, queue)

    patch.setattr(AloneSession, "create_consumer", create)
    patch.setattr(AloneSession, "create_receiver", create)


def each_on_its_own_thread(patch: Patch) -> None:
    """Callbacks run side by side."""

    def add(self: Any, outcome: Any) -> None:
        def tell() -> None:
            with contextlib.suppress(Exception):
                outcome.tell()
            self._open.remove(outcome)
            with self._lock:
                self._changed.notify_all()

        threading.Thread(target=tell, daemon=True).start()

    patch.setattr(Completions, "add", add)


def latest_first(patch: Patch) -> None:
    """Of two that are waiting the later one is told first."""

    def run(self: Any) -> None:
        while self._news.get():
            known = [each for each in self._open if each.known]
            for each in reversed(known):
                with contextlib.suppress(Exception):
                    each.tell()
                self._open.remove(each)
            with self._lock:
                self._changed.notify_all()

    patch.setattr(Completions, "_run", run)


def on_the_sending_thread(patch: Patch) -> None:
    """A callback is made by send()."""

    def add(self: Any, outcome: Any) -> None:
        with contextlib.suppress(Exception):
            outcome.tell()
        self._open.remove(outcome)

    patch.setattr(Completions, "add", add)


def null_is_sent(patch: Patch) -> None:
    """null has no exception of its own."""
    converted = PulsarMessageProducer._convert

    def convert(self: Any, message: Any) -> Any:
        try:
            return converted(self, message)
        except MessageFormatException as error:
            raise JMSException("null") from error

    patch.setattr(PulsarMessageProducer, "_convert", convert)


def synchronous_sends_do_not_wait(patch: Patch) -> None:
    """They are not there yet, and some never are."""
    sent, caller_of_the_test = Transport.send, threading.current_thread()

    def send(self: Any, message: Any) -> Any:
        position = sent(self, message)
        if threading.current_thread() is not caller_of_the_test:
            queue = self._session.factory.queues.get(self._name, [])
            if queue and queue[-1].position == position:
                queue.pop()
        return position

    def send_async(self: Any, message: Any, done: Any, transaction: object) -> None:
        done(sent(self, message))

    patch.setattr(Transport, "send", send)
    patch.setattr(Transport, "send_async", send_async)


WRONG: dict[Callable[[Patch], None], str] = {
    second_is_not_told: "JMS-ASY-001",
    told_twice: "JMS-ASY-001",
    told_before_it_is_sent: "JMS-ASY-002",
    refused_is_told: "JMS-ASY-003",
    failures_are_completions: "JMS-ASY-004",
    asynchronous_first: "JMS-ASY-005",
    commit_does_not_wait: "JMS-ASY-006",
    close_of_a_producer_does_not_wait: "JMS-ASY-007",
    close_of_a_connection_is_not_refused: "JMS-ASY-008",
    refused_with_another_exception: "JMS-ASY-008",
    refused_close_closes: "JMS-ASY-008",
    headers_come_behind: "JMS-ASY-009",
    session_is_its_listeners: "JMS-ASY-010",
    each_on_its_own_thread: "JMS-ASY-011",
    latest_first: "JMS-ASY-012",
    on_the_sending_thread: "JMS-ASY-013",
    null_is_sent: "API-PROD-012",
    synchronous_sends_do_not_wait: "JMS-PROD-005",
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: each.__name__)
def test_wrong_client_is_noticed(wrong: Callable[[Patch], None], monkeypatch: Patch) -> None:
    wrong(monkeypatch)
    hunt = hunted(WRONG[wrong])
    assert hunt.against(WRONG[wrong]), sorted(hunt.found)


def test_refused_close_that_closes_is_not_held_against_later_calls(monkeypatch: Patch) -> None:
    refused_close_closes(monkeypatch)
    assert {id_ for each in hunted(*DECLARED).found.values() for id_ in each.ids} == {"JMS-ASY-008"}


def test_message_that_stays_read_only_is_not_held_against_the_next_send(
    monkeypatch: Patch,
) -> None:
    told = _Send.tell

    def tell(self: Any) -> None:
        self._message._properties_read_only = True
        told(self)

    monkeypatch.setattr(_Send, "tell", tell)
    assert hunted(*DECLARED).found == {}


def test_session_that_another_ones_close_has_closed_is_not_held_against_its_sends(
    monkeypatch: Patch,
) -> None:
    began = AloneSession.__init__

    def begin(self: Any, connection: Connection, mode: int) -> None:
        began(self, connection, mode)
        self.besides = connection.sessions

    closed = AloneSession.close

    def close(self: Any) -> None:
        closed(self)
        for each in self.besides:
            each.closed = True

    monkeypatch.setattr(AloneSession, "__init__", begin)
    monkeypatch.setattr(AloneSession, "close", close)
    assert hunted("JMS-ASY-001", "JMS-ASY-010").found == {}


def test_right_client_is_not_accused() -> None:
    hunt = hunted(*DECLARED)
    assert {signature: each.shown for signature, each in hunt.found.items()} == {}
    assert sorted(DECLARED - hunt.driver.decided.keys()) == []
