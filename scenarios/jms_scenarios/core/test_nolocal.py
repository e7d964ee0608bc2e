"""noLocal: whose messages a subscription leaves out."""

import pytest

from jms_scenarios.traffic import only_the_marker_comes, send, texts
from touchstone.api import durable_consumer, receive, requirement


@requirement("JMS-NLOC-001")
def test_messages_of_the_own_connection_are_left_out(jms, topic):
    """What two sessions of its connection publish does not come, what another does comes."""
    connection = jms.connection()
    consumer = connection.create_session().create_consumer(topic, None, True)

    send(connection, topic, ["own"])
    send(connection, topic, ["own again"])

    only_the_marker_comes(jms.connected, topic, consumer)


@requirement("JMS-NLOC-002")
def test_messages_of_the_own_client_id_are_left_out(jms, topic, name):
    """Of a durable subscription not even what a later connection of its client id published."""
    client_id = name("client")
    with jms.connection(client_id=client_id) as connection:
        durable_consumer(connection.create_session(), topic, "kept", None, True)
        send(connection, topic, ["own"])
    with jms.connection(client_id=client_id) as connection:
        send(connection, topic, ["own, while idle"])

    connection = jms.connection(client_id=client_id)
    consumer = durable_consumer(connection.create_session(), topic, "kept", None, True)

    other = jms.connection(client_id=name("other"))
    only_the_marker_comes(other, topic, consumer)


@requirement("JMS-NLOC-003")
@pytest.mark.parametrize("arguments", [(), (None, False)], ids=["default", "false"])
def test_without_no_local_own_messages_come(jms, topic, arguments):
    """A message of the same session arrives."""
    session = jms.session()
    consumer = session.create_consumer(topic, *arguments)

    session.create_producer(topic).send(session.create_text_message("own"))

    assert texts([receive(consumer)]) == ["own"]
