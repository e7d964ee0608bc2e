"""Subscriptions: who creates them, the client, the broker or an administrator."""

from contextlib import suppress

import pytest

from jms_scenarios.starlight.subscribing import DURABLE, NAMED, consumer, durable_consumer
from jms_scenarios.traffic import numbered, send, texts
from jmsapi import JMSException, JMSSecurityException, JMSSecurityRuntimeException
from touchstone.api import (
    BrokerError,
    broker,
    checks,
    observe,
    receive,
    receive_all,
    refuses,
    requirement,
)

QUEUE_SUBSCRIPTION = "jms-queue"
IMPATIENT = {"operationTimeoutMs": 2000}
"""Settings of a client that soon gives up what the broker refuses."""
NO_PRECREATION = {"jms.precreateQueueSubscription": "false"}


@pytest.fixture
def granted(jms_as, admin, client_id):
    """`granted("consume")`: session, context and topic of a client that may do only this there."""

    def granted(*rights):
        namespace = admin.namespace()
        admin.grant(namespace, "nobody", *rights)
        client = jms_as("nobody")
        session = client.connection(client_id=client_id).create_session()
        context = client.context()
        context.client_id = f"{client_id}-context"
        topic = session.create_topic(admin.create_topic(f"persistent://{namespace}/t"))
        return session, context, topic

    return granted


@requirement("SLJ-SUB-029")
@broker("auth")
def test_client_with_the_right_creates_its_subscription(granted, admin, client_id):
    """A client that may consume creates its subscriptions of each kind by itself."""
    session, context, topic = granted("consume")

    for opened_by in NAMED:
        opened_by(session, topic, opened_by.__name__)
    durable_consumer(context, topic, "new")

    named = {f"{client_id}_{opened_by.__name__}" for opened_by in NAMED}
    assert set(admin.subscriptions(topic)) == {*named, f"{client_id}-context_new"}


@requirement("SLJ-SUB-030")
@broker("auth")
def test_client_without_the_right_creates_no_subscription(granted, admin):
    """A client that may produce but not consume is refused, and no subscription appears."""
    session, context, topic = granted("produce")

    for opened_by in (*NAMED, consumer):
        with refuses(JMSSecurityException):
            opened_by(session, topic)
        with refuses(JMSSecurityRuntimeException):
            opened_by(context, topic)

    assert admin.subscriptions(topic) == {}


@requirement("SLJ-SUB-031")
def test_client_creates_subscriptions_where_the_broker_allows_it(
    connection, topic, admin, client_id
):
    """With allowAutoSubscriptionCreation=true consumers of each kind create their subscriptions."""
    session = connection.create_session()

    for opened_by in NAMED:
        opened_by(session, topic, opened_by.__name__)

    named = {f"{client_id}_{opened_by.__name__}" for opened_by in NAMED}
    assert set(admin.subscriptions(topic)) == named


@requirement("SLJ-SUB-031")
@broker("no-auto-create")
def test_client_creates_no_subscription_where_the_broker_forbids_it(jms, topic, admin, client_id):
    """With allowAutoSubscriptionCreation=false durable consumers are refused, and none appears."""
    admin.create_topic(topic)
    session = jms.connection(IMPATIENT, client_id=client_id).create_session()

    for opened_by in DURABLE:
        with refuses(JMSException):
            opened_by(session, topic)

    assert admin.subscriptions(topic) == {}


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, marks=requirement("SLJ-SUB-032"), id="default"),
        pytest.param(
            {"jms.precreateQueueSubscription": "true"}, marks=requirement("SLJ-SUB-033"), id="true"
        ),
    ],
)
@broker("no-auto-create")
def test_client_creates_the_queue_subscription_ahead_of_use(jms, name, admin, settings):
    """The client creates the queue's subscription itself, before any receive.

    The broker would not do it, so that a client which leaves it to the broker is noticed.
    """
    session = jms.connection({**IMPATIENT, **settings}).create_session()
    queue = session.create_queue(name("q5"))
    seen_after = {"create_queue": list(admin.subscriptions(queue))}

    session.create_producer(queue)
    seen_after["create_producer"] = list(admin.subscriptions(queue))
    session.create_consumer(queue)
    seen_after["create_consumer"] = list(admin.subscriptions(queue))

    assert seen_after["create_consumer"] == [QUEUE_SUBSCRIPTION]
    observe(
        "first call after which jms-queue exists",
        next(call for call, seen in seen_after.items() if QUEUE_SUBSCRIPTION in seen),
    )


@requirement("SLJ-SUB-034")
@broker("no-auto-create")
def test_without_precreation_a_queue_has_no_subscription(jms, name, wire, admin):
    """With jms.precreateQueueSubscription=false queue, producer and send create no subscription."""
    existing = name("queue")
    admin.create_topic(existing)
    session = jms.connection(NO_PRECREATION).create_session()

    producer = session.create_producer(session.create_queue(existing))
    seen_before_sending = admin.subscriptions(existing)
    producer.send(session.create_text_message("stored"))

    assert seen_before_sending == {}
    assert wire.only_message(existing).payload == b"stored"
    assert admin.subscriptions(existing) == {}


@requirement("SLJ-SUB-035")
@broker("no-auto-create")
def test_broker_creates_no_subscription_for_a_native_consumer(topic, wire, admin):
    """With allowAutoSubscriptionCreation=false the broker refuses an unknown subscription."""
    admin.create_topic(topic)

    with refuses(BrokerError):
        wire.subscribe(topic, "unknown")

    assert admin.subscriptions(topic) == {}
    admin.create_subscription(topic, "known")
    wire.subscribe(topic, "known")


@requirement("SLJ-SUB-036")
@broker("no-auto-create")
def test_precreation_works_where_the_broker_creates_no_subscriptions(jms, queue, admin):
    """With pre-creation on, a queue consumer works although the broker creates no subscriptions."""
    settings = {"jms.precreateQueueSubscription": "true", "operationTimeoutMs": 5000}

    consumer = jms.connection(settings).create_session().create_consumer(queue)

    assert list(admin.subscriptions(queue)) == [QUEUE_SUBSCRIPTION]
    send(jms.connected, queue, ["through jms-queue"])
    assert texts([receive(consumer)]) == ["through jms-queue"]


@requirement("SLJ-SUB-037")
@broker("no-auto-create")
def test_nobody_creates_a_subscription_with_both_settings_false(jms, name, admin):
    """With pre-creation and the broker's flag off a queue consumer creates none."""
    existing = name("queue")
    admin.create_topic(existing)
    session = jms.connection({**IMPATIENT, **NO_PRECREATION}).create_session()

    with suppress(JMSException):  # whether and where it is refused the document does not say
        session.create_consumer(session.create_queue(existing)).receive(1000)

    assert admin.subscriptions(existing) == {}


@requirement("SLJ-SUB-038")
@broker("no-auto-create")
def test_administrators_subscription_is_used(jms, name, admin):
    """With both settings false a queue consumer uses what an administrator has created."""
    existing = name("queue")
    admin.create_topic(existing)
    admin.create_subscription(existing, QUEUE_SUBSCRIPTION, position="earliest")
    connection = jms.connection(NO_PRECREATION)
    session = connection.create_session()
    queue = session.create_queue(existing)
    consumer = session.create_consumer(queue)

    sent = send(connection, queue, numbered(3))

    assert checks.exactly_once(sent, texts(receive_all(consumer, 3))) == []
    assert list(admin.subscriptions(queue)) == [QUEUE_SUBSCRIPTION]
