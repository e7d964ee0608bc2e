"""noLocal: a consumer that does not get what its own connection sends."""

import pytest

from jms_scenarios.deliveries import redelivery_counts
from jms_scenarios.listening import NotingListener
from jms_scenarios.traffic import numbered, only_the_marker_comes, send, texts
from jmsapi import SessionMode
from touchstone.api import eventually, portable, receive, receive_all, requirement

SHARED = {
    "jms.useExclusiveSubscriptionsForSimpleConsumers": False,
    "jms.enableClientSideEmulation": True,
    "consumerConfig": {"negativeAckRedeliveryDelayMicros": 50_000, "receiverQueueSize": 1},
}
"""Simple consumers of topics are Shared, and what they reject comes again soon."""


def consumer(opener, topic):
    return opener.create_consumer(topic, None, True)


def consumer_with_selector(opener, topic):
    return opener.create_consumer(topic, "JMSPriority = 4", True)


def durable_consumer(opener, topic):
    return opener.create_durable_consumer(topic, "s1", None, True)


def durable_subscriber(session, topic):
    return session.create_durable_subscriber(topic, "s1", None, True)


def by_session(jms, client_id):
    """A connection and a session of it."""
    connection = jms.connection(client_id=client_id)
    return connection.create_session(), lambda topic, sent: send(connection, topic, sent)


def by_context(jms, client_id):
    """A context, and how it sends."""
    context = jms.context()
    context.client_id = client_id

    def send_each(topic, sent):
        producer = context.create_producer()
        for text in sent:
            producer.send(topic, text)
        return sent

    return context, send_each


every_kind = pytest.mark.parametrize(
    ("opened", "opened_by"),
    [
        pytest.param(by_session, consumer, id="consumer"),
        pytest.param(by_session, consumer_with_selector, id="consumer-with-selector"),
        pytest.param(by_session, durable_consumer, id="durable-consumer"),
        pytest.param(by_session, durable_subscriber, id="durable-subscriber"),
        pytest.param(by_context, consumer, id="context"),
        pytest.param(by_context, durable_consumer, id="context-durable"),
    ],
)


def is_text(expected):
    return lambda message: texts([message]) == [expected]


@portable
@requirement("SLJ-NLOC-001")
@every_kind
def test_messages_of_the_own_connection_do_not_come(jms, name, topic, opened, opened_by):
    """Five messages sent through the consumer's connection do not come, a sixth by another does."""
    opener, send_through = opened(jms, name("c1"))
    without_local = opened_by(opener, topic)

    send_through(topic, numbered(5))

    only_the_marker_comes(jms.connected, topic, without_local)


@portable
@requirement("SLJ-NLOC-001")
def test_messages_of_another_session_of_the_connection_do_not_come(jms, topic):
    """A listener is not called with messages that other sessions of its connection send."""
    connection = jms.connection()
    listener = NotingListener()
    consumer(connection.create_session(), topic).message_listener = listener

    send(connection, topic, numbered(5))
    send(jms.connected, topic, ["marker"])

    eventually(lambda: listener.callbacks)
    assert [callback.text for callback in listener.callbacks] == ["marker"]


@portable
@requirement("SLJ-NLOC-002")
@pytest.mark.parametrize(
    ("opened", "opened_by"),
    [
        pytest.param(by_session, consumer, id="consumer"),
        pytest.param(by_context, durable_consumer, id="context-durable"),
    ],
)
def test_messages_of_other_connections_come(jms, name, topic, opened, opened_by):
    """Five messages sent through another connection all come."""
    opener, _ = opened(jms, name("c1"))
    without_local = opened_by(opener, topic)

    sent = send(jms.connected, topic, numbered(5))

    assert texts(receive_all(without_local, 5, within=10)) == sent


@requirement("SLJ-NLOC-003")
@pytest.mark.parametrize("opened_by", [consumer, durable_consumer])
def test_exclusive_subscription_acknowledges_local_messages(jms, name, topic, admin, opened_by):
    """Three local messages leave the backlog unasked, while another's after them stays in it."""
    connection = jms.connection(client_id=name("c1"))
    session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
    without_local = opened_by(session, topic)
    send(connection, topic, numbered(3))
    send(jms.connected, topic, ["marker"])

    assert texts([receive(without_local)]) == ["marker"]

    eventually(lambda: admin.only_subscription(topic).backlog == 1)


@requirement("SLJ-NLOC-003")
def test_backlog_of_local_messages_ends_without_the_application(jms, name, topic, admin):
    """While the listener is never called, the backlog of three local messages ends at 0."""
    connection = jms.connection(client_id=name("c1"))
    listener = NotingListener()
    durable_consumer(connection.create_session(), topic).message_listener = listener

    send(connection, topic, numbered(3))

    eventually(lambda: admin.only_subscription(topic).msg_out_counter >= 3)
    eventually(lambda: admin.only_subscription(topic).backlog == 0)
    assert listener.callbacks == []


@requirement("SLJ-NLOC-004")
def test_shared_subscription_gives_local_messages_back(faults, jms_at, topic):
    """The broker's redelivery count of a local message rises on a Shared subscription."""
    proxy, address = faults.frame_proxy()
    connection = jms_at(address).connection(SHARED)
    listener = NotingListener()
    consumer(connection.create_session(), topic).message_listener = listener

    send(connection, topic, ["local"])

    eventually(lambda: any(max(counts) > 0 for counts in redelivery_counts(proxy)))
    assert listener.callbacks == []


@requirement("SLJ-NLOC-004")
def test_local_messages_of_a_queue_go_to_another_consumer(jms, queue, admin):
    """What a noLocal consumer of a queue gives back comes to a consumer of another connection."""
    connection, other = jms.connection(SHARED), jms.connection(SHARED)
    listener = NotingListener()
    consumer(connection.create_session(), queue).message_listener = listener
    sent = send(connection, queue, numbered(3))

    taking = other.create_session().create_consumer(queue)

    assert sorted(texts(receive_all(taking, 3))) == sent
    eventually(lambda: admin.backlog(queue) == 0)
    assert listener.callbacks == []
