"""Application properties and JMSX properties: their text on the wire, their types at the end."""

import math

import pytest
from hypothesis import strategies as st

from jms_scenarios.property_values import SEVEN_AND_A_TEXT
from jms_scenarios.traffic import send, texts
from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    JMSException,
    Long,
    MessageFormatException,
    MessageFormatRuntimeException,
    SessionMode,
    Short,
)
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
    """The reserved suffix of type companions is _jsmtype, whatever the name and the type."""
    properties = {**SEVEN_AND_A_TEXT, **MY_KEY, "x_jms": Int(1), "k.a": Int(1), "ITS_": True}
    properties.pop("string")  # what has no companion is one
    raw = sent(message_with(properties))

    for key in properties:
        keys = companions(raw, key)
        assert f"{key}_jsmtype" in keys
        assert f"{key}_jmstype" not in keys


@requirement("SLJ-PROP-004")
def test_type_companion_of_an_int_says_integer(message_with, sent):
    """The companion of an int property holds the word integer."""
    keys = companions(sent(message_with(MY_KEY)), "my-key")

    assert keys == {"my-key_jmstype": "integer"}


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


DOUBLE_TEXTS = (
    "0.1 100.0 1.0E10 1.0E-5 0.001 9.999E-4 9999999.0 1.0E7 -1.5 0.0 -0.0 NaN Infinity -Infinity "
    "1.7976931348623157E308 4.9E-324 0.3333333333333333"
)
FLOAT_TEXTS = "1.1 3.4028235E38 0.001 1.0E7 9999999.0 1.0E-4 -0.0 NaN -Infinity 1.4E-45 0.33333334"
"""What toString makes of numbers: with a power of ten from 10^7 on and below 10^-3."""


def travel(message_with, sent, type_, expected):
    """The texts that numbers have on the wire."""
    numbers = {f"n{index}": type_(float(text)) for index, text in enumerate(expected.split())}
    raw = sent(message_with(numbers)).properties
    return " ".join(raw.get(name, "absent") for name in numbers)


@requirement("SLJ-PROP-011")
def test_double_has_the_text_of_java(message_with, sent):
    """A double travels in the form of Double.toString."""
    assert travel(message_with, sent, Double, DOUBLE_TEXTS) == DOUBLE_TEXTS


@requirement("SLJ-PROP-012")
def test_float_has_the_text_of_java(message_with, sent):
    """A float travels in the form of Float.toString, not widened to a double."""
    assert travel(message_with, sent, Float, FLOAT_TEXTS) == FLOAT_TEXTS


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
    """The receiver lists properties of all types, and no type companion in either spelling."""
    properties = {**MY_KEY, **SEVEN_AND_A_TEXT}
    received = delivered(message_with(properties))
    names = set(received.property_names())

    assert set(properties) <= names
    assert not [name for name in names if name.endswith(("_jmstype", "_jsmtype"))]
    for name in properties:
        assert not received.property_exists(f"{name}_jmstype")
        assert not received.property_exists(f"{name}_jsmtype")


@requirement("SLJ-PROP-017")
def test_property_without_companion_is_a_string(published):
    """Foreign properties without a type are strings, and are read as numbers on request."""
    texts = {"k": "42", "t": "true", "d": "1.5", "e": "", "a": "\N{GREEK SMALL LETTER ALPHA}"}
    received = published(b"", properties=texts)

    assert {name: received.get_object_property(name) for name in texts} == texts
    assert received.get_int_property("k") == 42
    assert received.get_boolean_property("t") is True
    assert received.get_double_property("d") == 1.5


@portable
@requirement("SLJ-PROP-018")
@pytest.mark.parametrize(
    "value",
    [[1, 2], {"a": 1}, b"\x01", Char("c"), object()],
    ids=["list", "map", "bytes", "char", "object"],
)
def test_values_of_other_types_are_refused(jms, value):
    """What JMS does not allow as a property value is refused when it is set."""
    message = jms.session().create_message()

    with refuses(MessageFormatException):
        message.set_object_property("p", value)
    with refuses(MessageFormatRuntimeException):
        jms.context().create_producer().set_property("p", value)
    assert not message.property_exists("p")


@requirement("SLJ-PROP-019")
def test_group_id_is_the_key(jms, queue, wire):
    """JMSXGroupID, whatever it is and whoever sets it, becomes the key of the Pulsar message."""
    groups = ["g1", *strategies.names("ID:")]
    context = jms.context()
    for group in groups:
        message = jms.text()
        message.set_string_property("JMSXGroupID", group)
        jms.producer(queue).send(message)
        context.create_producer().set_property("JMSXGroupID", group).send(queue, "hello")

    assert [message.key for message in wire.messages(queue)] == [
        group for each in groups for group in (each, each)
    ]


@requirement("SLJ-PROP-020")
def test_group_id_is_no_property_on_the_wire(message_with, sent):
    """JMSXGroupID is not written a second time, as a raw property."""
    assert sent(message_with({"JMSXGroupID": "g1"})).properties.get("JMSXGroupID") is None


@requirement("SLJ-PROP-021")
def test_group_id_is_read_from_the_key(message_with, delivered, published):
    """The receiver reads JMSXGroupID from the key, of a JMS sender's and of a foreign message."""
    for group in ("g1", *strategies.names("ID:")):
        own = delivered(message_with({"JMSXGroupID": group}))
        foreign = published(b"", key=f"{group}2")

        assert own.get_string_property("JMSXGroupID") == group
        assert foreign.get_string_property("JMSXGroupID") == f"{group}2"
        assert foreign.get_object_property("JMSXGroupID") == f"{group}2"


@requirement("SLJ-PROP-022")
def test_group_stays_in_one_partition(jms, queue, wire, admin):
    """All messages of a group go to one partition, whoever sends and whatever is between them."""
    admin.create_topic(wire.topic(queue), partitions=4)
    groups = [f"g{number}" for number in range(1, 9)]
    session, context = jms.connection().create_session(), jms.context()
    producers = [jms.producer(queue), session.create_producer(queue)]
    for group in groups * 2:
        for producer in producers:
            message = jms.text(group)
            message.set_string_property("JMSXGroupID", group)
            producer.send(message)
        context.create_producer().set_property("JMSXGroupID", group).send(queue, group)

    raw = eventually(lambda: len(messages := wire.messages(queue)) == 6 * len(groups) and messages)
    partitions = {(message.payload.decode(), message.partition) for message in raw}
    assert sorted(group for group, _ in partitions) == groups


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
    """A JMSXGroupSeq that the application set, also 0 and -1, is what the receiver sees."""
    sequence = [42, 2**31 - 1, 0, -1]
    for value in sequence:
        received = delivered(message_with({"JMSXGroupSeq": Int(value)}))

        assert received.get_object_property("JMSXGroupSeq") == value
        assert received.get_int_property("JMSXGroupSeq") == value
    raw = [message.sequence_id for message in wire.messages(queue)]
    assert all(value != number for value, number in zip(sequence, raw, strict=True))


@requirement("SLJ-PROP-025")
def test_connection_id_names_the_connection(jms, queue, wire):
    """The sessions of a connection send the same JMSConnectionID, another connection another.

    So do the contexts of one, and each API has its own.
    """
    first, second, context = jms.connection(), jms.connection(), jms.context()
    for session in (first.create_session(), first.create_session(), second.create_session()):
        session.create_producer(queue).send(session.create_message())
    for each in (context, context.create_context(SessionMode.AUTO_ACKNOWLEDGE), jms.context()):
        each.create_producer().send(queue, each.create_message())

    raw = eventually(lambda: len(messages := wire.messages(queue)) == 6 and messages)
    ids = [message.properties.get("JMSConnectionID") for message in raw]
    assert all(ids)
    assert ids[0] == ids[1]
    assert ids[3] == ids[4]
    assert len({ids[index] for index in (0, 2, 3, 5)}) == 4


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
