"""Configuration: a map of named settings makes a factory, which can be closed."""

import pytest

from jms_brokers.families.pulsar.schema import Schema
from jms_scenarios.starlight.subscribing import NAMED
from jms_scenarios.traffic import send, texts
from jmsapi import JMSException
from touchstone.api import broker, eventually, kind_of, receive, refuses, requirement

NO_ADDRESS = {"webServiceUrl": None, "brokerServiceUrl": None}
NOWHERE = "http://127.0.0.1:1"
"""A port at which nothing listens."""
IMPATIENT = {"operationTimeoutMs": 2000, "jms.waitForServerStartupTimeout": 1000}


def exchange_text(connection, name):
    """The text that comes back from a fresh queue after it was sent there."""
    session = connection.create_session()
    queue = session.create_queue(name)
    consumer = session.create_consumer(queue)
    send(connection, queue, ["hello"])
    return texts([receive(consumer)])


@requirement("SLJ-CFG-001")
def test_factory_is_made_of_a_map_of_settings(jms, admin):
    """Connections of a factory follow each of two settings in its map."""
    namespace = admin.namespace()
    factory = jms.factory({"jms.systemNamespace": namespace, "jms.queueSubscriptionName": "work"})

    with factory.create_connection() as connection:
        session = connection.create_session()
        session.create_consumer(session.create_queue("q1"))

        assert admin.topics(namespace) == [f"persistent://{namespace}/q1"]
        assert list(admin.subscriptions(f"persistent://{namespace}/q1")) == ["work"]


@requirement("SLJ-CFG-002")
@broker("default-ports")
def test_empty_map_reaches_a_broker_on_this_machine(jms, name):
    """A factory without any setting connects to a broker on the usual ports, sends and receives."""
    factory = jms.factory({**NO_ADDRESS, "jms.systemNamespace": None})

    with factory.create_connection() as connection:
        connection.start()
        assert exchange_text(connection, name("queue")) == ["hello"]
    with factory.create_context() as context:
        queue = context.create_queue(name("context"))
        consumer = context.create_consumer(queue)
        context.create_producer().send(queue, "hello")
        assert texts([receive(consumer)]) == ["hello"]


@requirement("SLJ-CFG-003")
def test_web_service_url_is_the_clusters_address(jms, name, admin):
    """With webServiceUrl alone, on its own port, a client sends and receives."""
    settings = {**NO_ADDRESS, "webServiceUrl": admin.rest.address.admin_url}

    with jms.connection(settings) as connection:
        assert exchange_text(connection, name("queue")) == ["hello"]


@requirement("SLJ-CFG-003")
@pytest.mark.parametrize(
    "addresses", [NO_ADDRESS, {}], ids=["alone", "beside the broker's own address"]
)
def test_web_service_url_elsewhere_is_an_error(jms, name, addresses):
    """With a webServiceUrl at which there is nothing, a queue cannot be consumed."""
    settings = {**addresses, **IMPATIENT, "webServiceUrl": NOWHERE}

    with refuses(JMSException):
        session = jms.connection(settings).create_session()
        session.create_consumer(session.create_queue(name("queue")))


@requirement("SLJ-CFG-004")
def test_consumer_config_goes_to_every_consumer(jms, name, client_id, admin):
    """The consumers of queues and of topics, of each kind, have the name in consumerConfig."""
    settings = {"consumerConfig": {"consumerName": "recognised"}}
    session = jms.connection(settings, client_id=client_id).create_session()
    context = jms.context(settings=settings)
    queues = [session.create_queue(name("queue")) for _ in range(2)]
    topics = [session.create_topic(name("topic")) for _ in range(2)]

    opened = [opener.create_consumer(each) for opener in (session, context) for each in queues]
    opened += [opener.create_consumer(topics[0]) for opener in (session, context)]
    opened += [opened_by(session, topics[1], opened_by.__name__) for opened_by in NAMED]
    for consumer in opened:
        consumer.receive_no_wait()

    for destination, count in zip((*queues, *topics), (2, 2, 2, len(NAMED)), strict=True):
        eventually(
            lambda to=destination, n=count: names_of_consumers(admin, to) == ["recognised"] * n
        )


@requirement("SLJ-CFG-005")
@broker("no-auto-create")
@pytest.mark.parametrize("off", [False, "false"], ids=["boolean", "text"])
def test_false_may_be_a_text(jms, name, admin, off):
    """jms.precreateQueueSubscription='false' has the effect of the boolean: no subscription."""
    existing = name("queue")
    admin.create_topic(existing)
    settings = {"operationTimeoutMs": 2000, "jms.precreateQueueSubscription": off}

    with refuses(JMSException):
        session = jms.connection(settings).create_session()
        session.create_consumer(session.create_queue(existing)).receive(1)

    assert admin.subscriptions(existing) == {}


@requirement("SLJ-CFG-005")
@broker("no-auto-create")
@pytest.mark.parametrize("on", [True, "true"], ids=["boolean", "text"])
def test_true_may_be_a_text(jms, name, admin, on):
    """jms.precreateQueueSubscription='true' has the effect of the boolean: a subscription."""
    existing = name("queue")
    admin.create_topic(existing)

    session = jms.connection({"jms.precreateQueueSubscription": on}).create_session()
    session.create_consumer(session.create_queue(existing))

    assert list(admin.subscriptions(existing)) == ["jms-queue"]


@requirement("SLJ-CFG-005")
@pytest.mark.parametrize("text", [False, True], ids=["boolean", "text"])
def test_booleans_of_other_settings_may_be_texts(jms, name, admin, wire, text):
    """Both values of other settings have the effect of booleans, whether given as such or not."""
    for value in (True, False):
        given = str(value).lower() if text else value
        key = "jms.useExclusiveSubscriptionsForSimpleConsumers"
        topic = jms.topic(name("topic"))
        jms.connection({key: given}).create_session().create_consumer(topic)
        expected = "Exclusive" if value else "Shared"
        assert admin.only_subscription(topic).type == expected

        switches = {"enableTransaction": "false", "jms.emulateTransactions": given}
        if value:
            assert jms.connection(switches).create_session(True).transacted
        else:
            with refuses(JMSException):
                jms.connection(switches).create_session(True).commit()

        nested = {"consumerConfig": {"useSchema": given}}
        queue = jms.queue(name("queue"))
        consumer = jms.connection(nested).create_session().create_consumer(queue)
        wire.send(queue, b"hello", schema=Schema("STRING", ""))
        assert kind_of(receive(consumer)) == ("text" if value else "bytes")


@requirement("SLJ-CFG-006")
def test_everything_can_be_closed(jms, name, admin):
    """Closed one after another, producer, session, connection and factory leave nothing open."""
    factory = jms.factory()
    connection = factory.create_connection()
    session = connection.create_session()
    queue = session.create_queue(name("queue"))
    producer = producer_in_use(connection, session, queue)
    eventually(lambda: names_of_consumers(admin, queue) and admin.producers(queue))

    for each in (producer, session, connection, factory):
        each.close()

    eventually(lambda: names_of_consumers(admin, queue) == [])
    eventually(lambda: admin.producers(queue) == [])


@requirement("SLJ-CFG-006")
def test_a_factory_closes_what_it_made(jms, name, admin):
    """Closed alone, a factory leaves nothing open of two connections and a context."""
    factory = jms.factory()
    queue, topic, other = (
        jms.queue(name("queue")),
        jms.topic(name("topic")),
        jms.queue(name("other")),
    )
    for destination in (queue, topic):
        connection = factory.create_connection()
        producer_in_use(connection, connection.create_session(), destination)
    context = factory.create_context()
    context.create_consumer(other).receive_no_wait()
    context.create_producer().send(other, "hello")
    used = (queue, topic, other)
    eventually(
        lambda: all(names_of_consumers(admin, each) and admin.producers(each) for each in used)
    )

    factory.close()

    eventually(lambda: [names_of_consumers(admin, each) for each in used] == [[], [], []])
    eventually(lambda: [admin.producers(each) for each in used] == [[], [], []])


def producer_in_use(connection, session, destination):
    """A producer that has sent, and a consumer beside it."""
    connection.start()
    session.create_consumer(destination).receive_no_wait()
    producer = session.create_producer(destination)
    producer.send(session.create_text_message("hello"))
    return producer


def names_of_consumers(admin, destination):
    subscriptions = admin.stats(destination)["subscriptions"].values()
    return [each["consumerName"] for row in subscriptions for each in row["consumers"]]
