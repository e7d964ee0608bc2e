"""What a trace shows of a client, what it hides, and that the client works as without it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from jms_brokers.machine.secrecy import learn
from jms_clients.interface import VendorConstants
from jms_clients.recorded import RecordedClient
from jms_clients.trace import EVENTS, Trace
from jmsapi import JMSException


class Producer:
    priority = 4

    def send(self, body: object, *, listener: Any = None) -> None:
        if listener is not None:
            listener.on_completion(body)

    def set_priority(self, priority: int) -> Producer:
        self.priority = priority
        return self

    def fail(self) -> None:
        raise JMSException("no")


class Consumer:
    message_listener: Any = None


class Session:
    def __init__(self) -> None:
        self.consumers: list[Consumer] = []

    def create_producer(self, destination: object = None) -> Producer:
        return Producer()

    def create_consumer(self, destination: object) -> Consumer:
        self.consumers.append(Consumer())
        return self.consumers[-1]

    def owns(self, consumer: object) -> bool:
        return consumer in self.consumers


class Connection:
    closed = False

    def __init__(self, user_name: str | None = None, password: str | None = None) -> None:
        self.session = Session()

    def create_session(self) -> Session:
        return self.session

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *error: object) -> None:
        self.closed = True


class Factory:
    def create_connection(
        self, user_name: str | None = None, password: str | None = None
    ) -> Connection:
        return Connection(user_name, password)


@pytest.fixture
def trace() -> Trace:
    return Trace()


@pytest.fixture
def factory(trace: Trace) -> Any:
    client: Any = SimpleNamespace(
        constants=VendorConstants(), connection_factory=lambda settings: Factory()
    )
    settings = {"authParams": "token:hunter2", "consumerConfig": {"secretKey": "hunter3"}, "a": 1}
    return RecordedClient(client, trace).connection_factory(settings)


def events(trace: Trace) -> list[dict[str, Any]]:
    return [json.loads(line) for line in trace.lines()]


def test_calls_results_and_failures_are_recorded(factory: Any, trace: Trace) -> None:
    producer = factory.create_connection().create_session().create_producer("q")
    producer.send(b"body")
    with pytest.raises(JMSException):
        producer.fail()
    shown = [(event["event"], event["on"], event["what"]) for event in events(trace)]
    assert shown == [
        ("call", "client", "connection_factory"),
        ("call", "factory-1", "create_connection"),
        ("call", "connection-1", "create_session"),
        ("call", "session-1", "create_producer"),
        ("call", "producer-1", "send"),
        ("raised", "producer-1", "fail"),
    ]
    assert events(trace)[3]["got"] == "producer-1"
    assert "no" in events(trace)[5]["got"]
    assert [event["at"] for event in events(trace)] == sorted(e["at"] for e in events(trace))


def test_no_secret_is_recorded(factory: Any, trace: Trace) -> None:
    factory.create_connection("me", "hunter4")
    factory.create_connection(user_name="me", password="hunter5")
    factory.create_connection().create_session().create_producer("said hunter6 aloud")
    learn("hunter6")
    text = "\n".join(trace.lines())
    assert "hunter" not in text
    assert text.count("***") == 5


def test_the_objects_behave_as_without_a_trace(factory: Any) -> None:
    connection = factory.create_connection()
    with connection as entered:
        assert entered is connection
        session = connection.create_session()
        producer = session.create_producer()
        assert producer.set_priority(9) is producer
        assert producer.priority == 9
        producer.priority = 2
        assert producer.priority == 2
        assert session.owns(session.create_consumer("q"))
    assert connection.closed


def test_listeners_are_called_through_and_given_back_as_set(factory: Any, trace: Trace) -> None:
    consumer = factory.create_connection().create_session().create_consumer("q")
    heard: list[object] = []
    consumer.message_listener = heard.append
    assert consumer.message_listener == heard.append
    consumer._target.message_listener("message")
    assert heard == ["message"]
    assert [e["event"] for e in events(trace)][-2:] == ["callback", "callback done"]
    consumer.message_listener = None
    assert consumer._target.message_listener is None


def test_a_listener_is_the_one_that_the_client_has(factory: Any) -> None:
    """Whatever was set: else nobody would see that a client keeps another."""
    consumer = factory.create_connection().create_session().create_consumer("q")
    consumer.message_listener = print
    first = consumer._target.message_listener
    consumer.message_listener = None
    assert consumer.message_listener is None
    consumer._target.message_listener = first
    assert consumer.message_listener is print


def test_completions_are_recorded(factory: Any, trace: Trace) -> None:
    confirmed: list[object] = []
    listener = SimpleNamespace(on_completion=confirmed.append, on_exception=None)
    factory.create_connection().create_session().create_producer().send("m", listener=listener)
    assert confirmed == ["m"]
    assert "on_completion" in {event["what"] for event in events(trace)}


def test_a_long_trace_says_how_much_is_missing() -> None:
    trace = Trace()
    for _ in range(EVENTS + 3):
        trace.add("call", "x", "y")
    assert events(trace)[-1] == {"event": "dropped", "count": 3}
