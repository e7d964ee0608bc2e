"""Message selectors: who gets what, what becomes of the rest, and where it is decided."""

import pytest

from jms_scenarios.deliveries import redelivery_counts
from jms_scenarios.listening import NotingListener
from jms_scenarios.selecting import send_with
from jms_scenarios.starlight.selective import (
    QUICK,
    X1,
    X2,
    check_selected,
    consumer,
    durable_consumer,
    durable_subscriber,
    shared_consumer,
    shared_durable_consumer,
)
from jms_scenarios.traffic import shared_out, texts
from jmsapi import InvalidSelectorException, InvalidSelectorRuntimeException, SessionMode
from touchstone.api import eventually, portable, receive, receive_all, refuses, requirement

EMULATED = {"jms.enableClientSideEmulation": True}
"""Clients that want to be asked for it accept selectors on shared subscriptions of topics, too."""


def of_queue(consumers):
    return pytest.param(consumers, "queue", id=f"{consumers.__name__}-of-queue")


def of_topic(consumers):
    return pytest.param(consumers, "topic", id=consumers.__name__)


BY_CONTEXT = (consumer, durable_consumer, shared_consumer, shared_durable_consumer)
BY_SESSION = (*BY_CONTEXT, durable_subscriber)


def opening_cases(openings):
    """Cases: each of `openings` on a topic, and a consumer of a queue."""
    return pytest.mark.parametrize(
        ("opened_by", "kind"), [*map(of_topic, openings), of_queue(consumer)]
    )


@pytest.fixture
def context(jms, name):
    """A context with a client identifier."""
    context = jms.context()
    context.client_id = name("c1")
    return context


@portable
@requirement("SLJ-SEL-001")
@opening_cases(BY_SESSION)
def test_consumer_receives_only_what_its_selector_selects(connection, destination, opened_by):
    """A consumer with selector x = 1 receives the messages with x=1 and not the one with x=2."""
    selecting = opened_by(connection.create_session(), destination, "x = 1")

    check_selected(selecting, connection, destination)


@portable
@requirement("SLJ-SEL-001")
@opening_cases(BY_CONTEXT)
def test_consumer_of_a_context_receives_only_what_its_selector_selects(
    jms, context, destination, opened_by
):
    """A JMSConsumer with selector x = 1 receives the messages with x=1 and not that with x=2."""
    selecting = opened_by(context, destination, "x = 1")

    check_selected(selecting, jms.connected, destination)


@portable
@requirement("SLJ-SEL-001")
@pytest.mark.parametrize("kind", ["queue", "topic"])
def test_listener_is_called_only_with_what_its_selector_selects(jms, destination):
    """A listener of a consumer with selector x = 1 is called with the x=1 messages alone."""
    listener = NotingListener()
    jms.session().create_consumer(destination, "x = 1").message_listener = listener

    sent = send_with(jms.connected, destination, [X1, X2, X1, X1])

    eventually(lambda: len(listener.callbacks) == 3)
    assert [callback.text for callback in listener.callbacks] == [sent[0], sent[2], sent[3]]


@requirement("SLJ-SEL-002")
def test_broker_sends_what_does_not_match(connection, topic, admin):
    """Ten messages with x=2 leave the broker for a consumer of x = 1, which receives none."""
    selecting = durable_consumer(connection.create_session(), topic, "x = 1")
    before = admin.only_subscription(topic).msg_out_counter

    *_, last = send_with(connection, topic, [X2] * 10 + [X1])

    assert texts([receive(selecting)]) == [last]
    eventually(lambda: admin.only_subscription(topic).msg_out_counter - before == 11)


@requirement("SLJ-SEL-003")
@pytest.mark.parametrize("opened_by", [consumer, durable_consumer])
def test_exclusive_subscription_acknowledges_what_does_not_match(
    connection, topic, admin, opened_by
):
    """Messages with x=2 leave the backlog unasked, while the x=1 after them stays in it."""
    session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
    selecting = opened_by(session, topic, "x = 1")
    *_, last = send_with(connection, topic, [X2, X2, X2, X1])

    assert texts([receive(selecting)]) == [last]

    eventually(lambda: admin.only_subscription(topic).backlog == 1)


@requirement("SLJ-SEL-003")
def test_backlog_of_what_does_not_match_ends_without_the_application(connection, topic, admin):
    """While a listener of x = 1 is never called, the backlog of messages with x=2 ends at 0."""
    listener = NotingListener()
    durable_consumer(connection.create_session(), topic, "x = 1").message_listener = listener

    send_with(connection, topic, [X2, X2])

    eventually(lambda: admin.only_subscription(topic).msg_out_counter >= 2)
    eventually(lambda: admin.only_subscription(topic).backlog == 0)
    assert listener.callbacks == []


@requirement("SLJ-SEL-004")
@pytest.mark.parametrize(
    ("opened_by", "kind", "subscription"),
    [
        pytest.param(consumer, "queue", "jms-queue", id="queue"),
        pytest.param(shared_durable_consumer, "topic", "s1", id="shared-subscription"),
    ],
)
def test_what_does_not_match_goes_to_another_consumer(
    jms, destination, admin, opened_by, subscription
):
    """Of ten x=1 and ten x=2, consumers of x = 1 and x = 2 get ten each, and no backlog is left."""
    connection = jms.connection({**QUICK, **EMULATED})
    consumers = [
        opened_by(connection.create_session(), destination, selector)
        for selector in ("x = 1", "x = 2")
    ]
    sent = send_with(jms.connected, destination, [X1, X2] * 10)

    first, second = shared_out(consumers, 20, within=10)

    assert sorted(first) == sorted(sent[::2])
    assert sorted(second) == sorted(sent[1::2])
    eventually(lambda: admin.backlog(destination, subscription) == 0)


@requirement("SLJ-SEL-005")
def test_browser_leaves_out_what_does_not_match(jms, queue, admin):
    """Of x=1, x=2, x=1 a browser of x = 1 lists two, and the queue's backlog stays at three."""
    admin.create_topic(queue)
    admin.create_subscription(queue, "jms-queue", "earliest")
    sent = send_with(jms.connected, queue, [X1, X2, X1])

    with jms.session().create_browser(queue, "x = 1") as browser:
        listed = texts(browser.enumeration)

    assert listed == [sent[0], sent[2]]
    assert admin.backlog(queue) == 3


@portable
@requirement("SLJ-SEL-006")
@pytest.mark.parametrize(
    ("selector", "selected", "left"),
    [
        ("x BETWEEN 1 AND 3", [{"x": 1}, {"x": 2}, {"x": 3}], [{"x": 0}, {"x": 4}, {"x": "2"}, {}]),
        ("n LIKE 'a_%'", [{"n": "ab"}, {"n": "a b c"}], [{"n": "a"}, {"n": "ba"}, {}]),
        ("n IS NULL", [{}, {"x": 1}], [{"n": ""}, {"n": "a"}]),
        ("n IN ('a','b')", [{"n": "a"}, {"n": "b"}], [{"n": "c"}, {"n": "ab"}, {}]),
        (
            "JMSPriority > 3 AND NOT (x = 2)",
            [{"JMSPriority": 4, "x": 1}, {"JMSPriority": 9, "x": 3}],
            [{"JMSPriority": 4, "x": 2}, {"JMSPriority": 3, "x": 1}, {"JMSPriority": 9}],
        ),
    ],
    ids=["between", "like", "is-null", "in", "priority"],
)
def test_selector_in_the_syntax_of_activemq_is_understood(jms, topic, selector, selected, left):
    """Each form of the documents is accepted, and lets pass what it says."""
    selecting = jms.session().create_consumer(topic, selector)

    mixed = [properties for pair in zip(left, selected, strict=False) for properties in pair]
    sent = send_with(jms.connected, topic, [*mixed, *left[len(selected) :], *selected])

    right = [*range(1, len(mixed), 2), *range(len(sent) - len(selected), len(sent))]
    assert texts(receive_all(selecting, len(right))) == [sent[number] for number in right]


@requirement("SLJ-SEL-007")
@pytest.mark.parametrize(
    "malformed",
    [
        "x = = 1",
        "x =",
        "= 1",
        "(x = 1",
        "x = 'a",
        "x LIKE 1",
        "x BETWEEN 1",
        "AND x = 1",
        "x NOT 1",
    ],
)
def test_malformed_selector_is_refused_at_creation(jms, topic, admin, malformed):
    """createConsumer with a malformed selector throws InvalidSelectorException."""
    session = jms.session()

    with refuses(InvalidSelectorException):
        session.create_consumer(topic, malformed)

    assert admin.subscriptions(topic) == {}


@portable
@requirement("SLJ-SEL-007")
@opening_cases(BY_SESSION)
def test_every_kind_of_consumer_refuses_a_malformed_selector(connection, destination, opened_by):
    """Each way to make a consumer of a session throws InvalidSelectorException."""
    with refuses(InvalidSelectorException):
        opened_by(connection.create_session(), destination, "x = = 1")


@portable
@requirement("SLJ-SEL-007")
@opening_cases(BY_CONTEXT)
def test_every_kind_of_consumer_of_a_context_refuses_a_malformed_selector(
    context, destination, opened_by
):
    """Each way to make a consumer of a context throws InvalidSelectorRuntimeException."""
    with refuses(InvalidSelectorRuntimeException):
        opened_by(context, destination, "x = = 1")


@requirement("SLJ-SEL-009")
def test_rejection_by_a_selector_raises_the_delivery_count(faults, jms_at, queue):
    """The broker's redelivery count of a message that its only consumer rejects rises."""
    proxy, address = faults.frame_proxy()
    connection = jms_at(address).connection(QUICK)
    listener = NotingListener()
    consumer(connection.create_session(), queue, "x = 1").message_listener = listener

    send_with(connection, queue, [X2])

    eventually(lambda: any(max(counts) > 0 for counts in redelivery_counts(proxy)))
    assert listener.callbacks == []
