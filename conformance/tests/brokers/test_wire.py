"""The independent view of a real broker: every kind of raw message, subscriptions, the control."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import _pulsar
import httpx
import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar.admin import PulsarAdmin
from jms_brokers.families.pulsar.client import IndependentClient
from jms_brokers.families.pulsar.entry import decode_entry, may_be_lossy
from jms_brokers.families.pulsar.queues import PulsarQueues
from jms_brokers.families.pulsar.rest import PulsarRest
from jms_brokers.families.pulsar.schema import Schema
from jms_brokers.families.pulsar.wire import PulsarWire
from jms_brokers.machine.polling import until
from jms_brokers.shared.queue_view import Carried
from jmsapi import Destination, Queue
from touchstone.scenario.judgement import Judgement, running

SPACE = "touchstone/wire"
MARKED = {"x-pulsar-producer-name": "pulsar.txn.marker", "x-pulsar-marker-type": "21"}
IN_TRANSACTION = {"x-pulsar-txnid-least-bits": "24", "x-pulsar-txnid-most-bits": "0"}
COMMITTED = {**IN_TRANSACTION, "x-pulsar-txn-aborted": "false"}
ABORTED = {**IN_TRANSACTION, "x-pulsar-txn-aborted": "true"}


class Counted(Queue):
    """A queue that no client made."""

    def __init__(self, name: str = "counted") -> None:
        self._name = name

    @property
    def queue_name(self) -> str:
        return self._name


@pytest.fixture(scope="module")
def rest(pulsar: BrokerAddress) -> Iterator[PulsarRest]:
    rest = PulsarRest(pulsar)
    rest.create_namespace(SPACE)
    yield rest
    rest.close()


@pytest.fixture(scope="module")
def client(rest: PulsarRest) -> Iterator[IndependentClient]:
    client = IndependentClient(rest.address)
    yield client
    client.close()


@pytest.fixture
def wire(rest: PulsarRest, client: IndependentClient) -> PulsarWire:
    return PulsarWire(rest, client, SPACE)


@pytest.fixture
def admin(rest: PulsarRest) -> PulsarAdmin:
    return PulsarAdmin(rest, SPACE)


@pytest.mark.parametrize(
    ("payload", "properties", "key"),
    [
        (b"hello", {"a": "1", "b": ""}, "key"),
        (b"", {}, None),
        (None, {"only": "properties"}, None),
        (bytes(range(256)) * 100, {}, ""),
        (b"x", {"no": "blanks", "Grüße": "äöü", "controls": '\x00\x01\n\t"\\'}, "schlüssel"),
        (b"x", {"beyond": "€ and 😀", "名": "前"}, "ключ"),
        (b"x", {"long": "y" * 20_000}, None),
    ],
)
def test_what_is_sent_is_what_lies_there(
    wire: PulsarWire, payload: bytes | None, properties: dict[str, str], key: str | None
) -> None:
    topic = f"one-{abs(hash((payload, str(properties))))}"
    sent = wire.send(topic, payload, properties, key, event_time=1234)
    assert (sent.payload, sent.null_value) == (payload or b"", payload is None)
    assert sent.properties == properties
    assert sent.key == (key or None)
    assert (sent.event_time, sent.partition) == (1234, -1)
    assert sent.publish_time > 1_700_000_000_000
    with running(Judgement("try", ("X",))):
        assert wire.only_message(topic) == sent


def test_a_batch_is_taken_apart(wire: PulsarWire, client: IndependentClient) -> None:
    producer = client.client.create_producer(
        wire.topic("batch"), batching_enabled=True, batching_max_publish_delay_ms=5000
    )
    for number, text in enumerate(("a", None, "c")):
        producer.send_async(
            text.encode() if text is not None else None,
            lambda *_: None,
            properties={"n": f"№ {number}"},
            partition_key=f"k{number}",
            event_timestamp=100 + number,
        )
    producer.flush()
    messages = wire.messages("batch")
    assert [m.payload for m in messages] == [b"a", b"", b"c"]
    assert [m.null_value for m in messages] == [False, True, False]
    assert [m.properties for m in messages] == [{"n": f"№ {n}"} for n in range(3)]
    assert [(m.key, m.event_time, m.sequence_id) for m in messages] == [
        (f"k{n}", 100 + n, n) for n in range(3)
    ]
    assert [m.message_id.rpartition(":")[2] for m in messages] == ["0", "1", "2"]
    producer.close()


def test_compressed_payloads_and_partitions(
    wire: PulsarWire, admin: PulsarAdmin, client: IndependentClient
) -> None:
    assert admin.create_topic("parts", partitions=3) == f"persistent://{SPACE}/parts"
    producer = client.client.create_producer(
        wire.topic("parts"),
        batching_enabled=False,
        compression_type=_pulsar.CompressionType.ZLib,
    )
    for number in range(6):
        producer.send(b"z" * 100 + bytes([number]))
    producer.close()
    messages = wire.messages("parts")
    assert sorted(m.payload[-1] for m in messages) == list(range(6))
    assert [m.partition for m in messages] == [0, 0, 1, 1, 2, 2]


def test_only_message_wants_exactly_one(wire: PulsarWire) -> None:
    with running(Judgement("try", ("X",))) as judgement:
        with pytest.raises(AssertionError, match="not within"):
            wire.only_message("none", within=0.05)
        wire.send("two", b"1")
        wire.send("two", b"2")
        with pytest.raises(AssertionError, match="2 messages on"):
            wire.only_message("two")
    assert not judgement.checks


def test_subscriptions_as_the_broker_sees_them(
    wire: PulsarWire, admin: PulsarAdmin, client: IndependentClient
) -> None:
    assert admin.subscriptions("subs") == {}
    wire.send("subs", b"1")
    admin.create_subscription("subs", "old", "earliest")
    admin.create_subscription("subs", "new")
    consumer = client.client.subscribe(
        wire.topic("subs"), "old", consumer_type=_pulsar.ConsumerType.Shared
    )
    consumer.receive(timeout_millis=10_000)
    subscriptions = admin.subscriptions("subs")
    assert (
        subscriptions["old"].type,
        subscriptions["old"].consumers,
        subscriptions["old"].durable,
    ) == ("Shared", 1, True)
    assert (admin.backlog("subs", "old"), admin.backlog("subs", "new")) == (1, 0)
    assert admin.backlog("subs", "none") == 0
    consumer.close()
    admin.delete_subscription("subs", "new")
    assert set(admin.subscriptions("subs")) == {"old"}
    assert f"persistent://{SPACE}/subs" in admin.topics()
    assert admin.schema("subs") is None
    admin.delete_topic("subs")
    assert not admin.exists("subs")


def test_a_subscription_is_consumed_by_the_plain_client(
    wire: PulsarWire, admin: PulsarAdmin
) -> None:
    sent = [wire.send("consumed", payload, {"n": "1"}).payload for payload in (b"a", b"b", b"c")]
    admin.create_subscription("consumed", "later")
    messages = wire.received("consumed", "native", 2)
    assert [message.payload for message in messages] == sent[:2]
    assert messages[0].properties == {"n": "1"}
    assert [message.payload for message in wire.received("consumed", "native")] == sent[2:]
    assert admin.backlog("consumed", "native") == 0
    with pytest.raises(BrokerError, match="consumed"):
        wire.received("persistent://no-such-tenant/space/consumed", "native")


def test_queues_are_counted_taken_and_purged(admin: PulsarAdmin, client: IndependentClient) -> None:
    queues, queue = PulsarQueues(admin, client), Counted()
    assert (queues.pending(queue), queues.ready(queue), queues.take(queue)) == (0, 0, [])
    admin.create_topic(queue)
    admin.create_subscription(queue, "jms-queue")
    for text in ("one", "two", "three"):
        queues.send(queue, text)
    assert (queues.pending(queue), queues.ready(queue)) == (3, 3)

    shared = _pulsar.ConsumerType.Shared
    holder = client.client.subscribe(str(admin.topic(queue)), "jms-queue", shared)
    until(lambda: queues.ready(queue) == 0)
    assert queues.pending(queue) == 3
    holder.close()
    until(lambda: queues.ready(queue) == 3)
    assert queues.take(queue) == ["one", "two", "three"]
    assert queues.pending(queue) == 0

    queues.send(queue, "four")
    queues.purge(queue)
    assert queues.pending(queue) == 0


def test_queues_tell_what_messages_carry(admin: PulsarAdmin, client: IndependentClient) -> None:
    queues, queue = PulsarQueues(admin, client), Counted("carried")
    assert queues.carried(queue) == []
    told = {
        "JMSPulsarMessageType": "text",
        "JMSType": "order",
        "JMSCorrelationID": base64.b64encode("corr-ü".encode()).decode(),
        "größe": "5",
    }
    client.send(str(admin.topic(queue)), "é".encode(), told, key="g1")
    assert queues.send_native(queue, b"\xff")
    assert not queues.send_native(queue, [1])

    jms, native = queues.carried(queue)
    assert (jms.text, jms.jms_type, jms.correlation_id, jms.group) == ("é", "order", "corr-ü", "g1")
    assert (dict(jms.properties), jms.durable) == (told, None)
    assert native == Carried(None, {})
    assert queues.pending(queue) == 0


def test_a_queue_without_a_subscription_is_due_from_its_first_message_on(
    admin: PulsarAdmin, client: IndependentClient
) -> None:
    queues, queue = PulsarQueues(admin, client), Counted("unused")
    assert not queues.exists(queue)
    for text in ("one", "two"):
        queues.send(queue, text)
    assert queues.exists(queue)
    assert (queues.pending(queue), queues.ready(queue)) == (2, 2)
    assert queues.take(queue) == ["one", "two"]


def test_a_fresh_namespace_and_the_control(admin: PulsarAdmin, client: IndependentClient) -> None:
    space = admin.namespace()
    assert admin.topics(space) == []
    assert 0 < client.round_trip(f"persistent://{space}/control") < 10


def test_workers_may_create_their_namespaces_at_once(rest: PulsarRest) -> None:
    for number in range(5):
        names = [f"crowd-{number}/of-{worker}" for worker in range(4)]
        with ThreadPoolExecutor(len(names)) as pool:
            list(pool.map(rest.create_namespace, names))
        assert sorted(rest.get(f"namespaces/crowd-{number}")) == names


@pytest.mark.parametrize(
    ("type_", "definition"),
    [
        ("STRING", ""),
        ("INT32", ""),
        ("AVRO", '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}'),
        ("JSON", '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}'),
    ],
)
def test_a_message_with_a_schema_registers_it(
    wire: PulsarWire, admin: PulsarAdmin, type_: str, definition: str
) -> None:
    sent = wire.send(
        f"schema-{type_}", b"\x02", {"n": "\u00e9"}, event_time=5, schema=Schema(type_, definition)
    )
    assert (sent.payload, sent.properties, sent.event_time) == (b"\x02", {"n": "\u00e9"}, 5)
    assert wire.messages(f"schema-{type_}") == [sent]
    schema = admin.schema(f"schema-{type_}")
    assert schema is not None
    assert (schema["type"], schema["data"]) == (type_, definition)


@pytest.mark.parametrize("separated", [False, True])
def test_a_key_value_schema_tells_its_parts(
    wire: PulsarWire, admin: PulsarAdmin, client: IndependentClient, separated: bool
) -> None:
    topic = f"key-value-{separated}"
    schema = Schema.key_value(Schema("STRING"), Schema("INT32"), separated=separated)
    wire.send(topic, b"1", key=b"\xff", schema=schema)
    registered = admin.schema(topic)
    assert registered is not None
    assert registered["type"] == "KEY_VALUE"
    assert registered["properties"]["kv.encoding.type"] == ("SEPARATED" if separated else "INLINE")
    assert registered["properties"]["key.schema.type"] == "STRING"
    assert registered["properties"]["value.schema.type"] == "INT32"
    (message,) = wire.messages(topic)
    assert message.key is not None
    assert message.key.encode("utf-8", "surrogateescape") == b"\xff"


def test_a_schema_that_the_broker_refuses_is_the_brokers_error(wire: PulsarWire) -> None:
    wire.send("refused", b"x", schema=Schema("STRING"))
    with pytest.raises(BrokerError, match="refused what the raw protocol"):
        wire.send("refused", b"\0\0\0\1", schema=Schema("INT32"))
    with pytest.raises(ValueError, match="messages with a schema"):
        wire.send("refused", b"x", key=b"k")


def test_a_batch_is_one_entry_with_its_messages_in_order(wire: PulsarWire) -> None:
    held = wire.send_batch("batch-1", (b"1", {"a": "x"}), (b"2", {}), (b"3", {"a": "y"}))

    assert [message.payload for message in held] == [b"1", b"2", b"3"]
    assert [dict(message.properties) for message in held] == [{"a": "x"}, {}, {"a": "y"}]


def test_a_batch_beside_other_messages_is_refused(wire: PulsarWire) -> None:
    wire.send("batch-2", b"before")
    with pytest.raises(BrokerError, match="one batch"):
        wire.send_batch("batch-2", (b"1", {}), (b"2", {}))


@pytest.mark.parametrize(
    ("headers", "messages"),
    [({}, 1), (COMMITTED, 1), (ABORTED, 0), ({**COMMITTED, **MARKED}, 0)],
    ids=["plain", "committed", "aborted", "marker"],
)
def test_what_transactions_leave_behind_is_no_message(
    headers: dict[str, str], messages: int
) -> None:
    """Headers as Pulsar 4.0.7 answers them."""
    answer = httpx.Response(200, headers=headers, content=b"x")
    assert len(decode_entry(answer, 182, 0, -1)) == messages


@pytest.mark.parametrize(
    ("headers", "lossy"),
    [
        ({}, False),
        ({"X-Pulsar-PROPERTY": '{"a":"b"}'}, False),
        ({"X-Pulsar-PROPERTY": '{"a":"b c"}'}, True),
        ({"X-Pulsar-PROPERTY-a": "b"}, True),
        ({"X-Pulsar-PROPERTY-a": "b", "X-Pulsar-num-batch-message": "1"}, False),
    ],
    ids=["no-property", "plain", "with-a-blank", "of-pulsar-3.0", "of-a-batch"],
)
def test_properties_that_headers_may_change_are_read_otherwise(
    headers: dict[str, str], lossy: bool
) -> None:
    assert may_be_lossy(httpx.Response(200, headers=headers)) is lossy


class OldRest(PulsarRest):
    """Shows entries as Pulsar 3.0 does: each property is a header, here one that is none."""

    def request(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        params: Mapping[str, str | int | bool] | None = None,
        accept: tuple[int, ...] = (),
    ) -> httpx.Response:
        if "/entry/" in path:
            try:
                raise httpx.RemoteProtocolError("illegal header line: b'X-Pulsar-PROPERTY-a b: v'")
            except httpx.RemoteProtocolError as error:
                raise BrokerError("failed", hint="none") from error
        return super().request(method, path, json=json, params=params, accept=accept)


def test_names_that_no_header_can_have_are_read_all_the_same(
    rest: PulsarRest, client: IndependentClient
) -> None:
    old = OldRest(rest.address)
    try:
        wire = PulsarWire(old, client, SPACE)
        wire.send("odd-names", b"x", {"a b": "v", "ä": "w"})

        [message] = wire.messages("odd-names")
        assert message.properties == {"a b": "v", "ä": "w"}
        assert (message.payload, message.sequence_id) == (b"x", -1)
    finally:
        old.close()


class SilentAdmin(PulsarAdmin):
    """The statistics of Pulsar 3.0, which do not name users."""

    def stats(self, destination: Destination | str) -> dict[str, Any]:
        return {"subscriptions": {"s": {"consumers": [{"consumerName": "c"}]}}}


def test_a_broker_that_does_not_tell_its_users_is_told_of(rest: PulsarRest) -> None:
    with pytest.raises(BrokerError, match="do not tell as whom") as caught:
        SilentAdmin(rest, SPACE).users("any", "s")

    assert "3.2" in caught.value.hint
