"""Interop: a producer takes messages of any class that implements the interfaces of JMS."""

import pytest

from jms_scenarios.foreign_messages import (
    ForeignBytes,
    ForeignMap,
    ForeignMessage,
    ForeignObject,
    ForeignStream,
    ForeignText,
    Unreadable,
)
from jmsapi import (
    Byte,
    BytesMessage,
    Double,
    Float,
    Int,
    Long,
    MapMessage,
    ObjectMessage,
    Short,
    StreamMessage,
    TextMessage,
)
from touchstone.api import body_of, observe, receive, requirement

PROPERTIES = {
    "p": Int(7),
    "q": "a",
    "r": True,
    "byte": Byte(-128),
    "short": Short(300),
    "long": Long(2**40),
    "float": Float(1.5),
    "double": Double(0.1),
}


@pytest.fixture
def arrived(jms, queue):
    """`arrived(message)`: sends a message and gives the one that a consumer receives."""

    def arrived(message):
        jms.producer(queue).send(message)
        return receive(jms.consumer(queue))

    return arrived


def properties_of(message, names):
    return {name: message.get_object_property(name) for name in names}


def types_of(values):
    return {name: type(value) for name, value in values.items()}


@requirement("RMQ-INTR-001")
def test_foreign_text_message_is_accepted(arrived):
    """A home-made TextMessage is sent, and its receiver gets a text message with its text."""
    received = arrived(ForeignText("x"))

    assert isinstance(received, TextMessage)
    assert received.text == "x"


@requirement("RMQ-INTR-001")
def test_foreign_message_without_body_is_accepted(arrived):
    """A home-made Message of none of the five kinds is sent, and arrives with its properties."""
    received = arrived(ForeignMessage({"p": Int(7)}))

    assert received.get_int_property("p") == 7


@requirement("RMQ-INTR-002")
def test_properties_of_a_foreign_message_keep_values_and_types(arrived):
    """The receiver reads each property with the value and the type that the foreign message has."""
    received = properties_of(arrived(ForeignText("x", properties=PROPERTIES)), PROPERTIES)

    assert received == PROPERTIES
    assert types_of(received) == types_of(PROPERTIES)


@requirement("RMQ-INTR-003")
def test_headers_of_a_foreign_message_arrive(arrived):
    """JMSType and JMSCorrelationID of a foreign message reach the receiver."""
    received = arrived(ForeignText("x", jms_type="t", correlation_id="c"))

    assert (received.jms_type, received.jms_correlation_id) == ("t", "c")


@requirement("RMQ-INTR-004")
def test_reply_to_of_a_foreign_message_is_dropped(arrived, jms, name):
    """A foreign message with a usable JMSReplyTo arrives without one."""
    received = arrived(ForeignText("x", reply_to=jms.queue(name("reply"))))

    assert body_of(received, str) == "x"
    assert received.jms_reply_to is None


@requirement("RMQ-INTR-004")
def test_reply_to_of_an_own_message_is_kept(arrived, jms, name):
    """A message that the session made keeps its JMSReplyTo: a reply to it arrives."""
    reply_queue = jms.queue(name("reply"))
    message = jms.text("own")
    message.jms_reply_to = reply_queue

    received = arrived(message)

    assert received.jms_reply_to is not None
    jms.producer(received.jms_reply_to).send(jms.text("reply"))
    assert body_of(receive(jms.consumer(reply_queue)), str) == "reply"


@requirement("RMQ-INTR-005")
@pytest.mark.parametrize(
    "value", [pytest.param(Unreadable(), id="unreadable"), pytest.param(object(), id="no type")]
)
def test_property_that_cannot_be_rebuilt_is_dropped(arrived, value):
    """send() succeeds, the other properties arrive, and the one that cannot be rebuilt does not."""
    received = arrived(ForeignText("x", properties={"p": Int(7), "o": value, "q": "a"}))

    assert properties_of(received, ["p", "q"]) == {"p": 7, "q": "a"}
    assert not received.property_exists("o")


@requirement("RMQ-INTR-006")
def test_body_that_cannot_be_rebuilt_is_dropped(arrived):
    """send() succeeds, and the received ObjectMessage has no body."""
    received = arrived(ForeignObject(Unreadable(), properties={"p": Int(7)}))

    assert isinstance(received, ObjectMessage)
    assert received.object is None
    assert received.get_int_property("p") == 7


@requirement("RMQ-INTR-007")
@pytest.mark.parametrize("content", [b"\x00\x01\xff", b"", bytes(range(256)) * 40])
def test_foreign_bytes_message_is_rebuilt(arrived, jms, content):
    """The receiver gets a BytesMessage of the client's own class with the same bytes."""
    received = arrived(ForeignBytes(content))

    assert isinstance(received, BytesMessage)
    assert type(received) is type(jms.session().create_bytes_message())
    assert received.body_length == len(content)
    assert (received.read_bytes(len(content)) or b"" if content else b"") == content


@requirement("RMQ-INTR-008")
def test_foreign_map_message_is_rebuilt(arrived, jms):
    """The receiver gets a MapMessage of the client's own class with the same items."""
    items = {"i": Int(7), "s": "a"}

    received = arrived(ForeignMap(items))

    assert isinstance(received, MapMessage)
    assert type(received) is type(jms.session().create_map_message())
    entries = {name: received.get_object(name) for name in received.map_names()}
    assert entries == items
    assert types_of(entries) == types_of(items)


@requirement("RMQ-INTR-009")
@pytest.mark.parametrize("value", ["text", ["a", Int(1)], None], ids=["text", "list", "null"])
def test_foreign_object_message_is_rebuilt(arrived, jms, value):
    """The receiver gets an ObjectMessage of the client's own class with an equal object."""
    received = arrived(ForeignObject(value))

    assert isinstance(received, ObjectMessage)
    assert type(received) is type(jms.session().create_object_message())
    assert received.object == value


@requirement("RMQ-INTR-010")
@pytest.mark.parametrize("text", ["x", "", "žluťoučký kůň 🐎", None])
def test_foreign_text_message_is_rebuilt(arrived, jms, text):
    """The receiver gets a TextMessage of the client's own class with the same text."""
    received = arrived(ForeignText(text))

    assert isinstance(received, TextMessage)
    assert type(received) is type(jms.session().create_text_message())
    assert received.text == text


@requirement("RMQ-INTR-011")
def test_foreign_stream_message_is_rebuilt(arrived, jms):
    """The receiver gets a StreamMessage of the client's own class with the same items."""
    received = arrived(ForeignStream([Int(7), "a"]))

    assert isinstance(received, StreamMessage)
    assert type(received) is type(jms.session().create_stream_message())
    items = [received.read_object(), received.read_object()]
    assert items == [7, "a"]
    assert [type(item) for item in items] == [Int, str]


@requirement("RMQ-INTR-012")
@pytest.mark.parametrize(
    ("message", "reader"),
    [
        pytest.param(lambda: ForeignText("x", properties=PROPERTIES), {"text"}, id="text"),
        pytest.param(lambda: ForeignMap({"i": Int(7)}), {"map_names", "get_object"}, id="map"),
        pytest.param(lambda: ForeignStream([Int(7)]), {"read_object"}, id="stream"),
        pytest.param(lambda: ForeignObject("o"), {"object"}, id="object"),
    ],
)
def test_rebuilding_asks_the_interface(arrived, message, reader):
    """During send() the foreign message is asked for its properties and its body."""
    foreign = message()

    arrived(foreign)

    assert {"property_names"} | reader <= set(foreign.asked)


@requirement("RMQ-INTR-013")
def test_own_message_is_sent_itself(jms, queue):
    """send() sets the header fields of the very object that is sent: nothing is converted."""
    message = jms.text("own")
    assert message.jms_message_id is None

    jms.producer(queue).send(message)

    received = receive(jms.consumer(queue))
    assert body_of(received, str) == "own"
    assert message.jms_message_id is not None
    assert message.jms_message_id == received.jms_message_id
    assert message.jms_timestamp == received.jms_timestamp
    assert message.jms_destination is not None


@requirement("RMQ-INTR-013")
def test_own_message_that_was_received_is_sent_on(jms, queue, name):
    """A message of the client's own class, received once, is sent on as it is, under a new id."""
    other = jms.queue(name("other"))
    jms.producer(queue).send(jms.text("own"))
    received = receive(jms.consumer(queue))
    before = received.jms_message_id

    jms.producer(other).send(received)

    again = receive(jms.consumer(other))
    assert body_of(again, str) == "own"
    assert received.jms_message_id == again.jms_message_id != before
    observe("a message sent on keeps its id", again.jms_message_id == before)
