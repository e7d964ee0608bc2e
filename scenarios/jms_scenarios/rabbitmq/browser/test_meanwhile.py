"""Browsers of a queue that changes after their snapshot, or while they take it."""

import threading
import time
from itertools import pairwise

import pytest

from jms_scenarios.moments import now, wait_until
from jms_scenarios.rabbitmq.browser.reading import observe_texts, received
from jms_scenarios.traffic import numbered, texts
from jmsapi import SessionMode
from touchstone.api import (
    bounded,
    eventually,
    observe,
    permissive,
    portable,
    receive,
    requirement,
    slow,
    timed,
)

MANY = 1000
LIFE = 4000
"""Milliseconds of a message that is to expire, but not before it was browsed."""
CONSUMED_WITHIN = 40.0
"""Seconds: a browser may keep the rest of the queue from others for ten, or until it is done."""


@pytest.fixture
def emptied(queue, queues):
    """`emptied()`: the broker's count falls to nothing."""
    return lambda: eventually(lambda: queues.pending(queue) == 0)


def snapshot_of_what_expires(put, browser):
    """The enumeration of a queue with one message that lives for LIFE, taken before that ends."""
    with timed() as taking:
        put(["m1"], time_to_live=LIFE)
        enumeration = browser.enumeration
        there = enumeration.has_more_elements()
    bounded(taking.seconds, "the snapshot", at_most=LIFE / 1000, slack=taking.slack)
    assert there
    return enumeration


@portable
@requirement("RMQ-BRW-020")
def test_message_that_arrives_later_is_absent(put, browser):
    """A snapshot of two messages has two, though a third came before it was read."""
    sent = put(["m1", "m2"])
    enumeration = browser.enumeration

    put(["m3"])

    assert observe_texts(enumeration, "what came after the enumeration was asked for") == sent


@slow
@requirement("RMQ-BRW-021")
def test_message_that_expires_later_remains(jms, queue, queues, put, browser, emptied):
    """A message that expired after the snapshot is read from it, while the queue has none."""
    enumeration = snapshot_of_what_expires(put, browser)

    wait_until(now() + LIFE)
    with jms.consumer(queue) as consumer:
        queues.send(queue, "marker")
        assert received(consumer, 1) == ["marker"]
    emptied()

    assert texts(enumeration) == ["m1"]


@requirement("RMQ-BRW-022")
def test_message_put_back_later_is_absent(jms, queue, put, browser):
    """A message that another session held while the snapshot was taken is not in it."""
    holding = jms.session(SessionMode.CLIENT_ACKNOWLEDGE)
    put(["m2"])
    consumer = holding.create_consumer(queue)
    held = receive(consumer)
    put(["m1"], held=True)
    enumeration = browser.enumeration

    holding.recover()
    again = receive(consumer)

    assert (texts([held]), texts([again])) == (["m2"], ["m2"])
    assert texts(enumeration) == ["m1"]


@requirement("RMQ-BRW-023")
def test_message_removed_later_remains(jms, queue, put, browser, emptied):
    """Two messages that were consumed after the snapshot are read from it."""
    sent = put(["m1", "m2"])
    enumeration = browser.enumeration

    with jms.consumer(queue) as consumer:
        assert received(consumer, 2) == sent
    emptied()

    assert texts(enumeration) == sent


@permissive
@requirement("RMQ-BRW-024")
def test_messages_sent_meanwhile_may_be_listed(jms, queue, put, browser):
    """What is there throughout is listed once and in order; what comes meanwhile, at most once."""
    sent = put(numbered(MANY))
    meanwhile = []
    ended = threading.Event()

    def keep_sending():
        with jms.connection() as connection, connection.create_session() as session:
            producer = session.create_producer(queue)
            while not ended.is_set():
                meanwhile.append(f"meanwhile-{len(meanwhile)}")
                producer.send(session.create_text_message(meanwhile[-1]))

    sending = threading.Thread(target=keep_sending)
    sending.start()
    try:
        eventually(lambda: meanwhile)
        listed = texts(browser.enumeration)
    finally:
        ended.set()
        sending.join()

    present = set(sent)
    extra = [text for text in listed if text not in present]
    observe("how many of the messages sent meanwhile are listed", len(extra))
    assert [text for text in listed if text in present] == sent
    assert len(set(extra)) == len(extra)
    assert set(extra) <= set(meanwhile)


@permissive
@requirement("RMQ-BRW-025")
def test_messages_read_meanwhile_may_be_listed(jms, queue, put, browser):
    """While another session consumes a thousand messages, browsing it neither fails nor repeats."""
    sent = put(numbered(MANY))
    consumed = Consuming(jms, queue, MANY)

    with consumed:
        listed = texts(browser.enumeration)

    both = set(listed) & set(consumed.texts)
    observe("how many of the messages read meanwhile are listed", len(both))
    assert len(set(listed)) == len(listed)
    assert set(listed) <= set(sent)
    assert sorted(set(consumed.texts)) == sorted(sent)


class Consuming:
    """Another connection that consumes a number of messages on a thread of its own."""

    def __init__(self, jms, queue, count):
        self.texts = []
        self._jms = jms
        self._queue = queue
        self._count = count
        self._thread = threading.Thread(target=self._consume)

    def __enter__(self):
        self._thread.start()
        eventually(lambda: self.texts, within=30.0)
        return self

    def __exit__(self, *error):
        self._thread.join()

    def _consume(self):
        end = time.monotonic() + CONSUMED_WITHIN
        with self._jms.connection() as connection:
            session = connection.create_session(False, SessionMode.AUTO_ACKNOWLEDGE)
            consumer = session.create_consumer(self._queue)
            while len(set(self.texts)) < self._count and time.monotonic() < end:
                message = consumer.receive(1000)
                if message is not None:
                    self.texts += texts([message])


@slow
@permissive
@requirement("RMQ-BRW-027")
def test_other_readers_may_receive_out_of_order(jms, queue, put, browser):
    """All of a thousand messages arrive while their queue is browsed, in whatever order."""
    sent = put(numbered(MANY))
    consumed = Consuming(jms, queue, MANY)

    with consumed:
        for _ in range(2):
            assert set(texts(browser.enumeration)) <= set(sent)

    places = {text: place for place, text in enumerate(sent)}
    order = [places[text] for text in consumed.texts]
    observe("inversions", sum(1 for left, right in pairwise(order) if left > right))
    assert sorted(set(consumed.texts)) == sorted(sent)


@slow
@requirement("RMQ-BRW-026")
def test_copy_never_expires(put, browser):
    """A copy is read after its expiration, which it names."""
    enumeration = snapshot_of_what_expires(put, browser)

    wait_until(now() + LIFE)

    copy = next(enumeration)
    assert texts([copy]) == ["m1"]
    assert 0 < copy.jms_expiration < now()
