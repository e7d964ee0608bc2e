"""Properties that JMS itself defines: how they are spelt, who sets them, who sees them."""

import pytest

from jms_scenarios.moments import now
from jms_scenarios.traffic import numbered, take, texts
from jmsapi import (
    Int,
    Long,
    SessionMode,
)
from touchstone.api import (
    eventually,
    judging,
    not_applicable,
    prefers,
    receive,
    requirement,
    strategies,
)

ON_SEND = ("JMSXUserID", "JMSXAppID", "JMSXProducerTXID")
ON_RECEIVE = ("JMSXDeliveryCount", "JMSXRcvTimestamp", "JMSXConsumerTXID")
TABLE = {*ON_SEND, *ON_RECEIVE, "JMSXGroupID", "JMSXGroupSeq", "JMSXState"}
"""Every JMSX property that there is (JMS 2.0, section 3.5.9)."""


@pytest.fixture
def listed(jms):
    """`listed(name)` goes on where the client lists a JMSX property as supported."""

    def listed(name):
        if name not in {*jms.connected.meta_data.jmsx_property_names}:
            not_applicable(f"{name} is not among the JMSX properties that the client lists")

    return listed


@requirement("JMS-PROP-041")
def test_jmsx_names_are_spelt_as_in_the_table(jms, message_with, delivered):
    """Listed and received JMSX names are those of the table, and another case is another name."""
    received = delivered(message_with({"JMSXGroupID": "g1", "JMSXGroupSeq": Int(7)}))
    seen = {name for name in received.property_names() if name.upper().startswith("JMSX")}

    assert sorted({*jms.connected.meta_data.jmsx_property_names} - TABLE) == []
    assert sorted(seen - TABLE) == []
    jms.needs_count(received)
    assert received.property_exists("JMSXDeliveryCount") is True
    assert received.property_exists("jmsxdeliverycount") is False


@requirement("JMS-PROP-042")
def test_selector_may_name_any_jmsx_property(jms, topic):
    """A consumer for JMSXAppID IS NULL is accepted, and gets the message that lacks it."""
    session = jms.session()
    consumer = session.create_consumer(topic, "JMSXAppID IS NULL")
    session.create_producer(topic).send(session.create_text_message("hello"))

    assert texts([receive(consumer)]) == ["hello"]


@requirement("JMS-PROP-043", "JMS-PROP-044", "JMS-PROP-045")
@pytest.mark.parametrize("group_id", ["g1", "Größe 中/%2F"], ids=["ascii", "any"])
def test_group_arrives_as_it_was_set(jms, message_with, delivered, carried, group_id):
    """JMSXGroupID arrives as the String and JMSXGroupSeq as the Int that was set."""
    group = {"JMSXGroupID": group_id, "JMSXGroupSeq": Int(7)}
    received = delivered(message_with(group))

    with judging("JMS-PROP-043"):
        assert [name for name in group if not received.property_exists(name)] == []
        listed = {*jms.connected.meta_data.jmsx_property_names}
        assert sorted({*group} - listed) == []
    with judging("JMS-PROP-044"):
        assert strategies.identical(received.get_object_property("JMSXGroupID"), group_id)
        assert carried(message_with(group)).group == group_id
    with judging("JMS-PROP-045"):
        assert strategies.identical(received.get_object_property("JMSXGroupSeq"), Int(7))


@pytest.fixture
@prefers("user-ids")
def user_ids(at_hand):
    """Messages tell the user of their connection, where that is a setting."""


@pytest.mark.usefixtures("user_ids")
@requirement("JMS-PROP-046")
def test_what_is_set_on_send_is_seen_by_the_sender(jms, delivered):
    """JMSX properties that the provider sets on send are on the sender's message, too."""
    message = jms.text()
    received = delivered(message)
    names = [name for name in ON_SEND if received.property_exists(name)]
    if not names:
        not_applicable("no JMSX property is set on send")

    assert {name: message.get_object_property(name) for name in names} == {
        name: received.get_object_property(name) for name in names
    }


@requirement("JMS-PROP-047")
def test_what_is_set_on_receive_is_not_seen_by_the_sender(jms, delivered):
    """The sender's message has no delivery count, receive time or consumer's transaction."""
    message = jms.text()
    received = delivered(message)

    assert [name for name in ON_RECEIVE if message.property_exists(name)] == []
    jms.needs_count(received)
    assert received.property_exists("JMSXDeliveryCount")


@requirement("JMS-PROP-049")
def test_application_id_is_that_of_the_sending_application(jms, listed, delivered):
    """Two messages of one application carry the same text, which is not empty."""
    listed("JMSXAppID")
    first, second = (delivered(jms.text()).get_object_property("JMSXAppID") for _ in range(2))

    assert isinstance(first, str)
    assert first
    assert second == first


@requirement("JMS-PROP-050")
def test_producer_transaction_is_told(jms, listed, queue, delivered):
    """Two messages of a transaction carry its id, the next one's another, a plain one none."""
    listed("JMSXProducerTXID")
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    producer, consumer = session.create_producer(queue), jms.consumer(queue)
    received = []
    for count in (2, 1):
        for text in (sent := numbered(count)):
            producer.send(session.create_text_message(text))
        session.commit()
        received += take(consumer, sent)
    consumer.close()

    first, second, third = (each.get_object_property("JMSXProducerTXID") for each in received)
    assert isinstance(first, str)
    assert (second == first, third == first) == (True, False)
    assert not delivered(jms.text()).property_exists("JMSXProducerTXID")


@requirement("JMS-PROP-051")
def test_consumer_transaction_is_told(jms, listed, queue, carried):
    """Messages received in a transaction carry its id, those of the next another."""
    listed("JMSXConsumerTXID")
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumer, producer = session.create_consumer(queue), jms.producer(queue)
    received = []
    for count in (2, 1):
        for text in (sent := numbered(count)):
            producer.send(jms.text(text))
        received += take(consumer, sent)
        session.commit()

    first, second, third = (each.get_object_property("JMSXConsumerTXID") for each in received)
    assert isinstance(first, str)
    assert (second == first, third == first) == (True, False)
    assert "JMSXConsumerTXID" not in carried(jms.text()).properties


@requirement("JMS-PROP-052")
def test_receive_timestamp_is_the_time_of_delivery(jms, listed, queue):
    """It is a Long between the send and the return of receive(), and later when it comes again."""
    listed("JMSXRcvTimestamp")
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumer = session.create_consumer(queue)
    begun = now()
    jms.producer(queue).send(jms.text())
    messages = [receive(consumer)]
    between = now()
    session.rollback()
    messages.append(receive(consumer))
    first, again = (each.get_object_property("JMSXRcvTimestamp") for each in messages)
    session.commit()

    assert texts(messages) == ["hello", "hello"]
    assert isinstance(first, Long)
    assert begun <= first <= between
    assert again >= first


@requirement("JMS-PROP-053")
def test_state_is_never_shown(jms, queue, topic, queues, inbox):
    """Neither the sender nor a receiver or browser of queue and topic sees JMSXState."""
    message = jms.text()
    subscriber = jms.consumer(topic)
    jms.producer(topic).send(message)
    jms.producer(queue).send(message)
    eventually(lambda: queues.pending(queue) == 1)

    with jms.session().create_browser(queue) as browser:
        browsed = [each.property_exists("JMSXState") for each in browser.enumeration]
    received = [receive(subscriber), receive(inbox())]
    assert texts(received) == texts([message]) * 2

    assert browsed == [False]
    assert [each.property_exists("JMSXState") for each in (message, *received)] == [False] * 3
