"""Properties: their names, their types and values, and what clearing leaves of them."""

import math

import pytest

from jms_scenarios.property_values import (
    READS,
    SEVEN_AND_A_TEXT,
    TYPES,
    own_names,
)
from jms_scenarios.refusals import refused_as
from jms_scenarios.traffic import texts
from jmsapi import (
    Byte,
    BytesMessage,
    Char,
    Double,
    Float,
    IllegalArgumentException,
    Int,
    JMSException,
    JMSRuntimeException,
    Long,
    MessageFormatException,
    MessageNotWriteableException,
    Short,
)
from touchstone.api import (
    observe,
    receive,
    refuses,
    requirement,
    strategies,
)

HEADER_FIELDS = {
    "JMSDestination",
    "JMSDeliveryMode",
    "JMSMessageID",
    "JMSTimestamp",
    "JMSCorrelationID",
    "JMSReplyTo",
    "JMSRedelivered",
    "JMSType",
    "JMSExpiration",
    "JMSDeliveryTime",
    "JMSPriority",
}
DOUBLES = [*map(Double, (0.1, -0.0, 4.9e-324))]
FLOATS = [*map(Float, (1.1, -0.0, 1.4e-45))]
SHOWN = 30
"""Characters of a value in what a failure says."""
NO_NUMBERS = (math.inf, -math.inf, math.nan)
REFUSALS = (JMSException, JMSRuntimeException, IllegalArgumentException)
"""For a name that is no identifier the specification names no exception."""


def setters(message):
    """Every method that sets a property, each with a value that it takes."""
    typed = {
        f"set_{kind}_property": (getattr(message, f"set_{kind}_property"), value)
        for kind, value in SEVEN_AND_A_TEXT.items()
    }
    return {**typed, "set_object_property": (message.set_object_property, Int(1))}


# ---- names ----


@requirement("JMS-PROP-001")
def test_name_that_is_no_identifier_is_refused(jms):
    """A name that a selector could not name is refused when it is set."""
    message = jms.session().create_message()
    refused = {
        name: refused_as(message.set_int_property, name, 1, by=REFUSALS)
        for name in ("1a", "a-b", "a b", "NOT", "TRUE")
    }

    observe("a property name that is no identifier", sorted({*map(str, refused.values())}))
    assert [name for name, exception in refused.items() if exception is None] == []


@requirement("JMS-PROP-001")
@pytest.mark.parametrize("name", ["", None], ids=["empty", "null"])
def test_name_that_is_none_is_refused(jms, name):
    """The empty name and null are illegal arguments."""
    with refuses(IllegalArgumentException):
        jms.session().create_message().set_int_property(name, 1)


@requirement("JMS-PROP-001")
@pytest.mark.parametrize("names", [["a_1", "$x"], ["größe"]], ids=["ascii", "beyond-ascii"])
def test_identifiers_are_names(jms, topic, names):
    """Underscore, dollar and letters of any language arrive in names, and selectors find them."""
    session = jms.session()
    consumer = session.create_consumer(topic, " AND ".join(f"{name} = 1" for name in names))
    producer = session.create_producer(topic)
    for text, last in (("other", 2), ("wanted", 1)):
        message = session.create_text_message(text)
        for name in names:
            message.set_int_property(name, last if name == names[-1] else 1)
        producer.send(message)

    received = receive(consumer)

    assert texts([received]) == ["wanted"]
    assert own_names(received) == sorted(names)
    assert [received.get_int_property(name) for name in names] == [1] * len(names)


@requirement("JMS-PROP-036")
def test_every_property_is_listed_once(message_with, delivered):
    """The names of a received message are a, b and c, and each can be read."""
    received = delivered(message_with({"a": Int(1), "b": "two", "c": True}))

    assert own_names(received) == ["a", "b", "c"]
    read = [received.get_object_property(name) for name in "abc"]
    assert strategies.identical(read, [Int(1), "two", True])


@requirement("JMS-PROP-037")
def test_header_fields_are_not_listed(jms, queue, delivered):
    """With every header field filled that a client may set, no name of one is listed."""
    message = jms.text()
    message.jms_type = "type"
    message.jms_correlation_id = "correlation"
    message.jms_reply_to = queue

    received = delivered(message, priority=7, time_to_live=600_000)

    assert (received.jms_type, received.jms_correlation_id) == ("type", "correlation")
    assert sorted(HEADER_FIELDS & {*received.property_names()}) == []


@requirement("JMS-PROP-054")
def test_properties_of_the_provider_are_named_for_it(jms, delivered):
    """Of a message without properties only JMSX and JMS_vendor names are listed."""
    names = {*delivered(jms.session().create_message()).property_names()}
    provider = {name for name in names if not name.startswith("JMSX")}

    observe("properties of the provider on messages without any", sorted(provider))
    assert sorted(name for name in provider if not name.startswith("JMS_")) == []
    assert len({name.split("_")[1] for name in provider}) <= 1


# ---- values ----


@requirement("JMS-PROP-002")
def test_all_types_stand_side_by_side(message_with, delivered, carried):
    """A message with a property of each type arrives with these eight, and is stored with them."""
    received = delivered(message_with(SEVEN_AND_A_TEXT))
    raw = carried(message_with(SEVEN_AND_A_TEXT))

    assert own_names(received) == sorted(TYPES)
    read = {name: received.get_object_property(name) for name in TYPES}
    assert strategies.identical(read, dict(SEVEN_AND_A_TEXT))
    as_texts = {name: READS[name]["string"] for name in TYPES}
    assert {name: raw.properties.get(name) for name in TYPES} == as_texts


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([True, False], id="boolean", marks=requirement("JMS-PROP-003")),
        pytest.param([*map(Byte, (-128, 0, 127))], id="byte", marks=requirement("JMS-PROP-004")),
        pytest.param(
            [*map(Short, (-(2**15), 2**15 - 1))], id="short", marks=requirement("JMS-PROP-005")
        ),
        pytest.param(
            [*map(Int, (-(2**31), 2**31 - 1))], id="int", marks=requirement("JMS-PROP-006")
        ),
        pytest.param(
            [*map(Long, (-(2**63), 2**63 - 1))], id="long", marks=requirement("JMS-PROP-007")
        ),
        pytest.param(FLOATS, id="float", marks=requirement("JMS-PROP-008")),
        pytest.param(
            [*map(Float, NO_NUMBERS)], id="infinite float", marks=requirement("JMS-PROP-008")
        ),
        pytest.param(DOUBLES, id="double", marks=requirement("JMS-PROP-009")),
        pytest.param(
            [*map(Double, NO_NUMBERS)], id="infinite double", marks=requirement("JMS-PROP-009")
        ),
        pytest.param(
            ["", "1234", "true", "x" * 100_000], id="string", marks=requirement("JMS-PROP-010")
        ),
    ],
)
def test_property_arrives_as_it_was_set(jms, queue, message_with, inbox, values):
    """The ends of a type's range arrive in that type, with every bit."""
    properties = {f"p{number}": value for number, value in enumerate(values)}
    consumer = inbox()
    jms.producer(queue).send(message_with(properties))
    received = receive(consumer, within=5.0)

    read = {name: received.get_object_property(name) for name in properties}
    assert {
        name: (repr(value)[:SHOWN], repr(read[name])[:SHOWN])
        for name, value in properties.items()
        if not strategies.identical(read[name], value)
    } == {}


@requirement("JMS-PROP-010")
def test_half_a_surrogate_pair_is_refused_or_arrives(message_with, delivered):
    """A text that is no whole Unicode is refused when it is set, or arrives as it is."""
    message, text = message_with({}), "a\ud83db"
    refused = refused_as(
        message.set_string_property, "p", text, by=(JMSException, IllegalArgumentException)
    )

    observe("half a surrogate pair in a property", refused or "is accepted")
    if refused is None:
        assert delivered(message).get_string_property("p") == text
    else:
        assert message.property_exists("p") is False


@requirement("JMS-PROP-011")
def test_property_travels_with_its_message(message_with, delivered, carried):
    """What is set before the send is read by the receiver and by an independent client."""
    assert delivered(message_with({"p": "v"})).get_string_property("p") == "v"
    assert carried(message_with({"p": "v"})).properties.get("p") == "v"


@requirement("JMS-PROP-012")
def test_properties_of_a_received_message_are_read_only(message_with, delivered):
    """Each of the nine methods that set a property is refused, and the old value stays."""
    received = delivered(message_with({"p": "old"}))
    writes = setters(received)

    accepted = [
        name
        for name, (write, value) in writes.items()
        if refused_as(write, "p", value, by=MessageNotWriteableException) is None
    ]
    assert len(writes) == 9
    assert accepted == []
    assert received.get_string_property("p") == "old"


@requirement("JMS-PROP-033")
def test_object_property_is_of_the_eight_types(jms):
    """set_object_property takes a value of each of the eight types, and refuses all others."""
    message = jms.session().create_message()
    for kind, value in SEVEN_AND_A_TEXT.items():
        message.set_object_property(kind, value)
    others = {
        "char": Char("c"),
        "bytes": b"\x01",
        "list": [1, 2],
        "map": {"a": 1},
        "object": object(),
        "big number": 10**30,
    }

    read = {kind: message.get_object_property(kind) for kind in TYPES}
    assert strategies.identical(read, dict(SEVEN_AND_A_TEXT))
    accepted = [
        kind
        for kind, value in others.items()
        if refused_as(message.set_object_property, "p", value, by=MessageFormatException) is None
    ]
    assert accepted == []


@requirement("JMS-PROP-034")
def test_object_property_has_the_type_of_its_setter(message_with, delivered):
    """What each type's own method set is given in that type; a null is null."""
    message = message_with(SEVEN_AND_A_TEXT)
    message.set_string_property("nothing", None)
    received = delivered(message)

    read = {kind: received.get_object_property(kind) for kind in TYPES}
    assert strategies.identical(read, dict(SEVEN_AND_A_TEXT))
    assert received.get_object_property("nothing") is None


@requirement("JMS-PROP-035")
def test_object_property_that_is_not_there_is_null(jms, delivered):
    """On a fresh and on a received message get_object_property of an absent name gives None."""
    message = jms.text()

    assert message.get_object_property("absent") is None
    assert delivered(message).get_object_property("absent") is None


# ---- clearing ----


@requirement("JMS-PROP-038")
def test_cleared_message_has_no_properties(message_with, shown):
    """After clear_properties() none of three is listed, and none is there."""
    message = shown(message_with({"a": Int(1), "b": "two", "c": True}))

    message.clear_properties()

    assert own_names(message) == []
    assert [message.property_exists(name) for name in "abc"] == [False, False, False]


@requirement("JMS-PROP-039")
def test_cleared_message_takes_new_properties(message_with, delivered):
    """A received message takes n, gives it, and is sent on with n alone."""
    received = delivered(message_with({"a": Int(1)}))

    received.clear_properties()
    received.set_int_property("n", 1)

    assert received.get_int_property("n") == 1
    again = delivered(received)
    assert own_names(again) == ["n"]
    assert strategies.identical(again.get_object_property("n"), Int(1))


@requirement("JMS-PROP-040")
def test_clearing_properties_leaves_the_body(jms, delivered):
    """The body of a received text and of received bytes stays, and stays read-only."""
    text = delivered(jms.text("abc"))
    message = jms.session().create_bytes_message()
    message.write_bytes(b"\x01\x02")
    content = delivered(message)
    assert isinstance(content, BytesMessage)

    text.clear_properties()
    content.clear_properties()

    assert text.text == "abc"
    assert content.read_bytes(3) == b"\x01\x02"
    with refuses(MessageNotWriteableException):
        text.text = "other"
    with refuses(MessageNotWriteableException):
        content.write_byte(3)
