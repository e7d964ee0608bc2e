"""Subscriptions: what each takes in, and how long unshared ones live."""

import threading

import pytest

from jms_scenarios.core.opening import (
    SELECTED,
    TEN,
    X1,
    X2,
    one_of_each,
    receives,
)
from jms_scenarios.core.surviving import BACK, again
from jms_scenarios.moments import now, wait_until
from jms_scenarios.selecting import send_with
from jms_scenarios.traffic import numbered, send, texts
from jmsapi import JMSException, SessionMode
from touchstone.api import (
    broker,
    checks,
    durable_consumer,
    eventually,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

pytestmark = pytest.mark.usefixtures("shared_selectors")

MOMENT = 300
"""Milliseconds that messages live."""
ROUNDS = 3
"""How often what is to hold each time is done."""


@requirement("JMS-SUB-001")
def test_each_subscription_gets_each_message(jms, session, topic):
    """One of each kind gets all of 100 messages that are sent after it was made, once."""
    subscribers = one_of_each(session, topic, str)

    sent = send(jms.connected, topic, numbered(100))

    for each in subscribers:
        receives(each, sent)


@requirement("JMS-SUB-002")
def test_slow_subscriber_holds_nobody_up(jms, topic):
    """While one listener keeps its first message, another session's consumer gets all of 100."""
    begun, over = threading.Event(), threading.Event()

    def keep(message):
        begun.set()
        over.wait(60)

    slow = jms.session().create_consumer(topic)
    slow.message_listener = keep
    other = jms.session().create_consumer(topic)
    try:
        sent = send(jms.connected, topic, numbered(100))
        assert begun.wait(30)

        receives(other, sent)
    finally:
        over.set()


@requirement("JMS-SUB-003")
def test_non_durable_subscriber_gets_what_is_sent_while_it_is_there(jms, topic):
    """Of four messages one consumer gets the one sent while it was open, the next one the last."""
    send(jms.connected, topic, ["before"])
    first = jms.session().create_consumer(topic)
    send(jms.connected, topic, ["during"])
    assert texts([receive(first)]) == ["during"]
    first.close()
    send(jms.connected, topic, ["between"])

    second = jms.session().create_consumer(topic)
    send(jms.connected, topic, ["after"])

    assert texts([receive(second)]) == ["after"]


@requirement("JMS-SUB-004")
def test_non_durable_subscription_ends_with_its_consumer(jms, topic, expect_backlogs):
    """The broker has it while its consumer is open and not afterwards; it holds nothing then."""
    opened = jms.session().create_consumer(topic)
    expect_backlogs(0)

    opened.close()
    send(jms.connected, topic, ["for nobody"])

    expect_backlogs()


@requirement("JMS-SUB-005")
def test_durable_subscriptions_come_and_go_at_run_time(session, topic, label, expect_backlogs):
    """Three times one is made by its first consumer and removed by unsubscribe()."""
    for name in numbered(ROUNDS, label):
        opened = durable_consumer(session, topic, name)
        expect_backlogs(0)
        opened.close()
        session.unsubscribe(name)
        expect_backlogs()


@requirement("JMS-SUB-006")
def test_durable_subscription_goes_on_where_it_was_left(
    jms, client_id, topic, label, expect_backlogs, gets_no_more
):
    """Two of five are received; a consumer from another connection gets the other three."""
    with jms.connection(client_id=client_id) as connection:
        opened = durable_consumer(connection.create_session(), topic, label)
        sent = send(jms.connected, topic, numbered(5))
        assert texts(receive_all(opened, 2)) == sent[:2]
    expect_backlogs(3)

    reopened = durable_consumer(jms.connection(client_id=client_id).create_session(), topic, label)

    assert texts(receive_all(reopened, 3)) == sent[2:]
    expect_backlogs(0)
    gets_no_more(reopened)


@requirement("JMS-SUB-007")
def test_idle_durable_subscription_keeps_what_does_not_expire(
    jms, connection, session, topic, label, gets_no_more
):
    """Of five messages that are sent while nobody is there two expire; the three others come."""
    durable_consumer(session, topic, label).close()
    producer = jms.producer(topic)
    for text in numbered(5):
        lives = MOMENT if text in ("message-2", "message-4") else 0
        producer.send(jms.text(text), time_to_live=lives)
    wait_until(now() + MOMENT)

    opened = durable_consumer(session, topic, label)

    assert texts(receive_all(opened, 3)) == ["message-1", "message-3", "message-5"]
    gets_no_more(opened)


@slow
@broker("plain", exclusive=True)
@requirement("JMS-SUB-007")
def test_idle_durable_subscription_outlives_a_restart(jms, client_id, topic, label, broker_control):
    """What it keeps, and has not expired meanwhile, comes when the broker is back."""

    def opened():
        return durable_consumer(jms.connection(client_id=client_id).create_session(), topic, label)

    with jms.connection(client_id=client_id) as connection:
        session = connection.create_session()
        durable_consumer(session, topic, label).close()
        producer = session.create_producer(topic)
        for text in numbered(5):
            lives = MOMENT if text in ("message-2", "message-4") else 0
            producer.send(session.create_text_message(text), time_to_live=lives)
    sent_by = now()

    broker_control.restart()
    wait_until(sent_by + MOMENT)

    kept = texts(receive_all(again(opened), 3, within=BACK))
    assert checks.exactly_once(["message-1", "message-3", "message-5"], kept) == []


@requirement("JMS-SUB-008")
def test_durable_subscription_delivers_all_whoever_is_there(
    jms, session, topic, label, gets_no_more
):
    """Of 60 messages half are sent while the consumer is closed; all come, once and in order."""
    received = []
    opened = durable_consumer(session, topic, label)
    for number in range(6):
        send(jms.connected, topic, [f"{number}-{each}" for each in range(5)])
        received += texts(receive_all(opened, 3))
        opened.close()
        send(jms.connected, topic, [f"{number}-{each}" for each in range(5, 10)])
        opened = durable_consumer(session, topic, label)
    sent = [f"{number}-{each}" for number in range(6) for each in range(10)]

    received += texts(receive_all(opened, len(sent) - len(received)))

    assert received == sent
    gets_no_more(opened)


@requirement("JMS-SUB-008")
def test_workload_of_a_durable_consumer_that_comes_and_goes(workload):
    """A consumer that comes and goes while 2,000 messages are sent gets every one, once."""
    verdict = workload("durable", messages=2_000).with_power(1_800, "D01", "D08")

    assert verdict.against("D01", "D08") == []


@requirement("JMS-SUB-009")
def test_another_client_id_has_its_own_subscription(
    jms, name, session, topic, label, expect_backlogs, gets_no_more
):
    """The same name under another client id gets nothing of what the first one keeps."""
    durable_consumer(session, topic, label).close()
    sent = send(jms.connected, topic, numbered(3))

    stranger = jms.connection(client_id=name("c2")).create_session()
    other = durable_consumer(stranger, topic, label)

    gets_no_more(other)
    expect_backlogs(0, 4)
    assert texts(receive_all(durable_consumer(session, topic, label), 4))[:3] == sent


@requirement("JMS-SUB-011")
def test_another_selector_makes_an_idle_durable_subscription_anew(
    jms, session, topic, label, expect_backlogs, gets_no_more
):
    """What waits for x = 1 is gone when it is opened with x = 2, and later x = 2 come."""
    durable_consumer(session, topic, label, "x = 1").close()
    send_with(jms.connected, topic, [X1, X1, {**X2, "of": "before"}])

    opened = durable_consumer(session, topic, label, "x = 2")

    gets_no_more(opened, X2)
    expect_backlogs(0)


@requirement("JMS-SUB-011")
def test_another_topic_makes_an_idle_durable_subscription_anew(
    jms, session, topic, label, name, gets_no_more
):
    """What waits on one topic is gone once the subscription was opened with another one."""
    elsewhere = jms.topic(name("elsewhere"))
    durable_consumer(session, topic, label).close()
    send(jms.connected, topic, numbered(3))

    with durable_consumer(session, elsewhere, label) as opened:
        sent = send(jms.connected, elsewhere, ["to the other one"])
        assert texts([receive(opened)]) == sent

    gets_no_more(durable_consumer(session, topic, label))


@requirement("JMS-SUB-012")
def test_another_no_local_makes_an_idle_durable_subscription_anew(
    jms, session, topic, label, expect_backlogs, gets_no_more
):
    """What waits without noLocal is gone when it is opened with it; own messages do not come."""
    durable_consumer(session, topic, label).close()
    send(jms.connected, topic, numbered(3))

    opened = durable_consumer(session, topic, label, None, True)
    session.create_producer(topic).send(session.create_text_message("own"))

    gets_no_more(opened)
    expect_backlogs(0)


@requirement("JMS-SUB-013")
def test_unsubscribe_removes_a_subscription_with_what_it_holds(
    jms, session, topic, label, expect_backlogs, gets_no_more
):
    """Five messages wait; after unsubscribe() there is no subscription, and they never come."""
    durable_consumer(session, topic, label).close()
    send(jms.connected, topic, numbered(5))
    expect_backlogs(5)

    session.unsubscribe(label)

    expect_backlogs()
    gets_no_more(durable_consumer(session, topic, label))


@requirement("JMS-SUB-014")
def test_subscription_with_a_consumer_is_not_removed(jms, session, topic, label):
    """unsubscribe() is refused, and the consumer goes on receiving."""
    opened = durable_consumer(session, topic, label)

    with refuses(JMSException):
        session.unsubscribe(label)

    sent = send(jms.connected, topic, numbered(3))
    assert texts(receive_all(opened, 3)) == sent


@requirement("JMS-SUB-015")
@pytest.mark.parametrize(
    "mode",
    [SessionMode.CLIENT_ACKNOWLEDGE, SessionMode.SESSION_TRANSACTED],
    ids=lambda mode: mode.name.lower(),
)
def test_subscription_with_an_unsettled_message_is_not_removed(
    jms, connection, topic, label, broker_subscriptions, mode
):
    """unsubscribe() is refused while a received message is unsettled, and not any more after."""
    transacted = mode == SessionMode.SESSION_TRANSACTED
    session = connection.create_session(transacted, mode)
    opened = durable_consumer(session, topic, label)
    send(jms.connected, topic, ["received"])
    message = receive(opened)
    assert texts([message]) == ["received"]
    opened.close()

    with refuses(JMSException):
        session.unsubscribe(label)

    session.commit() if transacted else message.acknowledge()
    eventually(lambda: not any(each.consumers for each in broker_subscriptions() or ()))
    session.unsubscribe(label)


@requirement("JMS-SUB-016")
def test_each_plain_consumer_has_a_subscription_of_its_own(jms, topic, expect_backlogs):
    """Two consumers of a session both get all messages; the broker has two, and then none."""
    session = jms.session()
    consumers = [session.create_consumer(topic) for _ in range(2)]
    expect_backlogs(0, 0)

    sent = send(jms.connected, topic, numbered(5))

    for each in consumers:
        receives(each, sent)
        each.close()
    expect_backlogs()


@requirement("JMS-SUB-017")
def test_unshared_subscription_takes_in_what_it_selects(jms, topic, expect_backlogs, gets_no_more):
    """Of ten messages four come to a consumer of x = 1, and nothing waits for it."""
    opened = jms.session().create_consumer(topic, "x = 1")

    sent = send_with(jms.connected, topic, TEN)

    assert texts(receive_all(opened, 4)) == [sent[each] for each in SELECTED]
    expect_backlogs(0)
    gets_no_more(opened)


@requirement("JMS-SUB-018")
def test_unshared_subscription_is_never_shared(jms, topic, expect_unshared):
    """Two consumers each get all of 100 messages, and no subscription has two consumers."""
    consumers = [jms.session().create_consumer(topic) for _ in range(2)]

    sent = send(jms.connected, topic, numbered(100))

    for each in consumers:
        receives(each, sent)
    expect_unshared(2)


@requirement("JMS-SUB-026")
@pytest.mark.parametrize("in_session", ["same", "another"])
def test_unshared_durable_subscription_has_one_consumer(
    jms, connection, session, topic, label, expect_unshared, in_session
):
    """A second one is refused in the same and in another session; the first goes on alone."""
    first = durable_consumer(session, topic, label)

    with refuses(JMSException):
        durable_consumer(
            session if in_session == "same" else connection.create_session(), topic, label
        )

    receives(first, send(jms.connected, topic, numbered(3)))
    expect_unshared(1)
