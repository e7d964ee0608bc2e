"""Eclipse OpenMQ as a child process, and what the harness sees of it without its client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from jms_brokers.brokers.profiles import COMMON, LIMITS
from jms_brokers.errors import BrokerError
from jms_brokers.families.openmq import embedded as openmq_embedded
from jms_brokers.families.openmq.configuration import access_control, passwd
from jms_brokers.families.openmq.embedded import EmbeddedOpenMq
from jms_brokers.families.openmq.queues import OpenMqQueues
from jms_brokers.machine.polling import until
from jms_brokers.shared.jolokia import Agent
from jms_brokers.shared.named_destinations import NamedQueue, NamedTopic
from jms_brokers.shared.queue_view import Carried, Subscribed
from jms_brokers.shared.registry import probe_for
from jmsapi import SessionMode
from jvm_runtime.progress import quiet
from touchstone.scenario.faults import Faults

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedOpenMq]:
    with EmbeddedOpenMq(show=quiet) as broker:
        yield broker


@pytest.fixture
def queues(broker: EmbeddedOpenMq) -> Iterator[OpenMqQueues]:
    queues = OpenMqQueues(broker.address)
    yield queues
    queues.close()


def test_queues_are_counted_filled_and_emptied_without_the_client(queues: OpenMqQueues) -> None:
    queue = NamedQueue("counted")
    assert queues.exists(queue) is False
    assert (queues.pending(queue), queues.ready(queue), queues.take(queue)) == (0, 0, [])
    texts = ["a", "é\N{GRINNING FACE}", "x" * 300_000]
    for text in texts:
        queues.send(queue, text)
    assert (queues.pending(queue), queues.ready(queue), queues.consumers(queue)) == (3, 3, 0)
    assert (queues.exists(queue), queues.exists(NamedTopic("counted"))) == (True, False)
    assert queues.take(queue) == texts
    queues.send(queue, "b")
    assert queues.carried(queue) == [Carried("b", {}, durable=True)]
    assert queues.send_native(queue, b"\0\1")
    assert not queues.send_native(queue, {"k": 1})
    queues.purge(queue)
    assert queues.pending(queue) == 0


def test_consumers_are_asked_for_again_where_one_went_meanwhile(
    queues: OpenMqQueues, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, refused = Agent.ask, 3

    def failing_agent(self: Agent, question: Mapping[str, object]) -> Any:
        nonlocal refused
        if question.get("operation") == "getConsumerInfo" and refused:
            refused -= 1
            raise BrokerError("java.lang.reflect.InvocationTargetException")
        return ask(self, question)

    monkeypatch.setattr(Agent, "ask", failing_agent)
    assert (queues.users(NamedQueue("nobody's")), refused) == ([], 0)
    refused = 1_000
    with pytest.raises(BrokerError, match="InvocationTargetException"):
        queues.users(NamedQueue("nobody's"))


def test_what_the_client_does_is_seen(broker: EmbeddedOpenMq, queues: OpenMqQueues) -> None:
    """Delivered messages, those in a transaction, plain ones, users, subscriptions used or not."""
    queue, topic = NamedQueue("used"), NamedTopic("published")
    with Faults(broker.address, "openmq@6.6.0") as faults:
        client = faults.other_process().client
        connection = client.connection_factory({}).create_connection()
        connection.client_id = "subscriber"
        connection.start()
        session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
        consumer = session.create_consumer(session.create_queue("used"))
        queues.send(queue, "delivered")
        assert consumer.receive(20_000) is not None
        assert (queues.pending(queue), queues.ready(queue)) == (1, 0)
        assert (queues.take(queue), queues.users(queue)) == ([], ["guest"])
        consumer.close()

        transacted = connection.create_session(True, SessionMode.SESSION_TRANSACTED)
        plain = transacted.create_producer(transacted.create_queue("plain"))
        message = transacted.create_message()
        message.set_string_property("of", "it")
        plain.send(message)
        until(lambda: queues.exists(NamedQueue("plain")))
        assert queues.pending(NamedQueue("plain")) == 0
        transacted.commit()
        [carried] = queues.carried(NamedQueue("plain"))
        assert (carried.text, carried.properties) == (None, {"of": "it"})

        place = session.create_topic("published")
        durable = session.create_durable_consumer(place, "kept")
        producer = session.create_producer(place)
        for _ in range(3):
            producer.send(session.create_message())
        until(lambda: queues.subscriptions(topic) == [Subscribed("kept", 3, 1, durable=True)])
        durable.close()
        until(lambda: queues.subscriptions(topic) == [Subscribed("kept", 3, 0, durable=True)])
        assert (queues.kept(topic, "kept"), queues.kept(topic, "another")) == (3, 0)
        connection.close()


def test_beans_may_be_read_and_little_else(broker: EmbeddedOpenMq) -> None:
    asked = {"type": "exec", "mbean": "java.lang:type=Memory", "operation": "gc"}
    answer = httpx.post(f"{broker.address.admin_url}/", json=asked, trust_env=False).json()
    assert (answer["status"], "forbidden" in answer["error"]) == (403, True)


def test_messages_survive_a_crash_and_a_stop_and_the_folder_goes_at_the_end(
    tmp_path: Path,
) -> None:
    log = tmp_path / "logs" / "broker.log"
    with EmbeddedOpenMq("auth", log=log, show=quiet) as private:
        queues, queue = OpenMqQueues(private.address), NamedQueue("kept")
        for number in range(20):
            queues.send(queue, str(number))
        folder = Path(f"/proc/{private.address.pid}/cwd").resolve()
        private.kill()
        with pytest.raises(BrokerError, match="Is the broker running"):
            queues.pending(queue)
        private.start()
        assert (queues.pending(queue), queues.ready(queue)) == (20, 20)
        private.restart()
        assert queues.take(queue) == [str(number) for number in range(20)]
        queues.close()
    assert not folder.exists()


def test_a_broker_that_does_not_start_shows_the_end_of_its_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(openmq_embedded, "config_properties", lambda *_: "imq.persist.store=none\n")
    with pytest.raises(BrokerError, match=r"(?s)The OpenMQ broker exited"):
        EmbeddedOpenMq(show=quiet).__enter__()


def test_users_are_written_as_the_broker_digests_them() -> None:
    """The two lines of the distribution's own file, but for the group of guests."""
    assert passwd({"admin": "admin", "guest": "guest"}) == (
        "admin:-2d5455c8583c24eec82c7a1e273ea02e:admin:1\n"
        "guest:-2c3c4a34aa2c392f39edd112333c230d:user:1\n"
    )


def test_nobody_may_log_in_and_no_more() -> None:
    written = access_control({"admin": "a", "client": "b", "nobody": "c"}).splitlines()
    assert "connection.NORMAL.allow.user=*" in written
    assert {line for line in written if line.startswith(("queue", "topic"))} == {
        f"{what}.allow.user=admin,client"
        for what in (
            *("queue.*.produce", "queue.*.consume", "queue.*.browse", "queue.create"),
            *("topic.*.produce", "topic.*.consume", "topic.create"),
        )
    }


def test_how_long_messages_live_is_told_the_factory(broker: EmbeddedOpenMq) -> None:
    limited = probe_for(replace(broker.address, profile=LIMITS), "tenant/name")
    assert limited.settings == {
        "imqOverrideJMSExpiration": True,
        "imqJMSExpiration": COMMON[LIMITS].limits.time_to_live,
    }
    limited.close()
