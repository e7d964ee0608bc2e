"""Messages with a schema whose bytes do not fit it, among those whose bytes do."""

import json
from collections.abc import Mapping

import pytest

from jms_brokers.families.pulsar.schema import Schema
from jms_scenarios.poisoned import BEHIND, LAST, attempt, named
from touchstone.api import content_of, damaged, observe, requirement

PERSON = {
    "type": "record",
    "name": "Person",
    "fields": [{"name": "id", "type": "int"}, {"name": "name", "type": "string"}],
}
AVRO, JSON = Schema("AVRO", json.dumps(PERSON)), Schema("JSON", json.dumps(PERSON))
PAIR = b"\x00\x00\x00\x03\x0e\x02a"
"""A length and an AVRO record, as each half of a KeyValue has it."""
VALID = {
    "AVRO": (AVRO, b"\x0e\x02a"),
    "JSON": (JSON, b'{"id": 7, "name": "a"}'),
    "KeyValue": (Schema.key_value(AVRO, AVRO, separated=False), 2 * PAIR),
    "INT32": (Schema("INT32"), b"\x00\x00\x00\x07"),
    "STRING": (Schema("STRING"), "é".encode()),
}
"""The schema, and the bytes of a value, by kind."""
RECORD = {"id": 7, "name": "a"}
VALUES = {
    "AVRO": RECORD,
    "JSON": RECORD,
    "KeyValue": {"key": RECORD, "value": RECORD},
    "INT32": 7,
    "STRING": "é",
}
"""What these bytes are, as the body of a message."""
EACH = 10
"""Damaged messages of a schema."""
PATIENCE = 3000
"""Milliseconds without anything after which nothing more is expected."""


@pytest.fixture
def consumer(jms, queue):
    """A consumer of `queue` with consumerConfig.useSchema=true."""
    connection = jms.connection({"consumerConfig": {"useSchema": True}})
    return connection.create_session().create_consumer(queue)


def plain(value):
    """A value whose records, however deep, are dicts: no document says of which class they are.

    Of an object of a class in Java that Python cannot hold there is its text, which is JSON.
    """
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    text = getattr(value, "text", None)
    return value if text is None else json.loads(text)


@requirement("SLJ-SCH-001")
@pytest.mark.parametrize("kind", VALID)
def test_values_come_among_what_does_not_fit_the_schema(at_hand, queue, wire, consumer, kind):
    """Whatever bytes are between them, the first and the last value are read by the schema."""
    schema, valid = VALID[kind]
    wire.send(queue, valid, {"name": "good-first"}, schema=schema)
    for poison in at_hand.poisons([f"schema {kind}"], EACH):
        payload = damaged(valid, poison.draw())
        wire.send(queue, payload, {"name": payload.hex()}, schema=schema)
    wire.send(queue, valid, {"name": LAST}, schema=schema)

    names, values, errors = [], [], []
    while BEHIND not in names and len(errors) <= EACH:
        message, error = attempt(lambda: consumer.receive(PATIENCE))
        if error is not None:
            errors.append(error)
        elif message is None:
            break
        else:
            names.append(message.get_string_property("name"))
            if names[-1].startswith("good-"):
                values.append(plain(content_of(message)))
            if names[-1] == LAST:  # what would come again comes before what is sent now
                wire.send(queue, valid, {"name": BEHIND}, schema=schema)

    observe(f"{kind} that does not fit throws", sorted({*map(named, errors)}))
    good = [name for name in names if name.startswith("good-")]
    assert good == ["good-first", LAST, BEHIND]
    assert values == [VALUES[kind]] * 3
