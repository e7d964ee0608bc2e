"""Client identifiers: how a connection gets one, what it does to names, where it is unique."""

from itertools import cycle

import pytest

from jms_scenarios.traffic import send, texts
from jmsapi import (
    InvalidClientIDException,
    InvalidClientIDRuntimeException,
    JMSRuntimeException,
)
from touchstone.api import portable, receive, refuses, requirement, strategies


def by_the_application(jms, client_id):
    connection = jms.factory().create_connection()
    connection.client_id = client_id
    return connection


def by_configuration(jms, client_id):
    return jms.factory({"jms.clientId": client_id}).create_connection()


def by_the_application_of_a_context(jms, client_id):
    context = jms.context()
    context.client_id = client_id
    return context


def by_configuration_of_a_context(jms, client_id):
    return jms.context(settings={"jms.clientId": client_id})


def by_the_application_for_topics(jms, client_id):
    connection = jms.factory().create_topic_connection()
    connection.client_id = client_id
    return connection


def by_configuration_for_queues(jms, client_id):
    return jms.factory({"jms.clientId": client_id}).create_queue_connection()


BY_APPLICATION = (
    by_the_application,
    by_the_application_for_topics,
    by_the_application_of_a_context,
)
BY_CONFIGURATION = (by_configuration, by_configuration_for_queues, by_configuration_of_a_context)
WAYS = (*BY_APPLICATION, *BY_CONFIGURATION)
OTHER_REFUSALS = {
    by_the_application_of_a_context: InvalidClientIDRuntimeException,
    by_configuration_of_a_context: JMSRuntimeException,
}
"""JMS names no special exception for a context that cannot be made."""
# Both give a connection of a factory of its own.
each_way = pytest.mark.parametrize("identified", [by_the_application, by_configuration])


@pytest.fixture
def client_ids(name):
    """Identifiers of every look that nobody else has."""
    return [f"{given}{name('client')}" for given in strategies.names("ID:")]


@portable
@requirement("SLJ-IDN-001")
def test_application_sets_the_client_id(jms, client_ids):
    """The client identifier that the application sets, whatever it is, is the connection's."""
    for client_id in client_ids:
        for way in BY_APPLICATION:
            with way(jms, client_id) as identified:
                assert identified.client_id == client_id


@requirement("SLJ-IDN-002")
def test_configuration_sets_the_client_id(jms, client_ids):
    """A connection has the configured client identifier without setting it."""
    for client_id, way in zip(client_ids, cycle(BY_CONFIGURATION), strict=False):
        with way(jms, client_id) as identified:
            assert identified.client_id == client_id


@requirement("SLJ-IDN-003")
@each_way
def test_client_id_and_underscore_precede_the_subscription_name(
    jms, topic, admin, client_ids, identified
):
    """The broker knows each subscription as clientId, underscore, JMS name, and by no other name.

    So it does where one client identifier is the beginning of another's subscription.
    """
    ends = [f"{client_ids[0]}_s1", *client_ids]
    for client_id in ends:
        identified(jms, client_id).create_session().create_durable_consumer(topic, "s1")

    assert set(admin.subscriptions(topic)) == {f"{client_id}_s1" for client_id in ends}


@requirement("SLJ-IDN-004")
def test_without_client_id_the_subscription_name_is_unchanged(jms, topic, admin):
    """Without a client identifier the broker knows each subscription by its JMS name."""
    names = strategies.names("_", "null_", "None_")
    for opener in (jms.session(), jms.context()):
        for given in names:
            opener.create_shared_durable_consumer(topic, given)
            opener.create_shared_consumer(topic, f"{given}-")

    assert set(admin.subscriptions(topic)) == {*names, *(f"{given}-" for given in names)}


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
    """A client identifier in use is refused to other connections; the first goes on working.

    Those that were refused it do not free it when they close.
    """
    client_id = name("client")
    factory = jms.factory()
    first = factory.create_connection()
    first.client_id = client_id

    for create in ("create_connection", "create_context", "create_connection"):
        other = getattr(factory, create)()
        with refuses(InvalidClientIDException, InvalidClientIDRuntimeException):
            other.client_id = client_id
        other.close()

    first.start()
    send(first, queue, ["still here"])
    assert texts([receive(first.create_session().create_consumer(queue))]) == ["still here"]
    assert first.client_id == client_id


@requirement("SLJ-IDN-007")
@each_way
def test_used_client_id_is_refused_across_factories(jms, name, identified):
    """A client identifier in use by one factory's connection is refused to other factories'."""
    client_id = name("client")
    identified(jms, client_id)

    for way in WAYS:
        with refuses(OTHER_REFUSALS.get(way, InvalidClientIDException)):
            way(jms, client_id)


@requirement("SLJ-IDN-008")
@each_way
def test_closing_a_connection_frees_its_client_id(jms, name, identified):
    """The client identifier of a closed connection can be taken by the next one, and so on."""
    client_id = name("client")

    for way in (identified, *WAYS, identified):
        with way(jms, client_id) as taking:
            assert taking.client_id == client_id
