"""Destinations, subscriptions, identity, modes and redelivery: the tables, row by row."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import (
    IllegalStateException,
    InvalidClientIDException,
    InvalidDestinationException,
    JMSException,
    Queue,
    Topic,
)
from pulsar_jms.mapping.destinations import (
    PulsarDestination,
    PulsarQueue,
    PulsarTopic,
    create_queue,
    create_topic,
)
from pulsar_jms.mapping.identity import broker_name, check_client_id, connection_id
from pulsar_jms.mapping.redelivery_counts import Backoff, delivery_count, is_redelivered
from pulsar_jms.mapping.session_modes import MODES, AcknowledgedAt, Covers, check_mode
from pulsar_jms.mapping.subscriptions import (
    ConsumerKind,
    PulsarSubscription,
    subscription_for,
    unsubscribe_refusal,
)

QUEUE, TOPIC = PulsarQueue("q"), PulsarTopic("t")


# -- destinations ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "topic", "subscription"),
    [
        ("q1", "persistent://public/default/q1", None),
        ("pulsarQueue:sub", "persistent://public/default/pulsarQueue", "sub"),
        ("persistent://tenant/ns/pulsarQueue:sub", "persistent://tenant/ns/pulsarQueue", "sub"),
        ("persistent://public/default/mytopic", "persistent://public/default/mytopic", None),
        ("non-persistent://public/default/n", "non-persistent://public/default/n", None),
        ("a:b:c", "persistent://public/default/a:b", "c"),
        ("a:b/c", "persistent://public/default/a:b/c", None),
        ("tenant/ns/t", "persistent://public/default/tenant/ns/t", None),
        ("q:s?consumerConfig.x=1:2", "persistent://public/default/q", "s"),
        ("?odd", "persistent://public/default/?odd", None),
    ],
)
def test_queue_names(name: str, topic: str, subscription: str | None) -> None:
    queue = create_queue(name)
    assert queue.topic("public/default") == topic
    assert queue.subscription == subscription
    assert queue.queue_name == (name if name.startswith("?") else name.partition("?")[0])


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("t1", "persistent://t1/ns1/t1"),
        ("t:colon", "persistent://t1/ns1/t:colon"),
        ("t:", "persistent://t1/ns1/t:"),
        ("persistent://a/b/c", "persistent://a/b/c"),
    ],
)
def test_topic_names(name: str, topic: str) -> None:
    assert create_topic(name).topic("t1/ns1") == topic
    assert create_topic(name).topic_name == name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "no topic name"),
        (None, "null"),
        ("persistent://a/b", "tenant/namespace/topic"),
        ("persistent://a//c", "tenant/namespace/topic"),
        ("persistent://a/b/regex:c", "at the very beginning"),
        ("q?x", "key=value"),
        ("q?a.b=1&a.b.c=2", "has a value of its own"),
        ("q?a.b.c=2&a.b=1", "settings of its own"),
        ("q?a..b=1", "key=value"),
    ],
)
def test_names_that_are_refused(name: str, says: str) -> None:
    for create in (create_queue, create_topic):
        with pytest.raises(InvalidDestinationException, match=re.escape(says)):
            create(name)


@pytest.mark.parametrize("name", ["q:", "persistent://a/b/c:", ":"])
def test_a_queue_needs_its_subscription_after_the_colon(name: str) -> None:
    with pytest.raises(InvalidDestinationException, match=r"colon|no topic"):
        create_queue(name)


def test_settings_in_a_name() -> None:
    queue = create_queue(
        "q:s?consumerConfig.deadLetterPolicy.maxRedeliverCount=5&consumerConfig.a=x%20%26y&"
    )
    assert queue.settings == {
        "consumerConfig": {"deadLetterPolicy": {"maxRedeliverCount": "5"}, "a": "x &y"}
    }
    assert create_queue("q").settings == {}


def test_destinations_are_equal_by_kind_and_name() -> None:
    assert PulsarQueue("a") == PulsarQueue("a?x=1")
    assert len({PulsarQueue("a"), PulsarQueue("a"), PulsarTopic("a"), PulsarQueue("b")}) == 3
    assert PulsarQueue("a") != PulsarTopic("a")
    assert isinstance(QUEUE, Queue)
    assert isinstance(TOPIC, Topic)
    assert repr(QUEUE) == "queue 'q'"


@given(st.text())
def test_any_name_is_a_topic_or_refused(name: str) -> None:
    for create in (create_queue, create_topic):
        try:
            destination: PulsarDestination = create(name)
        except InvalidDestinationException:
            continue
        assert destination.topic("public/default").count("://") >= 1


# -- subscriptions -----------------------------------------------------------------------------


def test_queue_subscriptions() -> None:
    kind = ConsumerKind.QUEUE
    assert subscription_for(kind, QUEUE) == PulsarSubscription("jms-queue", "Shared", True, True)
    assert subscription_for(
        kind, QUEUE, client_id="c", shared_type="Key_Shared", queue_subscription="work"
    ) == PulsarSubscription("work", "Shared", True, True)
    named = subscription_for(kind, PulsarQueue("q:own"), queue_subscription="work")
    assert named.name == "own"


def test_simple_topic_subscriptions() -> None:
    kind = ConsumerKind.SIMPLE
    first, second = subscription_for(kind, TOPIC), subscription_for(kind, TOPIC, client_id="c")
    assert first._replace(name="") == PulsarSubscription("", "Exclusive", False, False)
    assert first.name != second.name
    assert all(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", each.name)
               for each in (first, second))  # fmt: skip
    for shared in ("Shared", "Failover"):
        loose = subscription_for(kind, TOPIC, shared_type=shared, exclusive_simple=False)
        assert (loose.type, loose.durable) == (shared, False)


@pytest.mark.parametrize(
    ("kind", "type_", "durable"),
    [
        (ConsumerKind.SHARED, "Key_Shared", False),
        (ConsumerKind.SHARED_DURABLE, "Key_Shared", True),
        (ConsumerKind.DURABLE, "Exclusive", True),
    ],
)
def test_named_topic_subscriptions(kind: ConsumerKind, type_: str, durable: bool) -> None:
    made = subscription_for(
        kind, TOPIC, "s1", "c1", shared_type="Key_Shared", exclusive_simple=False
    )
    assert made == PulsarSubscription("c1_s1", type_, durable, False)


def test_names_without_a_client_id() -> None:
    for kind in (ConsumerKind.SHARED, ConsumerKind.SHARED_DURABLE):
        assert subscription_for(kind, TOPIC, "s1").name == "s1"
    with pytest.raises(IllegalStateException, match="needs a client id"):
        subscription_for(ConsumerKind.DURABLE, TOPIC, "s1")


@pytest.mark.parametrize("kind", [kind for kind in ConsumerKind if kind is not ConsumerKind.SIMPLE])
def test_kinds_and_destinations_that_do_not_fit(kind: ConsumerKind) -> None:
    wrong = TOPIC if kind is ConsumerKind.QUEUE else QUEUE
    with pytest.raises(InvalidDestinationException):
        subscription_for(kind, wrong, "s", "c")
    if kind is not ConsumerKind.QUEUE:
        with pytest.raises(InvalidDestinationException, match="needs a name"):
            subscription_for(kind, TOPIC, "", "c")


def test_unsubscribe_is_refused() -> None:
    error = unsubscribe_refusal("s1")
    assert isinstance(error, JMSException)
    assert "'s1'" in str(error)


# -- identity, modes, redelivery ---------------------------------------------------------------


def test_client_ids() -> None:
    assert broker_name("c1", "s1") == "c1_s1"
    assert broker_name(None, "s1") == broker_name("", "s1") == "s1"
    assert connection_id("unique", "c") == "c_unique"
    assert connection_id("unique", None) == "unique"
    assert check_client_id("c") == "c"
    for bad in ("", None):
        with pytest.raises(InvalidClientIDException):
            check_client_id(bad)


def test_modes() -> None:
    assert {mode: row.at for mode, row in MODES.items()} == {
        0: AcknowledgedAt.COMMIT,
        1: AcknowledgedAt.DELIVERY,
        2: AcknowledgedAt.CALL,
        3: AcknowledgedAt.DELIVERY_UNAWAITED,
        4: AcknowledgedAt.CALL,
    }
    assert (MODES[2].call_covers, MODES[4].call_covers) == (Covers.SO_FAR, Covers.ONE)
    assert [check_mode(mode) for mode in range(5)] == list(range(5))
    for mode in (5, -1, 999):
        with pytest.raises(JMSException, match="INDIVIDUAL_ACKNOWLEDGE 4"):
            check_mode(mode)


def test_delivery_counts() -> None:
    assert [(delivery_count(each), is_redelivered(each)) for each in range(3)] == [
        (1, False),
        (2, True),
        (3, True),
    ]


def test_backoff_series() -> None:
    assert list(itertools.islice(Backoff(10, 100, 2.0).series(), 6)) == [10, 20, 40, 80, 100, 100]
    assert list(itertools.islice(Backoff(10, 100, 1.0).series(), 3)) == [10, 10, 10]
    assert Backoff().delay(0) == 10_000
    assert Backoff().delay(100_000) == 600_000
    assert Backoff(200, 200).delay(7) == 200
