"""Queue browsers: where they begin, what they read by, and what they leave as it is."""

import pytest

from jms_scenarios.traffic import numbered, send, texts
from jmsapi import JMSException, SessionMode
from touchstone.api import (
    eventually,
    judge_drawn_sessions,
    observe,
    permissive,
    receive_all,
    refuses,
    requirement,
    slow,
)

QUEUE_SUBSCRIPTION = "jms-queue"
PEEK = "/subscription/jms-queue/position/"


@pytest.fixture
def session(jms):
    return jms.session(SessionMode.CLIENT_ACKNOWLEDGE)


@pytest.fixture
def consumed(session, admin):
    """`consumed(queue, count, left)`: so many messages are consumed, and as many left to it."""

    def consumed(queue, count, left, subscription=QUEUE_SUBSCRIPTION):
        with session.create_consumer(queue) as consumer:
            receive_all(consumer, count)[-1].acknowledge()
        eventually(lambda: admin.backlog(queue, subscription) == left)

    return consumed


def browsed_texts(session, queue):
    """The texts that a new browser of the queue lists."""
    with session.create_browser(queue) as browser:
        return texts(browser.enumeration)


@requirement("SLJ-BRW-001")
def test_browser_is_a_reader_and_no_consumer_of_the_queue(faults, jms_at, jms, queue, admin):
    """A browser subscribes as readers do, never by jms-queue, and what it lists is still there."""
    proxy, address = faults.frame_proxy()
    browsing = jms_at(address).session()
    admin.create_topic(queue)
    admin.create_subscription(queue, QUEUE_SUBSCRIPTION, "earliest")
    sent = send(jms.connected, queue, numbered(3))

    with browsing.create_browser(queue) as browser:
        enumeration = iter(browser.enumeration)
        listed = texts([next(enumeration)])
        consumers = admin.subscription(queue, QUEUE_SUBSCRIPTION).consumers
        listed += texts(enumeration)

    assert consumers == 0
    readers = proxy.seen("SUBSCRIBE")
    assert {frame.fields.get("durable", 1) for frame in readers} == {0}
    assert QUEUE_SUBSCRIPTION not in {frame.fields["subscription"] for frame in readers}
    assert listed == sent
    with jms.consumer(queue) as consumer:
        assert texts(receive_all(consumer, 3)) == sent


@requirement("SLJ-BRW-002")
def test_browsing_begins_at_the_next_message_due(jms, session, queue, consumed):
    """Of five messages, two of them consumed, a browser lists the last three, by each API.

    When one more is consumed, the next browser lists two.
    """
    sent = send(jms.connected, queue, numbered(5))
    for count, left in ((2, 3), (1, 2)):
        consumed(queue, count, left=left)

        for opener in (session, jms.context(), jms.session()):
            assert browsed_texts(opener, queue) == sent[-left:]


@requirement("SLJ-BRW-002")
@pytest.mark.parametrize("settled", ["2", "13", "124", "5", "15", "234"])
def test_browsing_begins_before_acknowledgements_out_of_order(jms, queue, admin, settled):
    """Behind messages that are acknowledged one by one it lists all others, the first one first."""
    sent = send(jms.connected, queue, numbered(5))
    left = [text for text in sent if text[-1] not in settled]
    with jms.session(jms.constants.individual_acknowledge) as session:
        for message in receive_all(session.create_consumer(queue), 5):
            if texts([message])[0] not in left:
                message.acknowledge()
    eventually(lambda: admin.backlog(queue) == len(left))

    listed = browsed_texts(jms.session(), queue)

    assert listed[:1] == left[:1]
    assert [text for text in listed if text in left] == left


@requirement("SLJ-BRW-002")
def test_browsing_begins_where_the_subscription_does(jms, session, queue, admin):
    """What was sent before the subscription began is not due, and not listed."""
    send(jms.connected, queue, numbered(2, "before"))
    admin.create_subscription(queue, QUEUE_SUBSCRIPTION, "latest")
    sent = send(jms.connected, queue, numbered(3))

    assert browsed_texts(session, queue) == sent


@requirement("SLJ-BRW-002")
def test_browsing_begins_at_the_next_message_of_each_partition(jms, session, name, admin, consumed):
    """On three partitions a browser lists exactly the messages that are left."""
    queue = jms.queue(name("queue"))
    admin.create_topic(queue, partitions=3)
    sent = send(jms.connected, queue, numbered(12))
    with session.create_consumer(queue) as consumer:
        messages = receive_all(consumer, 5)
        messages[-1].acknowledge()
    eventually(lambda: admin.backlog(queue) == 7)

    assert sorted(browsed_texts(session, queue)) == sorted(set(sent) - set(texts(messages)))


@requirement("SLJ-BRW-003")
def test_start_is_found_by_peeking(faults, jms_at, jms, queue, consumed):
    """While a queue is browsed, the administration is asked to peek at its jms-queue."""
    send(jms.connected, queue, numbered(2))
    consumed(queue, 1, left=1)
    proxy, address = faults.admin_proxy()

    browsed_texts(jms_at(address).session(), queue)

    peeks = [frame.fields["path"] for frame in proxy.seen("GET") if PEEK in frame.fields["path"]]
    assert len(peeks) >= 1
    assert all(queue.queue_name in path for path in peeks)


@requirement("SLJ-BRW-003")
def test_browser_needs_the_administration(faults, jms_at, jms, queue):
    """Where the administration cannot be reached, browsing fails."""
    send(jms.connected, queue, numbered(1))
    proxy, address = faults.admin_proxy()
    session = jms_at(address).session()
    proxy.down()

    with refuses(JMSException):
        browsed_texts(session, queue)


@permissive
@requirement("SLJ-BRW-004")
def test_consumed_queue_shows_no_more_than_its_last_message(jms, session, queue, consumed):
    """Of three consumed messages a browser lists none, or the last one."""
    sent = send(jms.connected, queue, numbered(3))
    consumed(queue, 3, left=0)

    listed = browsed_texts(session, queue)

    observe("what a browser lists of a consumed queue", listed)
    assert listed in ([], sent[2:])


@requirement("SLJ-BRW-005")
def test_browsing_begins_at_the_subscription_that_the_queue_names(jms, session, name, consumed):
    """With two of five messages consumed by sub2, a browser of the queue with :sub2 lists three.

    So do browsers of subscriptions with other names.
    """
    topic = name("queue")
    sent = send(jms.connected, jms.queue(topic), numbered(5))
    consumed(jms.queue(topic), 4, left=1)
    for subscription in ("sub2", "per%cent", "with+plus", "with space"):
        queue = jms.queue(f"{topic}:{subscription}")
        consumed(queue, 2, left=3, subscription=subscription)

        assert browsed_texts(session, queue) == sent[2:]


@slow
@requirement("SLJ-BRW-002", "SLJ-SEL-005")
def test_drawn_programs_on_what_is_due(at_hand):
    """What is browsed is what is due, and what a selector chooses of that."""
    judge_drawn_sessions(at_hand, "browsers", count=15)
