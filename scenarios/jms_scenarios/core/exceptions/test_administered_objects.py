"""Exceptions that tell what the broker does not grant, or has taken back."""

from functools import partial

import pytest

from jms_scenarios.core.exchange import (
    TRANSACTED,
    left_on,
    numbered,
    quietly_close,
    send,
    send_in,
    texts,
)
from jms_scenarios.listening import started
from jmsapi import (
    JMSException,
    JMSRuntimeException,
    TransactionRolledBackException,
    TransactionRolledBackRuntimeException,
)
from touchstone.api import (
    broker,
    checks,
    eventually,
    observe,
    prefers,
    receive_all,
    refuses,
    requirement,
)

IN_TIME = 60.0
"""Seconds within which a client has to tell; the longest of its own limits are thirty."""


@pytest.fixture
@prefers("few-tries", "fair-shares")
def few_tries(at_hand):
    """What the broker refuses is not asked for over and over, where that is a setting."""


@pytest.fixture
def new_session(jms):
    """`new_session(place)`: in one connection, or in a connection of a factory of its own."""
    connections = []

    def new_session(place):
        if place != "connection" or not connections:
            connections.append(jms.factory().create_connection())
            connections[-1].start()
        return connections[-1].create_session()

    return new_session


def sender(session, queue):
    """What sends a text by a producer, which has sent once."""
    producer = session.create_producer(queue)

    def sends(text):
        producer.send(session.create_text_message(text))

    sends("first")
    return sends


def used_consumer(session, queue):
    """A consumer that has looked for messages once."""
    consumer = session.create_consumer(queue)
    consumer.receive_no_wait()
    return consumer


def made_until_refused(make, most):
    """What could be made, at most so many; a JMSException has to refuse the next one in time."""
    made = []

    def make_all():
        while len(made) <= most:
            made.append(make())

    making = started(make_all)
    eventually(making.done, IN_TIME)
    with refuses(JMSException) as refusal:
        making.result()
    assert made
    return made, type(refusal.value).__name__


@pytest.mark.usefixtures("few_tries")
@pytest.mark.parametrize(
    "resource",
    [
        pytest.param("connections", marks=broker("few-connections", exclusive=True)),
        pytest.param("sessions", marks=broker("limits")),
        pytest.param("producers", marks=broker("limits")),
    ],
)
@requirement("JMS-ERR-008")
def test_sender_over_the_limit_is_refused(jms, queue, new_session, allowed, resource):
    """A JMSException tells of it in time, and the senders that were there work on."""
    most, place = allowed(resource)
    consumer = jms.consumer(queue)

    senders, told = made_until_refused(lambda: sender(new_session(place), queue), most)

    observe(f"one of the {resource} too many is told by", told)
    assert texts(receive_all(consumer, len(senders))) == ["first"] * len(senders)
    sent = numbered(len(senders))
    for sends, text in zip(senders, sent, strict=True):
        sends(text)
    assert checks.exactly_once(sent, texts(receive_all(consumer, len(sent)))) == []


@pytest.mark.usefixtures("few_tries")
@broker("limits")
@requirement("JMS-ERR-008")
def test_consumer_over_the_limit_is_refused(jms, queue, new_session, allowed):
    """A JMSException tells of it in time, and each consumer that was there gets a message."""
    most, place = allowed("consumers")

    consumers, told = made_until_refused(lambda: used_consumer(new_session(place), queue), most)

    observe("one of the consumers too many is told by", told)
    while consumers:
        sent = send(jms.connected, queue, [f"one of {len(consumers)}"])
        consumer, message = eventually(partial(first_message, consumers))
        assert texts([message]) == sent
        consumer.close()
        consumers.remove(consumer)


def first_message(consumers):
    """The consumer that has got a message, and this; None when nobody has."""
    for consumer in consumers:
        if (message := consumer.receive_no_wait()) is not None:
            return consumer, message
    return None


@pytest.fixture
@prefers("reconnecting")
def reconnecting(at_hand):
    """A client that can find its broker again does so, and then goes on with its session."""


def in_connection(jms, told):
    """A transacted session, how it sends, and what closes its connection."""
    connection = jms.connection()
    connection.exception_listener = told
    session = connection.create_session(True, TRANSACTED)
    return session, partial(send_in, session), connection


def in_context(jms, told):
    """A transacted context, how it sends, and itself."""
    context = jms.context(TRANSACTED)
    context.exception_listener = told

    def sends(queue, sent):
        for text in sent:
            context.create_producer().send(queue, context.create_text_message(text))

    return context, sends, context


@pytest.mark.parametrize(
    ("opened", "exception"),
    [
        pytest.param(in_connection, TransactionRolledBackException, id="connection"),
        pytest.param(in_context, TransactionRolledBackRuntimeException, id="context"),
    ],
)
@pytest.mark.usefixtures("reconnecting")
@requirement("JMS-ERR-010")
def test_commit_tells_that_the_broker_has_rolled_back(
    jms, ended_transactions, name, opened, exception
):
    """Nothing of the transaction is seen, and what was received in it comes again."""
    source, target = jms.queue(name("source")), jms.queue(name("target"))
    sent = send(jms.connected, source, numbered(3))
    told = []
    session, sends, held = opened(ended_transactions.jms, told.append)
    assert texts(receive_all(session.create_consumer(source), 3)) == sent
    sends(target, numbered(3, "never"))

    ended_transactions.end(target, lambda: told)
    with refuses(JMSException, JMSRuntimeException) as refusal:
        session.commit()
    told_by = type(refusal.value).__name__
    observe("a commit behind the end of its transaction is told by", told_by)
    assert told_by == exception.__name__
    quietly_close(held)

    assert texts(left_on(jms.connected, target)) == []
    assert checks.exactly_once(sent, texts(left_on(jms.connected, source))) == []
