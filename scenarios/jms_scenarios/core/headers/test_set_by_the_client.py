"""Header fields that are the client's own, and JMSRedelivered, which is not."""

import pytest

from jms_scenarios.core.exchange import TRANSACTED, named
from jms_scenarios.traffic import texts
from jmsapi import (
    Queue,
    Topic,
    UnsupportedOperationException,
)
from touchstone.api import body_of, eventually, judging, needs, receive, refuses, requirement


@requirement("JMS-HDR-013")
@pytest.mark.parametrize("given", ["text", "message id"])
def test_correlation_id_arrives_as_it_was_set(jms, queue, queues, inbox, carried, given):
    """Sender, browser, receiver and the message on the broker have it as it was set."""
    message, producer = jms.text(), jms.producer(queue)
    wanted = "corr-ü-1"
    if given == "message id":
        carried(message)
        wanted = message.jms_message_id
        assert wanted
        message = jms.text()
    message.jms_correlation_id = wanted
    producer.send(message)
    eventually(lambda: queues.pending(queue) == 1)

    with jms.session().create_browser(queue) as browser:
        browsed = [each.jms_correlation_id for each in browser.enumeration]
    seen = {"sender": message.jms_correlation_id, "receiver": receive(inbox()).jms_correlation_id}
    assert browsed == [wanted]
    assert seen == dict.fromkeys(seen, wanted)
    assert carried(message).correlation_id == wanted


@requirement("JMS-HDR-013")
def test_correlation_id_that_is_not_set_is_null(jms, delivered):
    """Of a message without one both sides read null."""
    message = jms.text()

    assert delivered(message).jms_correlation_id is None
    assert message.jms_correlation_id is None


@needs("correlation-id-bytes")
@requirement("JMS-HDR-014")
def test_correlation_id_may_be_bytes(jms, delivered):
    """Bytes arrive unchanged, or the client has no correlation ids of bytes at all."""
    message, wanted = jms.text(), b"\x00\xff\x80"
    try:
        message.jms_correlation_id_as_bytes = wanted
    except UnsupportedOperationException:
        with refuses(UnsupportedOperationException):
            _ = message.jms_correlation_id_as_bytes
    else:
        assert delivered(message).jms_correlation_id_as_bytes == wanted


@requirement("JMS-HDR-015")
def test_reply_destination_can_be_used(jms, delivered, place):
    """The receiver reads a queue or a topic, as it was set, and a reply to it arrives there."""
    session, destination = place
    replies = session.create_consumer(destination)
    message = jms.text()
    message.jms_reply_to = destination
    reply_to = delivered(message).jms_reply_to

    assert isinstance(reply_to, Queue if isinstance(destination, Queue) else Topic)
    jms.producer(reply_to).send(jms.text("reply"))
    assert texts([receive(replies)]) == ["reply"]


@requirement("JMS-HDR-015", "JMS-HDR-016")
def test_reply_destination_that_is_not_set_is_null(jms, delivered):
    """A send does not fill it: both sides read null."""
    message = jms.text()
    received = delivered(message)

    with judging("JMS-HDR-015"):
        assert received.jms_reply_to is None
    with judging("JMS-HDR-016"):
        assert message.jms_reply_to is None


@requirement("JMS-HDR-016")
def test_send_leaves_the_reply_destination(jms, delivered, place):
    """When the message has come, sent twice, the sender still reads what it has set."""
    _, destination = place
    message = jms.text("request")
    message.jms_reply_to = destination

    for _ in range(2):
        assert texts([delivered(message)]) == ["request"]
        assert named(message.jms_reply_to) == named(destination)


@requirement("JMS-HDR-017", "JMS-HDR-018")
def test_type_arrives_as_it_was_set(jms, topic, delivered, carried):
    """Sender, receiver and the broker's message have it, and a selector finds it; unset is null."""
    session = jms.session()
    consumer = session.create_consumer(topic, "JMSType = 'order.v1'")
    producer = session.create_producer(topic)
    sent = {"order.v2": session.create_text_message("other")}
    sent["order.v1"] = session.create_text_message("wanted")
    plain = jms.text()
    for type_, message in sent.items():
        message.jms_type = type_
        producer.send(message)
    received = receive(consumer)
    unset = delivered(plain)

    with judging("JMS-HDR-017"):
        assert (body_of(received, str), received.jms_type) == ("wanted", "order.v1")
        assert unset.jms_type is None
        assert carried(sent["order.v1"]).jms_type == "order.v1"
    with judging("JMS-HDR-018"):
        assert {type_: message.jms_type for type_, message in sent.items()} == {
            type_: type_ for type_ in sent
        }
        assert plain.jms_type is None


@requirement("JMS-HDR-019")
def test_redelivered_is_the_providers(jms, queue):
    """What the sender writes there is not carried: false at first, true after a rollback."""
    session = jms.session(TRANSACTED)
    consumer = session.create_consumer(queue)
    message = jms.text()
    message.jms_redelivered = True
    jms.producer(queue).send(message)

    first = receive(consumer)
    session.rollback()
    again = receive(consumer)
    session.commit()

    assert texts([first, again]) == texts([message]) * 2
    assert (first.jms_redelivered, again.jms_redelivered) == (False, True)


@requirement("JMS-HDR-027")
def test_reply_is_found_by_the_id_of_its_request(jms, queue, topic, inbox):
    """The requester selects the reply by the request's id, and gets it and no other."""
    jms.producer(queue).send(request := jms.text("request"))
    session = jms.session()
    selector = f"JMSCorrelationID = '{request.jms_message_id}'"
    replies = session.create_consumer(topic, selector)
    answered = receive(inbox())
    assert texts([answered]) == ["request"]
    producer = session.create_producer(topic)
    for text, id_ in (("other", "ID:other"), ("reply", answered.jms_message_id)):
        reply = session.create_text_message(text)
        reply.jms_correlation_id = id_
        producer.send(reply)

    assert texts([receive(replies)]) == ["reply"]
