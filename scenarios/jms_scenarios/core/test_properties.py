"""Properties: their names, their types, what they are read as, and those that JMS defines."""

import math

import pytest

from jms_scenarios.moments import now
from jms_scenarios.property_values import (
    READS,
    SEVEN_AND_A_TEXT,
    TYPES,
    own_names,
    reader,
    reads,
)
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
    Long,
    MessageFormatException,
    MessageNotWriteableException,
    NullPointerException,
    NumberFormatException,
    SessionMode,
    Short,
)
from touchstone.api import (
    eventually,
    judging,
    not_applicable,
    observe,
    receive,
    receive_all,
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
ON_SEND = ("JMSXUserID", "JMSXAppID", "JMSXProducerTXID")
ON_RECEIVE = ("JMSXDeliveryCount", "JMSXRcvTimestamp", "JMSXConsumerTXID")
TABLE = {*ON_SEND, *ON_RECEIVE, "JMSXGroupID", "JMSXGroupSeq", "JMSXState"}
"""Every JMSX property that there is (JMS 2.0, section 3.5.9)."""

DOUBLES = [*map(Double, (0.1, -0.0, 4.9e-324))]
FLOATS = [*map(Float, (1.1, -0.0, 1.4e-45))]
SHOWN = 30
"""Characters of a value in what a failure says."""
NO_NUMBERS = (math.inf, -math.inf, math.nan)


def refusal(kinds, call, *args):
    """The name of the exception by which a call is refused; None if it is not."""
    try:
        call(*args)
    except kinds as error:
        return type(error).__name__
    return None


def setters(message):
    """Every method that sets a property, each with a value that it takes."""
    found = {
        f"set_{kind}_property": (getattr(message, f"set_{kind}_property"), value)
        for kind, value in SEVEN_AND_A_TEXT.items()
    }
    return {**found, "set_object_property": (message.set_object_property, Int(1))}


# ---- names ----


@requirement("JMS-PROP-001")
def test_name_that_is_no_identifier_is_refused(jms):
    """A name that a selector could not name is refused when it is set."""
    message = jms.session().create_message()
    refused = {
        name: refusal((JMSException, IllegalArgumentException), message.set_int_property, name, 1)
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
    refused = refusal(
        (JMSException, IllegalArgumentException), message.set_string_property, "p", text
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
        if refusal(MessageNotWriteableException, write, "p", value) is None
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
        if refusal(MessageFormatException, message.set_object_property, "p", value) is None
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


# ---- reading as another type ----


@pytest.fixture(params=["fresh", "received"])
def shown(request, delivered):
    """`shown(message)`: the message itself, or as it is received."""
    return delivered if request.param == "received" else lambda message: message


@requirement("JMS-PROP-013")
def test_conversions_are_those_of_the_table(message_with, shown):
    """Of the 64 pairs of types 29 give the converted value, the others are refused."""
    message = shown(message_with(SEVEN_AND_A_TEXT))

    found = {kind: reads(message, kind) for kind in TYPES}
    assert {kind: sorted(row) for kind, row in found.items()} == {
        kind: sorted(row) for kind, row in READS.items()
    }
    assert [kind for kind in TYPES if not strategies.identical(found[kind], READS[kind])] == []


def conversions(kind, allowed, *refused):
    """A type, the statement of what it can be read as, and those of what it cannot."""
    return pytest.param(
        kind, allowed, refused, id=kind, marks=requirement(*allowed.values(), *refused)
    )


@pytest.mark.parametrize(
    ("kind", "allowed", "refused"),
    [
        conversions(
            "boolean", {"boolean": "JMS-PROP-014", "string": "JMS-PROP-016"}, "JMS-PROP-015"
        ),
        conversions("byte", dict.fromkeys(READS["byte"], "JMS-PROP-017"), "JMS-PROP-018"),
        conversions("short", dict.fromkeys(READS["short"], "JMS-PROP-019"), "JMS-PROP-020"),
        conversions("int", dict.fromkeys(READS["int"], "JMS-PROP-021"), "JMS-PROP-022"),
        conversions("long", dict.fromkeys(READS["long"], "JMS-PROP-023"), "JMS-PROP-024"),
        conversions("float", dict.fromkeys(READS["float"], "JMS-PROP-025"), "JMS-PROP-026"),
        conversions("double", dict.fromkeys(READS["double"], "JMS-PROP-027"), "JMS-PROP-028"),
        conversions("string", dict.fromkeys(READS["string"], "JMS-PROP-029")),
    ],
)
def test_property_is_read_as_its_row_of_the_table_says(
    message_with, delivered, kind, allowed, refused
):
    """Read as a type of its row it gives the value, as another it is refused; it stays readable."""
    message = message_with({"p": SEVEN_AND_A_TEXT[kind]})
    for each in (message, delivered(message_with({"p": SEVEN_AND_A_TEXT[kind]}))):
        for id_ in dict.fromkeys(allowed.values()):
            wanted = {other: READS[kind][other] for other, its in allowed.items() if its == id_}
            with judging(id_):
                given = {other: reader(each, other)("p") for other in wanted}
                assert strategies.identical(given, wanted)
        for id_ in refused:
            with judging(id_):
                outside = [other for other in TYPES if other not in READS[kind]]
                accepted = [
                    other
                    for other in outside
                    if refusal(MessageFormatException, reader(each, other), "p") is None
                ]
                assert accepted == []
                value = each.get_object_property("p")
                assert strategies.identical(value, SEVEN_AND_A_TEXT[kind])


@requirement("JMS-PROP-029")
def test_text_true_is_read_as_boolean(message_with, shown):
    """The text true, in whatever case, is the boolean true, and any other text false."""
    message = shown(message_with({"a": "true", "b": "TRUE", "c": "yes"}))

    assert [message.get_boolean_property(name) for name in "abc"] == [True, True, False]


NUMBERS = ("byte", "short", "int", "long", "float", "double")


@requirement("JMS-PROP-030")
def test_text_that_is_no_number_is_refused_as_such(message_with, shown):
    """Read as each type of number, x1 raises NumberFormatException; so does 300 read as a byte."""
    message = shown(message_with({"p": "x1", "large": "300"}))

    accepted = [
        kind
        for kind in NUMBERS
        if refusal(NumberFormatException, reader(message, kind), "p") is None
    ]
    assert accepted == []
    with refuses(NumberFormatException):
        message.get_byte_property("large")


AS_NULL = {
    **dict.fromkeys(("byte", "short", "int", "long"), "NumberFormatException"),
    **dict.fromkeys(("float", "double"), "NullPointerException"),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("nothing", marks=requirement("JMS-PROP-031")),
        pytest.param("absent", marks=requirement("JMS-PROP-032")),
    ],
)
def test_null_is_read_as_value_of_null(jms, shown, name):
    """As a text it is null, as boolean false; numbers are refused as Java's valueOf does."""
    message = jms.text()
    if name == "nothing":
        message.set_string_property(name, None)
    message = shown(message)

    assert message.get_string_property(name) is None
    assert message.get_boolean_property(name) is False
    kinds = (NumberFormatException, NullPointerException)
    refused = {kind: refusal(kinds, reader(message, kind), name) for kind in AS_NULL}
    assert {kind: by for kind, by in refused.items() if by != AS_NULL[kind]} == {}
    assert message.property_exists("absent") is False


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


# ---- the properties that JMS defines ----


@pytest.fixture
def listed(jms):
    """`listed(name)` goes on where the client lists a JMSX property as supported."""

    def listed(name):
        if name not in {*jms.connected.meta_data.jmsx_property_names}:
            not_applicable(f"{name} is not among the JMSX properties that the client lists")

    return listed


@requirement("JMS-PROP-041")
def test_jmsx_names_are_spelt_as_in_the_table(jms, message_with, delivered):
    """Listed and received JMSX names are those of the table, and another case is another name."""
    received = delivered(message_with({"JMSXGroupID": "g1", "JMSXGroupSeq": Int(7)}))
    seen = {name for name in received.property_names() if name.upper().startswith("JMSX")}

    assert sorted({*jms.connected.meta_data.jmsx_property_names} - TABLE) == []
    assert sorted(seen - TABLE) == []
    assert received.property_exists("JMSXDeliveryCount") is True
    assert received.property_exists("jmsxdeliverycount") is False


@requirement("JMS-PROP-042")
def test_selector_may_name_any_jmsx_property(jms, topic):
    """A consumer for JMSXAppID IS NULL is accepted, and gets the message that lacks it."""
    session = jms.session()
    consumer = session.create_consumer(topic, "JMSXAppID IS NULL")
    session.create_producer(topic).send(session.create_text_message("hello"))

    assert texts([receive(consumer)]) == ["hello"]


@requirement("JMS-PROP-043", "JMS-PROP-044", "JMS-PROP-045")
def test_group_arrives_as_it_was_set(jms, message_with, delivered, carried):
    """JMSXGroupID arrives as the String and JMSXGroupSeq as the Int that was set."""
    group = {"JMSXGroupID": "g1", "JMSXGroupSeq": Int(7)}
    received = delivered(message_with(group))

    with judging("JMS-PROP-043"):
        assert [name for name in group if not received.property_exists(name)] == []
        listed = {*jms.connected.meta_data.jmsx_property_names}
        assert sorted({*group} - listed) == []
    with judging("JMS-PROP-044"):
        assert strategies.identical(received.get_object_property("JMSXGroupID"), "g1")
        assert carried(message_with(group)).group == "g1"
    with judging("JMS-PROP-045"):
        assert strategies.identical(received.get_object_property("JMSXGroupSeq"), Int(7))


@pytest.fixture
def user_ids(prefer):
    """Messages tell the user of their connection, where that is a setting."""
    prefer("user-ids")


@pytest.mark.usefixtures("user_ids")
@requirement("JMS-PROP-046")
def test_what_is_set_on_send_is_seen_by_the_sender(jms, delivered):
    """JMSX properties that the provider sets on send are on the sender's message, too."""
    message = jms.text()
    received = delivered(message)
    names = [name for name in ON_SEND if received.property_exists(name)]
    if not names:
        not_applicable("no JMSX property is set on send")

    assert {name: message.get_object_property(name) for name in names} == {
        name: received.get_object_property(name) for name in names
    }


@requirement("JMS-PROP-047")
def test_what_is_set_on_receive_is_not_seen_by_the_sender(jms, delivered):
    """The sender's message has no delivery count, receive time or consumer's transaction."""
    message = jms.text()
    received = delivered(message)

    assert [name for name in ON_RECEIVE if message.property_exists(name)] == []
    assert received.property_exists("JMSXDeliveryCount")


@pytest.mark.usefixtures("user_ids")
@requirement("JMS-PROP-048")
def test_user_id_is_that_of_the_sending_user(jms, listed, queue):
    """Whatever the sender writes there, the receiver reads the name with which it logged in."""
    listed("JMSXUserID")
    session = jms.connection(user_name="u1", password="secret").create_session()
    consumer, producer = session.create_consumer(queue), session.create_producer(queue)
    plain, forged = session.create_message(), session.create_message()
    forged.set_string_property("JMSXUserID", "somebody else")
    producer.send(plain)
    producer.send(forged)

    received = receive_all(consumer, 2)
    assert [each.get_object_property("JMSXUserID") for each in received] == ["u1", "u1"]


@requirement("JMS-PROP-049")
def test_application_id_is_that_of_the_sending_application(jms, listed, delivered):
    """Two messages of one application carry the same text, which is not empty."""
    listed("JMSXAppID")
    first, second = (delivered(jms.text()).get_object_property("JMSXAppID") for _ in range(2))

    assert isinstance(first, str)
    assert first
    assert second == first


@requirement("JMS-PROP-050")
def test_producer_transaction_is_told(jms, listed, queue, delivered):
    """Two messages of a transaction carry its id, the next one's another, a plain one none."""
    listed("JMSXProducerTXID")
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    producer, consumer = session.create_producer(queue), jms.consumer(queue)
    found = []
    for count in (2, 1):
        for _ in range(count):
            producer.send(session.create_message())
        session.commit()
        found += receive_all(consumer, count)
    consumer.close()

    first, second, third = (each.get_object_property("JMSXProducerTXID") for each in found)
    assert isinstance(first, str)
    assert (second == first, third == first) == (True, False)
    assert not delivered(jms.text()).property_exists("JMSXProducerTXID")


@requirement("JMS-PROP-051")
def test_consumer_transaction_is_told(jms, listed, queue, carried):
    """Messages received in a transaction carry its id, those of the next another."""
    listed("JMSXConsumerTXID")
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumer, producer = session.create_consumer(queue), jms.producer(queue)
    found = []
    for count in (2, 1):
        for _ in range(count):
            producer.send(jms.text())
        found += receive_all(consumer, count)
        session.commit()

    first, second, third = (each.get_object_property("JMSXConsumerTXID") for each in found)
    assert isinstance(first, str)
    assert (second == first, third == first) == (True, False)
    assert "JMSXConsumerTXID" not in carried(jms.text()).properties


@requirement("JMS-PROP-052")
def test_receive_timestamp_is_the_time_of_delivery(jms, listed, queue):
    """It is a Long between the send and the return of receive(), and later when it comes again."""
    listed("JMSXRcvTimestamp")
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumer = session.create_consumer(queue)
    begun = now()
    jms.producer(queue).send(jms.text())
    first = receive(consumer).get_object_property("JMSXRcvTimestamp")
    between = now()
    session.rollback()
    again = receive(consumer).get_object_property("JMSXRcvTimestamp")
    session.commit()

    assert isinstance(first, Long)
    assert begun <= first <= between
    assert again >= first


@requirement("JMS-PROP-053")
def test_state_is_never_shown(jms, queue, topic, queues, inbox):
    """Neither the sender nor a receiver or browser of queue and topic sees JMSXState."""
    message = jms.text()
    subscriber = jms.consumer(topic)
    jms.producer(topic).send(message)
    jms.producer(queue).send(message)
    eventually(lambda: queues.pending(queue) == 1)

    with jms.session().create_browser(queue) as browser:
        browsed = [each.property_exists("JMSXState") for each in browser.enumeration]
    received = [receive(subscriber), receive(inbox())]

    assert browsed == [False]
    assert [each.property_exists("JMSXState") for each in (message, *received)] == [False] * 3
