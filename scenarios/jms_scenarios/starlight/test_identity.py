"""Client identifiers: how a connection gets one, what it does to names, where it is unique."""

import pytest

from jms_scenarios.traffic import send, texts
from jmsapi import InvalidClientIDException
from touchstone.api import portable, receive, refuses, requirement


def by_the_application(jms, client_id):
    connection = jms.factory().create_connection()
    connection.client_id = client_id
    return connection


def by_configuration(jms, client_id):
    return jms.factory({"jms.clientId": client_id}).create_connection()


# Both give a connection of a factory of its own.
each_way = pytest.mark.parametrize("identified", [by_the_application, by_configuration])


@portable
@requirement("SLJ-IDN-001")
def test_application_sets_the_client_id(jms, name):
    """The client identifier that the application sets is the connection's."""
    client_id = name("client")

    connection = by_the_application(jms, client_id)

    assert connection.client_id == client_id


@requirement("SLJ-IDN-002")
def test_configuration_sets_the_client_id(jms, name):
    """A connection has the configured client identifier without setting it."""
    client_id = name("client")

    connection = by_configuration(jms, client_id)

    assert connection.client_id == client_id


@requirement("SLJ-IDN-003")
@each_way
def test_client_id_and_underscore_precede_the_subscription_name(
    jms, topic, admin, name, identified
):
    """The broker knows the subscription as clientId, underscore, JMS name, and by no other name."""
    client_id = name("client")
    session = identified(jms, client_id).create_session()

    session.create_durable_consumer(topic, "s1")

    assert list(admin.subscriptions(topic)) == [f"{client_id}_s1"]


@requirement("SLJ-IDN-004")
def test_without_client_id_the_subscription_name_is_unchanged(jms, topic, admin):
    """Without a client identifier the broker knows the subscription by its JMS name."""
    jms.session().create_shared_durable_consumer(topic, "s1")

    assert list(admin.subscriptions(topic)) == ["s1"]


@requirement("SLJ-IDN-005")
def test_two_processes_hold_one_client_id(jms, name, other_process):
    """Connections of two processes have the same client identifier at once, and both work."""
    client_id = name("dup")

    here = jms.connection(client_id=client_id)
    there = other_process.connection(client_id=client_id)

    assert here.client_id == there.client_id == client_id
    for process, connection in (("here", here), ("there", there)):
        session = connection.create_session()
        queue = session.create_queue(name(process))
        send(connection, queue, ["works"])
        assert texts([receive(session.create_consumer(queue))]) == ["works"]


@portable
@requirement("SLJ-IDN-006")
def test_second_connection_of_a_factory_with_a_used_client_id_is_refused(jms, queue, name):
    """A client identifier in use is refused to a second connection; the first goes on working."""
    client_id = name("client")
    factory = jms.factory()
    first, second = factory.create_connection(), factory.create_connection()
    first.client_id = client_id

    with refuses(InvalidClientIDException):
        second.client_id = client_id

    first.start()
    send(first, queue, ["still here"])
    assert texts([receive(first.create_session().create_consumer(queue))]) == ["still here"]
    assert first.client_id == client_id


@requirement("SLJ-IDN-007")
@each_way
def test_used_client_id_is_refused_across_factories(jms, name, identified):
    """A client identifier in use by one factory's connection is refused to another factory's."""
    client_id = name("client")
    identified(jms, client_id)

    with refuses(InvalidClientIDException):
        identified(jms, client_id)


@requirement("SLJ-IDN-008")
@each_way
def test_closing_a_connection_frees_its_client_id(jms, name, identified):
    """The client identifier of a closed connection can be taken by the next one."""
    client_id = name("client")
    identified(jms, client_id).close()

    assert identified(jms, client_id).client_id == client_id
