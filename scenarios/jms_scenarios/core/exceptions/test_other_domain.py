"""Exceptions that tell of a call of the other domain: of queues on topics, of topics on queues."""

import pytest

from jms_scenarios.traffic import texts
from jmsapi import IllegalStateException
from touchstone.api import judging, needs, receive, refuses, requirement

CONNECTION_CONSUMERS = {
    "JMS-ERR-013": lambda connection, topic: connection.create_durable_connection_consumer(
        topic, "kept", None, None, 1
    ),
    "JMS-ERR-014": lambda connection, topic: connection.create_shared_connection_consumer(
        topic, "shared", None, None, 1
    ),
    "JMS-ERR-015": lambda connection, topic: connection.create_shared_durable_connection_consumer(
        topic, "both", None, None, 1
    ),
}


@needs("connection-consumers")
@pytest.mark.parametrize(
    "make",
    [pytest.param(call, marks=requirement(id_)) for id_, call in CONNECTION_CONSUMERS.items()],
    ids=["durable", "shared", "shared-durable"],
)
def test_queue_connection_makes_no_consumers_of_subscriptions(jms, topic, queues, name, make):
    """The call raises IllegalStateException, and there is no such topic."""
    connection = jms.factory().create_queue_connection()
    connection.client_id = name("client")

    with refuses(IllegalStateException):
        make(connection, topic)

    assert not queues.exists(topic)


OF_TOPICS = {
    "create_durable_subscriber": (
        "JMS-ERR-016",
        lambda session, topic: session.create_durable_subscriber(topic, "kept"),
        lambda session, topic: session.create_durable_subscriber(topic, "kept", "n = 1", True),
    ),
    "create_durable_consumer": (
        "JMS-ERR-017",
        lambda session, topic: session.create_durable_consumer(topic, "kept"),
        lambda session, topic: session.create_durable_consumer(topic, "kept", "n = 1", True),
    ),
    "create_shared_consumer": (
        "JMS-ERR-018",
        lambda session, topic: session.create_shared_consumer(topic, "shared"),
        lambda session, topic: session.create_shared_consumer(topic, "shared", "n = 1"),
    ),
    "create_shared_durable_consumer": (
        "JMS-ERR-019",
        lambda session, topic: session.create_shared_durable_consumer(topic, "both"),
        lambda session, topic: session.create_shared_durable_consumer(topic, "both", "n = 1"),
    ),
    "create_temporary_topic": (
        "JMS-ERR-020",
        lambda session, topic: session.create_temporary_topic(),
    ),
    "create_topic": (
        "JMS-ERR-021",
        lambda session, topic: session.create_topic(topic.topic_name),
    ),
    "unsubscribe": ("JMS-ERR-022", lambda session, topic: session.unsubscribe("kept")),
}
OF_QUEUES = {
    "create_browser": (
        "JMS-ERR-023",
        lambda session, queue: session.create_browser(queue),
        lambda session, queue: session.create_browser(queue, "n = 1"),
    ),
    "create_queue": (
        "JMS-ERR-024",
        lambda session, queue: session.create_queue(queue.queue_name),
    ),
    "create_temporary_queue": (
        "JMS-ERR-025",
        lambda session, queue: session.create_temporary_queue(),
    ),
}
"""Calls of the other domain: which statement refuses each, and its forms."""


def by_its_id(calls):
    return pytest.mark.parametrize(
        ("id_", "forms"),
        [
            pytest.param(id_, forms, marks=requirement(id_, "JMS-ERR-012"), id=call)
            for call, (id_, *forms) in calls.items()
        ],
    )


@by_its_id(OF_TOPICS)
def test_queue_session_does_nothing_for_topics(jms, queue, topic, queues, name, id_, forms):
    """The call raises IllegalStateException, nothing is made, and the session goes on."""
    connection = jms.factory().create_queue_connection()
    connection.client_id = name("client")
    session = connection.create_queue_session()
    connection.start()

    with judging(id_):
        for form in forms:
            with refuses(IllegalStateException):
                form(session, topic)
        assert not queues.exists(topic)
    with judging("JMS-ERR-012"):
        session.create_sender(queue).send(session.create_text_message("hello"))
        assert texts([receive(session.create_receiver(queue))]) == ["hello"]


@by_its_id(OF_QUEUES)
def test_topic_session_does_nothing_for_queues(jms, queue, topic, queues, id_, forms):
    """The call raises IllegalStateException, nothing is made, and the session goes on."""
    connection = jms.factory().create_topic_connection()
    session = connection.create_topic_session()
    connection.start()

    with judging(id_):
        for form in forms:
            with refuses(IllegalStateException):
                form(session, queue)
        assert not queues.exists(queue)
    with judging("JMS-ERR-012"):
        subscriber = session.create_subscriber(topic)
        session.create_publisher(topic).send(session.create_text_message("hello"))
        assert texts([receive(subscriber)]) == ["hello"]
