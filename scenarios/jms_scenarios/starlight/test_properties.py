"""Application properties and JMSX properties: their text on the wire, their types at the end."""

import math

import pytest
from hypothesis import strategies as st

from jms_scenarios.traffic import send, texts
from jmsapi import Byte, Char, Double, Float, Int, JMSException, Long, MessageFormatException, Short
from touchstone.api import (
    eventually,
    observe,
    portable,
    receive,
    receive_all,
    refuses,
    requirement,
    strategies,
)

MY_KEY = {"my-key": Int(1234)}
"""The example of the documents."""

SPECIAL = [math.nan, math.inf, -math.inf, -0.0]
DOUBLES = [4.9e-324, 1.7976931348623157e308, *SPECIAL]
FLOATS = [1.1, 1.4e-45, 3.4028235e38, *SPECIAL]

double = requirement("SLJ-PROP-013")
single = requirement("SLJ-PROP-014")


def companions(raw, name):
    """The raw properties that are named after the property `name`."""
    return {key: text for key, text in raw.properties.items() if key.startswith(f"{name}_")}


@requirement("SLJ-PROP-001")
def test_every_value_travels_as_text(message_with, sent):
    """Whatever its type, a property is text on the wire."""
    values = [True, Int(1234), Double(1.5), "x", Byte(-1), Short(-2), Long(2**40), Float(0.5)]
    raw = sent(message_with(dict(zip("abcdefgh", values, strict=True))))

    texts = [raw.properties.get(name) for name in "abcdefgh"]
    assert texts == ["true", "1234", "1.5", "x", "-1", "-2", "1099511627776", "0.5"]


@requirement("SLJ-PROP-002")
@pytest.mark.parametrize("number", [1234, 0, -1, 2**31 - 1, -(2**31)])
def test_int_is_decimal_text(message_with, sent, number):
    """An int property travels as its decimal text."""
    assert sent(message_with({"my-key": Int(number)})).properties.get("my-key") == str(number)


@requirement("SLJ-PROP-003")
def test_type_companion_ends_in_jmstype(message_with, sent):
    """A property has a companion that is named after it and ends in _jmstype."""
    assert "my-key_jmstype" in list(companions(sent(message_with(MY_KEY)), "my-key"))


@requirement("SLJ-PROP-015")
def test_type_companion_ends_in_jsmtype(message_with, sent):
    """The reserved suffix of type companions is _jsmtype."""
    found = companions(sent(message_with(MY_KEY)), "my-key")

    assert "my-key_jsmtype" in found
    assert "my-key_jmstype" not in found


@requirement("SLJ-PROP-004")
def test_type_companion_of_an_int_says_integer(message_with, sent):
    """The companion of an int property holds the word integer."""
    found = companions(sent(message_with(MY_KEY)), "my-key")

    assert found == {"my-key_jmstype": "integer"}


@portable
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(Int(1234), id="int", marks=requirement("SLJ-PROP-005")),
        pytest.param(True, id="boolean", marks=requirement("SLJ-PROP-006")),
        pytest.param(Byte(-128), id="byte", marks=requirement("SLJ-PROP-007")),
        pytest.param(Short(32767), id="short", marks=requirement("SLJ-PROP-008")),
        pytest.param(Long(2**63 - 1), id="long", marks=requirement("SLJ-PROP-009")),
        pytest.param("1234", id="string", marks=requirement("SLJ-PROP-010")),
    ],
)
def test_property_keeps_type_and_value(message_with, delivered, value):
    """The receiver reads the very type and value that the sender set."""
    received = delivered(message_with({"p": value})).get_object_property("p")

    assert (type(received), received) == (type(value), value)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Double(0.1), "0.1"),
        (Double(100.0), "100.0"),
        (Double(1.0e10), "1.0E10"),
        (Double(0.00001), "1.0E-5"),
    ],
)
@requirement("SLJ-PROP-011")
def test_double_has_the_text_of_java(message_with, sent, number, text):
    """A double travels in the form of Double.toString."""
    assert sent(message_with({"d": number})).properties.get("d") == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Float(1.1), "1.1"),
        (Float(3.4028235e38), "3.4028235E38"),
        (Float(0.001), "0.001"),
    ],
)
@requirement("SLJ-PROP-012")
def test_float_has_the_text_of_java(message_with, sent, number, text):
    """A float travels in the form of Float.toString, not widened to a double."""
    assert sent(message_with({"f": number})).properties.get("f") == text


@portable
@pytest.mark.parametrize(
    "number",
    [
        *(pytest.param(Double(number), id=f"double {number}", marks=double) for number in DOUBLES),
        *(pytest.param(Float(number), id=f"float {number}", marks=single) for number in FLOATS),
    ],
)
def test_number_is_read_back_without_loss(message_with, delivered, number):
    """The ends of the range, the zeros, the infinities and NaN come back as they were sent."""
    received = delivered(message_with({"p": number}))

    assert strategies.identical(received.get_object_property("p"), number)


@portable
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("int", marks=requirement("SLJ-PROP-005")),
        pytest.param("boolean", marks=requirement("SLJ-PROP-006")),
        pytest.param("byte", marks=requirement("SLJ-PROP-007")),
        pytest.param("short", marks=requirement("SLJ-PROP-008")),
        pytest.param("long", marks=requirement("SLJ-PROP-009")),
        pytest.param("string", marks=requirement("SLJ-PROP-010")),
        pytest.param("double", marks=double),
        pytest.param("float", marks=single),
    ],
)
def test_every_value_comes_back(message_with, delivered, kind):
    """Whatever its value, a property comes back with its type and every bit."""

    @strategies.for_all(st.lists(strategies.properties()[kind], min_size=10, max_size=40))
    def _(values):
        properties = {f"p{number}": value for number, value in enumerate(values)}
        received = delivered(message_with(properties))
        read = [received.get_object_property(name) for name in properties]
        assert strategies.identical(read, values)


@requirement("SLJ-PROP-016")
def test_type_companions_are_not_shown(message_with, delivered):
    """The receiver lists the property, and no type companion in either spelling."""
    names = set(delivered(message_with(MY_KEY)).property_names())

    assert "my-key" in names
    assert not [name for name in names if name.endswith(("_jmstype", "_jsmtype"))]


@requirement("SLJ-PROP-017")
def test_property_without_companion_is_a_string(published):
    """A foreign property without a type is a string, and is read as a number on request."""
    received = published(b"", properties={"k": "42"})

    assert received.get_object_property("k") == "42"
    assert received.get_int_property("k") == 42


@portable
@requirement("SLJ-PROP-018")
@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, b"\x01", Char("c"), object()])
def test_values_of_other_types_are_refused(jms, value):
    """What JMS does not allow as a property value is refused when it is set."""
    message = jms.session().create_message()

    with refuses(MessageFormatException):
        message.set_object_property("p", value)


@requirement("SLJ-PROP-019")
def test_group_id_is_the_key(message_with, sent):
    """JMSXGroupID becomes the key of the Pulsar message."""
    assert sent(message_with({"JMSXGroupID": "g1"})).key == "g1"


@requirement("SLJ-PROP-020")
def test_group_id_is_no_property_on_the_wire(message_with, sent):
    """JMSXGroupID is not written a second time, as a raw property."""
    assert sent(message_with({"JMSXGroupID": "g1"})).properties.get("JMSXGroupID") is None


@requirement("SLJ-PROP-021")
def test_group_id_is_read_from_the_key(message_with, delivered, published):
    """The receiver reads JMSXGroupID from the key, of a JMS sender's and of a foreign message."""
    own = delivered(message_with({"JMSXGroupID": "g1"}))
    foreign = published(b"", key="g2")

    assert own.get_string_property("JMSXGroupID") == "g1"
    assert foreign.get_string_property("JMSXGroupID") == "g2"


@requirement("SLJ-PROP-022")
def test_group_stays_in_one_partition(jms, queue, wire, admin):
    """All messages of a group go to one partition, whatever is sent between them."""
    admin.create_topic(wire.topic(queue), partitions=4)
    producer = jms.producer(queue)
    for group in ["g1", "g2"] * 20:
        message = jms.text(group)
        message.set_string_property("JMSXGroupID", group)
        producer.send(message)

    raw = eventually(lambda: len(messages := wire.messages(queue)) == 40 and messages)
    partitions = {(message.payload, message.partition) for message in raw}
    assert sorted(group for group, _ in partitions) == [b"g1", b"g2"]


@requirement("SLJ-PROP-023")
def test_group_sequence_is_the_sequence_id(jms, queue, wire):
    """Without JMSXGroupSeq of its own, a message shows the Pulsar sequence id there."""
    consumer, producer = jms.consumer(queue), jms.producer(queue)
    for _ in range(3):
        producer.send(jms.text())
    received = receive_all(consumer, 3)

    assert texts(received) == ["hello"] * 3
    assert None not in [message.get_object_property("JMSXGroupSeq") for message in received]
    shown = [message.get_int_property("JMSXGroupSeq") for message in received]
    assert shown == [raw.sequence_id for raw in wire.messages(queue)]


@requirement("SLJ-PROP-024")
def test_group_sequence_of_the_application_wins(message_with, delivered, queue, wire):
    """A JMSXGroupSeq that the application set is what the receiver sees."""
    received = delivered(message_with({"JMSXGroupSeq": Int(42)}))

    assert wire.only_message(queue).sequence_id != 42
    assert received.get_object_property("JMSXGroupSeq") == 42
    assert received.get_int_property("JMSXGroupSeq") == 42


@requirement("SLJ-PROP-025")
def test_connection_id_names_the_connection(jms, queue, wire):
    """The sessions of a connection send the same JMSConnectionID, another connection another."""
    one, other = jms.connection(), jms.connection()
    for session in (one.create_session(), one.create_session(), other.create_session()):
        session.create_producer(queue).send(session.create_message())

    raw = eventually(lambda: len(messages := wire.messages(queue)) == 3 and messages)
    first, second, third = (message.properties.get("JMSConnectionID") for message in raw)
    assert first
    assert second == first
    assert third
    assert third != first


@pytest.mark.parametrize(
    "ignored",
    [
        pytest.param("JMSXUserID", marks=requirement("SLJ-PROP-026")),
        pytest.param("JMSXAppID", marks=requirement("SLJ-PROP-027")),
        pytest.param("JMSXRcvTimestamp", marks=requirement("SLJ-PROP-030")),
        pytest.param("JMSXState", marks=requirement("SLJ-PROP-031")),
    ],
)
def test_ignored_property_is_not_supplied(
    jms, queue, name, inbox, delivered, message_with, ignored
):
    """The client gives the property no value of its own, even where it knows user and client."""
    assert not delivered(jms.text()).property_exists(ignored)
    known = jms.connection(client_id=name("app"), user_name="someone", password="secret")
    send(known, queue, ["hello"])
    received = receive(inbox())
    assert texts([received]) == ["hello"]
    assert not received.property_exists(ignored)

    try:
        passes = delivered(message_with({ignored: "7"})).property_exists(ignored)
    except JMSException as refusal:
        passes = type(refusal).__name__
    observe(f"{ignored} set by the application is received", passes)


@pytest.mark.parametrize(
    "ignored",
    [
        pytest.param("JMSXProducerTXID", marks=requirement("SLJ-PROP-028")),
        pytest.param("JMSXConsumerTXID", marks=requirement("SLJ-PROP-029")),
    ],
)
def test_transaction_is_not_told(jms, queue, wire, ignored):
    """What is sent and received in committed transactions does not say in which.

    They are emulated ones where the client has no others.
    """
    try:
        session = jms.connection({"enableTransaction": "true"}).create_session(transacted=True)
    except JMSException:
        settings = {"jms.emulateTransactions": "true"}
        session = jms.connection(settings).create_session(transacted=True)
    consumer = session.create_consumer(queue)

    session.create_producer(queue).send(session.create_text_message("hello"))
    session.commit()
    message = receive(consumer)
    session.commit()

    assert texts([message]) == ["hello"]
    assert not message.property_exists(ignored)
    assert ignored not in set(message.property_names())
    assert ignored not in wire.only_message(queue).properties
