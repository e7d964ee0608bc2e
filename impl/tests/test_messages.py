"""What an application can do with messages, before a send and after a receipt."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import (
    Byte,
    BytesMessage,
    Char,
    Double,
    Float,
    IllegalArgumentException,
    IllegalStateException,
    Int,
    JMSException,
    Long,
    MapMessage,
    Message,
    MessageEOFException,
    MessageFormatException,
    MessageNotReadableException,
    MessageNotWriteableException,
    NullPointerException,
    ObjectMessage,
    Short,
    StreamMessage,
    TextMessage,
)
from pulsar_jms.mapping.destinations import create_queue, create_topic
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
    Sending,
    adopt,
    decode,
    encode,
    mark_sent,
    message_for,
    mirror_headers,
)
from pulsar_jms.transport.interface import IncomingMessage, MessagePosition

QUEUE = create_queue("q")
INTERFACES = (TextMessage, BytesMessage, MapMessage, StreamMessage, ObjectMessage)


def sent(message: PulsarMessage) -> IncomingMessage:
    raw = encode(message, Sending(QUEUE, 1_700_000_000_000), "connection", "public/default")
    return IncomingMessage(
        raw.payload or b"",
        raw.null_value,
        raw.properties,
        MessagePosition(1, 2),
        raw.partition_key,
        raw.event_time,
    )


def received(message: PulsarMessage) -> Any:
    return decode(sent(message), QUEUE)


def text() -> PulsarTextMessage:
    return PulsarTextMessage("a text")


def some_bytes() -> PulsarBytesMessage:
    message = PulsarBytesMessage()
    message.write_bytes(b"\x01\x02")
    return message


def a_map() -> PulsarMapMessage:
    message = PulsarMapMessage()
    message.set_int("k", 1)
    return message


def a_stream() -> PulsarStreamMessage:
    message = PulsarStreamMessage()
    message.write_int(1)
    return message


def an_object() -> PulsarObjectMessage:
    return PulsarObjectMessage([1])


KINDS: list[Callable[[], PulsarMessage]] = [
    PulsarMessage,
    text,
    some_bytes,
    a_map,
    a_stream,
    an_object,
]
WRITES: dict[type, Callable[[Any], object]] = {
    TextMessage: lambda message: setattr(message, "text", "b"),
    BytesMessage: lambda message: message.write_int(1),
    MapMessage: lambda message: message.set_int("k", 2),
    StreamMessage: lambda message: message.write_int(1),
    ObjectMessage: lambda message: setattr(message, "object", 1),
}


def write(message: Message) -> None:
    for interface, call in WRITES.items():
        if isinstance(message, interface):
            call(message)


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
    sending = Sending(QUEUE, 1000, 1, 7, time_to_live=60, delivery_delay=5)
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
    raw = encode(first, Sending(QUEUE, 5), "other", "public/default")
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
        encode(decode(raw, QUEUE), Sending(QUEUE, 5), "c", "public/default")


def test_reply_destination_of_another_client_is_refused() -> None:
    message = text()
    message.jms_reply_to = object()  # type: ignore[assignment]
    with pytest.raises(JMSException, match="another JMS client"):
        sent(message)


@pytest.mark.parametrize("name", ["", None, "JMSPriority", "JMSXDeliveryCount", "JMSTX"])
def test_names_that_no_property_and_no_map_entry_may_have(name: Any) -> None:
    with pytest.raises(IllegalArgumentException):
        text().set_int_property(name, 1)
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


def test_surrogates_on_their_way_through_utf8() -> None:
    message = PulsarTextMessage("\ud83d\ude00 \ud83d")
    message.set_string_property("p", "\ude00\U0001f600")
    message.jms_correlation_id = "\ud83d"
    message.jms_type = "\ud83d"
    arrived = received(message)
    assert arrived.text == "\U0001f600 ?"
    assert arrived.get_string_property("p") == "?\U0001f600"
    assert (arrived.jms_correlation_id, arrived.jms_type) == ("?", "?")


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


@given(st.text() | st.none())
def test_text_arrives(value: str | None) -> None:
    assert received(PulsarTextMessage(value)).text == value


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


# -- acknowledgement ---------------------------------------------------------------------------


def test_acknowledge_calls_the_session() -> None:
    arrived = received(text())
    calls: list[PulsarMessage] = []
    arrived.acknowledger = calls.append
    arrived.acknowledge()
    assert calls == [arrived]


def test_a_message_that_was_not_received_cannot_be_acknowledged() -> None:
    with pytest.raises(IllegalStateException, match="not received"):
        text().acknowledge()


# -- bytes -------------------------------------------------------------------------------------


def test_bytes_of_each_type_are_those_of_java() -> None:
    message = PulsarBytesMessage()
    message.write_boolean(True)
    message.write_byte(-1)
    message.write_short(258)
    message.write_char("A")
    message.write_int(1)
    message.write_long(2)
    message.write_float(1)
    message.write_double(1)
    message.write_utf("é")
    message.write_bytes(b"\x09")
    for value in ("x", b"\x07", Char("z")):
        message.write_object(value)
    assert message.encoded_body() == bytes.fromhex(
        "01ff010200410000000100000000000000023f8000003ff00000000000000002c3a90900017807007a"
    )
    arrived = received(message)
    reads = [
        arrived.read_boolean(),
        arrived.read_byte(),
        arrived.read_short(),
        arrived.read_char(),
        arrived.read_int(),
        arrived.read_long(),
        arrived.read_float(),
        arrived.read_double(),
        arrived.read_utf(),
        arrived.read_bytes(1),
        arrived.read_utf(),
        arrived.read_unsigned_byte(),
        arrived.read_unsigned_short(),
        arrived.read_bytes(1),
    ]
    assert reads == [
        True,
        Byte(-1),
        Short(258),
        Char("A"),
        Int(1),
        Long(2),
        Float(1),
        Double(1),
        "é",
        b"\x09",
        "x",
        7,
        ord("z"),
        None,
    ]


def test_bytes_are_written_or_read() -> None:
    message = some_bytes()
    for read in (
        message.read_int,
        message.read_utf,
        lambda: message.read_bytes(1),
        lambda: message.body_length,
    ):
        with pytest.raises(MessageNotReadableException, match="reset"):
            read()
    message.reset()
    assert message.body_length == 2
    with pytest.raises(MessageNotWriteableException):
        message.write_int(1)
    message.clear_body()
    message.write_byte(5)
    message.reset()
    assert (message.body_length, message.read_byte()) == (1, 5)


def test_a_failed_read_of_bytes_leaves_the_position() -> None:
    message = some_bytes()
    message.reset()
    for read in (message.read_int, message.read_long, message.read_double, message.read_utf):
        with pytest.raises(MessageEOFException):
            read()
    assert message.read_unsigned_short() == 0x0102
    with pytest.raises(MessageEOFException):
        message.read_byte()


def test_reading_bytes_in_parts() -> None:
    message = message_for(b"12345")
    message.reset()  # type: ignore[attr-defined]
    reads = [message.read_bytes(size) for size in (2, 0, 2, 2, 2)]  # type: ignore[attr-defined]
    assert reads == [b"12", b"", b"34", b"5", None]


def test_null_is_not_written_into_bytes() -> None:
    message = some_bytes()
    for call in (message.write_object, message.write_bytes):
        with pytest.raises(NullPointerException):
            call(None)  # type: ignore[arg-type]
    assert message.encoded_body() == b"\x01\x02"


@given(st.floats())
def test_doubles_in_bytes_are_bit_for_bit(value: float) -> None:
    message = PulsarBytesMessage()
    message.write_double(value)
    body = message.encoded_body()
    assert body == (
        struct.pack(">d", value) if value == value else bytes.fromhex("7ff8" + "00" * 6)
    )


@given(
    st.binary(max_size=30), st.lists(st.sampled_from(["boolean", "char", "utf", "long", "double"]))
)
def test_any_bytes_are_read_or_refused(data: bytes, reads: list[str]) -> None:
    message: Any = message_for(data)
    message.reset()
    for read in reads:
        try:
            getattr(message, f"read_{read}")()
        except JMSException:
            continue


# -- streams -----------------------------------------------------------------------------------


def stream_of(*items: Any) -> PulsarStreamMessage:
    message = PulsarStreamMessage()
    for item in items:
        message.write_object(item)
    message.reset()
    return message


def test_a_stream_is_written_or_read() -> None:
    message = a_stream()
    with pytest.raises(MessageNotReadableException):
        message.read_int()
    message.reset()
    with pytest.raises(MessageNotWriteableException):
        message.write_int(1)
    assert message.read_int() == 1
    with pytest.raises(MessageEOFException):
        message.read_int()
    message.reset()
    assert message.read_int() == 1


def test_a_byte_array_is_read_in_parts() -> None:
    message = stream_of(b"12345", Int(1), b"1234", b"", None, Int(2))
    assert [message.read_bytes(2) for _ in range(3)] == [b"12", b"34", b"5"]
    assert message.read_int() == 1
    assert [message.read_bytes(2) for _ in range(2)] == [b"12", b"34"]
    for read in (message.read_object, message.read_int, message.read_string):
        with pytest.raises(MessageFormatException, match="not read to its end"):
            read()
    assert message.read_bytes(2) is None
    assert message.read_bytes(2) == b""
    assert message.read_object() is None
    assert message.read_int() == 2


def test_a_null_byte_array_reads_as_its_end() -> None:
    message = stream_of(None, Int(2))
    assert message.read_bytes(2) is None
    assert message.read_int() == 2


def test_a_byte_array_is_not_read_beyond_its_end() -> None:
    """The real client swallows the items that follow."""
    message = stream_of(b"\x01\x02", Int(5))
    assert message.read_bytes(10) == b"\x01\x02"
    assert message.read_int() == 5


def test_a_string_reads_as_a_long_number() -> None:
    """The real client parses it as an int and fails."""
    assert stream_of("5000000000").read_long() == 5_000_000_000


def test_a_thousand_numbers_in_one_stream() -> None:
    message = received(stream_of(*(Int(number) for number in range(1000))))
    assert [message.read_int() for _ in range(1000)] == list(range(1000))


def test_a_string_beyond_the_length_field_is_refused() -> None:
    with pytest.raises(MessageFormatException, match="65535"):
        PulsarStreamMessage().write_string("x" * 65536)


ITEMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 7), (1 << 7) - 1).map(Byte),
    st.integers(-(1 << 15), (1 << 15) - 1).map(Short),
    st.integers(-(1 << 31), (1 << 31) - 1).map(Int),
    st.integers(-(1 << 63), (1 << 63) - 1).map(Long),
    st.floats(width=32).map(Float),
    st.floats().map(Double),
    st.integers(0, 0xFFFF).map(lambda unit: Char(chr(unit))),
    st.text(),
    st.binary(),
)


def exactly(value: Any) -> Any:
    if isinstance(value, float):
        return type(value), "NaN" if value != value else struct.pack(">d", value)
    return type(value), value


@given(st.lists(ITEMS))
def test_items_of_a_stream_arrive(items: list[Any]) -> None:
    message = received(stream_of(*items))
    assert [exactly(message.read_object()) for _ in items] == [exactly(item) for item in items]
    with pytest.raises(MessageEOFException):
        message.read_object()


@given(st.dictionaries(st.text(min_size=1).map("k".__add__), ITEMS))
def test_entries_of_a_map_arrive(entries: dict[str, Any]) -> None:
    message = received(message_for(entries))
    assert {name: exactly(message.get_object(name)) for name in message.map_names()} == {
        name: exactly(value) for name, value in entries.items()
    }


@given(st.binary(max_size=60))
def test_any_stream_is_read_or_refused(data: bytes) -> None:
    raw = sent(a_stream())._replace(payload=data)
    message: Any = decode(raw, QUEUE)
    for _ in range(100):
        try:
            message.read_object()
        except JMSException:
            return


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
        for name in message.property_names():
            message.get_object_property(name)
    except JMSException:
        return


# -- getting the body as one value -------------------------------------------------------------


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
        (PulsarMessage, str, None),
    ],
)
def test_body_as_one_value(make: Callable[[], PulsarMessage], kind: type, body: object) -> None:
    arrived = received(make())
    assert arrived.is_body_assignable_to(kind)
    assert arrived.get_body(kind) == body


@pytest.mark.parametrize(
    ("make", "kind"),
    [(text, bytes), (some_bytes, str), (a_map, list), (an_object, dict), (a_stream, object)],
)
def test_body_as_another_kind(make: Callable[[], PulsarMessage], kind: type) -> None:
    arrived = received(make())
    assert not arrived.is_body_assignable_to(kind)
    with pytest.raises(MessageFormatException):
        arrived.get_body(kind)


def test_getting_bytes_resets_the_message() -> None:
    message = some_bytes()
    assert message.get_body(bytes) == b"\x01\x02"
    assert message.read_byte() == 1
    assert message.get_body(bytes) == b"\x01\x02"
    assert message.read_byte() == 1


def test_objects_are_copied() -> None:
    value = [1, {"k": [2]}]
    message = PulsarObjectMessage(value)
    value.append(3)
    got: Any = message.object
    assert got == [1, {"k": [2]}]
    got.append(4)
    assert message.object == [1, {"k": [2]}]
    data = bytearray(b"\x01")
    bodies = [PulsarObjectMessage(data), message_for({"k": data}), message_for(data)]
    stream = PulsarStreamMessage()
    stream.write_bytes(data)  # type: ignore[arg-type]
    data[0] = 9
    assert [body.get_body(object) for body in bodies] == [b"\x01", {"k": b"\x01"}, b"\x01"]
    stream.reset()
    assert stream.read_object() == b"\x01"


# -- messages of other clients, and bare bodies ------------------------------------------------


@pytest.mark.parametrize("make", KINDS)
def test_a_message_of_another_client_is_copied(make: Callable[[], PulsarMessage]) -> None:
    original = make()
    original.set_int_property("p", 1)
    original.jms_type = "t"
    original.jms_correlation_id = "c"
    foreign = Foreign.like(original)
    copy = adopt(foreign)
    assert copy is not foreign
    assert type(copy) is type(original)
    assert copy.encoded_body() == original.encoded_body()
    assert copy.get_object_property("p") == 1
    assert (copy.jms_type, copy.jms_correlation_id) == ("t", "c")
    encode(copy, Sending(QUEUE, 7, priority=9), "c", "public/default")
    mark_sent(copy, MessagePosition(1, 2))
    mirror_headers(copy, foreign)
    assert (foreign.jms_message_id, foreign.jms_priority) == ("ID:1:2:-1", 9)


class Foreign:
    """A stand-in for another client's message: the same calls, another class."""

    @classmethod
    def like(cls, original: PulsarMessage) -> Any:
        interfaces = tuple(kind for kind in INTERFACES if isinstance(original, kind)) or (Message,)
        methods = {
            name: _delegated(name)
            for interface in interfaces
            for name in dir(interface)
            if not name.startswith("_")
        }
        fields = {name: _field(name) for name in Message.__annotations__}
        extra = {name: _field(name) for name in ("text", "object", "body_length")}
        extra = {name: each for name, each in extra.items() if hasattr(type(original), name)}
        foreign: Any = type("ForeignMessage", interfaces, {**methods, **fields, **extra})
        made = foreign()
        made.__dict__["original"] = original
        return made


def _delegated(name: str) -> Callable[..., Any]:
    def call(self: Any, *args: Any) -> Any:
        return getattr(self.__dict__["original"], name)(*args)

    return call


def _field(name: str) -> property:
    return property(
        lambda self: getattr(self.__dict__["original"], name),
        lambda self, value: setattr(self.__dict__["original"], name, value),
    )


def test_own_messages_are_sent_as_they_are() -> None:
    message = text()
    assert adopt(message) is message


BARE_BODIES: list[tuple[object, type[PulsarMessage]]] = [
    ("t", PulsarTextMessage),
    (b"b", PulsarBytesMessage),
    ({"k": 1}, PulsarMapMessage),
    ([1], PulsarObjectMessage),
    (None, PulsarObjectMessage),
    (5, PulsarObjectMessage),
]


@pytest.mark.parametrize(("body", "kind"), BARE_BODIES)
def test_bare_bodies_find_their_message(body: object, kind: type[PulsarMessage]) -> None:
    message = received(message_for(body))
    assert type(message) is kind
    assert message.get_body(object) == body
