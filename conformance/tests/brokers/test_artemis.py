"""Artemis as a child process, and what is refused of the other ways to one."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from brokers.named_destinations import Named
from jms_brokers.amqp import messages
from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.amqp.values import AmqpError, Int
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.artemis import embedded as artemis_embedded
from jms_brokers.families.artemis.configuration import broker_xml
from jms_brokers.families.artemis.embedded import EmbeddedArtemis
from jms_brokers.families.artemis.queues import ArtemisQueues
from jms_brokers.shared.queue_view import Carried
from jms_brokers.shared.registry import broker_for
from jvm_runtime.progress import quiet
from touchstone.brokers.option import broker_settings


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedArtemis]:
    with EmbeddedArtemis(show=quiet) as broker:
        yield broker


@pytest.fixture
def queues(broker: EmbeddedArtemis) -> Iterator[ArtemisQueues]:
    queues = ArtemisQueues(broker.address)
    yield queues
    queues.close()


def test_a_broker_tells_who_it_is(broker: EmbeddedArtemis) -> None:
    address = broker.address
    assert (address.family, address.way, address.version) == ("artemis", "embedded", "2.55.0")
    assert address.service_url.startswith("amqp://127.0.0.1:")
    assert address.pid is not None
    assert broker.resident_bytes() > 0


def test_queues_tell_what_messages_carry(broker: EmbeddedArtemis, queues: ArtemisQueues) -> None:
    queue = Named("carried")
    assert queues.carried(queue) == []
    told = composite("properties", subject="order", correlation_id="corr-ü", group_id="g1")
    message = AmqpMessage("é", properties=told, application={"b": True, "größe": Int(5)})
    with amqp_readiness.connect(broker.address) as other:
        other.send(other.sender("carried", "queue"), messages.write(message))
    for body in (b"\xff", {"a": 1}, [1, 2], "plain"):
        assert queues.send_native(queue, body)

    carried = queues.carried(queue)
    assert carried[0] == Carried(
        "é", {"b": "true", "größe": "5"}, "order", "corr-ü", "g1", durable=False
    )
    assert carried[1:] == [Carried(text, {}, durable=True) for text in (None, None, None, "plain")]
    assert queues.pending(queue) == 0


def test_a_delivered_message_is_pending_and_not_ready(
    broker: EmbeddedArtemis, queues: ArtemisQueues
) -> None:
    queue = Named("delivered")
    queues.send(queue, "a")
    queues.send(queue, "b")
    with amqp_readiness.connect(broker.address) as other:
        other.receive(other.receiver("delivered", "queue"))
        assert (queues.pending(queue), queues.ready(queue)) == (2, 1)
        assert queues.take(queue) == ["b"]


def test_subscriptions_of_a_topic_tell_what_they_still_hold(
    broker: EmbeddedArtemis, queues: ArtemisQueues
) -> None:
    with amqp_readiness.connect(broker.address) as other:
        link = other.receiver("news", "topic")
        sender = other.sender("news", "topic")
        for _ in range(2):
            other.send(sender, messages.write(AmqpMessage("a")))
        other.receive(link)
        (subscription,) = queues.subscriptions(Named("news"))

    assert (subscription.pending, subscription.consumers, subscription.durable) == (2, 1, False)
    assert queues.subscriptions(Named("nobody's")) == []


def test_what_is_no_queue_gives_an_error_with_the_brokers_words(queues: ArtemisQueues) -> None:
    with pytest.raises(BrokerError, match="did not do what the independent client asked for"):
        queues.send(Named(""), "x")
    assert queues.pending(Named("after")) == 0


@pytest.fixture
def private(tmp_path: Path) -> Iterator[EmbeddedArtemis]:
    with EmbeddedArtemis(log=tmp_path / "logs" / "broker.log", show=quiet) as broker:
        yield broker


def test_messages_survive_a_crash_and_the_independent_client_comes_back(
    private: EmbeddedArtemis,
) -> None:
    queues, queue = ArtemisQueues(private.address), Named("kept")
    queues.send(queue, "a")
    folder = next(Path(f"/proc/{private.address.pid}/cwd").resolve().iterdir()).parent
    port = private.address.service_port
    private.kill()
    with pytest.raises(BrokerError, match="Is it running"):
        queues.pending(queue)
    private.start()
    assert private.address.service_port == port
    assert queues.take(queue) == ["a"]
    queues.close()
    with pytest.raises(BrokerError, match="runs already"):
        private.start()
    private.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("way", "profile"),
    [("embedded", "tls"), ("container", "tls"), ("amqp://127.0.0.1:1", "auth")],
)
def test_another_profile_is_refused(way: str, profile: str) -> None:
    settings = broker_settings(way, family="artemis")
    with pytest.raises(BrokerError, match=f"artemis have no profile '{profile}'"):
        broker_for(settings, profile)


@pytest.fixture(scope="module")
def guarded() -> Iterator[BrokerAddress]:
    with EmbeddedArtemis("auth", show=quiet) as broker:
        yield broker.address


def test_users_may_do_what_their_role_says(guarded: BrokerAddress) -> None:
    queues, queue = ArtemisQueues(guarded), Named("guarded")
    with amqp_readiness.connect(guarded.as_role("client")) as client:
        link = client.sender("guarded", "queue")
        client.send(link, messages.write(AmqpMessage("a")))
        client.receiver("guarded", "queue")
        assert (queues.pending(queue), queues.users(queue)) == (1, ["client"])
    queues.close()
    with (
        amqp_readiness.connect(guarded.as_role("nobody")) as nobody,
        pytest.raises(AmqpError, match="does not have permission='SEND'"),
    ):
        nobody.sender("guarded", "queue")
    with pytest.raises(AmqpError, match="does not let us in as client"):
        amqp_readiness.connect(replace(guarded, user_name="client", password="wrong"))
    with pytest.raises(AmqpError, match="Unable to validate user"):
        amqp_readiness.connect(replace(guarded, user_name=None)).sender("guarded", "queue")


def test_a_broker_that_does_not_start_shows_the_end_of_its_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(artemis_embedded, "broker_xml", lambda *_, **__: "<configuration>")
    with pytest.raises(BrokerError, match=r"(?s)The Artemis broker exited.*Exception"):
        EmbeddedArtemis(show=quiet).__enter__()


def test_the_configuration_escapes_what_xml_needs() -> None:
    assert "<name>a&amp;b</name>" in broker_xml("a&b", "/data", "127.0.0.1", 5672)


def test_an_external_broker_is_looked_at_and_never_ended(broker: EmbeddedArtemis) -> None:
    settings = broker_settings(broker.address.service_url, family="artemis")
    with broker_for(settings) as external:
        assert external.address.version == "2.55.0"
        assert external.log is None
        for act in (external.stop, external.kill, external.restart, external.pause):
            with pytest.raises(BrokerError, match="may not be"):
                act()
    assert amqp_readiness.answers(broker.address)


def test_an_external_broker_that_is_not_there_is_named() -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"amqp://127.0.0.1:{unheard.getsockname()[1]}"
        with pytest.raises(BrokerError, match="does not answer"):
            broker_for(broker_settings(url, family="artemis")).start()


def test_the_extra_for_containers_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "testcontainers.core.container", None)
    with pytest.raises(BrokerError) as caught:
        broker_for(broker_settings("container", family="artemis")).start()
    assert "jms-touchstone[containers]" in caught.value.hint
