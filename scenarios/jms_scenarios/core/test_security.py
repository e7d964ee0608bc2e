"""Security: as whom the broker knows a connection, and what it does for nobody."""

import pytest

from jms_scenarios.listening import NotingListener
from jms_scenarios.traffic import only_the_marker_comes, send, texts
from jmsapi import (
    JMSException,
    JMSRuntimeException,
    JMSSecurityException,
    JMSSecurityRuntimeException,
)
from touchstone.api import (
    broker,
    eventually,
    observe,
    prefers,
    receive,
    refuses,
    requirement,
)

ADMIN, CLIENT, NOBODY = "admin", "client", "nobody"
"""The roles of the profile: the second one is that of every client which is told no other."""


def session_of_a_connection(factory, *login):
    connection = factory.create_connection(*login)
    connection.start()
    return connection.create_session()


def session_of_a_context(factory, *login):
    return factory.create_context(*login)


APIS = {"connection": session_of_a_connection, "context": session_of_a_context}
by_any_api = pytest.mark.parametrize("opened", APIS.values(), ids=APIS)


NO_PASSWORDS = {
    "shorter": lambda password: password[:-1],
    "longer": lambda password: f"{password}A",
    "other-case": str.swapcase,
    "empty": lambda password: "",
    "null": lambda password: None,
}


@pytest.fixture(autouse=True)
@prefers("few-tries")
def prefer(at_hand):
    """No transactions, which are not for every user of Pulsar: its coordinator has rights, too."""
    return at_hand.prefer


@pytest.fixture
def few_tries(prefer):
    """What the broker refuses is not asked for over and over, where that is a setting."""


@pytest.fixture
def logging_in(at_hand, jms):
    """A factory for which the name and password of a call count, where that is a setting."""
    return jms.factory(at_hand.preset("logins", "few-tries"))


@pytest.fixture
def user_of(jms, queue, queues):
    """`user_of(session)`: as whom the broker knows its consumer, which gets a message."""

    def user_of(session):
        listener = NotingListener()
        # By a listener: a client may ask for single messages without being known as a consumer.
        session.create_consumer(queue).message_listener = listener
        send(jms.connected, queue, ["hello"])
        eventually(lambda: [each.text for each in listener.callbacks] == ["hello"])
        return queues.users(queue)

    return user_of


@by_any_api
@broker("auth")
@requirement("JMS-SEC-001")
def test_without_a_login_it_is_the_configured_user(jms, user_of, opened):
    """The broker knows it as the user that the factory was configured with."""
    assert user_of(opened(jms.factory())) == [CLIENT]


@by_any_api
@broker("auth")
@requirement("JMS-SEC-001")
def test_with_a_login_it_is_that_user(user_of, logging_in, broker_address, opened):
    """The broker knows it as the user whose name and password were given."""
    session = opened(logging_in, *broker_address.login_of(ADMIN))

    assert user_of(session) == [ADMIN]


@by_any_api
@broker("auth")
@requirement("JMS-SEC-002")
def test_wrong_password_is_refused(queue, queues, logging_in, broker_address, opened):
    """The security exception comes at creation or at first use, and the broker has no consumer."""
    user, password = broker_address.login_of(CLIENT)
    forged = f"{password[:-10]}{'A' * 10}"
    reached = "creation"

    with refuses(JMSSecurityException, JMSSecurityRuntimeException) as refusal:
        session = opened(logging_in, user, forged)
        reached = "first use"
        session.create_consumer(queue)

    observe("a wrong password is refused at", reached)
    unchecked = isinstance(refusal.value, JMSRuntimeException)
    assert unchecked == (opened is session_of_a_context)
    assert queues.users(queue) == []


@by_any_api
@pytest.mark.parametrize("form", NO_PASSWORDS.values(), ids=NO_PASSWORDS)
@broker("auth")
@requirement("JMS-SEC-002")
def test_what_is_nearly_the_password_is_refused(
    queue, queues, logging_in, broker_address, opened, form
):
    """One more or less of it, its letters in the other case, the empty text and null are not it."""
    user, password = broker_address.login_of(ADMIN)

    with refuses(JMSSecurityException, JMSSecurityRuntimeException):
        opened(logging_in, user, form(password)).create_consumer(queue)

    assert queues.users(queue) == []


def sends(connection, queue):
    session = connection.create_session()
    producer = session.create_producer(session.create_queue(queue.queue_name))
    producer.send(session.create_text_message("forbidden"))


def takes(connection, queue):
    session = connection.create_session()
    session.create_consumer(session.create_queue(queue.queue_name)).receive(1_000)


@pytest.mark.usefixtures("few_tries")
@pytest.mark.parametrize("act", [sends, takes])
@broker("auth")
@requirement("JMS-SEC-003")
def test_user_without_rights_is_told_so(jms, jms_as, queue, act):
    """Neither a send nor a consumer is let through; the client tells by a JMSException."""
    send(jms.connected, queue, ["kept"])

    with refuses(JMSException) as refusal:
        act(jms_as(NOBODY).connection(), queue)

    observe(f"what tells who {act.__name__} without rights", type(refusal.value).__name__)
    consumer = jms.consumer(queue)
    assert texts([receive(consumer)]) == ["kept"]
    only_the_marker_comes(jms.connected, queue, consumer)
