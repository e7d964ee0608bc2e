"""The Pulsar proxy between a real client and a real broker."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import _pulsar as native
import pulsar as client_library
import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar.protocol import frames as pulsar_frames
from jms_brokers.families.pulsar.protocol import protobuf
from jms_brokers.families.pulsar.protocol.proxy import PulsarCodec, PulsarProxy, host_and_port
from jms_brokers.faults.rules import (
    CUT_AFTER,
    CUT_BEFORE,
    DROP,
    HOLD,
    PASS,
    Answer,
    Cut,
    CutBefore,
    Direction,
    FaultError,
    Frame,
)
from pulsar_clients import MILLIS, TIMEOUT, Outcomes, client_of, received_until, subscribed


@pytest.fixture
def topic() -> str:
    return f"persistent://public/default/faults-{uuid.uuid4().hex}"


@pytest.fixture
def proxy(pulsar: BrokerAddress) -> Iterator[PulsarProxy]:
    with PulsarProxy(*host_and_port(pulsar.service_url)) as proxy:
        yield proxy


@pytest.fixture
def client(proxy: PulsarProxy) -> Iterator[client_library.Client]:
    with client_of(f"pulsar://{proxy.host}:{proxy.port}") as client:
        yield client


@pytest.fixture
def direct(pulsar: BrokerAddress) -> Iterator[client_library.Client]:
    with client_of(pulsar.service_url) as client:
        yield client


def test_the_client_stays_on_the_proxy(
    proxy: PulsarProxy, client: client_library.Client, topic: str
) -> None:
    client.create_producer(topic).send(b"m")
    (answer,) = proxy.seen("LOOKUP_RESPONSE")
    assert answer.fields["proxy_through_service_url"] == 1
    types = [frame.type for frame in proxy.seen()]
    assert types.index("CONNECT") < types.index("CONNECTED") < types.index("SEND")
    (send,), (receipt,) = proxy.seen("SEND"), proxy.seen("SEND_RECEIPT")
    assert send.direction is Direction.TO_BROKER
    assert receipt.direction is Direction.TO_CLIENT
    assert send.fields["sequence_id"] == receipt.fields["sequence_id"]
    requests = {frame.request_id for frame in proxy.seen("PRODUCER")}
    assert requests == {frame.request_id for frame in proxy.seen("PRODUCER_SUCCESS")}


class AdvertisingCodec(PulsarCodec):
    """Takes proxy_through_service_url out of look-up answers, as brokers of a cluster send them."""

    def translate(self, frame: Frame, raw: bytes) -> bytes:
        if frame.type != "LOOKUP_RESPONSE":
            return raw
        (body,) = (
            each.value for each in protobuf.fields(pulsar_frames.parts(raw)[0]) if each.number == 24
        )
        assert isinstance(body, bytes)
        kept = b"".join(
            body[each.start : each.end] for each in protobuf.fields(body) if each.number != 8
        )
        return pulsar_frames.frame(protobuf.write_field(1, 24) + protobuf.write_field(24, kept))


class AdvertisingBroker(PulsarProxy):
    """Makes the broker behind it answer look-ups with its address."""

    def codec(self, connection: int) -> PulsarCodec:
        return AdvertisingCodec(connection, lambda url: url)


def test_a_client_that_is_sent_to_a_broker_stays_on_the_proxy(
    pulsar: BrokerAddress, topic: str
) -> None:
    with (
        AdvertisingBroker(*host_and_port(pulsar.service_url)) as cluster,
        PulsarProxy(cluster.host, cluster.port) as proxy,
        client_of(f"pulsar://{proxy.host}:{proxy.port}") as client,
    ):
        producer = client.create_producer(topic)
        producer.send(b"m")
        (answer,) = proxy.seen("LOOKUP_RESPONSE")
        assert "proxy_through_service_url" not in answer.fields
        assert len(proxy.seen("SEND_RECEIPT")) == 1
        assert not cluster.seen("SEND")  # the client went to the address in the answer
        proxy.cut()
        producer.send(b"after the cut")
        assert len(proxy.seen("PRODUCER")) == 2


def test_a_client_comes_back_after_a_cut(
    proxy: PulsarProxy, client: client_library.Client, topic: str
) -> None:
    producer, consumer = client.create_producer(topic), subscribed(client, topic)
    for how in Cut:
        before = proxy.accepted
        proxy.cut(how)
        producer.send(how.name.encode())
        received_until(consumer, how.name.encode())
        assert proxy.accepted > before


def test_a_client_comes_back_when_the_port_is_up_again(
    proxy: PulsarProxy, client: client_library.Client, topic: str
) -> None:
    producer, outcomes = client.create_producer(topic), Outcomes()
    proxy.down()
    producer.send_async(b"m", outcomes)
    assert proxy.connections == 0
    assert outcomes.none_yet()
    proxy.up()
    assert outcomes.next() == native.Result.Ok


def test_a_stalled_connection_loses_nothing(
    proxy: PulsarProxy, client: client_library.Client, topic: str
) -> None:
    producer, outcomes = client.create_producer(topic), Outcomes()
    before, accepted = proxy.relayed(Direction.TO_BROKER), proxy.accepted
    proxy.stall()
    producer.send_async(b"m", outcomes)
    assert proxy.relayed(Direction.TO_BROKER) == before
    assert outcomes.none_yet()
    proxy.resume()
    assert outcomes.next() == native.Result.Ok
    assert proxy.accepted == accepted


def test_delayed_messages_come_behind_those_sent_later_without_delay(
    proxy: PulsarProxy,
    client: client_library.Client,
    direct: client_library.Client,
    topic: str,
) -> None:
    slow, fast, outcomes = client.create_producer(topic), direct.create_producer(topic), Outcomes()
    consumer = subscribed(direct, topic)
    proxy.delay = 0.5
    slow.send_async(b"first, but late", outcomes)
    fast.send(b"second")
    assert outcomes.none_yet()
    assert consumer.receive(MILLIS).data() == b"second"
    proxy.delay = 0.0
    assert outcomes.next() == native.Result.Ok
    assert consumer.receive(MILLIS).data() == b"first, but late"


def test_a_held_receipt_leaves_the_message_stored_and_the_sender_waiting(
    proxy: PulsarProxy,
    client: client_library.Client,
    direct: client_library.Client,
    topic: str,
) -> None:
    producer, consumer = client.create_producer(topic), subscribed(direct, topic)
    hold = proxy.on("SEND_RECEIPT", action=HOLD)
    outcomes = Outcomes()
    for number in range(3):
        producer.send_async(b"%d" % number, outcomes)
        assert consumer.receive(MILLIS).data() == b"%d" % number
    hold.wait_for_hit(TIMEOUT, hits=3)
    assert [frame.fields["sequence_id"] for frame in hold.held] == [0, 1, 2]
    assert outcomes.none_yet()
    hold.release(1)
    assert outcomes.next() == native.Result.Ok
    assert outcomes.none_yet()
    hold.release()
    assert [outcomes.next(), outcomes.next()] == [native.Result.Ok] * 2
    producer.send(b"not held")


def test_rules_apply_to_the_frames_that_their_predicate_chooses(
    proxy: PulsarProxy, client: client_library.Client, topic: str
) -> None:
    producer, outcomes = client.create_producer(topic), Outcomes()
    proxy.on("SEND_RECEIPT", action=PASS, where=lambda frame: frame.fields["sequence_id"] == 0)
    hold = proxy.on("SEND_RECEIPT", action=HOLD)
    for _ in range(3):
        producer.send_async(b"m", outcomes)
    assert outcomes.next() == native.Result.Ok
    hold.wait_for_hit(TIMEOUT, hits=2)
    assert [frame.fields["sequence_id"] for frame in hold.held] == [1, 2]
    assert outcomes.none_yet()
    hold.release()
    assert [outcomes.next(), outcomes.next()] == [native.Result.Ok] * 2


def test_a_dropped_send_is_sent_again_after_a_reconnection(
    proxy: PulsarProxy,
    client: client_library.Client,
    direct: client_library.Client,
    topic: str,
) -> None:
    producer, consumer, outcomes = (
        client.create_producer(topic),
        subscribed(direct, topic),
        Outcomes(),
    )
    drop = proxy.on("SEND", action=DROP, times=1)
    producer.send_async(b"m", outcomes)
    drop.wait_for_hit(TIMEOUT)
    direct.create_producer(topic).send(b"marker")
    assert received_until(consumer, b"marker") == []
    proxy.cut()
    assert outcomes.next() == native.Result.Ok
    assert consumer.receive(MILLIS).data() == b"m"


def test_a_cut_before_send_stores_the_message_once(
    proxy: PulsarProxy,
    client: client_library.Client,
    direct: client_library.Client,
    topic: str,
) -> None:
    producer, consumer = client.create_producer(topic), subscribed(direct, topic)
    for action in (CUT_BEFORE, CutBefore(Cut.FIN)):
        cut = proxy.on("SEND", action=action, times=1)
        producer.send(b"m")
        assert cut.hits == 1
        producer.send(b"marker")
        assert received_until(consumer, b"marker") == [b"m"]


def test_a_cut_after_send_stores_the_message_twice(
    proxy: PulsarProxy,
    client: client_library.Client,
    direct: client_library.Client,
    topic: str,
) -> None:
    producer, consumer = client.create_producer(topic), subscribed(direct, topic)
    proxy.on("SEND", action=CUT_AFTER, times=1)
    producer.send(b"m")
    producer.send(b"marker")
    assert received_until(consumer, b"marker") == [b"m", b"m"]


def test_a_cut_after_the_receipt_leaves_the_sender_content(
    proxy: PulsarProxy,
    client: client_library.Client,
    direct: client_library.Client,
    topic: str,
) -> None:
    producer, consumer = client.create_producer(topic), subscribed(direct, topic)
    cut = proxy.on("SEND_RECEIPT", action=CUT_AFTER, times=1)
    producer.send(b"m")
    assert cut.hits == 1
    producer.send(b"marker")
    assert received_until(consumer, b"marker") == [b"m"]


def test_a_send_can_be_refused(
    proxy: PulsarProxy,
    client: client_library.Client,
    direct: client_library.Client,
    topic: str,
) -> None:
    producer, consumer = client.create_producer(topic), subscribed(direct, topic)
    refuse = proxy.on("SEND", action=Answer("ChecksumError"), times=1)
    with pytest.raises(native.ChecksumError):
        producer.send(b"refused")
    assert refuse.hits == 1
    producer.send(b"marker")
    assert received_until(consumer, b"marker") == []


def produced(client: client_library.Client, topic: str) -> None:
    client.create_producer(topic).send(b"m")


REFUSALS = [
    ("SUBSCRIBE", "ConsumerBusy", subscribed),
    ("PRODUCER", "ProducerFenced", produced),
    ("PARTITIONED_METADATA", "AuthorizationError", subscribed),
    ("LOOKUP", "AuthorizationError", subscribed),
    ("LOOKUP_RESPONSE", "AuthorizationError", subscribed),
]


@pytest.mark.parametrize(("type_", "error", "act"), REFUSALS)
def test_a_request_can_be_refused(
    proxy: PulsarProxy,
    client: client_library.Client,
    topic: str,
    type_: str,
    error: str,
    act: Callable[[client_library.Client, str], object],
) -> None:
    refuse = proxy.on(type_, action=Answer(error, "not today"))
    with pytest.raises(getattr(native, error)):
        act(client, topic)
    refuse.disarm()
    act(client, topic)


def test_held_messages_reach_the_consumer_after_release(
    proxy: PulsarProxy, client: client_library.Client, topic: str
) -> None:
    producer, consumer = client.create_producer(topic), subscribed(client, topic)
    hold = proxy.on("MESSAGE", action=HOLD)
    producer.send(b"m")
    assert hold.wait_for_hit(TIMEOUT).fields["message_id"]
    with pytest.raises(native.Timeout):
        consumer.receive(50)
    hold.release()
    assert consumer.receive(MILLIS).data() == b"m"


def test_large_messages_pass(proxy: PulsarProxy, client: client_library.Client, topic: str) -> None:
    producer, consumer = client.create_producer(topic), subscribed(client, topic)
    data = bytes(range(256)) * 16_000
    for _ in range(3):
        producer.send(data)
        assert consumer.receive(MILLIS).data() == data
    assert max(frame.size for frame in proxy.seen("MESSAGE")) > len(data)


def test_every_frame_of_a_live_connection_reads_and_writes_back(
    pulsar: BrokerAddress, topic: str
) -> None:
    captured: list[bytes] = []

    class CapturingCodec(PulsarCodec):
        def translate(self, frame: Frame, raw: bytes) -> bytes:
            captured.append(raw)
            return raw

    class CapturingProxy(PulsarProxy):
        def codec(self, connection: int) -> PulsarCodec:
            return CapturingCodec(connection, lambda url: url)

    with (
        CapturingProxy(*host_and_port(pulsar.service_url)) as proxy,
        client_of(f"pulsar://{proxy.host}:{proxy.port}") as client,
    ):
        consumer = subscribed(client, topic)
        producer = client.create_producer(topic, properties={"k": "v"})
        producer.send(b"m", properties={"a": "b"}, partition_key="k")
        message = consumer.receive(MILLIS)
        consumer.redeliver_unacknowledged_messages()
        consumer.acknowledge(message)
        consumer.close()
        consumer = subscribed(client, topic)
        consumer.seek(client_library.MessageId.earliest)
        client.get_topic_partitions(topic)
        producer.close()
        consumer.unsubscribe()
    types = set()
    for raw in captured:
        command, payload = pulsar_frames.parts(raw)
        read = pulsar_frames.decode(command)
        types.add(read.type)
        again = pulsar_frames.decode(pulsar_frames.encode(read))
        assert again == read
        assert bool(payload) == (read.type in {"SEND", "MESSAGE"})
    assert {
        "CONNECT", "CONNECTED", "PARTITIONED_METADATA", "PARTITIONED_METADATA_RESPONSE",
        "LOOKUP", "LOOKUP_RESPONSE", "SUBSCRIBE", "SUCCESS", "FLOW", "PRODUCER",
        "PRODUCER_SUCCESS", "SEND", "SEND_RECEIPT", "MESSAGE", "ACK", "SEEK",
        "REDELIVER_UNACKNOWLEDGED_MESSAGES", "CLOSE_PRODUCER", "UNSUBSCRIBE",
    } <= types  # fmt: skip


def test_what_pulsar_does_not_know_is_refused(proxy: PulsarProxy) -> None:
    with pytest.raises(FaultError, match="SNED"):
        proxy.on("SNED", action=DROP)
    with pytest.raises(FaultError, match="NoSuchError"):
        proxy.on("SEND", action=Answer("NoSuchError"))
    with pytest.raises(FaultError, match="FLOW has no answer"):
        proxy.on("SEND", "FLOW", action=Answer("UnknownError"))
    with pytest.raises(FaultError, match="every type"):
        proxy.on(action=Answer("UnknownError"))
    with pytest.raises(FaultError, match="byte proxy"):
        host_and_port("pulsar+ssl://localhost:6651")
