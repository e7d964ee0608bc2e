"""The five kinds of body: each arrives as the kind it was sent as, with what was in it."""

import pytest
from hypothesis import strategies as st

from jmsapi import Byte, Char, Double, Float, Int, Long, Short, StreamMessage
from touchstone.api import (
    KINDS,
    compose,
    content_of,
    eventually,
    observe,
    portable,
    receive,
    requirement,
    strategies,
)

MEBIBYTE = strategies.MEBIBYTE
IDS = {
    "text": "SLJ-BODY-001",
    "bytes": "SLJ-BODY-002",
    "stream": "SLJ-BODY-003",
    "map": "SLJ-BODY-004",
    "object": "SLJ-BODY-005",
}
ONE_OF_EACH = [
    *(True, Byte(-1), Short(258), Char("A"), Int(1), Long(2), Float(1.5), Double(2.5)),
    *("é", "", b"\x09\x08", b"", None),
]
EXAMPLES: dict[str, dict[str, object]] = {
    "text": {
        "documented": "héllo",
        "empty": "",
        "null": None,
        "any-plane": "\0\uffff\U0001f600",
        "long": "é" * (MEBIBYTE // 2),
    },
    "bytes": {
        "documented": b"\x00\x01\xff",
        "empty": b"",
        "long": bytes(range(256)) * (MEBIBYTE // 256),
    },
    "stream": {
        "documented": [Int(7), "a", Double(2.5)],
        "empty": [],
        "one-of-each": ONE_OF_EACH,
        "long": [b"\xaa" * MEBIBYTE, Int(7)],
    },
    "map": {
        "documented": {"i": Int(7), "s": "a"},
        "empty": {},
        "one-of-each": {f"k{number}": value for number, value in enumerate(ONE_OF_EACH)},
        "long": {"k" * 300: "é" * (MEBIBYTE // 2), "i": Int(7)},
    },
    "object": {
        "documented": [Int(1), Int(2), Int(3)],
        "null": None,
        "mapping": {"a": "b"},
        "long": "é" * (MEBIBYTE // 2),
    },
}
NAMES = strategies.strings(min_size=1).filter(lambda name: not name.startswith("JMS"))
"""Names of map entries; clients may keep those that begin with JMS to themselves."""
ANY = {
    "text": strategies.texts(),
    "bytes": st.binary(),
    "stream": st.lists(st.none() | strategies.values()),
    "map": st.dictionaries(NAMES, st.none() | strategies.values()),
    "object": strategies.objects(),
}
WRITTEN = {
    "boolean": strategies.booleans(),
    "byte": strategies.bytes_(),
    "short": strategies.shorts(),
    "char": strategies.chars(),
    "int": strategies.ints(),
    "long": strategies.longs(),
    "float": strategies.floats(),
    "double": strategies.doubles(),
    "utf": strategies.strings(),
}


@portable
@pytest.mark.parametrize(
    ("kind", "content"),
    [
        pytest.param(kind, content, id=f"{kind}-{case}", marks=requirement(IDS[kind]))
        for kind, cases in EXAMPLES.items()
        for case, content in cases.items()
    ],
)
def test_body_arrives_as_it_was_sent(jms, delivered, kind, content):
    """A message arrives as the kind it was sent as, with equal content."""
    received = delivered(compose(jms.session(), kind, content))

    assert isinstance(received, KINDS[kind])
    assert strategies.identical(content_of(received), content)


@portable
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=requirement(id_)) for kind, id_ in IDS.items()]
)
def test_every_body_arrives_bit_for_bit(jms, delivered, kind):
    """Whatever is in it, a body arrives with every bit of it."""
    session = jms.session()

    @strategies.for_all(ANY[kind])
    def _(content):
        received = delivered(compose(session, kind, content))
        assert isinstance(received, KINDS[kind])
        assert strategies.identical(content_of(received), content)


@portable
@requirement("SLJ-BODY-002")
@pytest.mark.parametrize("kind", WRITTEN)
def test_typed_writes_are_read_back(jms, delivered, kind):
    """What is written to a BytesMessage in a type is read back in it, with every bit."""
    session = jms.session()

    @strategies.for_all(st.lists(WRITTEN[kind]), examples=10)
    def _(values):
        message = session.create_bytes_message()
        for value in values:
            getattr(message, f"write_{kind}")(value)
        received = delivered(message)
        read = [getattr(received, f"read_{kind}")() for _ in values]
        assert strategies.identical(read, values)


@requirement("SLJ-BODY-006")
def test_message_type_is_recorded(jms, queue, wire):
    """Each of the five kinds leaves a JMSPulsarMessageType of its own on the wire."""
    producer = jms.producer(queue)
    contents = {"text": "x", "bytes": b"x", "stream": ["x"], "map": {"k": "x"}, "object": "x"}
    for kind, content in contents.items():
        producer.send(compose(jms.session(), kind, content))

    raw = eventually(lambda: len(messages := wire.messages(queue)) == 5 and messages)
    types = [message.properties.get("JMSPulsarMessageType") for message in raw]
    observe("JMSPulsarMessageType", dict(zip(contents, types, strict=True)))
    assert all(types)
    assert len(set(types)) == 5


@requirement("SLJ-BODY-007")
def test_stream_is_one_raw_message(jms, queue, wire):
    """A StreamMessage of 1000 ints is one message on the wire, and all of them are read back."""
    consumer = jms.consumer(queue)
    jms.producer(queue).send(compose(jms.session(), "stream", [*map(Int, range(1000))]))
    received = receive(consumer)

    assert isinstance(received, StreamMessage)
    assert [received.read_int() for _ in range(1000)] == list(range(1000))
    assert wire.only_message(queue)
