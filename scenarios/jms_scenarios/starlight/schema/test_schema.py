"""Schemas: what a consumer with consumerConfig.useSchema=true makes of native messages.

The payloads are AVRO's binary encoding, written out: a number n is the byte 2n, a text is its
length as such a number and its bytes.
"""

import json
from collections.abc import Mapping

import pytest

from jms_brokers.families.pulsar.schema import Schema
from jmsapi import BytesMessage, MapMessage, ObjectMessage, TextMessage
from touchstone.api import content_of, observe, receive, requirement


def record(name, /, **fields):
    definition = {
        "type": "record",
        "name": name,
        "fields": [{"name": field, "type": type_} for field, type_ in fields.items()],
    }
    return Schema("AVRO", json.dumps(definition))


def entry_of(structure, name):
    assert isinstance(structure, Mapping)
    return structure[name]


PERSON = record("Person", id="int", name="string")
PERSON_7_A = b"\x0e\x02a"
ADDRESS = json.loads(record("Address", city="string").definition)


@pytest.fixture
def consumer_by_schema(jms, queue):
    """A consumer of `queue` with consumerConfig.useSchema=true."""
    connection = jms.connection({"consumerConfig": {"useSchema": True}})
    return connection.create_session().create_consumer(queue)


@pytest.fixture
def received(wire, queue, consumer_by_schema):
    """`received(payload, schema=...)`: a native producer's message, as a consumer gets it."""

    def received(payload, **options):
        wire.send(queue, payload, **options)
        return receive(consumer_by_schema)

    return received


@requirement("SLJ-SCH-001")
def test_schema_of_the_topic_is_applied(received):
    """With useSchema the fields of an AVRO record can be read from the message."""
    message = received(PERSON_7_A, schema=PERSON)

    assert not isinstance(message, BytesMessage)
    assert (message.get_int("id"), message.get_string("name")) == (7, "a")


@requirement("SLJ-SCH-001")
def test_schema_is_not_applied_without_the_setting(published):
    """Without useSchema the same AVRO record is a BytesMessage of its encoded bytes."""
    message = published(PERSON_7_A, schema=PERSON)

    assert isinstance(message, BytesMessage)
    assert content_of(message) == PERSON_7_A


@requirement("SLJ-SCH-002")
def test_avro_record_is_a_map_message(received):
    """An AVRO record {id=7, name='a'} is a MapMessage of an int and a String.

    So are records of other values, an empty name and a number below 0 among them.
    """
    for payload, number, text in (
        (PERSON_7_A, 7, "a"),
        (b"\x0d\0", -7, ""),
        (b"\xfe\xff\xff\xff\x0f\x04\xc3\xa9", 2**31 - 1, "\u00e9"),
    ):
        message = received(payload, schema=PERSON)

        assert isinstance(message, MapMessage)
        assert sorted(message.map_names()) == ["id", "name"]
        assert message.get_int("id") == number
        assert message.get_string("name") == text


@requirement("SLJ-SCH-002")
def test_record_is_read_by_the_schema_that_it_was_written_with(received):
    """Records written before and after a field was added to the schema each have their fields."""
    before = received(PERSON_7_A, schema=PERSON)
    more = json.loads(PERSON.definition)
    more["fields"].insert(0, {"name": "age", "type": "int", "default": 0})
    after = received(b"\x50" + PERSON_7_A, schema=Schema("AVRO", json.dumps(more)))

    assert sorted(before.map_names()) == ["id", "name"]
    assert before.get_int("id") == 7
    assert sorted(after.map_names()) == ["age", "id", "name"]
    assert (after.get_int("age"), after.get_int("id")) == (40, 7)


@requirement("SLJ-SCH-003")
def test_record_inside_a_record_is_readable(received):
    """The entry 'addr' of {addr={city='Rome'}} is a structure whose 'city' is 'Rome'."""
    message = received(b"\x08Rome", schema=record("Person", addr=ADDRESS))

    assert isinstance(message, MapMessage)
    address = message.get_object("addr")
    observe("type of a nested record", type(address).__name__)
    assert entry_of(address, "city") == "Rome"


@requirement("SLJ-SCH-004")
@pytest.mark.parametrize("separated", [False, True], ids=["inline", "separated"])
def test_key_and_value_are_the_entries_of_a_map_message(received, separated):
    """KeyValue({id=1}, {name='b'}) is a MapMessage of exactly the entries key and value."""
    schema = Schema.key_value(
        record("Key", id="int"), record("Value", name="string"), separated=separated
    )
    key, value = b"\x02", b"\x02b"

    if separated:
        message = received(value, key=key, schema=schema)
    else:
        message = received(b"\0\0\0\1" + key + b"\0\0\0\2" + value, schema=schema)

    assert isinstance(message, MapMessage)
    assert sorted(message.map_names()) == ["key", "value"]
    assert entry_of(message.get_object("key"), "id") == 1
    assert entry_of(message.get_object("value"), "name") == "b"


@requirement("SLJ-SCH-005")
def test_string_is_a_text_message(received):
    """A STRING is a TextMessage with that text."""
    for text in ("hello", "h\u00e9llo \U0001f600", "5"):
        message = received(text.encode(), schema=Schema("STRING"))

        assert isinstance(message, TextMessage)
        assert message.text == text


@requirement("SLJ-SCH-006")
@pytest.mark.parametrize(
    ("kind", "payload", "value"),
    [
        pytest.param("INT32", b"\0\0\0\5", 5, id="INT32"),
        pytest.param("INT64", b"\xff" * 7 + b"\xfb", -5, id="INT64"),
        pytest.param("DOUBLE", b"\x3f\xf8" + bytes(6), 1.5, id="DOUBLE"),
        pytest.param("BOOLEAN", b"\1", True, id="BOOLEAN"),
        pytest.param("INT8", b"\xfb", -5, id="INT8"),
        pytest.param("INT16", b"\xff\xfb", -5, id="INT16"),
        pytest.param("FLOAT", b"\x3f\xc0\0\0", 1.5, id="FLOAT"),
    ],
)
def test_other_value_is_an_object_message(received, kind, payload, value):
    """A number, and a boolean, is an ObjectMessage of it."""
    message = received(payload, schema=Schema(kind))

    observe(f"message of the schema type {kind}", type(message).__name__)
    assert isinstance(message, ObjectMessage)
    assert message.object == value


@requirement("SLJ-SCH-006")
def test_json_value_is_an_object_message(received):
    """The JSON value {"a":1} is an ObjectMessage."""
    schema = Schema("JSON", record("R", a="int").definition)

    message = received(b'{"a":1}', schema=schema)

    observe("message of the schema type JSON", type(message).__name__)
    assert isinstance(message, ObjectMessage)
