"""Subscriptions: the five kinds of the mapping table, how they live, and who shares them."""

import re

import pytest

from jms_scenarios.selecting import send_with
from jms_scenarios.traffic import numbered, send, shared_out, texts
from jmsapi import JMSException
from touchstone.api import (
    checks,
    eventually,
    judging,
    not_applicable,
    nothing_before,
    observe,
    portable,
    receive,
    receive_all,
    refuses,
    requirement,
)

QUEUE_SUBSCRIPTION = "jms-queue"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def consumer(session, topic):
    return session.create_consumer(topic)


def durable_consumer(session, topic):
    return session.create_durable_consumer(topic, "s1")


def shared_consumer(session, topic):
    return session.create_shared_consumer(topic, "s1")


def shared_durable_consumer(session, topic):
    return session.create_shared_durable_consumer(topic, "s1")


def durable_subscriber(session, topic):
    return session.create_durable_subscriber(topic, "s1")


def rows(requirements):
    """Cases of the mapping table: what opens the consumer, and the requirement on its row."""
    return pytest.mark.parametrize(
        "opened_by",
        [
            pytest.param(kind, marks=requirement(identifier), id=kind.__name__)
            for kind, identifier in requirements.items()
        ],
    )


@pytest.fixture
def session(connection):
    return connection.create_session()


@rows(
    {
        consumer: "SLJ-SUB-001",
        durable_consumer: "SLJ-SUB-004",
        durable_subscriber: "SLJ-SUB-013",
    }
)
def test_subscription_is_exclusive(session, topic, admin, opened_by):
    """The broker holds the subscription as Exclusive."""
    opened_by(session, topic)

    assert admin.only_subscription(topic).type == "Exclusive"


@rows({shared_consumer: "SLJ-SUB-007", shared_durable_consumer: "SLJ-SUB-010"})
def test_subscription_is_shared(session, topic, admin, opened_by):
    """The broker holds the subscription as Shared."""
    opened_by(session, topic)

    assert admin.only_subscription(topic).type == "Shared"


@rows(
    {
        durable_consumer: "SLJ-SUB-005",
        shared_durable_consumer: "SLJ-SUB-011",
        durable_subscriber: "SLJ-SUB-014",
    }
)
def test_durable_subscription_outlives_its_client(connection, session, topic, admin, opened_by):
    """The subscription is durable and still there when the client has gone."""
    opened_by(session, topic)
    name = admin.only_subscription(topic).name

    connection.close()

    eventually(lambda: admin.subscription(topic, name).consumers == 0)
    assert admin.subscription(topic, name).durable


@rows({consumer: "SLJ-SUB-002", shared_consumer: "SLJ-SUB-008"})
def test_non_durable_subscription_goes_with_its_consumer(session, topic, admin, opened_by):
    """The subscription is there while its consumer is open, and gone after close."""
    opened = opened_by(session, topic)
    assert admin.only_subscription(topic).consumers == 1

    opened.close()

    eventually(lambda: admin.subscriptions(topic) == {})


@rows({consumer: "SLJ-SUB-002", shared_consumer: "SLJ-SUB-008"})
def test_broker_holds_the_subscription_as_non_durable(session, topic, admin, opened_by):
    """The broker knows the subscription as non-durable, so that it goes with a crash as well."""
    opened_by(session, topic)

    assert admin.only_subscription(topic).durable is False


@requirement("SLJ-SUB-003")
def test_simple_topic_consumers_subscribe_under_random_uuids(jms, topic, admin):
    """Each unnamed topic consumer has a subscription of its own, named by a UUID."""
    for _ in range(2):
        jms.consumer(topic)

    names = list(admin.subscriptions(topic))
    assert len(set(names)) == 2
    assert all(UUID.fullmatch(name.lower()) for name in names)


@rows(
    {
        durable_consumer: "SLJ-SUB-006",
        shared_consumer: "SLJ-SUB-009",
        shared_durable_consumer: "SLJ-SUB-012",
        durable_subscriber: "SLJ-SUB-015",
    }
)
def test_subscription_name_is_made_of_client_id_and_name(
    session, topic, admin, client_id, opened_by
):
    """The broker knows the subscription as clientId, underscore and the given name."""
    opened_by(session, topic)

    assert list(admin.subscriptions(topic)) == [f"{client_id}_s1"]


@portable
@requirement("SLJ-SUB-016")
def test_durable_subscription_keeps_its_position(jms, topic, client_id):
    """A durable consumer that comes back goes on where it had stopped."""
    sent = numbered(8)
    with jms.connection(client_id=client_id) as connection:
        before = durable_consumer(connection.create_session(), topic)
        send(jms.connected, topic, sent[:5])
        assert texts(receive_all(before, 2)) == sent[:2]

    send(jms.connected, topic, sent[5:])
    after = durable_consumer(jms.connection(client_id=client_id).create_session(), topic)

    assert texts(receive_all(after, 6)) == sent[2:]
    nothing_before(after, lambda: send(jms.connected, topic, ["end"]), lambda m: m.text == "end")


@portable
@requirement("SLJ-SUB-017")
def test_non_durable_subscription_loses_its_position(jms, topic):
    """A non-durable consumer that comes back gets nothing that was sent while it was away."""
    shared_consumer(jms.session(), topic).close()
    send(jms.connected, topic, numbered(3))

    reopened = shared_consumer(jms.session(), topic)

    nothing_before(
        reopened, lambda: send(jms.connected, topic, ["next"]), lambda m: m.text == "next"
    )


@portable
@requirement("SLJ-SUB-018")
def test_unshared_subscription_admits_one_consumer(jms, connection, session, topic):
    """A second consumer of an unshared subscription is refused; the first goes on receiving."""
    first = durable_consumer(session, topic)

    with refuses(JMSException):
        durable_consumer(connection.create_session(), topic)

    send(jms.connected, topic, ["for the first"])
    assert texts([receive(first)]) == ["for the first"]


@requirement("SLJ-SUB-018")
def test_unshared_subscription_admits_one_process(
    jms, other_process, session, topic, client_id, wire
):
    """A second consumer is refused to another process with the same client identifier, too."""
    first = durable_consumer(session, topic)
    elsewhere = other_process.connection(client_id=client_id).create_session()

    with refuses(JMSException):
        durable_consumer(elsewhere, elsewhere.create_topic(wire.topic(topic)))

    send(jms.connected, topic, ["for the first"])
    assert texts([receive(first)]) == ["for the first"]


@requirement("SLJ-SUB-019")
def test_sharing_consumers_divide_the_messages(jms, topic, admin):
    """Each message goes to exactly one of the two consumers of a shared subscription."""
    consumers = [shared_consumer(jms.session(), topic) for _ in range(2)]

    sent = send(jms.connected, topic, numbered(100))

    one, other = shared_out(consumers, 100)
    observe("share of the first consumer", len(one))
    assert set(one).isdisjoint(other)
    assert checks.exactly_once(sent, one + other) == []
    eventually(lambda: admin.backlog(topic, "s1") == 0)


@portable
@requirement("SLJ-SUB-020")
def test_every_subscription_gets_every_message(jms, topic):
    """Each of two subscriptions gets the messages of both producers."""
    session = jms.session()
    subscribers = [session.create_shared_consumer(topic, name) for name in ("s1", "s2")]

    sent = send(jms.connected, topic, numbered(50, "a"))
    sent += send(jms.connection(), topic, numbered(50, "b"))

    for subscriber in subscribers:
        assert checks.exactly_once(sent, texts(receive_all(subscriber, 100))) == []


@rows({shared_consumer: "SLJ-SUB-021", shared_durable_consumer: "SLJ-SUB-022"})
def test_shared_subscription_type_is_configurable(jms, topic, admin, opened_by):
    """jms.topicSharedSubscriptionType=Key_Shared makes the subscription Key_Shared."""
    connection = jms.connection({"jms.topicSharedSubscriptionType": "Key_Shared"})

    opened_by(connection.create_session(), topic)

    assert admin.only_subscription(topic).type == "Key_Shared"


@requirement("SLJ-SUB-023")
def test_shared_subscription_type_leaves_queues_alone(jms, queue, admin):
    """With jms.topicSharedSubscriptionType=Key_Shared a queue's subscription is still Shared."""
    connection = jms.connection({"jms.topicSharedSubscriptionType": "Key_Shared"})

    connection.create_session().create_consumer(queue).receive_no_wait()

    eventually(lambda: admin.subscription(queue, QUEUE_SUBSCRIPTION).consumers == 1)
    assert admin.subscription(queue, QUEUE_SUBSCRIPTION).type == "Shared"


@requirement("SLJ-SUB-024")
def test_subscription_name_belongs_to_its_topic(jms, session, name, admin, client_id):
    """One name on two topics is two subscriptions, each with its own topic's messages only."""
    topics = [jms.topic(name("a")), jms.topic(name("b"))]
    consumers = [durable_consumer(session, topic) for topic in topics]

    for topic in topics:
        send(jms.connected, topic, [f"to {topic.topic_name}"])

    for topic, own in zip(topics, consumers, strict=True):
        assert texts([receive(own)]) == [f"to {topic.topic_name}"]
        nothing_before(
            own, lambda topic=topic: send(jms.connected, topic, ["end"]), lambda m: m.text == "end"
        )
        assert list(admin.subscriptions(topic)) == [f"{client_id}_s1"]


@requirement("SLJ-SUB-025")
def test_unsubscribe_by_name_alone_is_refused(session, topic, admin, client_id):
    """Session.unsubscribe names no topic: it fails, and the subscription stays."""
    durable_consumer(session, topic).close()

    with refuses(JMSException):
        session.unsubscribe("s1")

    assert list(admin.subscriptions(topic)) == [f"{client_id}_s1"]


@requirement("SLJ-SUB-026")
def test_another_selector_does_not_reset_a_durable_subscription(session, jms, topic, admin):
    """Reopened with another selector the cursor is the old one; after removal a new one begins.

    The cursor has moved before, and the broker has made a ledger for it that no other has.
    """

    def cursors():
        stats = admin.rest.get(f"{admin.topic(topic).path}/internalStats")["cursors"]
        return {
            name: (row["cursorLedger"], row["markDeletePosition"]) for name, row in stats.items()
        }

    def kept():
        found = cursors()
        settled = admin.only_subscription(topic).backlog == 0
        return found if settled and all(ledger >= 0 for ledger, _ in found.values()) else None

    with session.create_durable_consumer(topic, "s1", "a = 1") as consumer:
        sent = send_with(jms.connected, topic, [{"a": 1}])
        assert texts([receive(consumer)]) == sent
    before = eventually(kept)
    sent = send_with(jms.connected, topic, [{"a": 2}, {"a": 2}])

    reopened = session.create_durable_consumer(topic, "s1", "a = 2")

    assert len(before) == 1
    assert cursors() == before
    assert texts(receive_all(reopened, 2)) == sent
    reopened.close()

    send_with(jms.connected, topic, [{"a": 2}, {"a": 2}])
    admin.delete_subscription(topic, admin.only_subscription(topic).name)
    fresh = session.create_durable_consumer(topic, "s1", "a = 2")
    [last] = send_with(jms.connected, topic, [{"a": 2, "of": "the new one"}])

    assert texts([receive(fresh)]) == [last]


@requirement("SLJ-SUB-027")
@pytest.mark.parametrize("shared", ["create_shared_consumer", "create_shared_durable_consumer"])
def test_differing_selectors_on_one_subscription_are_not_compared(
    jms, other_process, topic, admin, shared
):
    """Consumers of one subscription with different selectors open in two processes at once."""
    settings = {
        "jms.enableClientSideEmulation": True,
        "consumerConfig": {"negativeAckRedeliveryDelayMicros": 50_000, "receiverQueueSize": 1},
    }
    consumers = []
    for process, selector in ((jms, "a = 1"), (other_process, "a = 2")):
        session = process.connection(settings).create_session()
        consumers.append(getattr(session, shared)(topic, "s1", selector))

    subscription = admin.only_subscription(topic)
    assert (subscription.name, subscription.consumers) == ("s1", 2)
    sent = send_with(jms.connected, topic, [{"a": 1}, {"a": 2}])
    assert shared_out(consumers, 2) == [[sent[0]], [sent[1]]]


@requirement("SLJ-SUB-028")
def test_differing_no_local_on_one_subscription_is_not_compared(
    jms, connection, topic, admin, client_id
):
    """A durable subscription opens with noLocal, without, and with it again; it stays one."""
    session = connection.create_session()
    session.create_durable_consumer(topic, "s1", None, True).close()
    sent = send(connection, topic, ["while it was closed"])

    reopened = session.create_durable_consumer(topic, "s1", None, False)

    assert admin.only_subscription(topic).name == f"{client_id}_s1"
    assert texts([receive(reopened)]) == sent
    reopened.close()

    again = session.create_durable_consumer(topic, "s1", None, True)
    send(connection, topic, ["local"])
    send(jms.connected, topic, ["marker"])
    assert texts([receive(again)]) == ["marker"]
    assert list(admin.subscriptions(topic)) == [f"{client_id}_s1"]


@requirement("SLJ-SUB-039")
def test_only_unique_subscription_names_fail_the_conformance_tests():
    """What fails on Pulsar 2.7.x are tests that need globally unique subscription names."""
    not_applicable("speaks of Pulsar 2.7.x, and of the results of a whole test kit on it")


@requirement("SLJ-SUB-016")
def test_workload_goes_on_where_a_durable_consumer_left(workload):
    """A durable consumer that comes and goes three times gets all of 1,000 messages in order."""
    found = workload("durable", messages=1_000).with_power(900, "D01", "D08", "D09", "D10")

    assert found.against("D01", "D04", "D08", "D09", "D10") == []


@requirement("SLJ-SUB-019", "SLJ-SUB-020")
def test_workload_of_a_topic_fans_out(workload):
    """Each of four subscriptions gets what is for it of 800 messages; sharers divide theirs."""
    found = (
        workload("fan-out", messages=800).with_power(2_800, "D01").with_power(2_500, "D04", "D08")
    )

    with judging("SLJ-SUB-019"):
        assert found.against("D08") == []
    with judging("SLJ-SUB-020"):
        assert found.against("D01", "D02", "D04", "D10") == []
