"""Queue browsers that take a snapshot: what is in it, for how long, and what it costs."""

import threading
import time
from itertools import pairwise

import pytest

from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import numbered, texts
from jmsapi import JMSException, SessionMode
from touchstone.api import (
    eventually,
    judging,
    observe,
    permissive,
    portable,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

SELECTOR = "x = 1"
LIFE = 4000
"""Milliseconds of a message that is to expire, but not before it was browsed."""
CONSUMED_WITHIN = 40.0
"""Seconds: a browser may keep the rest of the queue from others for ten, or until it is done."""
MANY = 1000
LARGE = 100_000
"""Characters of a message, for what is said of memory."""
ONE_OF_MANY = "0500" + "x" * LARGE


@pytest.fixture
def put(jms, queue, queues):
    """`put(texts)`: sends them, x=1 on those in `selected`; returns when the queue has them all.

    With `held` it also counts what consumers have and did not acknowledge.
    """
    producer = jms.producer(queue)

    def put(sent, selected=(), held=False, **options):
        for text in sent:
            message = jms.text(text)
            message.set_int_property("x", 1 if text in selected else 2)
            producer.send(message, **options)
        put.count += len(sent)
        counted = queues.pending if held else queues.ready
        eventually(lambda: counted(queue) == put.count, within=30.0)
        return list(sent)

    put.count = 0
    return put


@pytest.fixture
def browser(jms, queue):
    """A browser of the queue, of a session of its own."""
    return jms.session().create_browser(queue)


@pytest.fixture
def selecting(jms, queue):
    """A browser of the queue with the selector `x = 1`."""
    return jms.session().create_browser(queue, SELECTOR)


@pytest.fixture
def emptied(queue, queues):
    """`emptied()`: the broker's count falls to nothing."""
    return lambda: eventually(lambda: queues.pending(queue) == 0)


def received(consumer, count):
    """The texts of the next messages, each acknowledged."""
    messages = receive_all(consumer, count)
    messages[-1].acknowledge()
    return texts(messages)


@requirement("RMQ-BRW-001")
def test_browsed_messages_stay_in_the_queue(jms, queue, queues, put, browser):
    """After three messages were browsed, the broker counts three, and a consumer receives them."""
    sent = put(numbered(3))

    assert texts(browser.enumeration) == sent

    eventually(lambda: queues.ready(queue) == 3)
    with jms.consumer(queue) as consumer:
        assert received(consumer, 3) == sent


@requirement("RMQ-BRW-002")
def test_topic_cannot_be_browsed(jms, topic):
    """A browser of a topic is refused with a JMSException."""
    with refuses(JMSException):
        jms.session().create_browser(topic)


@requirement("RMQ-BRW-003")
def test_browser_without_a_selector(browser):
    """A browser that was given no selector has none."""
    assert browser.message_selector in (None, "")
    assert texts(browser.enumeration) == []


@requirement("RMQ-BRW-004")
def test_browser_with_a_selector(selecting):
    """A browser that was given a selector has it as it was written."""
    assert selecting.message_selector == SELECTOR


@requirement("RMQ-BRW-005")
def test_browser_lists_copies(jms, queue, put, browser):
    """What a browser lists has the ids and bodies of the messages, which it is not itself."""
    sent = put(numbered(3))

    copies = list(browser.enumeration)
    ids = [copy.jms_message_id for copy in copies]
    assert texts(copies) == sent
    for copy in copies:
        copy.clear_body()
        copy.clear_properties()

    with jms.consumer(queue) as consumer:
        messages = receive_all(consumer, 3)
    assert texts(messages) == sent
    assert [message.get_int_property("x") for message in messages] == [2, 2, 2]
    assert [message.jms_message_id for message in messages] == ids


@requirement("RMQ-BRW-006")
def test_browser_without_a_selector_lists_every_message(put, browser):
    """Of ten messages, whatever their properties, ten are listed, in order."""
    sent = put(numbered(10), selected={"message-2", "message-3", "message-7", "message-10"})

    assert texts(browser.enumeration) == sent


@requirement("RMQ-BRW-007")
def test_browser_with_a_selector_lists_what_satisfies_it(put, selecting):
    """Of ten messages exactly the four with x=1 are listed, in order."""
    selected = ["message-2", "message-3", "message-7", "message-10"]
    put(numbered(10), selected)

    assert texts(selecting.enumeration) == selected


@requirement("RMQ-BRW-008")
def test_queue_is_read_when_the_enumeration_is_asked_for(put, browser):
    """A browser that is older than three messages lists them."""
    sent = put(numbered(3))

    assert texts(browser.enumeration) == sent


@requirement("RMQ-BRW-009")
def test_selector_is_applied_to_the_snapshot(queue, queues, put, selecting):
    """Two of five messages match; they are what is left to read once the queue was purged."""
    selected = ["message-2", "message-4"]
    put(numbered(5), selected)

    enumeration = selecting.enumeration
    queues.purge(queue)
    eventually(lambda: queues.ready(queue) == 0)

    assert texts(enumeration) == selected


@requirement("RMQ-BRW-010")
def test_copies_are_read_one_by_one(put, browser):
    """Two messages: more, the first, more, the second, no more."""
    sent = put(numbered(2))

    enumeration = browser.enumeration

    for text in sent:
        assert enumeration.has_more_elements()
        assert enumeration.has_more_elements()
        assert texts([next(enumeration)]) == [text]
    assert not enumeration.has_more_elements()


@requirement("RMQ-BRW-011")
def test_reading_past_the_end_is_an_error(put, browser):
    """Behind the last copy there is none, however often one asks."""
    sent = put(numbered(2))

    enumeration = browser.enumeration
    assert texts([next(enumeration), next(enumeration)]) == sent

    for _ in range(2):
        with refuses(StopIteration):
            next(enumeration)


@requirement("RMQ-BRW-012")
def test_selector_of_a_browser_cannot_be_changed(put, selecting):
    """A browser has the same selector before and after an enumeration, and none can be set."""
    put(numbered(3), selected={"message-2"})
    assert selecting.message_selector == SELECTOR

    assert texts(selecting.enumeration) == ["message-2"]
    with refuses(AttributeError):
        selecting.message_selector = "x = 2"

    assert selecting.message_selector == SELECTOR
    assert texts(selecting.enumeration) == ["message-2"]


@requirement("RMQ-BRW-013")
def test_queue_of_a_browser_cannot_be_changed(jms, queue, name, put, browser):
    """A browser has the same queue before and after an enumeration, and none can be set."""
    sent = put(numbered(2))
    assert browser.queue.queue_name == queue.queue_name

    assert texts(browser.enumeration) == sent
    with refuses(AttributeError):
        browser.queue = jms.queue(name("other"))

    assert browser.queue.queue_name == queue.queue_name
    assert texts(browser.enumeration) == sent


@requirement("RMQ-BRW-014")
def test_enumeration_cannot_be_rewound(put, browser):
    """An enumeration that came to its end stays there, also after new messages."""
    sent = put(numbered(3))
    enumeration = browser.enumeration
    assert texts(enumeration) == sent
    assert not enumeration.has_more_elements()

    put(["new"])

    assert not enumeration.has_more_elements()
    assert texts(enumeration) == []


@requirement("RMQ-BRW-015")
def test_each_enumeration_is_a_fresh_snapshot(put, browser):
    """The second enumeration of a browser lists what came after the first, too."""
    first = put(["m1"])
    assert texts(browser.enumeration) == first

    second = put(["m2"])

    assert texts(browser.enumeration) == first + second


@portable
@requirement("RMQ-BRW-016")
def test_enumeration_survives_its_session(jms, queue, put):
    """Three copies are read after the session of their browser was closed."""
    sent = put(numbered(3))
    session = jms.session()
    enumeration = session.create_browser(queue).enumeration

    session.close()

    assert observed(enumeration, "an enumeration after its session was closed") == sent


@portable
@requirement("RMQ-BRW-017")
def test_enumeration_survives_its_connection(jms, queue, put):
    """Three copies are read after the connection of their browser was closed."""
    sent = put(numbered(3))
    connection = jms.connection()
    enumeration = connection.create_session().create_browser(queue).enumeration

    connection.close()

    assert observed(enumeration, "an enumeration after its connection was closed") == sent


def observed(enumeration, what):
    """The texts that an enumeration lists, which are noted; so is how it fails."""
    try:
        listed = texts(enumeration)
    except Exception as error:
        observe(what, type(error).__name__)
        raise
    observe(what, listed)
    return listed


@requirement("RMQ-BRW-018")
def test_browser_ends_with_its_session(jms, queue, put):
    """A browser whose session was closed gives no enumeration any more."""
    put(numbered(1))
    session = jms.session()
    browser = session.create_browser(queue)

    session.close()

    with refuses(JMSException):
        _ = browser.enumeration


@portable
@requirement("RMQ-BRW-019")
def test_closing_a_browser_does_nothing(put, browser):
    """After close() an older enumeration can be read, and a new one be taken."""
    sent = put(numbered(3))
    enumeration = browser.enumeration

    browser.close()

    assert observed(enumeration, "an enumeration after its browser was closed") == sent
    assert texts(browser.enumeration) == sent


@portable
@requirement("RMQ-BRW-020")
def test_message_that_arrives_later_is_absent(put, browser):
    """A snapshot of two messages has two, though a third came before it was read."""
    sent = put(["m1", "m2"])
    enumeration = browser.enumeration

    put(["m3"])

    assert observed(enumeration, "what came after the enumeration was asked for") == sent


@slow
@requirement("RMQ-BRW-021")
def test_message_that_expires_later_remains(jms, queue, queues, put, browser, slack, emptied):
    """A message that expired after the snapshot is read from it, while the queue has none."""
    life = LIFE + round(2 * slack * 1000)
    put(["m1"], time_to_live=life)
    enumeration = browser.enumeration
    assert enumeration.has_more_elements()

    wait_until(now() + life)
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
    observe("inversions", sum(1 for one, two in pairwise(order) if one > two))
    assert sorted(set(consumed.texts)) == sorted(sent)


@slow
@requirement("RMQ-BRW-026")
def test_copy_never_expires(put, browser, slack):
    """A copy is read after its expiration, which it names."""
    life = LIFE + round(2 * slack * 1000)
    put(["m1"], time_to_live=life)
    enumeration = browser.enumeration
    assert enumeration.has_more_elements()

    wait_until(now() + life)

    copy = next(enumeration)
    assert texts([copy]) == ["m1"]
    assert 0 < copy.jms_expiration < now()


@requirement("RMQ-BRW-028")
def test_browsing_alone_keeps_the_order(jms, queue, queues, put, browser):
    """A hundred messages that were browsed three times are consumed in their order."""
    sent = put(numbered(100))

    for _ in range(3):
        assert texts(browser.enumeration) == sent
        eventually(lambda: queues.ready(queue) == 100)

    with jms.consumer(queue) as consumer:
        assert received(consumer, 100) == sent


@requirement("RMQ-BRW-029")
def test_copy_that_was_read_is_let_go(jms, put, browser):
    """Once the application dropped a copy, a collection frees it, though the enumeration lives."""
    put(numbered(3))
    with jms.memory() as memory:
        enumeration = browser.enumeration
        watched = [memory.watch(next(enumeration))]

        eventually(lambda: not watched[0](), within=30.0)

        assert texts(enumeration) == ["message-2", "message-3"]


@requirement("RMQ-BRW-030")
def test_unread_copies_stay_in_memory(jms, put, browser):
    """Of three copies of 3 MB the two unread ones hold memory until the enumeration is dropped."""
    size = 3_000_000
    put(["a" * size, "b" * size, "c" * size])
    with jms.memory() as memory:
        kept = [browser.enumeration]  # a name would be kept by whoever looks at the frame
        whole = memory.held()
        length = len(next(kept[0]).get_body(str))
        assert length == size

        eventually(lambda: memory.held() <= whole - size // 2, within=30.0)
        rest = memory.held()
        kept.clear()

        eventually(lambda: rest - memory.held() >= 1.5 * size, within=30.0)
        observe("bytes of two unread copies of 3 MB", rest - memory.held())


@slow
@permissive
@requirement("RMQ-BRW-031", "RMQ-BRW-032")
def test_long_queue_may_take_much_memory(jms, put, browser, selecting):
    """A thousand messages of 100 kB can be browsed, and one of them; what it takes is noted."""
    sent = put([f"{number:04}" + "x" * LARGE for number in range(MANY)], selected={ONE_OF_MANY})

    with jms.memory() as memory:
        with judging("RMQ-BRW-031"):
            listed, peak = memory.peak(lambda: texts(browser.enumeration))
            observe("peak of browsing 1000 messages of 100 kB, in MB", peak // 1_000_000)
            assert listed == sent
        with judging("RMQ-BRW-032"):
            listed, peak = memory.peak(lambda: texts(selecting.enumeration))
            observe("peak of selecting one of them, in MB", peak // 1_000_000)
            assert listed == [ONE_OF_MANY]


@requirement("RMQ-BRW-033")
def test_only_the_limit_guards_memory(jms, queue, put, browser):
    """Without a limit 300 messages of 100 kB are copied; with a limit of ten, a fraction."""
    sent = put([f"{number:04}" + "x" * LARGE for number in range(300)])
    limited = jms.connection({"queueBrowserReadMax": 10}).create_session().create_browser(queue)

    with jms.memory() as memory:
        (all_of_them, peak), (ten, small) = (
            memory.peak(lambda: browser.enumeration),
            memory.peak(lambda: limited.enumeration),
        )
    observe("peaks without and with the limit, in MB", [peak // 1_000_000, small // 1_000_000])
    assert peak >= 300 * LARGE
    assert small <= peak / 2
    assert texts(ten) == sent[:10]
    assert texts(all_of_them) == sent


@requirement("RMQ-BRW-034")
def test_browsers_are_supported(jms, queue, put):
    """Browsers with and without a selector are made, and browse."""
    sent = put(["m1", "m2"], selected={"m2"})
    session = jms.session()

    assert texts(session.create_browser(queue).enumeration) == sent
    assert texts(session.create_browser(queue, SELECTOR).enumeration) == ["m2"]
