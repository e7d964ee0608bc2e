"""Bodies: the kinds there are, and when they are read, written and cleared."""

import struct

import pytest

from jms_scenarios.core.body_access import WRITES
from jms_scenarios.foreign_messages import (
    ForeignBytes,
    ForeignMap,
    ForeignObject,
    ForeignStream,
    ForeignText,
)
from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    Long,
    MessageEOFException,
    MessageNotReadableException,
    MessageNotWriteableException,
    NullPointerException,
    Short,
)
from touchstone.api import (
    KINDS,
    compose,
    content_of,
    eventually,
    judging,
    receive_all,
    refuses,
    requirement,
    strategies,
)

MEBIBYTE = strategies.MEBIBYTE
NAN = struct.unpack(">d", bytes.fromhex("7ff8000000000123"))[0]
ITEMS = [
    *(True, Byte(-128), Short(-32768), Char("\uffff"), Int(-(1 << 31)), Long(-(1 << 63))),
    *(Float(-0.0), Double(-0.0), Double(NAN), Float(3.4028234663852886e38), Double(5e-324)),
    *("é\0\U0001f600", "", b"\x00\xff", b"", None),
]
EXTREMES = [
    *(("text", text) for text in ("", None, "é\0\uffff\U0001f600", "é" * (MEBIBYTE // 2))),
    *(("bytes", content) for content in (b"", bytes(range(256)), bytes(MEBIBYTE))),
    *(("map", content) for content in ({}, {f"k{n}": value for n, value in enumerate(ITEMS)})),
    *(("stream", content) for content in ([], ITEMS)),
    *(("object", value) for value in (None, "", [*ITEMS[:-1]], {"a": Double(-0.0)})),
]
PLAIN = {
    "text": "hello",
    "bytes": b"\x01\x02",
    "map": {"k": Int(1)},
    "stream": [Int(1), "two"],
    "object": [Int(1), Int(2)],
}
"""A body of each kind."""
EMPTY: dict[str, object] = {"text": None, "bytes": b"", "map": {}, "stream": [], "object": None}
each_kind = pytest.mark.parametrize("kind", PLAIN)


@pytest.mark.usefixtures("trusted")
@requirement("JMS-BODY-001")
def test_every_kind_of_body_arrives_bit_for_bit(jms, queue, queues):
    """Empty, null, extreme and large bodies of the five kinds are there once, and arrive equal."""
    session = jms.session()
    producer = session.create_producer(queue)
    for kind, content in EXTREMES:
        producer.send(compose(session, kind, content))

    eventually(lambda: queues.pending(queue) == len(EXTREMES))
    received = receive_all(jms.consumer(queue), len(EXTREMES), within=40)
    wrong = [
        f"{kind} {content!r:.60}"
        for (kind, content), message in zip(EXTREMES, received, strict=True)
        if not isinstance(message, KINDS[kind])
        or not strategies.identical(content_of(message), content)
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", ["bytes", "stream"])
@requirement("JMS-BODY-001")
def test_body_that_was_reset_arrives(jms, delivered, kind):
    """A message that its sender has reset, and so made readable, arrives with what was written."""
    message = compose(jms.session(), kind, PLAIN[kind])
    message.reset()

    assert strategies.identical(content_of(delivered(message)), PLAIN[kind])


@requirement("JMS-BODY-002")
def test_message_arrives_as_the_interface_it_was_sent_as(jms, delivered):
    """Of the five interfaces a received message has the one it was sent as; one without a body
    has none."""
    session = jms.session()
    interfaces = {
        kind: [name for name, api in KINDS.items() if isinstance(message, api)]
        for kind, content in {**PLAIN, "header": None}.items()
        for message in [delivered(compose(session, kind, content))]
    }

    assert interfaces == {**{kind: [kind] for kind in PLAIN}, "header": []}


@each_kind
@requirement("JMS-BODY-003", "JMS-BODY-004", "JMS-BODY-005", "JMS-BODY-006")
def test_received_body_is_read_only_until_it_is_cleared(jms, delivered, kind):
    """Each write is refused; clearing leaves an empty body to be written, and the properties."""
    message = compose(jms.session(), kind, PLAIN[kind])
    message.set_int_property("n", 1)
    message.set_string_property("s", "kept")
    received = delivered(message)

    with judging("JMS-BODY-005"):
        for write in WRITES[kind].values():
            with refuses(MessageNotWriteableException):
                write(received)
        assert strategies.identical(content_of(received), PLAIN[kind])

    received.clear_body()

    with judging("JMS-BODY-004"):
        assert received.get_int_property("n") == 1
        assert received.get_string_property("s") == "kept"
        with refuses(MessageNotWriteableException):
            received.set_int_property("n", 2)
    with judging("JMS-BODY-006"):
        if kind == "bytes":
            with refuses(MessageNotReadableException):
                received.read_byte()
        if kind == "stream":
            with refuses(MessageNotReadableException):
                received.read_object()
    with judging("JMS-BODY-003"):
        reset(received, kind)
        assert strategies.identical(content_of(received), EMPTY[kind])
    with judging("JMS-BODY-006"):
        received.clear_body()
        WRITES[kind]["byte" if kind in ("bytes", "map", "stream") else kind](received)
        reset(received, kind)
        assert strategies.identical(content_of(received), WRITTEN[kind])


WRITTEN = {
    "text": "changed",
    "object": "changed",
    "map": {"k": Byte(1)},
    "bytes": b"\x01",
    "stream": [Byte(1)],
}
"""What a cleared body holds after one write."""


def reset(message, kind):
    """Begin to read a body that is written in order."""
    if kind in ("bytes", "stream"):
        message.reset()


@pytest.fixture
def foreign():
    """Of each kind a message that no client made: it only implements the interface."""
    return {
        "text": ForeignText("hello", **marked("text")),
        "object": ForeignObject([Int(1), Int(2)], **marked("object")),
        "map": ForeignMap({"k": Int(1)}, **marked("map")),
        "stream": ForeignStream([Int(1), "two"], **marked("stream")),
        "bytes": ForeignBytes(b"\x01\x02", **marked("bytes")),
    }


def marked(kind):
    """Headers and properties that tell what a message is."""
    return {
        "properties": {"n": Int(5), "s": kind},
        "jms_type": f"a {kind}",
        "correlation_id": f"id of {kind}",
    }


@requirement("JMS-BODY-035")
def test_foreign_messages_arrive_with_body_and_properties(foreign, delivered):
    """Each arrives as its kind, with equal body and the two properties in their types."""
    for kind, message in foreign.items():
        received = delivered(message)
        assert isinstance(received, KINDS[kind])
        assert strategies.identical(content_of(received), PLAIN[kind])
        assert strategies.identical(received.get_object_property("n"), Int(5))
        assert received.get_object_property("s") == kind


@requirement("JMS-BODY-035")
def test_foreign_messages_arrive_with_their_headers(foreign, delivered):
    """Correlation id and type of each arrive."""
    for kind, message in foreign.items():
        received = delivered(message)
        assert received.jms_correlation_id == f"id of {kind}"
        assert received.jms_type == f"a {kind}"


@requirement("JMS-BODY-035")
def test_foreign_messages_are_given_what_the_send_sets(queue, foreign, delivered):
    """Behind send() each has the id, time, destination and priority of the received one."""
    for message in foreign.values():
        received = delivered(message, priority=7)
        assert message.jms_message_id == received.jms_message_id is not None
        assert message.jms_timestamp == received.jms_timestamp > 0
        assert message.jms_destination == queue
        assert message.jms_priority == received.jms_priority == 7


NULLS = {
    "text": ("text", lambda text: setattr(text, "text", None), lambda text: text.text),
    "object": ("object", lambda each: setattr(each, "object", None), lambda each: each.object),
    "map-string": ("map", lambda m: m.set_string("k", None), lambda m: m.get_string("k")),
    "map-bytes": ("map", lambda m: m.set_bytes("k", None), lambda m: m.get_bytes("k")),
    "map-object": ("map", lambda m: m.set_object("k", None), lambda m: m.get_object("k")),
    "stream-string": ("stream", lambda s: s.write_string(None), lambda s: s.read_string()),
    "stream-bytes": ("stream", lambda s: s.write_bytes(None), lambda s: s.read_bytes(10)),
    "stream-object": ("stream", lambda s: s.write_object(None), lambda s: s.read_object()),
    "property": (
        "text",
        lambda message: message.set_object_property("p", None),
        lambda message: message.get_object_property("p"),
    ),
}
"""Where null may be put: the kind of message, how it is set and how it is read."""


@requirement("JMS-BODY-037")
@pytest.mark.parametrize(("kind", "put", "get"), NULLS.values(), ids=NULLS)
def test_null_is_a_value(jms, delivered, kind, put, get):
    """Text, object, an item and a property may be null, and are null when they arrive."""
    session = jms.session()
    message = compose(session, kind, [] if kind == "stream" else PLAIN[kind])
    put(message)

    received = delivered(message)

    assert isinstance(received, KINDS[kind])
    assert get(received) is None


@requirement("JMS-BODY-038")
def test_bytes_take_no_null(jms, delivered):
    """write_object(None) raises NullPointerException, and what was written before arrives."""
    message = jms.session().create_bytes_message()
    message.write_int(0x01020304)

    with refuses(NullPointerException):
        message.write_object(None)

    received = delivered(message)
    assert received.read_int() == 0x01020304
    with refuses(MessageEOFException):
        received.read_byte()
