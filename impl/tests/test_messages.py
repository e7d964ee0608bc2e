"""What an application can do with a message of any type, before a send and after a receipt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import (
    Char,
    IllegalArgumentException,
    IllegalStateException,
    Int,
    JMSException,
    MessageFormatException,
    MessageNotWriteableException,
    PropertyValue,
)
from pulsar_jms.mapping.destinations import create_topic
from pulsar_jms.messages import (
    PulsarMessage,
    PulsarObjectMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
    SendParameters,
    decode,
    encode,
    mark_sent,
    message_for,
)
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition
from sample_messages import (
    INTERFACES,
    KINDS,
    QUEUE,
    a_map,
    a_stream,
    an_object,
    received,
    sent,
    some_bytes,
    text,
    write,
)


@pytest.mark.parametrize("make", KINDS)
def test_a_message_arrives_as_what_it_was(make: Callable[[], PulsarMessage]) -> None:
    message = make()
    arrived = received(message)
    assert type(arrived) is type(message)
    assert [kind for kind in INTERFACES if isinstance(arrived, kind)] == [
        kind for kind in INTERFACES if isinstance(message, kind)
    ]
    assert arrived.encoded_body() == message.encoded_body()


@pytest.mark.parametrize("make", KINDS[1:])
def test_the_body_of_a_received_message_is_read_only_until_cleared(
    make: Callable[[], PulsarMessage],
) -> None:
    arrived = received(make())
    with pytest.raises(MessageNotWriteableException, match="clear_body"):
        write(arrived)
    arrived.clear_body()
    assert arrived.encoded_body() == type(arrived)().encoded_body()
    write(arrived)
    assert arrived.encoded_body() != type(arrived)().encoded_body()


@pytest.mark.parametrize("make", KINDS)
def test_the_properties_of_a_received_message_are_read_only_until_cleared(
    make: Callable[[], PulsarMessage],
) -> None:
    message = make()
    message.set_int_property("p", 1)
    arrived = received(message)
    arrived.clear_body()
    calls: list[Callable[[], object]] = [
        lambda: arrived.set_int_property("p", 2),
        lambda: arrived.set_object_property("q", None),
        lambda: arrived.set_string_property("r", "x"),
    ]
    for call in calls:
        with pytest.raises(MessageNotWriteableException, match="clear_properties"):
            call()
    assert arrived.get_int_property("p") == 1
    arrived.clear_properties()
    assert list(arrived.property_names()) == []
    arrived.set_int_property("n", 1)
    assert set(received(arrived).property_names()) == {
        "n",
        "JMSConnectionID",
        "JMSXDeliveryCount",
    }


def test_clearing_one_half_leaves_the_other() -> None:
    message = text()
    message.set_int_property("p", 1)
    arrived = received(message)
    arrived.clear_properties()
    assert arrived.text == "a text"
    with pytest.raises(MessageNotWriteableException):
        arrived.text = "b"
    arrived = received(message)
    arrived.clear_body()
    assert arrived.get_int_property("p") == 1


def test_header_fields_of_a_received_message_can_be_set() -> None:
    arrived = received(text())
    arrived.jms_correlation_id = "c"
    arrived.jms_type = "t"
    arrived.jms_reply_to = create_topic("r")
    again = received(arrived)
    assert (again.jms_correlation_id, again.jms_type) == ("c", "t")
    assert again.jms_reply_to == create_topic("persistent://public/default/r")


def test_sending_fills_the_header_fields() -> None:
    message = text()
    sending = SendParameters(QUEUE, 1000, 1, 7, time_to_live=60, delivery_delay=5)
    message.jms_priority, message.jms_delivery_mode, message.jms_timestamp = 1, 2, 3
    message.jms_destination = create_topic("x")
    raw = encode(message, sending, "c", "public/default")
    mark_sent(message, MessagePosition(1, 2, 3, 4))
    assert message.jms_message_id == "ID:1:2:3:4"
    assert message.jms_destination == QUEUE
    assert (message.jms_priority, message.jms_delivery_mode) == (7, 1)
    assert (message.jms_timestamp, message.jms_delivery_time) == (1000, 1005)
    assert message.jms_expiration == 1060
    assert raw.event_time == 1000


def test_changes_after_the_send_do_not_reach_it() -> None:
    for make in KINDS[1:]:
        message = make()
        message.set_int_property("p", 1)
        raw = sent(message)
        write(message)
        message.set_int_property("p", 2)
        arrived = decode(raw, QUEUE)
        assert arrived.get_int_property("p") == 1
        assert arrived.encoded_body() == make().encoded_body()


def test_a_forwarded_message_is_a_new_one() -> None:
    message = text()
    message.set_int_property("p", 1)
    message.set_string_property("JMSXGroupID", "g")
    message.jms_type = "t"
    first = decode(sent(message)._replace(redelivery_count=3), QUEUE)
    raw = encode(first, SendParameters(QUEUE, 5), "other", "public/default")
    assert raw.properties == {
        "p": "1",
        "p_jsmtype": "int",
        "JMSXGroupID": "g",
        "JMSType": "t",
        "JMSPulsarMessageType": "text",
        "JMSConnectionID": "other",
        "JMSDeliveryTime": "5",
    }
    assert raw.partition_key == "g"


def test_an_unreadable_property_stops_a_forward() -> None:
    raw = sent(text())
    raw = raw._replace(properties={**raw.properties, "p": "x", "p_jsmtype": "int"})
    with pytest.raises(MessageFormatException, match="'p' is marked int"):
        encode(decode(raw, QUEUE), SendParameters(QUEUE, 5), "c", "public/default")


def test_reply_destination_of_another_client_is_refused() -> None:
    message = text()
    message.jms_reply_to = object()  # type: ignore[assignment]
    with pytest.raises(JMSException, match="another JMS client"):
        sent(message)


@pytest.mark.parametrize("name", ["", None, "JMSPriority", "JMSXDeliveryCount", "JMSTX"])
def test_names_that_no_property_may_have(name: Any) -> None:
    with pytest.raises(IllegalArgumentException):
        text().set_int_property(name, 1)


@pytest.mark.parametrize("name", ["", None, "JMSPriority"])
def test_names_that_no_map_entry_may_have(name: Any) -> None:
    with pytest.raises(IllegalArgumentException):
        a_map().set_int(name, 1)


@pytest.mark.parametrize("name", ["my-key", "a b", "1x", "NULL", "größe", "JMSXUserID", "JMS_x"])
def test_any_other_name_is_a_property(name: str) -> None:
    message = text()
    message.set_string_property(name, "v")
    assert received(message).get_string_property(name) == "v"


@pytest.mark.parametrize(
    "name",
    ["UserID", "AppID", "ProducerTXID", "ConsumerTXID", "RcvTimestamp", "State"],
)
def test_ignored_jmsx_properties_are_never_supplied(name: str) -> None:
    assert not received(text()).property_exists(f"JMSX{name}")


def test_group_sequence() -> None:
    message = text()
    raw = sent(message)
    assert not decode(raw, QUEUE).property_exists("JMSXGroupSeq")
    assert decode(raw._replace(sequence_id=9), QUEUE).get_int_property("JMSXGroupSeq") == 9
    message.set_int_property("JMSXGroupSeq", 42)
    arrived = decode(sent(message)._replace(sequence_id=9), QUEUE)
    assert arrived.get_object_property("JMSXGroupSeq") == Int(42)


@given(st.binary(max_size=40))
def test_correlation_bytes_arrive(value: bytes) -> None:
    message = text()
    message.jms_correlation_id_as_bytes = value
    assert received(message).jms_correlation_id_as_bytes == value


@given(st.text())
def test_correlation_text_arrives(value: str) -> None:
    message = text()
    message.jms_correlation_id = value
    assert received(message).jms_correlation_id == value


def test_a_megabyte_arrives() -> None:
    assert received(PulsarTextMessage("ü" * (1 << 19))).text == "ü" * (1 << 19)
    data = bytes(range(256)) * 4096
    for message in (message_for(data), message_for({"k": data}), PulsarObjectMessage(data)):
        arrived = received(message)
        assert arrived.get_body(object) in (data, {"k": data})
    stream = PulsarStreamMessage()
    stream.write_bytes(data)
    assert received(stream).read_object() == data


def test_a_message_tells_its_type_and_id() -> None:
    assert repr(text()) == "<text message not sent yet>"
    assert repr(received(text())) == "<text message ID:1:2:-1>"


def test_acknowledge_calls_the_session() -> None:
    arrived = received(text())
    calls: list[PulsarMessage] = []
    arrived.acknowledger = calls.append
    arrived.acknowledge()
    assert calls == [arrived]


def test_a_message_that_was_not_received_cannot_be_acknowledged() -> None:
    with pytest.raises(IllegalStateException, match="not received"):
        text().acknowledge()


@given(
    st.binary(max_size=60),
    st.booleans(),
    st.dictionaries(
        st.sampled_from(
            [
                "JMSPulsarMessageType",
                "JMSMessageId",
                "JMSDeliveryTime",
                "JMSExpiration",
                "JMSPriority",
                "JMSDeliveryMode",
                "JMSType",
                "JMSCorrelationID",
                "JMSReplyTo",
                "JMSReplyToType",
                "JMSXGroupSeq",
                "p",
                "p_jsmtype",
                "p_jmstype",
            ]
        ),
        st.text(max_size=20)
        | st.sampled_from(
            ["text", "bytes", "map", "stream", "object", "header", "int", "double", "-1", "topic"]
        ),
    ),
)
def test_any_raw_message_is_a_message_or_refused(
    payload: bytes, null: bool, properties: dict[str, str]
) -> None:
    try:
        message = decode(IncomingMessage(payload, null, properties, MessagePosition(1, 1)), QUEUE)
        values = [message.get_object_property(name) for name in message.property_names()]
    except JMSException:
        return
    assert isinstance(message, PulsarMessage)
    assert all(isinstance(value, PropertyValue) for value in values)


@pytest.mark.parametrize(
    ("make", "kind", "body"),
    [
        (text, str, "a text"),
        (text, object, "a text"),
        (PulsarTextMessage, bytes, None),
        (some_bytes, bytes, b"\x01\x02"),
        (some_bytes, object, b"\x01\x02"),
        (a_map, dict, {"k": 1}),
        (an_object, list, [1]),
        (an_object, object, [1]),
        (PulsarObjectMessage, dict, None),
        (lambda: PulsarObjectMessage(True), bool, True),
        (lambda: PulsarObjectMessage(Char("c")), Char, "c"),
        (PulsarMessage, str, None),
    ],
)
def test_body_as_one_value(make: Callable[[], PulsarMessage], kind: type, body: object) -> None:
    arrived = received(make())
    assert arrived.is_body_assignable_to(kind)
    assert arrived.get_body(kind) == body


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (text, bytes),
        (some_bytes, str),
        (a_map, list),
        (an_object, dict),
        (a_stream, object),
        (lambda: PulsarObjectMessage(True), int),
        (lambda: PulsarObjectMessage(Char("c")), str),
    ],
)
def test_body_as_another_kind(make: Callable[[], PulsarMessage], kind: type) -> None:
    arrived = received(make())
    assert not arrived.is_body_assignable_to(kind)
    with pytest.raises(MessageFormatException):
        arrived.get_body(kind)
