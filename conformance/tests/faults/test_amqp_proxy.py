"""The AMQP proxy between a client and a real broker, and what cuts read from its frames."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jms_brokers.amqp import messages
from jms_brokers.amqp.connection import AmqpConnection, AmqpPeerError
from jms_brokers.amqp.cuts import AmqpCutFrames
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.amqp.proxy import AmqpCodec, AmqpProxy, host_and_port
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.artemis.embedded import EmbeddedArtemis
from jms_brokers.faults.rules import (
    CUT_AFTER,
    CUT_BEFORE,
    DROP,
    HOLD,
    Answer,
    Direction,
    FaultError,
    Frame,
)
from jms_brokers.shared.cut_frames import Point
from jvm_runtime.progress import quiet
from touchstone.scenario.cuts import cut_frames
from touchstone.scenario.faults import Faults

TIMEOUT = 15.0
TO_BROKER, TO_CLIENT = Direction.TO_BROKER, Direction.TO_CLIENT


@pytest.fixture(scope="module")
def broker() -> Iterator[BrokerAddress]:
    with EmbeddedArtemis(show=quiet) as broker:
        yield broker.address


@pytest.fixture
def proxy(broker: BrokerAddress) -> Iterator[AmqpProxy]:
    with AmqpProxy(*host_and_port(broker.service_url)) as proxy:
        yield proxy


@pytest.fixture
def queue() -> str:
    return f"queue-{uuid.uuid4().hex}"


def connected(proxy: AmqpProxy, timeout: float = TIMEOUT) -> AmqpConnection:
    return AmqpConnection(proxy.host, proxy.port, timeout=timeout)


def text(content: str) -> bytes:
    return messages.write(AmqpMessage(content))


def received(proxy: AmqpProxy, queue: str) -> list[str | None]:
    with connected(proxy) as connection:
        taken = connection.drain(connection.receiver(queue, "queue"))
        return [messages.read(delivery.payload).text for delivery in taken]


def test_everything_passes_and_is_told(proxy: AmqpProxy, queue: str) -> None:
    with connected(proxy) as connection:
        connection.send(connection.sender(queue, "queue"), text("hello"))
    (transfer,) = proxy.seen("transfer")
    assert (transfer.direction, transfer.connection) == (TO_BROKER, 1)
    assert transfer.fields["delivery-id"] == 0
    assert b"hello" in transfer.payload
    disposition = proxy.wait_for("disposition", timeout=TIMEOUT, direction=TO_CLIENT)
    assert disposition.fields["answers"] == {"message"}
    assert [frame.fields["protocol"] for frame in proxy.seen("header")] == [3, 3, 0, 0]
    proxy.wait_for("close", timeout=TIMEOUT, direction=TO_CLIENT)


def test_a_message_that_is_cut_off_never_reaches_the_broker(proxy: AmqpProxy, queue: str) -> None:
    with connected(proxy) as connection:
        sender = connection.sender(queue, "queue")
        rule = proxy.on("transfer", action=CUT_BEFORE, times=1)
        with pytest.raises((AmqpPeerError, OSError)):
            connection.send(sender, text("lost"))
    assert rule.hits == 1
    assert received(proxy, queue) == []


def test_a_message_before_the_cut_is_kept(proxy: AmqpProxy, queue: str) -> None:
    with connected(proxy) as connection:
        sender = connection.sender(queue, "queue")
        proxy.on("disposition", action=CUT_BEFORE, direction=TO_CLIENT, times=1)
        with pytest.raises((AmqpPeerError, OSError)):
            connection.send(sender, text("kept"))
    assert received(proxy, queue) == ["kept"]


def test_the_frame_before_a_cut_still_arrives(proxy: AmqpProxy, queue: str) -> None:
    with connected(proxy) as connection:
        proxy.on("disposition", action=CUT_AFTER, direction=TO_CLIENT, times=1)
        connection.send(connection.sender(queue, "queue"), text("kept"))
        with pytest.raises((AmqpPeerError, OSError)):
            connection.sender(queue, "queue")


def test_a_dropped_disposition_leaves_the_sender_waiting(proxy: AmqpProxy, queue: str) -> None:
    with connected(proxy, timeout=1.0) as connection:
        sender = connection.sender(queue, "queue")
        rule = proxy.on("disposition", action=DROP, direction=TO_CLIENT)
        with pytest.raises(AmqpPeerError, match="did not answer in time"):
            connection.send(sender, text("kept"))
    assert rule.hits == 1


def test_a_held_message_arrives_when_it_is_released(proxy: AmqpProxy, queue: str) -> None:
    with connected(proxy) as connection:
        sender = connection.sender(queue, "queue")
        rule = proxy.on(
            "transfer", action=HOLD, where=lambda frame: b"held" in frame.payload, times=1
        )
        thread = threading.Thread(target=connection.send, args=(sender, text("held")))
        thread.start()
        rule.wait_for_hit(TIMEOUT)
        assert not proxy.seen("disposition")
        rule.release()
        thread.join(TIMEOUT)
        assert not thread.is_alive()
    assert received(proxy, queue) == ["held"]


def test_a_broker_that_is_down_refuses_and_comes_back(proxy: AmqpProxy, queue: str) -> None:
    proxy.down()
    with pytest.raises(OSError, match=r"refused|reset"):
        connected(proxy)
    proxy.up()
    assert received(proxy, queue) == []


def test_what_no_frame_is_called_is_refused(proxy: AmqpProxy) -> None:
    with pytest.raises(FaultError, match="no frame of AMQP is of type SEND"):
        proxy.on("SEND", action=DROP)
    with pytest.raises(FaultError, match="cannot answer"):
        proxy.on("transfer", action=Answer("amqp:internal-error"))


@pytest.mark.parametrize("url", ["amqps://localhost:5671", "pulsar://localhost", "nonsense"])
def test_only_plain_amqp_can_be_read(url: str) -> None:
    with pytest.raises(FaultError, match="cannot stand in front of"):
        host_and_port(url)


def test_faults_give_the_proxy_of_the_brokers_protocol(broker: BrokerAddress) -> None:
    with Faults(broker) as faults:
        made, address = faults.frame_proxy()
        assert isinstance(made, AmqpProxy)
        assert address == replace(broker, service_url=f"amqp://127.0.0.1:{made.port}")


# -- cuts, on frames of Qpid JMS and Artemis


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    codec = AmqpCodec(1)
    path = Path(__file__).parents[1] / "brokers" / "amqp-frames.txt"
    lines = (line.split() for line in path.read_text().splitlines() if not line.startswith("#"))
    return [codec.describe(Direction[way], bytes.fromhex(raw)) for way, raw in lines]


def test_each_point_is_one_frame_at_a_time(frames: list[Frame]) -> None:
    cuts = cut_frames("artemis")
    numbers = {
        point: [number for number, frame in enumerate(frames) if cuts.is_at(point, frame)]
        for point in Point
    }
    (send,), (confirmation,) = numbers[Point.SEND], numbers[Point.CONFIRMATION]
    (commit,), (reply,) = numbers[Point.COMMIT], numbers[Point.COMMIT_REPLY]
    assert b"hello" in frames[send].payload
    assert send < confirmation < commit < reply
    assert frames[commit].fields["control"] == "commit"
    assert frames[reply].fields["answers"] == {"commit"}


def test_a_rollback_is_no_commit(frames: list[Frame]) -> None:
    controls = [frame.fields["control"] for frame in frames if "control" in frame.fields]
    assert controls == ["declare", "commit", "declare", "rollback", "declare", "rollback"]


def test_a_message_is_followed_by_its_text(frames: list[Frame]) -> None:
    cuts = AmqpCutFrames()
    (transfer,) = cuts.transfers(frames, "hello")
    (confirmation,) = cuts.confirmations(frames, "hello")
    (acknowledgement,) = cuts.acknowledgements(frames, "hello")
    assert (transfer.direction, confirmation.direction) == (TO_BROKER, TO_CLIENT)
    assert acknowledgement.direction is TO_BROKER
    assert cuts.transfers(frames, "nothing") == cuts.acknowledgements(frames, "nothing") == []


def test_what_is_attached_and_what_no_more(frames: list[Frame]) -> None:
    cuts = AmqpCutFrames()
    last = max(n for n, frame in enumerate(frames) if frame.type == "attach")
    before, after = cuts.attached(frames[: last + 1]), cuts.attached(frames)
    assert {"connection", "coordinator"} <= after < before
    assert len(before) == 4
    assert len(before - after) == 1


def test_a_client_that_reconnects_gets_a_url_for_it(broker: BrokerAddress) -> None:
    cuts = AmqpCutFrames()
    assert cuts.address(broker, False) == broker
    assert cuts.address(broker, True).service_url == f"failover:({broker.service_url})"
    assert cuts.settings(0.5, False) == {"jms.sendTimeout": 500}
    assert cuts.settings(None, True)["jms.sendTimeout"] is None
