"""Virtual destinations: one consumer for a list of topics, or for all that a pattern matches."""

import pytest

from jms_scenarios.traffic import send, texts
from touchstone.api import checks, nothing_before, receive_all, requirement


def of_queue(session, virtual):
    return session.create_consumer(session.create_queue(virtual))


def of_topic(session, virtual):
    return session.create_consumer(session.create_topic(virtual))


queue_or_topic = pytest.mark.parametrize("consumer_of", [of_queue, of_topic])


@pytest.fixture
def session(jms):
    return jms.session()


@pytest.fixture
def sent_to(jms):
    """`sent_to(*names)`: sends to each topic a message whose text is its name; gives the names."""

    def sent_to(*names):
        for name in names:
            send(jms.connected, jms.topic(name), [name])
        return list(names)

    return sent_to


@pytest.fixture
def existing(name, admin):
    """`existing(format)`: the topic of that name, made beforehand; {} is a fresh name."""
    fresh = name("example")

    def existing(text):
        topic = text.format(fresh)
        admin.create_topic(topic)
        return topic

    return existing


@requirement("SLJ-VIRT-001")
def test_one_consumer_receives_from_several_destinations(jms, name, sent_to):
    """One consumer of a list of two topics, of either API, gets the message sent to each."""
    for opener in (jms.session(), jms.context()):
        example, foo = name("example"), name("foo")
        consumer = of_queue(opener, f"multi:{example},{foo}")

        sent = sent_to(example, foo)

        assert checks.exactly_once(sent, texts(receive_all(consumer, 2, within=10))) == []


@requirement("SLJ-VIRT-002")
@queue_or_topic
def test_pattern_covers_the_topics_that_match(session, existing, sent_to, consumer_of):
    """A consumer of a pattern gets what is sent to each of two topics whose names match."""
    example1, example2 = existing("{}1"), existing("{}2")
    existing("other-{}")
    consumer = consumer_of(session, f"regex:{example1[:-1]}.*")

    sent = sent_to(example1, example2)

    assert checks.exactly_once(sent, texts(receive_all(consumer, 2, within=10))) == []


@requirement("SLJ-VIRT-003")
@queue_or_topic
def test_pattern_covers_no_other_topics(session, existing, sent_to, consumer_of):
    """Neither another topic is covered nor one in whose name the match begins further behind.

    Twice, since topics do not wait for each other: what one marker overtook comes before the next.
    """
    example1 = existing("{}1")
    others = existing("my-{}"), existing("other-{}")
    consumer = consumer_of(session, f"regex:{example1[:-1]}.*")

    for _ in range(2):
        sent_to(*others)
        nothing_before(consumer, lambda: sent_to(example1), lambda m: texts([m]) == [example1])


@requirement("SLJ-VIRT-004")
@queue_or_topic
def test_list_covers_the_topics_in_it(session, name, sent_to, consumer_of):
    """A consumer of a list of three topics gets what is sent to each of them."""
    example, foo, bar = name("example"), name("foo"), name("bar")
    consumer = consumer_of(session, f"multi:{example},{foo},{bar}")

    sent = sent_to(example, foo, bar)

    assert checks.exactly_once(sent, texts(receive_all(consumer, 3, within=10))) == []


@requirement("SLJ-VIRT-004")
@queue_or_topic
def test_list_covers_no_other_topic(session, name, sent_to, consumer_of):
    """What is sent to a fourth topic does not come to the consumer of a list of three."""
    example, foo, bar, baz = name("example"), name("foo"), name("bar"), name("baz")
    consumer = consumer_of(session, f"multi:{example},{foo},{bar}")

    sent_to(baz, f"{example}-2")

    for listed in (example, foo, bar):
        nothing_before(
            consumer, lambda to=listed: sent_to(to), lambda m, to=listed: texts([m]) == [to]
        )


@requirement("SLJ-VIRT-005")
def test_list_may_end_in_the_subscription(session, name, admin, sent_to):
    """Each topic of `multi:example,foo,bar:subscription` has that subscription and no other.

    So it has where the names are full ones, and the subscription has any name.
    """
    for given, full in (("subscription", False), ("subscription", True), ("per%cent a+b", False)):
        short = [name("example"), name("foo"), name("bar")]
        topics = [str(admin.topic(each)) for each in short] if full else short
        consumer = of_queue(session, f"multi:{','.join(topics)}:{given}")

        sent = sent_to(*topics)

        assert checks.exactly_once(sent, texts(receive_all(consumer, 3, within=10))) == []
        assert [list(admin.subscriptions(topic)) for topic in topics] == [[given]] * 3
