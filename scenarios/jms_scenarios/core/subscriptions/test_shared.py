"""Subscriptions that are shared: who gets what, how they live, and what names are of."""

import pytest

from jms_scenarios.core.opening import (
    NAMED,
    SELECTED,
    TEN,
    X1,
    X2,
    receives,
    shared_consumer,
    shared_durable_consumer,
)
from jms_scenarios.selecting import send_with
from jms_scenarios.traffic import numbered, send, shared_out, texts
from jmsapi import JMSException
from touchstone.api import (
    checks,
    durable_consumer,
    receive_all,
    refuses,
    requirement,
)

pytestmark = pytest.mark.usefixtures("shared_selectors")

each_named_kind = pytest.mark.parametrize("opened_by", NAMED)


@pytest.mark.parametrize(
    "opened_by",
    [
        pytest.param(shared_durable_consumer, marks=requirement("JMS-SUB-010"), id="durable"),
        pytest.param(shared_consumer, marks=requirement("JMS-SUB-019"), id="non-durable"),
    ],
)
def test_consumers_share_a_subscription(
    jms, other_process, topic, label, expect_backlogs, opened_by
):
    """Of 300 messages each comes to one of three consumers, in connections of two processes."""
    consumers = [
        opened_by(client.connection().create_session(), client.topic(topic.topic_name), label)
        for client in (jms, jms, other_process)
    ]

    sent = send(jms.connected, topic, numbered(300))

    shares = shared_out(consumers, 300, within=60)
    assert checks.exactly_once(sent, [text for share in shares for text in share]) == []
    expect_backlogs(0)


@requirement("JMS-SUB-020")
def test_shared_non_durable_subscription_goes_with_its_last_consumer(
    jms, topic, label, expect_backlogs, gets_no_more
):
    """It outlives one of two consumers, and not the other; what is sent then comes to nobody."""
    first, last = (shared_consumer(jms.session(), topic, label) for _ in range(2))
    first.close()
    sent = send(jms.connected, topic, numbered(5))
    receives(last, sent)

    last.close()

    expect_backlogs()
    send(jms.connected, topic, numbered(5))
    gets_no_more(shared_consumer(jms.session(), topic, label))


@requirement("JMS-SUB-021")
def test_shared_non_durable_subscription_takes_in_what_it_selects(jms, topic, label):
    """Of ten messages four come to two consumers of x = 1 together, each once."""
    consumers = [shared_consumer(jms.session(), topic, label, "x = 1") for _ in range(2)]

    sent = send_with(jms.connected, topic, [*TEN, X1, X1])

    first, second = shared_out(consumers, 6)
    assert sorted(first + second) == sorted(sent[each] for each in (*SELECTED, 10, 11))


@requirement("JMS-SUB-022")
@pytest.mark.parametrize("other", ["topic", "selector"])
def test_shared_non_durable_subscription_in_use_is_not_changed(
    jms, session, topic, label, name, other
):
    """With another topic or selector its name is refused, and its consumer goes on."""
    is_not_changed(jms, session, topic, label, name, other, shared_consumer)


@requirement("JMS-SUB-024")
@pytest.mark.parametrize("other", ["topic", "selector"])
def test_shared_durable_subscription_in_use_is_not_changed(jms, session, topic, label, name, other):
    """With another topic or selector its name is refused, and its consumer gets what waits."""
    is_not_changed(jms, session, topic, label, name, other, shared_durable_consumer)


def is_not_changed(jms, session, topic, label, name, other, opened_by):
    """A subscription for x = 1 that has a consumer, opened with another topic or selector."""
    opened = opened_by(session, topic, label, "x = 1")
    sent = send_with(jms.connected, topic, [X1, X2, X1])

    with refuses(JMSException):
        if other == "topic":
            opened_by(session, session.create_topic(name("elsewhere")), label, "x = 1")
        else:
            opened_by(session, topic, label, "x = 2")

    assert texts(receive_all(opened, 2)) == [sent[0], sent[2]]


@requirement("JMS-SUB-023")
def test_durable_and_non_durable_shared_subscriptions_of_a_name_are_two(
    jms, session, topic, label, expect_unshared
):
    """Both get all messages; the end of the durable one leaves the other as it is."""
    durable = shared_durable_consumer(session, topic, label)
    other = shared_consumer(session, topic, label)
    expect_unshared(2)
    sent = send(jms.connected, topic, numbered(10))
    for each in (durable, other):
        receives(each, sent)

    durable.close()
    session.unsubscribe(label)

    receives(other, send(jms.connected, topic, numbered(3, "later")))


@requirement("JMS-SUB-025")
def test_another_selector_makes_an_idle_shared_durable_subscription_anew(
    jms, session, topic, label, expect_backlogs, gets_no_more
):
    """What waits for x = 1 is gone when it is opened with x = 2, and later x = 2 come."""
    shared_durable_consumer(session, topic, label, "x = 1").close()
    send_with(jms.connected, topic, [X1, X1, {**X2, "of": "before"}])

    opened = shared_durable_consumer(session, topic, label, "x = 2")

    gets_no_more(opened, X2)
    expect_backlogs(0)


@pytest.mark.parametrize("state", ["open", "idle"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            shared_durable_consumer,
            durable_consumer,
            marks=requirement("JMS-SUB-027"),
            id="shared-first",
        ),
        pytest.param(
            durable_consumer,
            shared_durable_consumer,
            marks=requirement("JMS-SUB-028"),
            id="unshared-first",
        ),
    ],
)
def test_durable_subscription_is_shared_or_not(
    jms, session, topic, label, expect_backlogs, first, second, state
):
    """Of the name of the one kind the other is refused; what waits stays, and comes."""
    opened = first(session, topic, label)
    if state == "idle":
        opened.close()
    sent = send(jms.connected, topic, numbered(3))

    with refuses(JMSException):
        second(session, topic, label)

    expect_backlogs(3)
    if state == "idle":
        opened = first(session, topic, label)
    receives(opened, sent)


@requirement("JMS-SUB-029")
@each_named_kind
def test_name_of_a_subscription_has_letters_digits_and_signs(
    jms, session, topic, label, expect_backlogs, opened_by
):
    """One with letters, digits, underscore, dot and minus is made, found again and removed."""
    name = f"Aé1_b.c-{label}"
    first = opened_by(session, topic, name)
    expect_backlogs(0)
    if opened_by is shared_consumer:
        consumers = [first, opened_by(session, topic, name)]
        sent = send(jms.connected, topic, numbered(20))
        left, right = shared_out(consumers, 20)
        assert checks.exactly_once(sent, left + right) == []
        return
    first.close()
    sent = send(jms.connected, topic, numbered(3))
    again = opened_by(session, topic, name)
    receives(again, sent)
    again.close()
    session.unsubscribe(name)
    expect_backlogs()


@requirement("JMS-SUB-030")
@each_named_kind
def test_name_of_a_subscription_has_128_characters(
    jms, session, topic, label, expect_backlogs, opened_by
):
    """Two names of 128 characters that differ in the last one are two subscriptions."""
    subscribers = [opened_by(session, topic, label.ljust(127, "n") + last) for last in "ab"]
    expect_backlogs(0, 0)

    sent = send(jms.connected, topic, numbered(3))

    for each in subscribers:
        receives(each, sent)


@requirement("JMS-SUB-031")
@pytest.mark.parametrize("opened_by", [shared_consumer, shared_durable_consumer])
def test_shared_subscription_belongs_to_its_client_id(
    jms, name, topic, label, expect_backlogs, opened_by
):
    """Under each of two client ids, and without one, a name is a subscription of its own."""
    sessions = [
        jms.connection(client_id=client_id).create_session()
        for client_id in (name("c1"), name("c2"), None)
    ]
    subscribers = [opened_by(each, topic, label) for each in sessions]
    expect_backlogs(0, 0, 0)

    sent = send(jms.connected, topic, numbered(10))

    for each in subscribers:
        receives(each, sent)
