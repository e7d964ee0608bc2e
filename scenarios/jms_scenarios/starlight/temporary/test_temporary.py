"""Temporary destinations: made at the broker, and deleted as far as the client lives to do it."""

from time import monotonic, sleep

import pytest

from jms_scenarios.listening import started
from jms_scenarios.temporaries import both, each_kind, name_of, temporary_queue, temporary_topic
from jms_scenarios.traffic import send, texts
from jmsapi import JMSException
from touchstone.api import (
    CUT_BEFORE,
    Answer,
    broker,
    eventually,
    observe,
    permissive,
    receive,
    refuses,
    requirement,
    slow,
)

SOON = 5.0
"""Seconds within which a closing client deletes: a few, as the requirement says."""
NO_HANG = 30.0
"""Seconds after which a close counts as hanging."""
A_MINUTE, BETWEEN_LOOKS = 60.0, 2.0
"""Seconds that a destination has to outlive its client, as the requirement says."""


@pytest.fixture
def namespace(admin):
    """A namespace of this scenario alone."""
    return admin.namespace()


@pytest.fixture
def settings(namespace):
    return {"jms.systemNamespace": namespace}


@pytest.fixture
def connection(jms, settings):
    return jms.connection(settings)


@each_kind("SLJ-TEMP-001", "SLJ-TEMP-002")
def test_destination_is_made_at_the_broker(connection, admin, namespace, make):
    """Each call makes one topic more, and a message that is sent there arrives."""
    session = connection.create_session()
    first = make(session)
    with session.create_consumer(first) as consumer:
        send(connection, first, ["hello"])
        assert texts([receive(consumer)]) == ["hello"]
    assert len(admin.topics(namespace)) == 1

    second = make(session)
    with session.create_consumer(second) as consumer:
        send(connection, second, ["again"])
        assert texts([receive(consumer)]) == ["again"]
    assert len(admin.topics(namespace)) == 2


@requirement("SLJ-TEMP-001")
def test_queue_is_there_before_its_consumer(connection, admin, namespace):
    """A message sent to a temporary queue that has no consumer yet is received later."""
    session = connection.create_session()
    queue = session.create_temporary_queue()
    send(connection, queue, ["early"])
    assert len(admin.topics(namespace)) == 1

    assert texts([receive(session.create_consumer(queue))]) == ["early"]


@each_kind("SLJ-TEMP-001", "SLJ-TEMP-002")
def test_reply_of_another_connection_arrives(connection, jms, settings, name, make):
    """JMSReplyTo brings a temporary destination to another connection, whose reply arrives."""
    session = connection.create_session()
    replies = make(session)
    consumer = session.create_consumer(replies)
    elsewhere = jms.connection(settings)
    responder = elsewhere.create_session()
    requests = responder.create_consumer(responder.create_queue(queue := name("requests")))
    request = session.create_text_message("question")
    request.jms_reply_to = replies
    session.create_producer(session.create_queue(queue)).send(request)

    received = receive(requests)
    assert texts([received]) == ["question"]
    send(elsewhere, received.jms_reply_to, ["answer"])

    assert texts([receive(consumer)]) == ["answer"]


@both
@requirement("SLJ-TEMP-003")
def test_destination_ends_with_its_connection(connection, admin, make):
    """After connection.close() the topic is gone."""
    destination = make(connection.create_session())
    assert admin.exists(name_of(destination))

    connection.close()

    eventually(lambda: not admin.exists(name_of(destination)), SOON)


@both
@requirement("SLJ-TEMP-003")
def test_deletion_is_tried_when_the_connection_closes(faults, jms_at, settings, admin, make):
    """A destination that was used, too: the administration is asked to delete it."""
    proxy, address = faults.admin_proxy()
    connection = jms_at(address).connection(settings)
    session = connection.create_session()
    destination = make(session)
    name = name_of(destination).rpartition("/")[2]
    consumer = session.create_consumer(destination)
    send(connection, destination, ["hello"])
    assert texts([receive(consumer)]) == ["hello"]

    connection.close()

    assert [each for each in proxy.seen("DELETE") if each.fields["path"].endswith(name)]
    observe("a used temporary destination is gone", not admin.exists(name_of(destination)))


@both
@requirement("SLJ-TEMP-004")
def test_destination_ends_with_the_factory(jms, settings, admin, make):
    """After factory.close() the topic is gone, though its connection was left open."""
    factory = jms.factory(settings)
    destination = make(factory.create_connection().create_session())
    assert admin.exists(name_of(destination))

    factory.close()

    eventually(lambda: not admin.exists(name_of(destination)), SOON)


@slow
@requirement("SLJ-TEMP-005")
def test_nothing_deletes_the_destinations_of_a_killed_client(other_process, admin):
    """When a client was killed, its destinations are there when the broker notices, and later."""
    session = other_process.session()
    names = []
    for make in (temporary_queue, temporary_topic):
        destination = make(session)
        consumer = session.create_consumer(destination)
        send(other_process.connected, destination, ["hello"])
        assert texts([receive(consumer)]) == ["hello"]
        names.append(name_of(destination))

    other_process.kill()
    killed = monotonic()

    def unused(name):
        return not any(each.consumers for each in admin.subscriptions(name).values())

    eventually(lambda: all(map(unused, names)))
    while monotonic() < killed + A_MINUTE:
        assert [admin.exists(name) for name in names] == [True, True]
        sleep(BETWEEN_LOOKS)


@permissive
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Answer("SERVICE_UNAVAILABLE"), id="refused"),
        pytest.param(CUT_BEFORE, id="cut-off"),
    ],
)
@requirement("SLJ-TEMP-006")
def test_failed_deletion_does_not_hold_the_connection(faults, jms_at, settings, admin, fault):
    """When the deletion fails once, connection.close() ends; the topic may stay behind."""
    proxy, address = faults.admin_proxy()
    connection = jms_at(address).connection(settings)
    queue = connection.create_session().create_temporary_queue()
    failure = proxy.on("DELETE", action=fault, times=1)

    closing = started(connection.close)

    eventually(closing.done, NO_HANG)
    assert closing.exception() is None
    assert failure.hits == 1
    observe("a topic stays behind when its deletion fails once", admin.exists(queue.queue_name))


@requirement("SLJ-TEMP-007")
@broker("auth")
@both
def test_client_without_the_right_makes_none(jms_as, settings, namespace, admin, make):
    """A client without any right in the namespace is refused there, though not where it has one."""
    client = jms_as("nobody")
    session = client.connection(settings).create_session()
    open_to_it = admin.namespace()
    admin.grant(open_to_it, "nobody", "produce", "consume")

    with refuses(JMSException):
        make(session)

    assert admin.topics(namespace) == []
    connection = client.connection({"jms.systemNamespace": open_to_it})
    assert admin.exists(name_of(make(connection.create_session())))


@requirement("SLJ-TEMP-008")
@both
def test_destination_can_be_made_where_topics_come_by_their_use(connection, admin, namespace, make):
    """With automatic topics allowed, a temporary destination is made and works."""
    admin.let_topics_come(namespace, True)
    session = connection.create_session()

    destination = make(session)
    consumer = session.create_consumer(destination)
    send(connection, destination, ["hello"])

    assert texts([receive(consumer)]) == ["hello"]
    assert admin.exists(name_of(destination))


@requirement("SLJ-TEMP-008")
@both
def test_destination_cannot_be_made_where_topics_do_not_come_by_their_use(
    connection, admin, namespace, make
):
    """With automatic topics forbidden, it is refused when made or first used; no topic appears."""
    admin.let_topics_come(namespace, False)
    session = connection.create_session()

    with refuses(JMSException):
        send(connection, make(session), ["hello"])

    assert admin.topics(namespace) == []
