"""Temporary destinations: one connection's own, for as long as it lasts."""

import pytest

from jms_scenarios.listening import started
from jms_scenarios.temporaries import both, each_kind, name_of
from jms_scenarios.traffic import send, texts
from jmsapi import (
    InvalidDestinationException,
    JMSException,
    Queue,
    QueueRequestor,
    Topic,
    TopicRequestor,
)
from touchstone.api import (
    body_of,
    durable_consumer,
    eventually,
    nothing_before,
    observe,
    permissive,
    receive,
    refuses,
    requirement,
    slow,
)

SOON = 10.0
"""Seconds within which the broker has carried out what a client asked for."""
TRIES = 2
"""How often in a row what is refused is tried."""
CONNECTIONS = 6
"""How many end with their temporary destination in use: enough to meet a race of the broker's."""


@pytest.fixture
def passed_on(jms, queue):
    """`passed_on(destination)`: it, as another connection gets it by JMSReplyTo; and that one."""

    def passed_on(destination):
        request = jms.text("request")
        request.jms_reply_to = destination
        jms.producer(queue).send(request)
        elsewhere = jms.connection()
        received = receive(elsewhere.create_session().create_consumer(queue))
        assert texts([received]) == ["request"]
        return received.jms_reply_to, elsewhere

    return passed_on


@both
@requirement("JMS-TEMP-001")
def test_only_its_own_connection_makes_consumers(jms, passed_on, make):
    """Another connection is refused a consumer; another session of the same one is not."""
    connection = jms.connection()
    destination = make(connection.create_session())
    seen, elsewhere = passed_on(destination)

    with refuses(JMSException):
        elsewhere.create_session().create_consumer(seen)

    consumer = connection.create_session().create_consumer(destination)
    send(connection, destination, ["hello"])
    assert texts([receive(consumer)]) == ["hello"]


@slow
@requirement("JMS-TEMP-002")
def test_every_temporary_destination_is_another(jms, other_process):
    """Those of two processes have a name each, and a message to one reaches no other."""
    made = []
    for session in (jms.session(), other_process.session()):
        for _ in range(20):
            made += [session.create_temporary_queue(), session.create_temporary_topic()]
    names = [name_of(destination) for destination in made]
    assert len(set(names)) == len(made) == 80

    session = jms.session()
    own = [session.create_temporary_queue() for _ in range(5)]
    own += [session.create_temporary_topic() for _ in range(5)]
    consumers = [session.create_consumer(destination) for destination in own]
    for number, destination in enumerate(own):
        send(jms.connected, destination, [f"for-{number}"])
    for number, (destination, consumer) in enumerate(zip(own, consumers, strict=True)):
        assert texts([receive(consumer)]) == [f"for-{number}"]
        nothing_before(
            consumer,
            lambda to=destination: send(jms.connected, to, ["marker"]),
            lambda message: texts([message]) == ["marker"],
        )


@each_kind("JMS-TEMP-003", "JMS-TEMP-005")
def test_temporary_destination_outlives_its_session(jms, queues, make):
    """It works from another session of its connection when the one that made it is closed."""
    connection = jms.connection()
    creating = connection.create_session()
    destination = make(creating)
    creating.close()

    consumer = connection.create_session().create_consumer(destination)
    send(connection, destination, ["hello"])

    assert texts([receive(consumer)]) == ["hello"]
    assert queues.exists(destination) is not False


@each_kind("JMS-TEMP-003", "JMS-TEMP-005")
def test_temporary_destination_goes_with_its_connection(jms, queues, make):
    """After connection.close() the broker does not have it any more, though it was used.

    A broker may see to a consumer and to its destination in any order, so a few connections are
    closed, each with both.
    """
    used = []
    for _ in range(CONNECTIONS):
        connection = jms.connection()
        session = connection.create_session()
        destination = make(session)
        consumer = session.create_consumer(destination)
        send(connection, destination, ["hello"])
        assert texts([receive(consumer)]) == ["hello"]
        assert queues.exists(destination) is not False
        used.append((connection, destination))

    for connection, _ in used:
        connection.close()

    eventually(lambda: not any(queues.exists(destination) for _, destination in used), SOON)


@each_kind("JMS-TEMP-004", "JMS-TEMP-006")
def test_others_send_to_it_and_only_its_connection_consumes(jms, passed_on, make):
    """Another connection is refused a consumer, and what it sends comes to the own connection."""
    connection = jms.connection()
    session = connection.create_session()
    destination = make(session)
    consumer = session.create_consumer(destination)
    seen, elsewhere = passed_on(destination)

    with refuses(JMSException):
        elsewhere.create_session().create_consumer(seen)

    send(elsewhere, seen, ["answer"])
    assert texts([receive(consumer)]) == ["answer"]


@permissive
@requirement("JMS-TEMP-007")
def test_durable_subscription_of_a_temporary_topic_works_or_is_refused(jms, name):
    """It is refused by a JMSException, or it works."""
    connection = jms.connection(client_id=name("subscriber"))
    session = connection.create_session()
    topic = session.create_temporary_topic()
    made = started(lambda: durable_consumer(session, topic, "kept"))
    eventually(made.done)
    refused = isinstance(made.exception(), JMSException)
    observe("a durable subscription of a temporary topic is refused", refused)
    if not refused:
        send(connection, topic, ["hello"])
        assert texts([receive(made.result())]) == ["hello"]


@both
@requirement("JMS-TEMP-008")
def test_deleted_destination_is_gone(jms, queues, make):
    """After delete() the broker does not have it, and a send to it is refused as such."""
    session = jms.session()
    destination = make(session)
    consumer = session.create_consumer(destination)
    send(jms.connected, destination, ["hello"])
    assert texts([receive(consumer)]) == ["hello"]
    assert queues.exists(destination) is not False
    consumer.close()

    destination.delete()

    assert not queues.exists(destination)
    with refuses(InvalidDestinationException):
        jms.session().create_producer(destination).send(jms.text("late"))


def refuse_to_delete(destination):
    """Check that delete() is refused, each time."""
    for _ in range(TRIES):
        with refuses(JMSException):
            destination.delete()


@both
@requirement("JMS-TEMP-008")
def test_destination_with_a_consumer_is_not_deleted(jms, make):
    """delete() is refused while a consumer is open, as often as it is tried, and that still works.

    Of two consumers the later one is enough.
    """
    session = jms.session()
    destination = make(session)
    consumer = session.create_consumer(destination)
    send(jms.connected, destination, ["hello"])
    assert texts([receive(consumer)]) == ["hello"]

    refuse_to_delete(destination)

    send(jms.connected, destination, ["again"])
    assert texts([receive(consumer)]) == ["again"]
    later = session.create_consumer(destination)
    refuse_to_delete(destination)
    consumer.close()
    refuse_to_delete(destination)
    send(jms.connected, destination, ["at last"])
    assert texts([receive(later)]) == ["at last"]


@both
@pytest.mark.parametrize("closed", ["consumer", "session"])
@requirement("JMS-TEMP-008")
def test_destination_is_deleted_after_what_was_refused(jms, queues, make, closed):
    """Once its consumer is closed, by itself or with its session, delete() works."""
    session = jms.session()
    destination = make(session)
    consumer = session.create_consumer(destination)
    refuse_to_delete(destination)
    (consumer if closed == "consumer" else session).close()

    destination.delete()

    assert not queues.exists(destination)


@pytest.fixture
def responder(jms):
    """`responder(destination)`: answers each request there; gives what JMSReplyTo was each time."""
    session = jms.connection().create_session()

    def responder(destination):
        addresses = []

        def answer(request):
            addresses.append(request.jms_reply_to)
            reply = session.create_text_message(f"answer to {body_of(request, str)}")
            reply.jms_correlation_id = request.jms_message_id
            session.create_producer(request.jms_reply_to).send(reply)

        session.create_consumer(destination).message_listener = answer
        return addresses

    return responder


def judge(jms, requestor, addresses, queues, kind):
    for text in ("first", "second", "third"):
        request = jms.text(text)
        asking = started(lambda request=request: requestor.request(request))
        eventually(asking.done)
        reply = asking.result()
        assert texts([reply]) == [f"answer to {text}"]
        assert reply.jms_correlation_id == request.jms_message_id
    assert len(addresses) == 3
    assert all(isinstance(address, kind) for address in addresses)
    assert len({name_of(address) for address in addresses}) == 1
    assert queues.exists(addresses[0]) is not False
    requestor.close()


@requirement("JMS-TEMP-009")
def test_queue_requestor_returns_each_reply(jms, queue, queues, responder):
    """Three requests in a row each get their own reply, by one queue of the broker."""
    addresses = responder(queue)
    requestor = QueueRequestor(jms.session(), queue)

    judge(jms, requestor, addresses, queues, Queue)


@requirement("JMS-TEMP-010")
def test_topic_requestor_returns_each_reply(jms, topic, queues, responder):
    """The same by a topic, with replies on one topic of the broker."""
    addresses = responder(topic)
    requestor = TopicRequestor(jms.session(), topic)

    judge(jms, requestor, addresses, queues, Topic)
