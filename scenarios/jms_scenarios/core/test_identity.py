"""Client identifiers: when one may be set, whose it is, and what it is for."""

import pytest

from jms_scenarios.listening import started
from jms_scenarios.traffic import numbered, send, shared_out, texts
from jmsapi import (
    IllegalStateException,
    IllegalStateRuntimeException,
    InvalidClientIDException,
    InvalidClientIDRuntimeException,
    JMSException,
    SessionMode,
)
from touchstone.api import (
    body_of,
    checks,
    durable_consumer,
    eventually,
    if_there_is,
    not_applicable,
    observe,
    prefers,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

PATIENCE = 5.0
"""Seconds after which a second client counts as blocked."""


@pytest.fixture(autouse=True)
@prefers("transactions")
def prefer(at_hand):
    """Nothing but transactions, where they are a setting, and what a scenario asks for."""
    return at_hand.prefer


@pytest.fixture
@prefers("client-id")
def administered(at_hand):
    """The factory has a client id, where there is a setting for that."""


@pytest.mark.usefixtures("administered")
@requirement("JMS-IDN-001")
def test_administered_client_id_stays(jms):
    """Where the factory is configured with a client id, setting another is refused."""
    connection = jms.connected
    configured = connection.client_id
    if configured is None:
        not_applicable("no setting of this client gives a client id")

    with refuses(IllegalStateException):
        connection.client_id = "another"

    assert connection.client_id == configured


@requirement("JMS-IDN-002")
@pytest.mark.parametrize("action", ["create_session", "start"])
def test_client_id_comes_first(jms, name, action):
    """After a session was made, or delivery started, it is too late; before it is not."""
    connection = jms.connection(start=False)
    getattr(connection, action)()

    with refuses(IllegalStateException):
        connection.client_id = name("late")

    assert jms.connection(client_id=(early := name("early"))).client_id == early


@requirement("JMS-IDN-002")
def test_client_id_of_a_context_comes_first(jms, name):
    """After a context was used it is too late for a client id, before it is not."""
    context = jms.context()
    context.create_consumer(context.create_queue(name("queue")))

    with refuses(IllegalStateRuntimeException):
        context.client_id = name("late")

    fresh = jms.context()
    fresh.client_id = early = name("early")
    assert fresh.client_id == early


@requirement("JMS-IDN-002")
@pytest.mark.parametrize("action", ["meta_data", "exception_listener"])
def test_what_counts_as_an_action_is_noted(jms, name, action):
    """Reading meta data or setting an exception listener leaves the connection usable."""
    connection = jms.connection(start=False)
    if action == "meta_data":
        assert connection.meta_data.jms_provider_name
    else:
        connection.exception_listener = lambda error: None
    wanted = name("late")
    setting = started(lambda: setattr(connection, "client_id", wanted))
    eventually(setting.done)

    observe(f"a client id may be set after {action}", setting.exception() is None)
    if setting.exception() is None:
        assert connection.client_id == wanted
    else:
        assert isinstance(setting.exception(), IllegalStateException)


@slow
@requirement("JMS-IDN-003")
def test_client_id_serves_one_client_at_a_time(jms, other_process, topic, name):
    """Of two processes with one client id no two consume its durable subscription together."""
    client_id = name("client")
    first = jms.connection(client_id=client_id).create_session()
    consumer = durable_consumer(first, topic, "kept")

    def second_client():
        session = other_process.connection(client_id=client_id).create_session()
        return durable_consumer(session, other_process.topic(topic.topic_name), "kept")

    second = started(second_client)
    try:
        eventually(second.done, PATIENCE)
    except AssertionError:
        outcome = "is blocked"
    else:
        error = second.exception()
        outcome = "is let in" if error is None else f"is refused: {type(error).__name__}"
    observe("a second client of the same id", outcome)
    if outcome.startswith("is refused"):
        assert isinstance(second.exception(), JMSException)

    sent = send(jms.connection(), topic, numbered(20))
    received = []

    def all_came():
        let_in = second.done() and second.exception() is None
        for each in [consumer, second.result()] if let_in else [consumer]:
            while (message := each.receive_no_wait()) is not None:
                received.append(body_of(message, str))
        return len(received) >= len(sent)

    eventually(all_came)
    assert checks.exactly_once(sent, received) == []


@requirement("JMS-IDN-004")
@pytest.mark.parametrize("identified", [True, False], ids=["identified", "anonymous"])
def test_client_id_changes_nothing_else(jms, queue, topic, queues, name, identified):
    """Queues, browsers, plain subscribers and transactions work with a client id and without."""
    connection = jms.connection(client_id=name("client") if identified else None)
    session = connection.create_session()
    subscriber = session.create_consumer(topic)
    sent = send(connection, queue, numbered(3))
    eventually(lambda: queues.pending(queue) == 3)

    with session.create_browser(queue) as browser:
        assert texts(browser.enumeration) == sent
    send(connection, topic, ["news"])
    assert texts([receive(subscriber)]) == ["news"]
    transacted = connection.create_session(True, SessionMode.SESSION_TRANSACTED)
    with transacted.create_consumer(queue) as consumer:
        assert texts(receive_all(consumer, 3)) == sent
        transacted.rollback()
        again = receive_all(consumer, 3)
        assert checks.exactly_once(sent, texts(again)) == []
        transacted.commit()
    eventually(lambda: queues.pending(queue) == 0)


@pytest.mark.usefixtures("fair_shares")
@requirement("JMS-IDN-004")
def test_clients_of_different_ids_share_a_queue(jms, queue, name):
    """Two clients with different ids get every message of a queue once between them."""
    connections = [jms.connection(client_id=name("client")) for _ in range(2)]
    consumers = [each.create_session().create_consumer(queue) for each in connections]
    for consumer in consumers:
        assert consumer.receive_no_wait() is None

    sent = send(jms.connected, queue, numbered(20))
    shares = shared_out(consumers, 20)

    assert checks.exactly_once(sent, [text for share in shares for text in share]) == []


@requirement("JMS-IDN-005")
def test_unshared_durable_subscription_needs_a_client_id(jms, topic):
    """Without one it is refused, and a shared durable one is not."""
    session = jms.connection().create_session()

    with refuses(jms.named_by_2(IllegalStateException)):
        durable_consumer(session, topic, "kept")

    for consumer in if_there_is(lambda: session.create_shared_durable_consumer(topic, "kept")):
        send(jms.connected, topic, ["hello"])
        assert texts([receive(consumer)]) == ["hello"]


@requirement("JMS-IDN-005")
def test_unshared_durable_subscription_of_a_context_needs_a_client_id(jms, topic):
    """Of a context without one it is refused by the unchecked exception."""
    with refuses(IllegalStateRuntimeException):
        jms.context().create_durable_consumer(topic, "kept")


@requirement("JMS-IDN-006")
def test_client_id_in_use_is_rejected(jms, name):
    """Setting the id of another open connection raises InvalidClientIDException."""
    client_id = name("client")
    jms.connection(client_id=client_id).create_session()

    with refuses(InvalidClientIDException):
        jms.connection(client_id=client_id).create_session()


@requirement("JMS-IDN-006")
def test_client_id_in_use_is_rejected_by_a_context(jms, name):
    """A context raises its runtime form."""
    client_id = name("client")
    jms.connection(client_id=client_id).create_session()
    context = jms.context()

    with refuses(InvalidClientIDRuntimeException):
        context.client_id = client_id
        context.start()


@requirement("JMS-IDN-006")
@pytest.mark.parametrize("client_id", [None, ""], ids=["null", "empty"])
def test_client_id_that_is_none_is_rejected_as_such(jms, client_id):
    """Null or an empty text is accepted, or rejected by InvalidClientIDException."""
    connection = jms.connection(start=False)
    setting = started(lambda: setattr(connection, "client_id", client_id))
    eventually(setting.done)

    observe(f"the client id {client_id!r} is accepted", setting.exception() is None)
    assert setting.exception() is None or isinstance(setting.exception(), InvalidClientIDException)
