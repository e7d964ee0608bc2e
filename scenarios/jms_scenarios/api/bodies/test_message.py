"""Message: its body as an object of a class, and what clearing leaves."""

from collections.abc import Mapping

import pytest

from jms_scenarios.api.rows import readable
from jms_scenarios.refusals import outcome
from jmsapi import Byte, Double, Int, MessageFormatException
from touchstone.api import compose, content_of, requirement, strategies

CLASSES = {
    "String": str,
    "byte[]": bytes,
    "Map": Mapping,
    "Boolean": bool,
    "Integer": Int,
    "Object": object,
}
"""By the names of Java."""
ANY = set(CLASSES)
BODIES = {
    "text": [
        ("text", "a text", {"String", "Object"}),
        ("text", "", {"String", "Object"}),
        ("text", "größer \U0001f600 " * 200, {"String", "Object"}),
        ("text", "5", {"String", "Object"}),
        ("text", "true", {"String", "Object"}),
    ],
    "bytes": [
        ("bytes", b"\x00\x01\xff", {"byte[]", "Object"}),
        ("bytes", b"\x00\x00\x00\x05", {"byte[]", "Object"}),
        ("bytes", bytes(range(256)) * 8, {"byte[]", "Object"}),
    ],
    "map": [
        ("map", {"k": Int(-1)}, {"Map", "Object"}),
        (
            "map",
            {"größe": "ß", "b": b"\x00\xff", "d": Double(2.0), "t": False},
            {"Map", "Object"},
        ),
    ],
    "object": [
        ("object", "a text", {"String", "Object"}),
        ("object", Int(-1), {"Integer", "Object"}),
        ("object", False, {"Boolean", "Object"}),
    ],
    "nothing": [("header", None, ANY), ("text", None, ANY), ("object", None, ANY)],
}
"""Kind of message, its body, and the classes that it may be given as."""
GET_BODY = dict(zip(BODIES, ("001", "003", "005", "007", "010"), strict=True))
ASSIGNABLE = dict(zip(BODIES, ("011", "012", "013", "014", "016"), strict=True))


def by_kind(ids):
    return pytest.mark.parametrize(
        "kind",
        [pytest.param(kind, marks=requirement(f"API-MSG-{ids[kind]}"), id=kind) for kind in BODIES],
    )


@by_kind(GET_BODY)
def test_body_is_given_as_the_classes_that_it_is_of(jms, shown, kind):
    """getBody gives it, equal, as each of them, also when it is asked again."""
    wrong = []
    for made_as, body, classes in BODIES[kind]:
        message = shown(compose(jms.session(), made_as, body))
        for name in [*sorted(classes), *sorted(classes)]:
            given = outcome(lambda m=message, c=CLASSES[name]: m.get_body(c))
            if not strategies.identical(given, body):
                wrong.append(f"{made_as} {body!r:.30} as {name}: {given!r:.60}")

    assert wrong == []


REFUSING = {"text": "002", "bytes": "004", "map": "006", "object": "008"}


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=requirement(f"API-MSG-{number}"), id=kind)
        for kind, number in REFUSING.items()
    ],
)
def test_body_is_not_given_as_another_class(jms, shown, kind):
    """getBody raises MessageFormatException for each other class, and the body stays."""
    wrong = []
    for made_as, body, classes in BODIES[kind]:
        message = shown(compose(jms.session(), made_as, body))
        for name in sorted(ANY - classes):
            given = outcome(lambda m=message, c=CLASSES[name]: m.get_body(c))
            if given is not MessageFormatException:
                wrong.append(f"{made_as} {body!r:.30} as {name}: {given!r:.60}")
        if not strategies.identical(content_of(readable(message)), body):
            wrong.append(f"{made_as} {body!r:.30} afterwards: {content_of(message)!r:.60}")

    assert wrong == []


@requirement("API-MSG-009")
def test_stream_is_given_as_no_class(jms, shown):
    """getBody of a stream raises MessageFormatException, and its items can be read."""
    message = shown(compose(jms.session(), "stream", ["a text", Int(-1)]))

    given = {name: outcome(lambda c=kind: message.get_body(c)) for name, kind in CLASSES.items()}

    assert given == dict.fromkeys(CLASSES, MessageFormatException)
    assert content_of(readable(message)) == ["a text", -1]


@by_kind(ASSIGNABLE)
def test_classes_that_a_body_is_of_are_told(jms, shown, kind):
    """isBodyAssignableTo is true of these classes and false of the others."""
    wrong = []
    for made_as, body, classes in BODIES[kind]:
        message = shown(compose(jms.session(), made_as, body))
        said = {name for name, each in CLASSES.items() if message.is_body_assignable_to(each)}
        if said != classes:
            wrong.append(f"{made_as} {body!r:.30}: {sorted(said)}")

    assert wrong == []


@requirement("API-MSG-015")
def test_stream_is_told_to_be_of_no_class(jms, shown):
    """isBodyAssignableTo of a stream is false, whether it holds something or nothing."""
    for items in ([], ["a text"]):
        message = shown(compose(jms.session(), "stream", items))
        assert [name for name, kind in CLASSES.items() if message.is_body_assignable_to(kind)] == []


@requirement("API-MSG-017")
def test_bytes_are_read_from_the_beginning_after_their_body_was_given(jms, shown):
    """getBody gives all of a bytes body of which a part was read, and leaves it at the start."""
    message = readable(shown(compose(jms.session(), "bytes", b"\x01\x02\x03")))
    assert message.read_byte() == 1

    assert message.get_body(bytes) == b"\x01\x02\x03"

    assert [message.read_byte() for _ in range(3)] == [1, 2, 3]


@requirement("API-MSG-017")
def test_bytes_that_are_written_are_readable_after_their_body_was_given(jms):
    """getBody of bytes that are being written gives them, and they can be read."""
    message = compose(jms.session(), "bytes", b"\x01\x02\x03")

    assert message.get_body(bytes) == b"\x01\x02\x03"

    assert message.read_byte() == 1


HELD = {
    "text": "a text",
    "bytes": b"\x01\x02",
    "map": {"k": Byte(-1)},
    "stream": [Int(2), "two"],
    "object": "an object",
}
each_kind = pytest.mark.parametrize("kind", HELD)


def marked(message):
    """The message with a property and the headers that are the client's."""
    message.set_int_property("n", -1)
    message.jms_type, message.jms_correlation_id = "a type", "größe"
    return message


def provided_headers(message):
    """What the getters of the headers that a send sets give."""
    fields = ("jms_message_id", "jms_timestamp", "jms_priority", "jms_delivery_mode")
    return {field: outcome(lambda name=field: getattr(message, name)) for field in fields}


def marks(message):
    return message.jms_type, message.jms_correlation_id


@each_kind
@requirement("API-MSG-018")
def test_clearing_the_body_leaves_headers_and_properties(jms, shown, kind):
    """clearBody, of a message that is to be sent or was received, empties the body alone."""
    message = shown(marked(compose(jms.session(), kind, HELD[kind])))
    headers = provided_headers(message)

    message.clear_body()

    assert not content_of(readable(message))
    assert marks(message) == ("a type", "größe")
    assert provided_headers(message) == headers
    assert message.get_int_property("n") == -1


@each_kind
@requirement("API-MSG-019")
def test_clearing_properties_leaves_headers_and_body(jms, shown, kind):
    """clearProperties, of a message that is to be sent or was received, empties these alone."""
    message = shown(marked(compose(jms.session(), kind, HELD[kind])))
    headers = provided_headers(message)

    message.clear_properties()

    assert not message.property_exists("n")
    assert marks(message) == ("a type", "größe")
    assert provided_headers(message) == headers
    assert strategies.identical(content_of(readable(message)), HELD[kind])
