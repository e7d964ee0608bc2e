"""Browsers: what they show, what they refuse, and that they leave nothing at the broker."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import httpx
import pulsar as pulsar_client
import pytest

from jmsapi import (
    IllegalStateException,
    InvalidDestinationException,
    InvalidSelectorException,
    JMSException,
    Message,
    MessageNotWriteableException,
    Queue,
    Session,
    SessionMode,
    TextMessage,
)
from pulsar_jms.connections.connection import PulsarConnection

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]
Rest = Callable[..., httpx.Response]
ADMIN = "admin/v2/persistent/public/default"


@pytest.fixture
def rest(pulsar: BrokerAddress) -> Rest:
    """Ask the administration: `rest("GET", "topic/stats")`."""

    def ask(method: str, path: str, json: object = None) -> httpx.Response:
        return httpx.request(method, f"{pulsar.admin_url}/{ADMIN}/{path}", json=json, timeout=20)

    return ask


@pytest.fixture
def session(connect: Connect) -> Session:
    return connect().create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)


def put(session: Session, queue: Queue, texts: Iterable[str], **options: Any) -> None:
    """Send text messages, each of which has its text as property `t`."""
    with session.create_producer(queue) as producer:
        for text in texts:
            message = session.create_text_message(text)
            message.set_string_property("t", text)
            producer.send(message, **options)


def shown(messages: Iterable[Message]) -> list[str | None]:
    return [each.text for each in messages if isinstance(each, TextMessage)]


def test_an_enumeration_shows_what_was_there_and_takes_nothing(
    session: Session, name: Name, rest: Rest
) -> None:
    queue = session.create_queue(name())
    put(session, queue, "abc")
    browser = session.create_browser(queue)
    enumeration = browser.enumeration
    put(session, queue, "de")
    assert shown(enumeration) == list("abc")
    with pytest.raises(StopIteration):
        next(enumeration)
    assert shown(browser.enumeration) == list("abcde")
    stats = rest("GET", f"{queue.queue_name}/stats").json()
    assert stats["subscriptions"] == {}
    with session.create_consumer(queue) as consumer:
        received = [consumer.receive(10_000) for _ in range(5)]
    assert shown(filter(None, received)) == list("abcde")


def test_two_enumerations_go_on_side_by_side(session: Session, name: Name) -> None:
    queue = session.create_queue(name())
    put(session, queue, "abc")
    browser = session.create_browser(queue)
    first, second = browser.enumeration, browser.enumeration
    pairs = [shown(pair) for pair in zip(first, second, strict=True)]
    assert pairs == [["a", "a"], ["b", "b"], ["c", "c"]]


def test_asking_for_more_skips_nothing(session: Session, name: Name) -> None:
    queue = session.create_queue(name())
    put(session, queue, "ab")
    enumeration = session.create_browser(queue).enumeration
    for text in "ab":
        assert enumeration.has_more_elements()
        assert enumeration.has_more_elements()
        assert shown([next(enumeration)]) == [text]
    assert not enumeration.has_more_elements()


def test_an_open_enumeration_ends_with_its_session(
    connect: Connect, name: Name, rest: Rest
) -> None:
    session = connect().create_session()
    queue = session.create_queue(name())
    put(session, queue, "ab")
    enumeration = session.create_browser(queue).enumeration
    assert shown([next(enumeration)]) == ["a"]
    assert len(rest("GET", f"{queue.queue_name}/stats").json()["subscriptions"]) == 1
    session.close()
    assert rest("GET", f"{queue.queue_name}/stats").json()["subscriptions"] == {}
    with pytest.raises(IllegalStateException, match="closed"):
        next(enumeration)


def test_a_closed_browser_refuses_everything_but_close(session: Session, name: Name) -> None:
    queue = session.create_queue(name())
    browser = session.create_browser(queue, "t = 'a'")
    assert (browser.queue, browser.message_selector) == (queue, "t = 'a'")
    browser.close()
    browser.close()
    for attribute in ("queue", "message_selector", "enumeration"):
        with pytest.raises(IllegalStateException, match=queue.queue_name):
            getattr(browser, attribute)


def test_a_selector_chooses_and_a_malformed_one_is_refused_at_once(
    session: Session, name: Name, rest: Rest
) -> None:
    queue = session.create_queue(name())
    put(session, queue, "aba")
    assert shown(session.create_browser(queue, "t = 'a'").enumeration) == ["a", "a"]
    everything = session.create_browser(queue, "")
    assert everything.message_selector is None
    assert shown(everything.enumeration) == list("aba")
    with pytest.raises(InvalidSelectorException):
        session.create_browser(queue, "t =")


def test_what_is_acknowledged_in_the_middle_is_not_shown(session: Session, name: Name) -> None:
    individually = session
    queue = individually.create_queue(name())
    put(individually, queue, "abcd")
    admin = individually.connection.client.administration  # type: ignore[attr-defined]
    topic = f"persistent://public/default/{queue.queue_name}"
    with individually.connection.create_session(False, 4) as each:  # type: ignore[attr-defined]
        consumer = each.create_consumer(queue)
        received = [consumer.receive(10_000) for _ in range(4)]
        for index in (0, 2):
            received[index].acknowledge()
        consumer.close()
    wait_for(lambda: not admin.extent(topic, "jms-queue").is_due(position(received[2])))
    assert shown(individually.create_browser(queue).enumeration) == ["b", "d"]


def position(message: Message) -> tuple[int, int]:
    _, ledger, entry, *_ = str(message.jms_message_id).split(":")
    return int(ledger), int(entry)


def wait_for(condition: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(1500):
        if condition():
            return
        waiting.wait(0.02)
    raise AssertionError("not within 30 s")


def test_every_partition_is_shown(session: Session, name: Name, rest: Rest) -> None:
    queue = session.create_queue(name())
    assert rest("PUT", f"{queue.queue_name}/partitions", json=3).is_success
    texts = [str(number) for number in range(12)]
    put(session, queue, texts)
    shown_texts = shown(session.create_browser(queue).enumeration)
    assert sorted(filter(None, shown_texts)) == sorted(texts)


@pytest.mark.parametrize("form", ["multi:{0}-a,{0}-b", "regex:{0}-.*"])
def test_every_topic_of_a_virtual_queue_is_shown(session: Session, name: Name, form: str) -> None:
    stem = name()
    for end in ("a", "b"):
        put(session, session.create_queue(f"{stem}-{end}"), [f"{end}1", f"{end}2"])
    queue = session.create_queue(form.format(stem))
    assert shown(session.create_browser(queue).enumeration) == ["a1", "a2", "b1", "b2"]


def test_a_batch_is_shown_whole_and_nothing_behind_it(
    session: Session, name: Name, pulsar: BrokerAddress
) -> None:
    queue = session.create_queue(name())
    client = pulsar_client.Client(pulsar.service_url)
    producer = client.create_producer(
        queue.queue_name, batching_enabled=True, batching_max_publish_delay_ms=60_000
    )
    properties = {"JMSPulsarMessageType": "text"}
    for text in (b"a", b"b", b"c"):
        producer.send_async(text, lambda *_: None, properties=properties)
    producer.flush()
    enumeration = session.create_browser(queue).enumeration
    producer.send_async(b"d", lambda *_: None, properties=properties)
    producer.flush()
    client.close()
    assert shown(enumeration) == list("abc")


@pytest.mark.parametrize("kind", ["unknown", "empty", "non-persistent"])
def test_a_queue_without_messages_shows_none_and_stays_as_it_was(
    session: Session, name: Name, rest: Rest, kind: str
) -> None:
    topic = name()
    queue = session.create_queue(
        f"non-persistent://public/default/{topic}" if kind[0] == "n" else topic
    )
    if kind == "empty":
        assert rest("PUT", topic).is_success
    assert list(session.create_browser(queue).enumeration) == []
    answer = rest("GET", f"{topic}/stats")
    if kind == "empty":
        assert answer.json()["subscriptions"] == {}
    else:
        assert answer.status_code == 404


def test_a_consumed_queue_shows_none(session: Session, name: Name, rest: Rest) -> None:
    queue = session.create_queue(name())
    put(session, queue, "ab")
    with session.create_consumer(queue) as consumer:
        consumer.receive(10_000)
        last = consumer.receive(10_000)
        assert last is not None
        last.acknowledge()
    path = f"{queue.queue_name}/stats?getPreciseBacklog=true"
    wait_for(lambda: not rest("GET", path).json()["subscriptions"]["jms-queue"]["msgBacklog"])
    assert list(session.create_browser(queue).enumeration) == []


def test_an_expired_and_a_delayed_message_are_not_shown(session: Session, name: Name) -> None:
    queue = session.create_queue(name())
    put(session, queue, "a", time_to_live=1)
    with session.create_producer(queue) as producer:
        producer.delivery_delay = 3_600_000
        producer.send(session.create_text_message("b"))
    put(session, queue, "c", time_to_live=3_600_000)
    wait_for(lambda: "a" not in shown(session.create_browser(queue).enumeration))
    assert shown(session.create_browser(queue).enumeration) == ["c"]


def test_a_message_that_cannot_be_decoded_is_told_and_passed_over(
    session: Session, name: Name, pulsar: BrokerAddress
) -> None:
    queue = session.create_queue(name())
    put(session, queue, "a")
    client = pulsar_client.Client(pulsar.service_url)
    producer = client.create_producer(queue.queue_name)
    producer.send(b"\xff\xfe", properties={"JMSPulsarMessageType": "text"})
    client.close()
    put(session, queue, "c")
    enumeration = session.create_browser(queue).enumeration
    assert shown([next(enumeration)]) == ["a"]
    with pytest.raises(JMSException, match=r"ID:\d+:\d+.*cannot be decoded"):
        next(enumeration)
    assert shown(enumeration) == ["c"]


def test_a_browsed_message_is_read_only_and_has_its_destination(
    session: Session, name: Name
) -> None:
    queue = session.create_queue(name())
    put(session, queue, "a")
    message = next(session.create_browser(queue).enumeration)
    assert isinstance(message, TextMessage)
    assert message.jms_destination == queue
    with pytest.raises(MessageNotWriteableException):
        message.text = "b"
    with pytest.raises(MessageNotWriteableException):
        message.set_int_property("n", 1)
    with pytest.raises(IllegalStateException, match="not received by a consumer"):
        message.acknowledge()


def test_browsing_needs_the_administration(connect: Connect, name: Name) -> None:
    session = connect({"jms.usePulsarAdmin": False}).create_session()
    with pytest.raises(IllegalStateException, match=r"jms\.usePulsarAdmin=true"):
        session.create_browser(session.create_queue(name()))


def test_an_administration_that_does_not_answer_is_named_at_once(
    connect: Connect, name: Name
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    session = connect({"webServiceUrl": url}).create_session()
    browser = session.create_browser(session.create_queue(name()))
    with pytest.raises(JMSException, match=url):
        browser.enumeration  # noqa: B018 - getting it begins an enumeration


def test_what_is_no_queue_is_not_browsed(session: Session, name: Name) -> None:
    with pytest.raises(InvalidDestinationException, match="no queue"):
        session.create_browser(session.create_topic(name()))  # type: ignore[arg-type]


def test_temporary_queue_that_is_gone_is_not_browsed(connect: Connect, session: Session) -> None:
    deleted = session.create_temporary_queue()
    deleted.delete()
    with connect() as other:
        left = other.create_session().create_temporary_queue()
    for gone in (deleted, left):
        with pytest.raises(InvalidDestinationException, match="deleted"):
            session.create_browser(gone)
