"""JMSProducer: its settings, properties and headers, and what it refuses."""

from typing import Any

import pytest

from jms_scenarios.api.rows import by_method
from jms_scenarios.api.settings import NO_MODES, NO_PRIORITIES, SETTINGS
from jms_scenarios.core.exchange import named
from jms_scenarios.property_values import READS, SEVEN_AND_A_TEXT, TYPES
from jms_scenarios.refusals import refusal
from jms_scenarios.traffic import texts
from jmsapi import (
    Byte,
    Double,
    Float,
    IllegalArgumentException,
    Int,
    InvalidDestinationRuntimeException,
    JMSRuntimeException,
    Long,
    Message,
    MessageFormatRuntimeException,
    MessageNotWriteableRuntimeException,
    Short,
)
from touchstone.api import (
    content_of,
    needs,
    receive,
    receive_all,
    refuses,
    requirement,
    strategies,
)


@by_method("API-JPROD", SETTINGS, "setting", "first", "values")
def test_setting_of_a_context_is_what_was_set(context_of, setting, first, values):
    """It has its default, then each value that is set; another producer keeps the default."""
    context = context_of()
    producer = context.create_producer()
    read = [getattr(producer, setting)]

    for value in values:
        getattr(producer, f"set_{setting}")(value)
        read.append(getattr(producer, setting))

    assert read == [first, *values]
    assert getattr(context.create_producer(), setting) == first


class Unheard:
    """A listener that nobody calls."""

    def on_completion(self, message: Any) -> None: ...
    def on_exception(self, message: Any, exception: Exception) -> None: ...


@requirement("API-JPROD-007")
def test_listener_is_what_was_set(context_of):
    """None at first, then each listener, and None once None is set."""
    producer = context_of().create_producer()
    first, second = Unheard(), Unheard()
    read = [producer.completion_listener]

    for listener in (first, second, None, first):
        producer.set_async(listener)
        read.append(producer.completion_listener)

    expected = [None, first, second, None, first]
    assert [each is other for each, other in zip(read, expected, strict=True)] == [True] * 5


REFUSED = {
    "setDeliveryMode": (8, "delivery_mode", NO_MODES, 2, (1, 2)),
    "setPriority": (9, "priority", NO_PRIORITIES, 4, (0, 9)),
}


@by_method("API-JPROD", REFUSED, "setting", "wrong", "first", "right")
def test_setting_of_a_context_that_there_is_not_is_refused(
    context_of, setting, wrong, first, right
):
    """It raises JMSRuntimeException and leaves what was; the nearest right values are taken."""
    producer = context_of().create_producer()
    set_ = getattr(producer, f"set_{setting}")

    refused = {value: isinstance(refusal(set_, value), JMSRuntimeException) for value in wrong}

    assert refused == dict.fromkeys(wrong, True)
    assert getattr(producer, setting) == first
    for value in right:
        set_(value)
        assert getattr(producer, setting) == value


TYPED = {
    "boolean": (10, False),
    "byte": (11, Byte(-1)),
    "short": (12, Short(-1)),
    "int": (13, Int(-1)),
    "long": (14, Long(-1)),
    "float": (15, Float(2.0)),
    "double": (16, Double(2.0)),
    "String": (17, "größe"),
}


@by_method("API-JPROD", TYPED, "value")
def test_property_of_a_producer_without_a_name_is_refused(context_of, value):
    """A null or empty name raises IllegalArgumentException; another is taken, and is alone."""
    producer = context_of().create_producer()
    refused = {name: type(refusal(producer.set_property, name, value)) for name in (None, "")}

    producer.set_property("named", value)
    assert strategies.identical(producer.get_object_property("named"), value)
    assert set(producer.property_names()) == {"named"}
    assert refused == dict.fromkeys((None, ""), IllegalArgumentException)


@requirement("API-JPROD-018")
def test_null_property_of_a_producer_without_a_name_is_refused(context_of):
    """A null or empty name of a null object raises IllegalArgumentException."""
    producer = context_of().create_producer()
    refused = {name: type(refusal(producer.set_property, name, None)) for name in (None, "")}

    assert refused == dict.fromkeys((None, ""), IllegalArgumentException)


@requirement("API-JPROD-019")
def test_object_that_is_no_property_is_refused(context_of):
    """A list and bytes raise MessageFormatRuntimeException; a number is taken, and is alone."""
    producer = context_of().create_producer()
    refused = [type(refusal(producer.set_property, "p", value)) for value in ([Int(1)], b"\x01")]

    producer.set_property("n", Int(-1))
    assert set(producer.property_names()) == {"n"}
    assert refused == [MessageFormatRuntimeException] * 2


@requirement("API-JPROD-020")
def test_property_of_a_producer_that_is_set_again_is_the_latest(context_of, queue):
    """A second value takes the place of the first, whatever type each is of, and is sent."""
    context = context_of()
    producer = context.create_producer()
    consumer = context.create_consumer(queue)
    for value in [*SEVEN_AND_A_TEXT.values(), Byte(-1), Double(2.0)]:
        producer.set_property("p", value)
        assert strategies.identical(producer.get_object_property("p"), value)

    producer.send(queue, "a text")

    received = receive(consumer)
    assert texts([received]) == ["a text"]
    assert strategies.identical(received.get_object_property("p"), Double(2.0))


@requirement("API-JPROD-021")
def test_cleared_properties_are_gone(context_of, queue):
    """None is there or sent; headers and settings stay, and a new one can be set."""
    context = context_of()
    producer = context.create_producer()
    consumer = context.create_consumer(queue)
    for name, value in (("a", True), ("b", Int(-1)), ("c", "größe")):
        producer.set_property(name, value)
    producer.set_jms_type("a type").set_priority(7)

    assert producer.clear_properties() is producer

    assert [name for name in "abc" if producer.property_exists(name)] == []
    assert set(producer.property_names()) == set()
    producer.send(queue, "cleared").set_property("d", 2).send(queue, "set again")
    messages = receive_all(consumer, 2)
    assert texts(messages) == ["cleared", "set again"]
    for message, names in zip(messages, ([], ["d"]), strict=True):
        assert [name for name in "abcd" if message.property_exists(name)] == names
        assert (message.jms_type, message.jms_priority) == ("a type", 7)


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("exists", marks=requirement("API-JPROD-022")),
        pytest.param("names", marks=requirement("API-JPROD-023")),
    ],
)
def test_properties_of_a_producer_are_those_that_were_set(context_of, asked):
    """False, zero and empty ones, one that was set twice, and no header."""
    producer = context_of().create_producer()
    assert set(producer.property_names()) == set()
    for name, value in (("no", True), ("größe", Int(0)), ("empty", ""), ("no", False)):
        producer.set_property(name, value)
    producer.set_jms_type("a type").set_jms_correlation_id("an id")

    if asked == "names":
        assert sorted(producer.property_names()) == ["empty", "größe", "no"]
    else:
        names = ("no", "größe", "empty", "NO", "Empty", "none", "JMSType", "JMSCorrelationID")
        exist = [name for name in names if producer.property_exists(name)]
        assert exist == ["no", "größe", "empty"]


def unlike(read, expected):
    """What was not read as it had to be."""
    return [
        f"{kind}: {read[kind]!r:.60}"
        for kind, value in expected.items()
        if not strategies.identical(read[kind], value)
    ]


@by_method("API-JPROD", {kind: (24 + at, kind) for at, kind in enumerate(TYPES)}, "kind")
def test_property_of_a_producer_is_read_as_the_table_says(context_of, kind):
    """Of each type that can become this one it is given converted; of others it is refused."""
    producer = context_of().create_producer()
    expected, read = {}, {}
    for written, value in SEVEN_AND_A_TEXT.items():
        producer.set_property(written, value)
        expected[written] = READS[written].get(kind, "refused")
        try:
            read[written] = getattr(producer, f"get_{kind}_property")(written)
        except MessageFormatRuntimeException:
            read[written] = "refused"

    assert unlike(read, expected) == []


@requirement("API-JPROD-032")
def test_property_of_a_producer_is_of_the_type_set(context_of):
    """getObjectProperty gives each in its own type."""
    producer = context_of().create_producer()
    values = {**SEVEN_AND_A_TEXT, **{name: value for name, (_, value) in TYPED.items()}}
    for name, value in values.items():
        producer.set_property(name, value)

    assert unlike({name: producer.get_object_property(name) for name in values}, values) == []


@requirement("API-JPROD-033")
def test_property_that_a_producer_has_not_is_null(context_of):
    """On a new producer, beside another property, and once they were cleared."""
    producer = context_of().create_producer()
    steps = [lambda: None, lambda: producer.set_property("other", 1), producer.clear_properties]

    for step in steps:
        step()
        assert producer.get_string_property("none") is None
        assert producer.get_object_property("none") is None


HEADERS = {
    "JMSCorrelationID": (34, "jms_correlation_id", ["first", "", "größe", "last"]),
    "JMSType": (37, "jms_type", ["first", "größe", "last"]),
}


@by_method("API-JPROD", HEADERS, "header", "values")
def test_header_of_a_producer_is_what_was_set(context_of, queue, header, values):
    """None at first, then each value; the last one arrives."""
    context = context_of()
    producer = context.create_producer()
    consumer = context.create_consumer(queue)
    read = [getattr(producer, header)]
    for value in values:
        getattr(producer, f"set_{header}")(value)
        read.append(getattr(producer, header))

    producer.send(queue, "a text")

    assert read == [None, *values]
    received = receive(consumer)
    assert texts([received]) == ["a text"]
    assert getattr(received, header) == "last"


@needs("correlation-id-bytes")
@requirement("API-JPROD-035")
def test_correlation_id_of_a_producer_in_bytes_is_what_was_set(context_of):
    """None at first, then each value."""
    producer = context_of().create_producer()
    assert producer.jms_correlation_id_as_bytes is None

    for value in (b"first", b"\x01", b"last"):
        producer.set_jms_correlation_id_as_bytes(value)
        assert producer.jms_correlation_id_as_bytes == value


@requirement("API-JPROD-036")
def test_reply_destination_of_a_producer_is_what_was_set(context_of, queue, topic, name):
    """None at first, then each destination; the last one arrives."""
    context = context_of()
    producer = context.create_producer()
    consumer = context.create_consumer(queue)
    places = [queue, topic, context.create_queue(name("other"))]
    read = [producer.jms_reply_to]
    for place in places:
        producer.set_jms_reply_to(place)
        read.append(producer.jms_reply_to)

    producer.send(queue, "a text")

    assert [named(place) for place in read] == [None, *map(named, places)]
    received = receive(consumer)
    assert texts([received]) == ["a text"]
    producer.send(received.jms_reply_to, "a reply")
    assert texts([receive(context.create_consumer(places[-1]))]) == ["a reply"]


BODIES = {
    "text": lambda context: "a text",
    "map": lambda context: {"k": Int(-1)},
    "bytes": lambda context: b"\x01",
    "object": lambda context: Int(-1),
    "message": lambda context: context.create_text_message("a text"),
}


@requirement("API-JPROD-038")
@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
def test_null_is_no_destination(context_of, queue, make):
    """It raises InvalidDestinationRuntimeException; to a queue the same is sent."""
    context = context_of()
    producer = context.create_producer()
    consumer = context.create_consumer(queue)

    error = refusal(lambda: producer.send(None, make(context)))

    producer.send(queue, body := make(context))
    content = content_of(receive(consumer))
    assert type(error) is InvalidDestinationRuntimeException
    assert content == (content_of(body) if isinstance(body, Message) else body)


@requirement("API-JPROD-039")
def test_received_message_is_given_no_property(context_of, queue):
    """A producer with a property refuses it; without one, or when it is cleared, it is sent."""
    context = context_of()
    producer = context.create_producer()
    consumer = context.create_consumer(queue)
    producer.send(queue, "a text")
    received = receive(consumer)
    assert texts([received]) == ["a text"]

    with refuses(MessageNotWriteableRuntimeException):
        context.create_producer().set_property("p", 1).send(queue, received)

    producer.send(queue, received)
    again = receive(consumer)
    assert texts([again]) == ["a text"]
    assert not again.property_exists("p")
    received.clear_properties()
    context.create_producer().set_property("p", 1).send(queue, received)
    last = receive(consumer)
    assert (texts([last]), last.get_int_property("p")) == (["a text"], 1)
