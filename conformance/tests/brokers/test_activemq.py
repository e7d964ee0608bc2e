"""ActiveMQ Classic as a child process, and what the independent client sees of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from brokers.named_destinations import NamedTemporaryQueue, NamedTemporaryTopic
from jms_brokers.amqp import messages
from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.connection import AmqpConnection
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.errors import BrokerError
from jms_brokers.families.activemq import embedded as activemq_embedded
from jms_brokers.families.activemq import queues as activemq_queues
from jms_brokers.families.activemq.configuration import activemq_xml
from jms_brokers.families.activemq.embedded import EmbeddedActiveMq
from jms_brokers.families.activemq.queues import ActiveMqQueues
from jms_brokers.families.activemq.statistics import BrokerStatistics
from jms_brokers.machine.polling import until
from jms_brokers.shared.named_destinations import NamedQueue, NamedTopic
from jms_brokers.shared.queue_view import Subscribed
from jms_brokers.shared.registry import broker_for
from jmsapi import SessionMode
from jvm_runtime.progress import quiet
from touchstone.brokers.option import broker_settings
from touchstone.scenario.faults import Faults

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedActiveMq]:
    with EmbeddedActiveMq(show=quiet) as broker:
        yield broker


@pytest.fixture
def queues(broker: EmbeddedActiveMq) -> Iterator[ActiveMqQueues]:
    queues = ActiveMqQueues(broker.address)
    yield queues
    queues.close()


def test_a_delivered_message_is_pending_and_not_ready(
    broker: EmbeddedActiveMq, queues: ActiveMqQueues
) -> None:
    queue = NamedQueue("delivered")
    queues.send(queue, "a")
    queues.send(queue, "b")
    with amqp_readiness.connect(broker.address) as other:
        other.receive(other.receiver("delivered", "queue"))
        assert (queues.pending(queue), queues.ready(queue)) == (2, 1)
        assert queues.consumers(queue) == 1
        assert queues.take(queue) == ["b"]


def test_a_drain_that_ends_too_early_leaves_nothing(
    queues: ActiveMqQueues, monkeypatch: pytest.MonkeyPatch
) -> None:
    drain, ends = AmqpConnection.drain, iter((True, False))
    monkeypatch.setattr(
        AmqpConnection, "drain", lambda *called: [] if next(ends, False) else drain(*called)
    )
    queue = NamedQueue("drained")
    queues.send(queue, "a")
    assert queues.take(queue) == ["a"]


def test_messages_that_nobody_gets_are_told(
    queues: ActiveMqQueues, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activemq_queues, "_AT_HAND", 0.1)
    monkeypatch.setattr(AmqpConnection, "drain", lambda *_: [])
    queue = NamedQueue("held")
    queues.send(queue, "a")
    with pytest.raises(BrokerError, match="held has messages that no consumer has and none gets"):
        queues.take(queue)


def test_topics_and_temporary_destinations_are_seen_as_what_they_are(
    broker: EmbeddedActiveMq, queues: ActiveMqQueues
) -> None:
    with amqp_readiness.connect(broker.address) as other:
        other.receiver("topic://subscribed")
        assert queues.exists(NamedTopic("subscribed")) is True
        assert queues.exists(NamedQueue("subscribed")) is False
        kind, _, name = other.receiver(None).address.partition("://")
        assert kind == "temp-queue"
        assert queues.exists(NamedTemporaryQueue(name)) is True
        assert queues.exists(NamedQueue(name)) is False
    assert queues.exists(NamedTemporaryQueue("ID:nobody:1:1")) is False
    assert queues.exists(NamedTemporaryTopic("ID:nobody:1:1")) is False


def test_subscriptions_of_a_topic_are_told_used_or_not(
    broker: EmbeddedActiveMq, queues: ActiveMqQueues
) -> None:
    """By its beans: what each has yet to acknowledge, while its consumer is away as well."""
    topic = NamedTopic("published")
    assert queues.subscriptions(topic) == []
    with Faults(broker.address, "activemq@6.3.1") as faults:
        client = faults.other_process().client
        connection = client.connection_factory({}).create_connection()
        connection.client_id = "subscriber"
        connection.start()
        session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
        place = session.create_topic("published")
        durable = session.create_durable_consumer(place, "kept")
        simple = session.create_consumer(place)
        producer = session.create_producer(place)
        for _ in range(5):
            producer.send(session.create_message())
        seen = [Subscribed("", 5, 1, durable=False), Subscribed("kept", 5, 1, durable=True)]
        until(lambda: sorted(queues.subscriptions(topic), key=str) == seen)
        simple.close()
        assert durable.receive(20_000) is not None
        durable.close()
        producer.send(session.create_message())
        until(lambda: queues.subscriptions(topic) == [Subscribed("kept", 6, 0, durable=True)])
        assert queues.kept(topic, "kept") == 6
        assert queues.kept(topic, "another") == 0
        connection.close()


def test_beans_may_be_read_and_nothing_else(broker: EmbeddedActiveMq) -> None:
    asked = {"type": "exec", "mbean": "java.lang:type=Memory", "operation": "gc"}
    answer = httpx.post(f"{broker.address.admin_url}/", json=asked, trust_env=False).json()
    assert (answer["status"], "forbidden" in answer["error"]) == (403, True)
    elsewhere = replace(broker.address, admin_url="http://127.0.0.1:9/jolokia")
    with pytest.raises(BrokerError, match="did not tell of the broker's beans"):
        ActiveMqQueues(elsewhere).subscriptions(NamedTopic("published"))


def test_an_expired_message_that_nobody_asks_for_goes_to_the_dead_letters(
    broker: EmbeddedActiveMq, queues: ActiveMqQueues
) -> None:
    queue, dead = NamedQueue("expiring"), NamedQueue("ActiveMQ.DLQ")
    header = composite("header", durable=True, ttl=1)
    with amqp_readiness.connect(broker.address) as other:
        other.send(other.sender("expiring"), messages.write(AmqpMessage("late", header=header)))
    until(lambda: (queues.pending(queue), queues.pending(dead)) == (0, 1), within=60)
    assert queues.take(dead) == ["late"]


def test_a_question_makes_no_queue_and_names_are_no_patterns(
    broker: EmbeddedActiveMq, queues: ActiveMqQueues
) -> None:
    queues.send(NamedQueue("named.one"), "a")
    assert queues.pending(NamedQueue("named.>")) == 0
    assert queues.pending(NamedQueue("named.one,named.two")) == 0
    with amqp_readiness.connect(broker.address) as other:
        asked = BrokerStatistics(other).of("queue", "ActiveMQ.Statistics.Destination.named.one")
        assert asked is None


def test_what_is_no_queue_gives_an_error_with_the_brokers_words(queues: ActiveMqQueues) -> None:
    with pytest.raises(BrokerError, match="did not do what the independent client asked for"):
        queues.send(NamedQueue(""), "x")
    assert queues.pending(NamedQueue("after")) == 0


def test_other_ways_and_profiles_are_refused() -> None:
    with pytest.raises(BrokerError, match="no container broker of the family activemq"):
        broker_for(broker_settings("container", family="activemq"))
    with pytest.raises(BrokerError, match="activemq have no profile 'tls'"):
        broker_for(broker_settings("embedded", family="activemq"), "tls")


def test_a_broker_that_does_not_start_shows_the_end_of_its_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(activemq_embedded, "activemq_xml", lambda *_, **__: "<beans>")
    with pytest.raises(BrokerError, match=r"(?s)The ActiveMQ broker exited.*Exception"):
        EmbeddedActiveMq(show=quiet).__enter__()


def test_the_configuration_escapes_what_xml_needs() -> None:
    xml = activemq_xml('a&"b', "/data", "127.0.0.1", 5672)
    assert """brokerName='a&amp;"b'""" in xml
