"""Brokers in containers on a real engine: faults with data kept, evidence, profiles."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import _pulsar
import httpx
import pulsar
import pytest

from jms_brokers.amqp import messages
from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.connection import AmqpPeerError
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.brokers.container import ContainerBroker
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar import readiness
from jms_brokers.families.rabbitmq import readiness as rabbitmq_readiness
from jms_brokers.families.rabbitmq.node import NodeView
from jms_brokers.shared.registry import broker_for
from touchstone.brokers.option import broker_settings

_WITHIN = 120.0


def in_container(family: str, profile: str = "plain", log: Path | None = None) -> ContainerBroker:
    settings = broker_settings(
        "container", family=family, log_folder=str(log) if log is not None else None
    )
    broker = broker_for(settings, profile)
    assert isinstance(broker, ContainerBroker)
    return broker


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _WITHIN
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


class PulsarQueue:
    """One durable queue as each family has it; here a topic with a reader from its beginning."""

    topic = "persistent://public/default/kept"

    def put(self, broker: ContainerBroker, text: str) -> None:
        connection = readiness.client(broker.address)
        connection.create_producer(self.topic).send(text.encode())
        connection.close()

    def texts(self, address: BrokerAddress) -> list[str]:
        connection = readiness.client(address)
        reader = connection.create_reader(self.topic, pulsar.MessageId.earliest)
        texts_read = []
        while reader.has_message_available():
            texts_read.append(reader.read_next(5000).data().decode())
        connection.close()
        return texts_read


class ArtemisQueue:
    def put(self, broker: ContainerBroker, text: str) -> None:
        with amqp_readiness.connect(broker.address) as connection:
            durable = messages.write(AmqpMessage(text, header=composite("header", durable=True)))
            connection.send(connection.sender("kept", "queue"), durable)

    def texts(self, address: BrokerAddress) -> list[str]:
        with amqp_readiness.connect(address) as connection:
            delivery = connection.receive(connection.receiver("kept", "queue"))
            return [str(messages.read(delivery.payload).text)]


class RabbitMQQueue:
    def put(self, broker: ContainerBroker, text: str) -> None:
        import pika

        with rabbitmq_readiness.connection(broker.address) as opened:
            channel = opened.channel()
            channel.confirm_delivery()
            channel.queue_declare("kept", durable=True)
            lasting = pika.BasicProperties(delivery_mode=2)
            channel.basic_publish("", "kept", text.encode(), lasting, mandatory=True)
        # While 3.10 boots for the first time it may answer a declaration before that is on disk:
        # a node that was killed then had no such queue in 2 of 20 runs.
        written = broker._container().exec_run(
            ["rabbitmqctl", "--node", "rabbit@localhost", "eval", "mnesia:sync_log()."]
        )
        assert written == (0, b"ok\n")

    def texts(self, address: BrokerAddress) -> list[str]:
        with rabbitmq_readiness.connection(address) as opened:
            _, _, body = opened.channel().basic_get("kept", auto_ack=False)
            return [body.decode()] if body is not None else []


@pytest.mark.parametrize(
    ("family", "queue"),
    [("pulsar", PulsarQueue()), ("artemis", ArtemisQueue()), ("rabbitmq", RabbitMQQueue())],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broker_keeps_its_data_through_kill_stop_pause_and_cut(
    family: str, queue: PulsarQueue | ArtemisQueue | RabbitMQQueue, tmp_path: Path
) -> None:
    with in_container(family, log=tmp_path) as broker:
        address = broker.address
        assert (address.way, address.profile) == ("container", "plain")
        assert address.version
        queue.put(broker, "kept")

        broker.kill()
        assert broker._status() == "exited"
        assert broker.alive, "it did not end by itself"
        assert broker.start() == address
        assert broker.alive
        assert broker.restart() == address
        broker.pause()
        broker.resume()
        broker.cut_network()
        assert broker._look(address) is None
        broker.join_network()
        wait_until(lambda: broker._look(address) is not None)

        assert queue.texts(address) == ["kept"]
        [log] = tmp_path.iterdir()
        assert address.log == str(log)
        shown = broker._container().logs()
        wait_until(lambda: log.read_bytes().startswith(shown[:200]) and log.stat().st_size > 0)


def test_a_paused_broker_answers_nobody_until_it_goes_on() -> None:
    with in_container("artemis") as broker:
        broker.pause()
        with pytest.raises(AmqpPeerError, match="did not answer in time"):
            amqp_readiness.connect(broker.address, seconds=1).close()
        broker.resume()
        assert amqp_readiness.answers(broker.address)


def test_the_counts_of_a_node_in_a_container_are_seen() -> None:
    with in_container("rabbitmq") as broker:
        for text in ("one", "two"):
            RabbitMQQueue().put(broker, text)
        view = NodeView(broker.address)
        try:
            with rabbitmq_readiness.connection(broker.address) as opened:
                opened.channel().basic_get("kept", auto_ack=False)
                counts = view.counts("kept")
            assert counts is not None
            assert (counts.ready, counts.unacknowledged) == (1, 1)
            assert view.counts("none-of-this-name") is None
        finally:
            view.close()


def test_tokens_are_asked_for_in_a_container() -> None:
    with in_container("pulsar", "auth") as broker:
        address = broker.address
        url = f"{address.admin_url}/admin/v2/tenants"
        assert httpx.get(url).status_code == 401
        bearer = {"Authorization": f"Bearer {address.token_of('admin')}"}
        assert httpx.get(url, headers=bearer).status_code == 200


def test_tls_is_spoken_in_a_container() -> None:
    with in_container("pulsar", "tls") as broker:
        readiness.pass_a_message(broker.address)
        assert broker.address.service_url.startswith("pulsar+ssl://")
        unencrypted = pulsar.Client(
            f"pulsar://127.0.0.1:{broker.address.service_port}", operation_timeout_seconds=1
        )
        with pytest.raises(_pulsar.PulsarException):
            unencrypted.create_producer("persistent://public/default/none")
        unencrypted.close()


def test_the_entry_filter_is_loaded_in_a_container() -> None:
    with in_container("pulsar", "filters") as broker:
        readiness.pass_a_message(broker.address)
        made = "ls -d /tmp/pulsar-nar/jms-filter.nar-unpacked/*/META-INF"
        listing = broker._container().exec_run(["sh", "-c", made])
        assert listing.exit_code == 0  # the broker unpacks a filter when it loads it
