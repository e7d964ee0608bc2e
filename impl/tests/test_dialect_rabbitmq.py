"""The dialect of RabbitMQ JMS: its decisions as pure code, and its browsers on the real broker."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable

import pytest

from foreign_messages import Foreign
from jmsapi import IllegalStateException, JMSException, Message, SessionMode
from pulsar_jms import INDIVIDUAL_ACKNOWLEDGE, PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.dialects import DIALECTS, dialect_named
from pulsar_jms.dialects.rabbitmq import READ_MAX_VARIABLE, convert, initial_settings, java_integer
from pulsar_jms.mapping.destinations import create_queue
from pulsar_jms.messages import PulsarMessage, PulsarObjectMessage
from sample_messages import KINDS, an_object, text

LIMIT = "queueBrowserReadMax"


@pytest.fixture
def connected(factories: Callable[..., PulsarConnectionFactory]) -> Callable[..., PulsarConnection]:
    """Make a started connection in the dialect, with further settings."""

    def make(settings: dict[str, object] | None = None) -> PulsarConnection:
        connection = factories(settings, dialect="rabbitmq").create_connection()
        connection.start()
        return connection

    return make


def texts(messages: Iterable[Message]) -> list[str]:
    return [str(message.get_body(str)) for message in messages]


def test_dialects_are_known_by_name() -> None:
    assert [dialect_named(name).name for name in DIALECTS] == list(DIALECTS)
    with pytest.raises(JMSException, match="'qpid' is unknown: starlight, rabbitmq"):
        PulsarConnectionFactory(dialect="qpid")


@pytest.mark.parametrize(
    ("text_", "number"),
    [
        ("3", 3),
        ("+7", 7),
        ("-4", -4),
        ("0", 0),
        ("00", 0),
        ("0x10", 16),
        ("0X1f", 31),
        ("-#10", -16),
        ("010", 8),
        ("2147483647", 2**31 - 1),
        ("-2147483648", -(2**31)),
        ("2147483648", None),
        ("08", None),
        ("0x", None),
        ("ten", None),
        ("3.5", None),
        ("1e3", None),
        (" 3", None),
        ("3\n", None),
        ("1_0", None),
        ("", None),
        ("--1", None),
    ],
)
def test_integers_are_read_as_java_reads_them(text_: str, number: int | None) -> None:
    assert java_integer(text_) == number


def test_limit_comes_from_the_environment_and_is_0_without_an_integer_there() -> None:
    assert initial_settings({READ_MAX_VARIABLE: "3"}) == {LIMIT: 3}
    assert initial_settings({READ_MAX_VARIABLE: "ten"}) == initial_settings({}) == {LIMIT: 0}


def test_limit_is_of_the_factory_and_that_of_its_birth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(READ_MAX_VARIABLE, "3")
    factory = PulsarConnectionFactory(dialect="rabbitmq")
    given = PulsarConnectionFactory({LIMIT: "5"}, dialect="rabbitmq")
    monkeypatch.setenv(READ_MAX_VARIABLE, "7")
    assert (factory.setting(LIMIT), given.setting(LIMIT)) == (3, 5)
    factory.change(LIMIT, -1)
    assert factory.setting(LIMIT) == -1


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        (LIMIT, "many", "'queueBrowserReadMax' is 'many'; it must be a whole number"),
        ("queueBrowserReadMin", 1, "no property of a factory .* rabbitmq; there: queueBrowserRead"),
        ("jms.clientId", "c", "'jms.clientId' is no property of a factory"),
    ],
)
def test_what_is_no_limit_is_refused_by_name(key: str, value: object, says: str) -> None:
    factory = PulsarConnectionFactory(dialect="rabbitmq")
    with pytest.raises(JMSException, match=says):
        factory.change(key, value)


def test_starlight_has_no_such_property() -> None:
    with pytest.raises(JMSException, match="in the dialect starlight; there: none"):
        PulsarConnectionFactory().setting(LIMIT)


@pytest.mark.parametrize("make", KINDS)
def test_a_message_of_another_client_is_rebuilt_without_its_reply_destination(
    make: Callable[[], PulsarMessage],
) -> None:
    original = make()
    original.set_int_property("p", 1)
    original.jms_type, original.jms_correlation_id = "t", "c"
    original.jms_reply_to = create_queue("answers")
    copy = convert(Foreign.like(original))
    assert type(copy) is type(original)
    assert copy.encoded_body() == original.encoded_body()
    assert (copy.get_object_property("p"), copy.jms_type) == (1, "t")
    assert (copy.jms_correlation_id, copy.jms_reply_to) == ("c", None)


def test_objects_that_cannot_be_rebuilt_are_left_out() -> None:
    day = datetime.date(2026, 1, 31)
    values = {"o": day, "n": 1}
    foreign = type(Foreign.like(an_object()))
    broken = type(
        "Broken",
        (foreign,),
        {
            "object": day,
            "property_names": lambda self: list(values),
            "get_object_property": lambda self, name: values[name],
        },
    )()
    broken.__dict__["original"] = an_object()
    copy = convert(broken)
    assert isinstance(copy, PulsarObjectMessage)
    assert copy.object is None
    assert list(copy.property_names()) == ["n"]


def test_own_messages_are_sent_as_they_are() -> None:
    message = text()
    assert convert(message) is message


def test_individual_mode_is_reported_as_that_of_jms(
    connected: Callable[..., PulsarConnection],
) -> None:
    session = connected().create_session(mode=INDIVIDUAL_ACKNOWLEDGE)
    assert session.acknowledge_mode == SessionMode.CLIENT_ACKNOWLEDGE
    with pytest.raises(JMSException, match="CLIENT_INDIVIDUAL_ACKNOWLEDGE 4 are allowed"):
        connected().create_session(mode=5)


def test_snapshot_is_what_there_was_when_it_was_taken(
    connected: Callable[..., PulsarConnection], name: Callable[[], str]
) -> None:
    connection = connected({LIMIT: 3})
    session = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    queue = session.create_queue(name())
    producer = session.create_producer(queue)
    browser = session.create_browser(queue)
    for number in range(5):
        producer.send(session.create_text_message(f"m{number}"))
    browser.close()
    snapshot = browser.enumeration
    consumer = session.create_consumer(queue)
    first = consumer.receive(10_000)
    assert texts(browser.enumeration) == ["m1", "m2", "m3"]
    assert first is not None
    session.close()
    with pytest.raises(IllegalStateException):
        _ = browser.enumeration
    connection.close()
    assert snapshot.has_more_elements()
    assert texts(snapshot) == ["m0", "m1", "m2"]
    assert not snapshot.has_more_elements()
    with pytest.raises(StopIteration):
        next(snapshot)
