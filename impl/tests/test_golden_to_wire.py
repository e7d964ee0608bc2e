"""What the real Java client wrote, and what the reference writes for the same calls.

Each golden case of direction jms->wire is repeated call by call, or listed with the reason why
not. Where the reference departs from the real client on purpose, the case says so.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    IllegalArgumentException,
    Int,
    JMSException,
    Long,
    MessageFormatException,
    Short,
)
from pulsar_jms.mapping.delivery_mode import check_delivery_mode
from pulsar_jms.mapping.destinations import create_queue, create_topic
from pulsar_jms.mapping.headers import check_priority, message_id_text
from pulsar_jms.mapping.identity import connection_id
from pulsar_jms.mapping.priority import PriorityRouter
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
    SendParameters,
    encode,
    mark_sent,
    message_for,
)
from pulsar_jms.transport.wire_messages import MessagePosition

RECORDED = Path(__file__).parents[2] / "scenarios/jms_scenarios/interop/starlight-wire.json"
CASES = {
    case["name"]: case
    for case in json.loads(RECORDED.read_text("utf-8"))
    if case["direction"] == "jms->wire"
}
SENT_AT = 1_700_000_000_000
QUEUE = create_queue("q")


def text(value: str | None = "h") -> PulsarTextMessage:
    return PulsarTextMessage(value)


def with_map(key: str, value: object) -> PulsarMapMessage:
    message = PulsarMapMessage()
    message.set_object(key, value)
    return message


def with_fields(**fields: object) -> PulsarTextMessage:
    message = text()
    for name, value in fields.items():
        setattr(message, name, value)
    return message


def with_properties(**properties: object) -> PulsarTextMessage:
    message = text()
    for name, value in properties.items():
        message.set_object_property(name, value)
    return message


def stream() -> PulsarStreamMessage:
    message = PulsarStreamMessage()
    items = [True, Byte(-1), Short(258), Char("A"), Int(1), Long(2), Float(1), Double(1), "é"]
    for item in [*items, b"\x09\x08", b"", None]:
        message.write_object(item)
    message.write_string(None)
    return message


def odd_names() -> PulsarTextMessage:
    message = text()
    for name in ("a b", "1x", "NULL", "y_jsmtype", "y_jmstype", "JMS_foo", "JMSXfoo"):
        message.set_string_property(name, "v")
    return message


def floats() -> PulsarTextMessage:
    doubles = [1e-4, 12345678.0, 1e10, math.nan, math.inf, -math.inf, -0.0, 2e23]
    doubles += [5e-324, 1.7976931348623157e308, 1e7, 1e-3, 9999999.0]
    singles = [1e-4, 2.0**24, 1e10, 0.1, 3.4028234663852886e38, 1.401298464324817e-45]
    message = text()
    for number, value in enumerate(doubles, 1):
        message.set_double_property(f"d{number}", value)
    for number, value in enumerate(singles, 1):
        message.set_float_property(f"f{number}", value)
    return message


Made = PulsarMessage | tuple[PulsarMessage, dict[str, Any]]
SAME: dict[str, Callable[[], Made]] = {
    "text-hi": lambda: text("hi"),
    "text-empty": lambda: text(""),
    "text-lone-surrogate": lambda: text("a\ud83db"),
    "bytes-empty": PulsarBytesMessage,
    "stream-seq": stream,
    "map-int": lambda: with_map("k", Int(1)),
    "map-long": lambda: with_map("k", Long(1)),
    "map-byte": lambda: with_map("k", Byte(1)),
    "map-char": lambda: with_map("k", Char("A")),
    "map-double": lambda: with_map("k", Double(1)),
    "map-null": lambda: with_map("k", None),
    "map-long-key": lambda: with_map("q" * 300, Int(1)),
    "object-null": PulsarObjectMessage,
    "object-int": lambda: PulsarObjectMessage(1),
    "object-double": lambda: PulsarObjectMessage(1.5),
    "object-hashmap": lambda: PulsarObjectMessage({"a": "b"}),
    "object-bytes": lambda: PulsarObjectMessage(b"\x01\x02"),
    "hdr-type": lambda: with_fields(jms_type="ty"),
    "hdr-corr": lambda: with_fields(jms_correlation_id="c-1 é"),
    "hdr-replyto-queue": lambda: with_fields(jms_reply_to=create_queue("rq")),
    "hdr-replyto-queue-query": lambda: with_fields(
        jms_reply_to=create_queue("rq?consumerConfig.receiverQueueSize=1")
    ),
    "hdr-replyto-full": lambda: with_fields(
        jms_reply_to=create_queue("persistent://public/default/zz")
    ),
    "hdr-replyto-temp": lambda: with_fields(jms_reply_to=create_queue("jms-temp-queue-<uuid>")),
    "hdr-priority-0": lambda: (text(), {"priority": 0}),
    "hdr-priority-5": lambda: (text(), {"priority": 5}),
    "hdr-nonpersistent": lambda: (text(), {"delivery_mode": 1}),
    "hdr-expiration-0": lambda: with_fields(jms_expiration=0),
    "hdr-deliverytime-set": lambda: with_fields(jms_delivery_time=12345),
    "hdr-disable-timestamp": lambda: (text(), {"timestamp": False}),
    "hdr-messageid-set": lambda: with_fields(jms_message_id="ID:mine"),
    "hdr-groupid": lambda: with_properties(JMSXGroupID="g1"),
    "hdr-groupseq": lambda: with_properties(JMSXGroupSeq=Int(3)),
    "prop-odd-names": odd_names,
    "jmsproducer-null-string": lambda: text(None),
    "jmsproducer-null-serializable": lambda: message_for(None),
    "jmsproducer-map": lambda: message_for({"a": 1}),
    "connid-clientid": lambda: text("x"),
    "tx-emulated": lambda: text("x"),
    "tx-real-commit1": lambda: text("x"),
    "dest-topic": lambda: (text("x"), {"destination": create_topic("t")}),
}
"""The raw message is the same, byte for byte and property for property."""

REFUSED: dict[str, tuple[Callable[[], object], type[Exception]]] = {
    "map-key-JMSPriority": (lambda: with_map("JMSPriority", 1), IllegalArgumentException),
    "hdr-priority--1": (lambda: check_priority(-1), JMSException),
    "prop-char": (lambda: with_properties(c=Char("c")), MessageFormatException),
    "prop-banned-JMSType": (lambda: with_properties(JMSType="1"), IllegalArgumentException),
    "prop-banned-JMSReplyTo": (lambda: with_properties(JMSReplyTo="1"), IllegalArgumentException),
    "prop-empty-name": (lambda: with_properties(**{"": "1"}), IllegalArgumentException),
}
"""The call is refused with the same exception."""

DIFFERENT = {
    "hdr-corr-null": "JMS: null is a correlation id; test_null_correlation_id",
    "hdr-priority-10": "JMS: priorities end at 9; test_priority_10",
    "hdr-ttl-setter": "documents and JMS: the producer's time to live counts; test_time_to_live",
    "prop-floats": "equal but for the text of JDK 17 for one double; test_floats",
    "prop-null-object": "JMS: a property may be null; test_null_property",
    "id-batched": "a text for each position; test_ids_in_a_batch",
    "priority-linear-10": "not in the message: test_partitions_by_priority",
    "priority-nonlinear-10": "not in the message: test_partitions_by_priority",
}


def test_every_case_is_driven_or_explained() -> None:
    assert {*SAME, *REFUSED, *DIFFERENT} == set(CASES)
    assert len(SAME) + len(REFUSED) + len(DIFFERENT) == len(CASES)


@pytest.mark.parametrize("name", SAME)
def test_raw_message_is_that_of_the_real_client(name: str) -> None:
    case = CASES[name]
    expected = case["observed"][0]
    made = SAME[name]()
    message, options = made if isinstance(made, tuple) else (made, {})
    client_id = "cidA" if name == "connid-clientid" else None

    raw = encode(
        message,
        SendParameters(**{"destination": QUEUE, "sent_at": SENT_AT, **options}),
        connection_id("<uuid>", client_id),
        "public/default",
    )

    assert raw.payload == (
        None if expected["null_value"] else base64.b64decode(expected["payload_b64"])
    )
    assert raw.null_value == expected["null_value"]
    stamped = {**expected["properties"], "JMSDeliveryTime": str(SENT_AT)}
    assert raw.properties == stamped
    assert (raw.partition_key or "") == expected["partition_key"]
    assert raw.event_time == (None if expected["event_time"] is None else SENT_AT)
    assert raw.deliver_at is None
    mark_sent(message, MessagePosition(7, 8))
    expected_id = case.get("message_id_after_send", "ID:<ledger>:<entry>:-1")
    assert message.jms_message_id == expected_id.replace("<ledger>", "7").replace("<entry>", "8")


@pytest.mark.parametrize("name", REFUSED)
def test_call_is_refused_as_by_the_real_client(name: str) -> None:
    call, error = REFUSED[name]
    assert CASES[name]["error"]
    assert not CASES[name]["observed"]
    with pytest.raises(error):
        call()


def encoded(message: PulsarMessage, **options: Any) -> dict[str, str]:
    sending = SendParameters(QUEUE, SENT_AT, **options)
    return encode(message, sending, "<uuid>", "public/default").properties


def test_null_correlation_id() -> None:
    """The real client throws NullPointerException; JMS lets a client clear the field."""
    message = with_fields(jms_correlation_id="x")
    message.jms_correlation_id = None
    assert message.jms_correlation_id is None
    assert "JMSCorrelationID" not in encoded(message)


def test_priority_10() -> None:
    """The real client takes 10, writes it and reads it back as 4; JMS has 0 to 9."""
    assert CASES["hdr-priority-10"]["observed"][0]["properties"]["JMSPriority"] == "10"
    assert [check_priority(each) for each in range(10)] == list(range(10))
    with pytest.raises(JMSException, match="10"):
        check_priority(10)


def test_time_to_live() -> None:
    """The real client forgets the producer's time to live; SLJ-EXP-001 and JMS want it."""
    assert "JMSExpiration" not in CASES["hdr-ttl-setter"]["observed"][0]["properties"]
    message = text()
    wire = encoded(message, time_to_live=60_000)
    assert wire["JMSExpiration"] == str(SENT_AT + 60_000)
    assert wire["JMSExpiration_jsmtype"] == "long"
    assert message.jms_expiration == SENT_AT + 60_000


def test_floats() -> None:
    """JDK 17 wrote 2e23 with more digits than needed; both texts are the same number."""
    expected = {
        name: value
        for name, value in CASES["prop-floats"]["observed"][0]["properties"].items()
        if not name.startswith("JMS")
    }
    written = {name: value for name, value in encoded(floats()).items() if name in expected}
    assert float(expected.pop("d8")) == float(written.pop("d8")) == 2e23
    assert written == expected


def test_null_property() -> None:
    """The real client cannot send it; a property that is missing reads the same as a null one."""
    assert CASES["prop-null-object"]["error"]
    message = with_properties(n=None)
    assert "n" not in encoded(message)
    assert message.get_object_property("n") is None


def test_ids_in_a_batch() -> None:
    observed = CASES["id-batched"]["observed"]
    ids = [message_id_text(MessagePosition(7, 8, -1, index)) for index in range(3)]
    assert ids == [each.replace("<ledger>", "7").replace("<entry>", "8") for each in observed]


def test_id_of_a_message_in_chunks() -> None:
    """As Starlight for JMS 9.0.0 and 7.0.15 show it on Pulsar 4.0.7."""
    identified = message_id_text(MessagePosition(437, 1), MessagePosition(437, 0))
    assert identified == "ID:437:0:-1;437:1:-1"


def test_delivery_mode_is_one_of_two() -> None:
    assert [check_delivery_mode(mode) for mode in (1, 2)] == [1, 2]
    with pytest.raises(JMSException, match="3"):
        check_delivery_mode(3)


def test_a_second_send_gets_its_own_id_and_expiration() -> None:
    """The real client repeats the first id (JMSMessageId); JMS wants one for each send."""
    message = text()
    encoded(message, time_to_live=1000)
    mark_sent(message, MessagePosition(1, 1))
    again = encoded(message)
    assert "JMSMessageId" not in again
    assert "JMSExpiration" not in again
    mark_sent(message, MessagePosition(1, 2))
    assert message.jms_message_id == "ID:1:2:-1"


def test_delay_counts_from_the_send() -> None:
    raw = encode(text(), SendParameters(QUEUE, SENT_AT, delivery_delay=5000), "c", "public/default")
    assert raw.deliver_at == SENT_AT + 5000
    assert raw.properties["JMSDeliveryTime"] == str(SENT_AT + 5000)
    assert raw.event_time == SENT_AT


def test_partitions_by_priority() -> None:
    def partitions(mapping: str, priority: int) -> list[int]:
        chances = (step / 100 for step in range(100))
        routers = (PriorityRouter(mapping, partial(float, chance)) for chance in chances)
        return sorted({route({"JMSPriority": str(priority)}, 10) for route in routers})

    one_each = CASES["priority-linear-10"]["observed"]["partition_by_priority"]
    assert {str(level): partitions("linear", level) for level in range(10)} == one_each

    ranges = CASES["priority-nonlinear-10"]["observed"]["partition_range_by_priority"]
    for levels, (first, last) in ranges.items():
        low, _, high = levels.partition("-")
        for level in range(int(low), int(high or low) + 1):
            assert partitions("non-linear", level) == list(range(first, last + 1))
