"""Queue browsers that take a snapshot: what is in it, and for how long."""

from jms_scenarios.rabbitmq.browser.reading import SELECTOR, observe_texts, received
from jms_scenarios.traffic import numbered, texts
from jmsapi import JMSException
from touchstone.api import (
    eventually,
    judge_drawn_sessions,
    portable,
    receive_all,
    refuses,
    requirement,
    slow,
)


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

    assert observe_texts(enumeration, "an enumeration after its session was closed") == sent


@portable
@requirement("RMQ-BRW-017")
def test_enumeration_survives_its_connection(jms, queue, put):
    """Three copies are read after the connection of their browser was closed."""
    sent = put(numbered(3))
    connection = jms.connection()
    enumeration = connection.create_session().create_browser(queue).enumeration

    connection.close()

    assert observe_texts(enumeration, "an enumeration after its connection was closed") == sent


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

    assert observe_texts(enumeration, "an enumeration after its browser was closed") == sent
    assert texts(browser.enumeration) == sent


@requirement("RMQ-BRW-028")
def test_browsing_alone_keeps_the_order(jms, queue, queues, put, browser):
    """A hundred messages that were browsed three times are consumed in their order."""
    sent = put(numbered(100))

    for _ in range(3):
        assert texts(browser.enumeration) == sent
        eventually(lambda: queues.ready(queue) == 100)

    with jms.consumer(queue) as consumer:
        assert received(consumer, 100) == sent


@requirement("RMQ-BRW-034")
def test_browsers_are_supported(jms, queue, put):
    """Browsers with and without a selector are made, and browse."""
    sent = put(["m1", "m2"], selected={"m2"})
    session = jms.session()

    assert texts(session.create_browser(queue).enumeration) == sent
    assert texts(session.create_browser(queue, SELECTOR).enumeration) == ["m2"]


@slow
@requirement(
    *("RMQ-BRW-001", "RMQ-BRW-003", "RMQ-BRW-004", "RMQ-BRW-005", "RMQ-BRW-006", "RMQ-BRW-007"),
    *("RMQ-BRW-010", "RMQ-BRW-011", "RMQ-BRW-012", "RMQ-BRW-013", "RMQ-BRW-015", "RMQ-BRW-028"),
)
def test_drawn_programs_on_snapshots(at_hand):
    """Snapshots, new ones and by selectors, show what the queue has, which stays as it is."""
    judge_drawn_sessions(at_hand, "browsers", count=30)
