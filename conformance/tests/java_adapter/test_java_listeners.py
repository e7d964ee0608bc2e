"""What Java calls back, and what it enumerates, in both namespaces."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import jpype
import pytest

import jmsapi
from java_adapter.java_fakes import UNCHECKED, Fake, Outcomes, java_call
from jms_clients.errors import ClientError
from jms_clients.java.connections import JavaConnection, Jms
from jms_clients.java.consumers import JavaQueueBrowser
from jms_clients.java.messages import MESSAGE
from jms_clients.java.producers import JavaMessageProducer
from jms_clients.java.sessions import JavaSession
from jmsapi import (
    TextMessage,
)


def browsed(jms: Jms, enumeration: Any) -> jmsapi.Enumeration:
    """What a browser gives for an enumeration of Java."""
    fake = Fake(jms, "QueueBrowser", getEnumeration=lambda: enumeration)
    return JavaQueueBrowser(jms, fake.java).enumeration


def test_an_enumeration_ends_where_java_throws(jms: Jms) -> None:
    message = Fake(jms, "TextMessage", getText=lambda: "t")
    listed = browsed(jms, jpype.java.util.Vector([message.java]).elements())
    assert listed.has_more_elements()
    first = next(listed)
    assert isinstance(first, TextMessage)
    assert first.text == "t"
    assert not listed.has_more_elements()
    with pytest.raises(StopIteration):
        next(listed)
    assert list(listed) == []


def test_a_loop_asks_first_and_does_not_see_what_is_past_the_end(jms: Jms) -> None:
    left = [Fake(jms, "TextMessage", getText=lambda: "t").java]
    java = Fake(
        Jms("java.util"),
        "Enumeration",
        hasMoreElements=lambda: jpype.java.lang.Boolean(bool(left)),
        nextElement=lambda: left.pop() if left else None,
    ).java
    (listed,) = list(browsed(jms, java))
    assert isinstance(listed, TextMessage)
    assert listed.text == "t"
    with pytest.raises(ClientError, match=r"nextElement\(\) gave null"):
        next(browsed(jms, java))


def test_an_enumeration_has_no_null(jms: Jms) -> None:
    with pytest.raises(ClientError, match=r"nextElement\(\) gave null"):
        next(browsed(jms, jpype.java.util.Vector([None]).elements()))


def hear(jms: Jms, listener: Callable[[Any], None], message: Any) -> Any:
    """What Java sees thrown when a message comes to `listener` of a session; None for nothing."""
    fake = Fake(jms, "Session")
    JavaSession(jms, fake.java).message_listener = listener
    (java_listener,) = fake.arguments["setMessageListener"]
    return java_call(jms, "MessageListener", "onMessage", java_listener, message)


def test_a_listener_is_called_on_a_daemon_thread_with_the_message(jms: Jms) -> None:
    seen: list[tuple[object, bool, bool]] = []

    def listener(message: Any) -> None:
        thread = threading.current_thread()
        seen.append((message, thread is threading.main_thread(), thread.daemon))

    message = Fake(jms, "TextMessage").java
    assert hear(jms, listener, message) is None
    ((received, in_main, daemon),) = seen
    assert isinstance(received, TextMessage)
    assert (in_main, daemon) == (False, True)


def test_what_a_listener_raises_is_thrown_unchecked(jms: Jms) -> None:
    def listener(message: Any) -> None:
        raise KeyError("lost")

    error = hear(jms, listener, Fake(jms, "Message").java)
    assert str(error.getClass().getName()) == "java.lang.RuntimeException"
    assert str(error.getMessage()) == "KeyError: 'lost'"


@pytest.mark.parametrize("name", UNCHECKED)
def test_an_unchecked_exception_of_a_listener_keeps_its_class(jms: Jms, name: str) -> None:
    def listener(message: Any) -> None:
        raise getattr(jmsapi, name)("why", "E7")

    error = hear(jms, listener, Fake(jms, "Message").java)
    assert str(error.getClass().getName()) == f"{jms.namespace}.{name}"
    assert (str(error.getMessage()), str(error.getErrorCode())) == ("why", "E7")


def test_an_exception_listener_is_given_the_exception(jms: Jms) -> None:
    seen: list[Exception] = []
    fake = Fake(jms, "Connection")
    JavaConnection(jms, fake.java).exception_listener = seen.append
    (told,) = fake.arguments["setExceptionListener"]
    error = jms.interface("JMSSecurityException")("why", "E7")
    assert java_call(jms, "ExceptionListener", "onException", told, error) is None
    assert [(type(each), str(each)) for each in seen] == [(jmsapi.JMSSecurityException, "why")]


def test_the_exception_listener_is_the_one_that_java_has(jms: Jms) -> None:
    """Not the one that was set last: a client that keeps an older one is to be seen."""
    kept: list[Any] = []
    fake = Fake(
        jms,
        "Connection",
        setExceptionListener=lambda java: kept.append(java) if len(kept) < 1 else None,
        getExceptionListener=lambda: kept[0] if kept else None,
    )
    connection = JavaConnection(jms, fake.java)
    assert connection.exception_listener is None
    first: list[Exception] = []
    connection.exception_listener = first.append
    assert connection.exception_listener == first.append
    connection.exception_listener = print
    assert connection.exception_listener == first.append
    connection.exception_listener = None
    assert connection.exception_listener is not None


def test_a_completion_listener_is_told_of_the_message_that_was_sent(jms: Jms) -> None:
    fake, outcomes = Fake(jms, "MessageProducer"), Outcomes()
    message = MESSAGE.from_java(jms, Fake(jms, "TextMessage").java)
    producer = JavaMessageProducer(jms, fake.java)
    producer.send(message, completion_listener=outcomes)
    sent, told = fake.arguments["send"]
    java_call(jms, "CompletionListener", "onCompletion", told, sent)
    failure = jms.interface("ResourceAllocationException")("full")
    java_call(jms, "CompletionListener", "onException", told, sent, failure)
    (confirmed,), (failed, error) = outcomes.told
    assert confirmed is message
    assert failed is message
    assert type(error) is jmsapi.ResourceAllocationException
