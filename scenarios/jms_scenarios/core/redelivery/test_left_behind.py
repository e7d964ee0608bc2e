"""Redelivery of what a session, a client or the broker left behind when it ended."""

import pytest

from jms_scenarios.core.exchange import (
    CLIENT,
    TRANSACTED,
    delivery,
    left_on,
    numbered,
    send,
    send_in,
    take,
    texts,
    unflagged,
)
from touchstone.api import (
    broker,
    checks,
    durable_consumer,
    eventually,
    judging,
    observe,
    receive_all,
    requirement,
    slow,
)

pytestmark = pytest.mark.usefixtures("quick")


@slow
@broker("plain", exclusive=True)
@requirement("JMS-REDL-010", "JMS-REDL-011", "JMS-REDL-016")
def test_unacknowledged_messages_outlive_client_and_broker(
    jms, other_process, name, queues, broker_control
):
    """What a killed client had not acknowledged comes again when the killed broker is back.

    The messages of a queue are flagged and counted; a durable subscription has kept its own.
    """
    client_id, queue_name, topic_name = name("subscriber"), name("queue"), name("topic")
    subscription = name("kept")
    queue, topic = jms.queue(queue_name), jms.topic(topic_name)
    session = other_process.connection(client_id=client_id).create_session(False, CLIENT)
    consumer = session.create_consumer(session.create_queue(queue_name))
    subscriber = durable_consumer(session, session.create_topic(topic_name), subscription)
    with jms.session(TRANSACTED) as sending:  # commit() shows that the broker has them for good
        sent = send_in(sending, queue, numbered(100))
        published = send_in(sending, topic, numbered(3, "published"))
        sending.commit()
    take(consumer, sent)
    take(subscriber, published)

    broker_control.kill()
    other_process.kill()
    broker_control.start()

    session = jms.connection(client_id=client_id).create_session(False, CLIENT)
    again = receive_all(session.create_consumer(queue), 100, within=60)
    with judging("JMS-REDL-010"):
        assert checks.exactly_once(sent, texts(again)) == []
        assert unflagged(again) == []
    with judging("JMS-REDL-011"):
        assert [row for row in map(delivery, again) if row.count < 2] == []
    with judging("JMS-REDL-016"):
        eventually(lambda: queues.kept(topic, subscription) in (3, None))
        kept = receive_all(durable_consumer(session, topic, subscription), 3)
        assert checks.exactly_once(published, texts(kept)) == []


@requirement("JMS-REDL-012")
def test_queue_keeps_what_a_session_did_not_acknowledge(jms, queue, queues):
    """Three of five messages, received and not acknowledged, come again after session.close()."""
    session = jms.session(CLIENT)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(5))
    received = texts(receive_all(consumer, 3))

    session.close()

    eventually(lambda: queues.pending(queue) == 5)
    again = left_on(jms.connected, queue)
    assert checks.exactly_once(sent, texts(again)) == []
    assert sorted(set(received) & set(unflagged(again))) == []


@requirement("JMS-REDL-013")
def test_durable_subscription_keeps_what_a_session_did_not_acknowledge(jms, topic, name, queues):
    """Of five messages three are received: the broker keeps five, for the next consumer."""
    subscription = name("kept")
    connection = jms.connection(client_id=name("subscriber"))
    session = connection.create_session(False, CLIENT)
    subscriber = durable_consumer(session, topic, subscription)
    sent = send(jms.connected, topic, numbered(5))
    take(subscriber, sent[:3])

    session.close()

    eventually(lambda: queues.kept(topic, subscription) in (5, None))
    observe("messages of the subscription at the broker", queues.kept(topic, subscription))
    with connection.create_session() as reopened:
        subscriber = durable_consumer(reopened, topic, subscription)
        again = texts(receive_all(subscriber, 5))
        assert checks.exactly_once(sent, again) == []


@slow
@broker("plain", exclusive=True)
@requirement("JMS-REDL-010", "JMS-REDL-011", "JMS-REDL-016")
def test_workload_outlives_the_broker(workload):
    """Two consumers leave with unacknowledged messages before the broker is killed, and come back.

    Nothing that they had is forgotten, and what is recovered afterwards is flagged and counted.
    """
    verdict = workload("left-over-a-restart", messages=450).with_power(5, "D06", "D19")
    verdict = verdict.with_power(200, "D01", "D11")

    with judging("JMS-REDL-010"):
        assert verdict.against("D06") == []
    with judging("JMS-REDL-011"):
        assert verdict.against("D11") == []
    with judging("JMS-REDL-016"):
        assert verdict.against("D01", "D19") == []


@requirement("JMS-REDL-012")
@slow
def test_workload_keeps_on_a_queue_what_sessions_left(workload):
    """Consumers of a queue leave three times with unacknowledged messages: none is forgotten."""
    verdict = workload("left-on-a-queue", messages=300).with_power(3, "D19").with_power(300, "D01")

    assert verdict.against("D01", "D05", "D08", "D19") == []


@requirement("JMS-REDL-013")
@slow
def test_workload_keeps_on_a_subscription_what_sessions_left(workload):
    """The consumer of a durable subscription leaves likewise: none is forgotten."""
    verdict = workload("left-on-a-subscription", messages=300)
    verdict = verdict.with_power(3, "D19").with_power(300, "D01")

    assert verdict.against("D01", "D05", "D08", "D19") == []
