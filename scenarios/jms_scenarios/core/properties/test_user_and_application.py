"""JMSXUserID on a broker with users, who may not coordinate transactions and need none here."""

import pytest

from touchstone.api import broker, not_applicable, prefers, receive_all, requirement


@pytest.fixture(autouse=True)
@prefers("user-ids")
def prefer(at_hand):
    """Messages tell the user of their connection, where that is a setting."""
    return at_hand.prefer


@broker("auth")
@requirement("JMS-PROP-048")
def test_user_id_is_that_of_the_sending_user(jms, queue, broker_address):
    """Whatever the sender writes there, the receiver reads the name with which it logged in."""
    if "JMSXUserID" not in {*jms.connected.meta_data.jmsx_property_names}:
        not_applicable("JMSXUserID is not among the JMSX properties that the client lists")
    user, password = broker_address.login_of("client")
    session = jms.connection(user_name=user, password=password).create_session()
    consumer, producer = session.create_consumer(queue), session.create_producer(queue)
    plain, forged = session.create_message(), session.create_message()
    forged.set_string_property("JMSXUserID", "somebody else")
    producer.send(plain)
    producer.send(forged)

    received = receive_all(consumer, 2)
    assert [each.get_object_property("JMSXUserID") for each in received] == [user, user]
