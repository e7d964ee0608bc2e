"""Apache Qpid Broker-J as a child process, and what the independent client sees of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brokers.named_destinations import NamedTemporaryTopic
from jms_brokers.amqp import messages
from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.connection import AmqpPeerError
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.errors import BrokerError
from jms_brokers.families.brokerj.embedded import EmbeddedBrokerJ
from jms_brokers.families.brokerj.queues import BrokerJQueues
from jms_brokers.machine.polling import until
from jms_brokers.shared.named_destinations import NamedQueue, NamedTopic
from jms_brokers.shared.registry import broker_for, obstacle
from jvm_runtime.progress import quiet
from touchstone.brokers.option import broker_settings

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(bool(obstacle("brokerj")), reason=obstacle("brokerj") or "it can run"),
]
WITHIN = 60.0
"""Seconds: what ends by itself has ended then, on any machine."""


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBrokerJ]:
    with EmbeddedBrokerJ(show=quiet) as broker:
        yield broker


@pytest.fixture
def queues(broker: EmbeddedBrokerJ) -> Iterator[BrokerJQueues]:
    queues = BrokerJQueues(broker.address)
    yield queues
    queues.close()


def test_a_delivered_message_is_pending_and_not_ready(
    broker: EmbeddedBrokerJ, queues: BrokerJQueues
) -> None:
    queue = NamedQueue("delivered")
    queues.send(queue, "a")
    queues.send(queue, "b")
    with amqp_readiness.connect(broker.address) as other:
        other.receive(other.receiver("delivered", "queue"))
        assert (queues.pending(queue), queues.ready(queue)) == (2, 1)
        assert (queues.consumers(queue), queues.users(queue)) == (1, ["ANONYMOUS"])
        assert queues.producers(queue) == 0
        other.sender("delivered", "queue")
        assert queues.producers(queue) == 1
        assert queues.take(queue) == ["b"]


def test_the_broker_tells_clients_how_topics_are_named_and_the_probe_counts_what_they_hold(
    broker: EmbeddedBrokerJ, queues: BrokerJQueues
) -> None:
    topic = NamedTopic("published")
    assert queues.subscriptions(topic) == []
    with amqp_readiness.connect(broker.address) as other:
        prefix = other.peer.get("properties", {})["topic-prefix"]
        other.receiver(f"{prefix}published", "topic")
        other.receiver(f"{prefix}another", "topic")
        other.send(other.sender(f"{prefix}published"), messages.write(AmqpMessage("a")))
        (seen,) = queues.subscriptions(topic)
        assert (seen.pending, seen.consumers, seen.durable) == (1, 1, False)
        assert queues.kept(topic, "any") == 0
    until(lambda: queues.subscriptions(topic) == [], within=WITHIN)


def test_a_topic_of_the_exchange_cannot_be_told_and_a_temporary_one_is_there_or_not(
    queues: BrokerJQueues,
) -> None:
    assert queues.exists(NamedTopic("any")) is None
    assert queues.exists(NamedTemporaryTopic("amq.fanout")) is True
    assert queues.exists(NamedTemporaryTopic("TempTopic-gone")) is False


def test_the_name_of_a_temporary_queue_makes_none(
    broker: EmbeddedBrokerJ, queues: BrokerJQueues
) -> None:
    with (
        amqp_readiness.connect(broker.address) as other,
        pytest.raises(AmqpPeerError, match="not-found"),
    ):
        other.sender("TempQueue-gone", "queue")
    assert queues.exists(NamedQueue("TempQueue-gone")) is False


def test_an_expired_message_that_nobody_asks_for_goes(
    broker: EmbeddedBrokerJ, queues: BrokerJQueues
) -> None:
    queue = NamedQueue("expiring")
    header = composite("header", durable=True, ttl=1)
    with amqp_readiness.connect(broker.address) as other:
        other.send(other.sender("expiring"), messages.write(AmqpMessage("late", header=header)))
    until(lambda: queues.pending(queue) == 0, within=WITHIN)


def test_users_log_in_with_their_passwords_and_nobody_does_no_more() -> None:
    with EmbeddedBrokerJ("auth", show=quiet) as private:
        for role in ("admin", "client"):
            queues = BrokerJQueues(private.address.as_role(role))
            queues.send(NamedQueue("secured"), role)
            assert queues.take(NamedQueue("secured")) == [role]
            queues.close()
        with (
            amqp_readiness.connect(private.address.as_role("nobody")) as nobody,
            pytest.raises(AmqpPeerError, match="unauthorized"),
        ):
            nobody.receive(nobody.receiver("secured", "queue"))


def test_other_ways_and_profiles_are_refused() -> None:
    with pytest.raises(BrokerError, match="no container broker of the family brokerj"):
        broker_for(broker_settings("container", family="brokerj"))
    with pytest.raises(BrokerError, match="brokerj have no profile 'tls'"):
        broker_for(broker_settings("embedded", family="brokerj"), "tls")
