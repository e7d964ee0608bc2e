"""Subscriptions: the five kinds of the mapping table, how they live, and who shares them."""

import pytest

from jms_scenarios.selecting import send_with
from jms_scenarios.starlight.subscribing import (
    DURABLE,
    NAMED,
    NON_DURABLE,
    UNSHARED,
    consumer,
    durable_consumer,
    shared_consumer,
    shared_durable_consumer,
)
from jms_scenarios.traffic import numbered, send, shared_out, texts
from jmsapi import JMSException, JMSRuntimeException
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


@pytest.fixture
def session(connection):
    return connection.create_session()


def ends_with_a_marker(jms, consumer, topic):
    """Check that nothing more comes."""
    nothing_before(consumer, lambda: send(jms.connected, topic, ["end"]), lambda m: m.text == "end")


@portable
@requirement("SLJ-SUB-016")
def test_durable_subscription_keeps_its_position(jms, name, client_id):
    """A consumer of each durable kind that comes back goes on where it had stopped."""
    sent = numbered(8)
    topics = {opened_by: jms.topic(name("topic")) for opened_by in DURABLE}
    with jms.connection(client_id=client_id) as connection:
        for opened_by, topic in topics.items():
            before = opened_by(connection.create_session(), topic)
            send(jms.connected, topic, sent[:5])
            assert texts(receive_all(before, 2)) == sent[:2]

    for topic in topics.values():
        send(jms.connected, topic, sent[5:])
    session = jms.connection(client_id=client_id).create_session()
    for opened_by, topic in topics.items():
        after = opened_by(session, topic)
        assert sorted(texts(receive_all(after, 6))) == sent[2:]
        ends_with_a_marker(jms, after, topic)


@portable
@requirement("SLJ-SUB-017")
def test_non_durable_subscription_loses_its_position(jms, name):
    """A non-durable consumer that comes back gets nothing that was sent while it was away."""
    for opened_by in NON_DURABLE:
        topic = jms.topic(name("topic"))
        opened_by(jms.session(), topic).close()
        send(jms.connected, topic, numbered(3))

        reopened = opened_by(jms.session(), topic)

        ends_with_a_marker(jms, reopened, topic)


@portable
@requirement("SLJ-SUB-018")
def test_unshared_subscription_admits_one_consumer(jms, connection, session, topic):
    """A second consumer of an unshared subscription is refused; the first goes on receiving.

    Whichever call and session asks for the second. When the first has gone, another is admitted.
    """
    for number, opened_by in enumerate(UNSHARED):
        first = opened_by(session, topic)

        for again in UNSHARED:
            for asked in (session, connection.create_session()):
                with refuses(JMSException):
                    again(asked, topic)

        send(jms.connected, topic, [f"for the first {number}"])
        assert texts([receive(first)]) == [f"for the first {number}"]
        first.close()


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
@pytest.mark.parametrize("opened_by", [shared_consumer, shared_durable_consumer])
def test_sharing_consumers_divide_the_messages(jms, topic, admin, opened_by):
    """Each message goes to exactly one of a session's and a context's consumer that share."""
    consumers = [opened_by(opener, topic) for opener in (jms.session(), jms.context())]

    sent = send(jms.connected, topic, numbered(100))

    first, second = shared_out(consumers, 100)
    observe("share of the first consumer", len(first))
    assert set(first).isdisjoint(second)
    assert checks.exactly_once(sent, first + second) == []
    eventually(lambda: admin.backlog(topic, "s1") == 0)


@portable
@requirement("SLJ-SUB-020")
def test_every_subscription_gets_every_message(jms, session, topic):
    """Each subscription, of each kind and of two names, gets the messages of both producers."""
    subscribers = [opened_by(session, topic, opened_by.__name__) for opened_by in NAMED]
    subscribers += [shared_consumer(session, topic, "s2"), consumer(session, topic)]

    sent = send(jms.connected, topic, numbered(50, "a"))
    producer = jms.context().create_producer()
    for text in numbered(50, "b"):
        producer.send(topic, text)
        sent.append(text)

    for subscriber in subscribers:
        assert checks.exactly_once(sent, texts(receive_all(subscriber, 100))) == []


@requirement("SLJ-SUB-023")
def test_shared_subscription_type_leaves_queues_alone(jms, name, admin):
    """With jms.topicSharedSubscriptionType=Key_Shared queues' subscriptions are still Shared."""
    settings = {"jms.topicSharedSubscriptionType": "Key_Shared"}
    session, context = jms.connection(settings).create_session(), jms.context(settings=settings)

    for opener in (session, context):
        queue = jms.queue(name("queue"))
        opener.create_consumer(queue).receive_no_wait()

        eventually(lambda queue=queue: admin.subscription(queue, QUEUE_SUBSCRIPTION).consumers == 1)
        assert admin.subscription(queue, QUEUE_SUBSCRIPTION).type == "Shared"


@requirement("SLJ-SUB-024")
def test_subscription_name_belongs_to_its_topic(jms, session, name, admin, client_id):
    """One name on two topics is two subscriptions, each with its own topic's messages only."""
    for opened_by in NAMED:
        topics = [jms.topic(name("a")), jms.topic(name("b"))]
        consumers = [opened_by(session, topic) for topic in topics]

        for topic in topics:
            send(jms.connected, topic, [f"to {topic.topic_name}"])

        for topic, own in zip(topics, consumers, strict=True):
            assert texts([receive(own)]) == [f"to {topic.topic_name}"]
            ends_with_a_marker(jms, own, topic)
            assert list(admin.subscriptions(topic)) == [f"{client_id}_s1"]


@requirement("SLJ-SUB-025")
def test_unsubscribe_by_name_alone_is_refused(openers, topic, admin):
    """Session.unsubscribe names no topic: it fails for each API and kind, open or not.

    The subscriptions stay. So it does for a name that no subscription has.
    """
    for opener in openers.values():
        durable_consumer(opener, topic, "closed").close()
        shared_durable_consumer(opener, topic, "open")
    before = set(admin.subscriptions(topic))

    for opener in openers.values():
        for given in ("closed", "open", "nobody's"):
            with refuses(JMSException, JMSRuntimeException):
                opener.unsubscribe(given)

    assert set(admin.subscriptions(topic)) == before
    assert len(before) == 2 * len(openers)


@requirement("SLJ-SUB-026")
def test_another_selector_does_not_reset_a_durable_subscription(session, jms, topic, admin):
    """Reopened with another selector it is the old subscription; after removal a new one begins.

    An administrator has given the old one a property, which no new one has.
    """
    with session.create_durable_consumer(topic, "s1", "a = 1") as consumer:
        sent = send_with(jms.connected, topic, [{"a": 1}])
        assert texts([receive(consumer)]) == sent
    eventually(lambda: admin.only_subscription(topic).backlog == 0)
    name = admin.only_subscription(topic).name
    admin.set_properties(topic, name, {"marked": "before"})
    sent = send_with(jms.connected, topic, [{"a": 2}, {"a": 2}])

    reopened = session.create_durable_consumer(topic, "s1", "a = 2")

    assert admin.only_subscription(topic).name == name
    assert admin.only_subscription(topic).properties.get("marked") == "before"
    assert texts(receive_all(reopened, 2)) == sent
    reopened.close()

    send_with(jms.connected, topic, [{"a": 2}, {"a": 2}])
    admin.delete_subscription(topic, name)
    fresh = session.create_durable_consumer(topic, "s1", "a = 2")
    [last] = send_with(jms.connected, topic, [{"a": 2, "of": "the new one"}])

    assert "marked" not in admin.only_subscription(topic).properties
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
    verdict = workload("durable", messages=1_000).with_power(900, "D01", "D08", "D09", "D10")

    assert verdict.against("D01", "D04", "D08", "D09", "D10") == []


@requirement("SLJ-SUB-019", "SLJ-SUB-020")
def test_workload_of_a_topic_fans_out(workload):
    """Each of four subscriptions gets what is for it of 800 messages; sharers divide theirs."""
    verdict = (
        workload("fan-out", messages=800).with_power(2_800, "D01").with_power(2_500, "D04", "D08")
    )

    with judging("SLJ-SUB-019"):
        assert verdict.against("D08") == []
    with judging("SLJ-SUB-020"):
        assert verdict.against("D01", "D02", "D04", "D10") == []
