"""StreamMessage: typed items, and arrays of bytes that are read in parts."""

import pytest

from jms_scenarios.api.rows import by_method, readable
from jms_scenarios.api.typed_values import EVERY, METHODS, TEN
from jms_scenarios.core.body_access import READS
from jms_scenarios.refusals import outcome
from jmsapi import Int, MessageEOFException, MessageFormatException, MessageNotWriteableException
from touchstone.api import compose, refuses, requirement, strategies


def read(message, kind, value):
    """The next item by the method of its type; an array into one that is longer by one."""
    if kind == "bytes":
        return message.read_bytes(len(value) + 1)
    return getattr(message, f"read_{kind}")()


def unlike(items, expected):
    """What was not read as it was written."""
    return [
        f"{kind} {value!r:.40}: {each!r:.60}"
        for (kind, value), each in zip(expected, items, strict=True)
        if isinstance(each, type) or not strategies.identical(each, value)
    ]


@by_method(
    "API-STREAM",
    {
        f"write{name}-read{name}": (number, kind)
        for number, (kind, name) in enumerate(METHODS.items(), 1)
    },
    "kind",
)
def test_item_is_read_as_it_was_written(jms, shown, kind):
    """Values of one type, one behind the other, are read equal, and nothing follows."""
    message = jms.session().create_stream_message()
    rows = [(kind, value) for value in TEN[kind]]
    for _, value in rows:
        getattr(message, f"write_{kind}")(value)

    message = readable(shown(message))

    items = [outcome(lambda v=value: read(message, kind, v)) for _, value in rows]
    assert unlike(items, rows) == []
    with refuses(MessageEOFException):
        message.read_object()


@requirement("API-STREAM-011")
def test_object_that_is_read_is_of_the_type_written(jms, shown):
    """Each item that a method of its type wrote is read as an object of that type."""
    message = jms.session().create_stream_message()
    for kind, value in EVERY:
        getattr(message, f"write_{kind}")(value)

    message = readable(shown(message))

    assert unlike([outcome(message.read_object) for _ in EVERY], EVERY) == []


@requirement("API-STREAM-012")
@pytest.mark.parametrize("how", ["typed", "object"])
def test_object_that_is_written_is_an_item_of_its_type(jms, shown, how):
    """Each item that was written as an object is read by the method of its type, and as one."""
    message = readable(shown(compose(jms.session(), "stream", [value for _, value in EVERY])))

    items = [
        outcome(
            lambda k=kind, v=value: read(message, k, v) if how == "typed" else message.read_object()
        )
        for kind, value in EVERY
    ]

    assert unlike(items, EVERY) == []


@pytest.fixture
def holding(jms, shown):
    """`holding(b"array", 5)`: a readable stream of these items."""
    return lambda *items: readable(shown(compose(jms.session(), "stream", list(items))))


SEVEN = bytes(range(7))
PARTS = {
    "shorter": (13, SEVEN[:3], 5, [SEVEN[:3]]),
    "longer": (14, SEVEN, 3, [SEVEN[:3], SEVEN[3:6], SEVEN[6:]]),
    "equal": (15, SEVEN[:6], 3, [SEVEN[:3], SEVEN[3:6], None]),
    "as-long-as-the-buffer": (15, SEVEN, 7, [SEVEN, None]),
    "empty": (16, b"", 3, [b""]),
}
"""By what the array is: its statement, the array, the length of the buffer, and what is read."""


@by_method("API-STREAM", PARTS, "array", "length", "parts")
def test_array_is_read_in_parts(holding, array, length, parts):
    """Each call gives what is next of it, and the item behind it follows at once."""
    message = holding(array, Int(-5))

    assert [message.read_bytes(length) for _ in parts] == parts
    assert message.read_int() == -5


@requirement("API-STREAM-018")
def test_no_item_is_read_within_an_array(holding):
    """Each typed read is refused; the rest of the array and what is behind it can be read."""
    message = holding(SEVEN, Int(-5))
    assert message.read_bytes(3) == SEVEN[:3]

    reads = {kind: each for kind, each in READS["stream"].items() if kind != "object"}
    refused = {kind: outcome(lambda r=each: r(message)) for kind, each in reads.items()}

    assert refused == dict.fromkeys(reads, MessageFormatException)
    assert [message.read_bytes(3) for _ in range(2)] == [SEVEN[3:6], SEVEN[6:]]
    assert message.read_int() == -5


@requirement("API-STREAM-019")
def test_no_object_is_read_within_an_array(holding):
    """readObject is refused, twice; the rest of the array and what is behind it can be read."""
    message = holding(SEVEN, Int(-5))
    assert message.read_bytes(5) == SEVEN[:5]

    for _ in range(2):
        with refuses(MessageFormatException):
            message.read_object()

    assert message.read_bytes(5) == SEVEN[5:]
    assert strategies.identical(message.read_object(), Int(-5))


@requirement("API-STREAM-020")
def test_arrays_are_fields_of_their_own(jms, shown):
    """Of two that were written one behind the other each is read alone."""
    for how in ("bytes", "object"):
        message = jms.session().create_stream_message()
        message.write_bytes(SEVEN[:3])
        message.write_bytes(SEVEN[3:])
        message = readable(shown(message))
        both = [
            message.read_bytes(100) if how == "bytes" else message.read_object() for _ in range(2)
        ]
        assert both == [SEVEN[:3], SEVEN[3:]]


@requirement("API-STREAM-017")
def test_reset_leads_back_to_the_first_item(holding):
    """As often as it is called, also within an array; and nothing can be written."""
    message = holding(SEVEN, "a text")

    for _ in range(3):
        message.reset()
        assert message.read_object() == SEVEN
        assert message.read_string() == "a text"
        with refuses(MessageNotWriteableException):
            message.write_int(1)
    message.reset()
    assert message.read_bytes(3) == SEVEN[:3]
    message.reset()
    assert message.read_bytes(8) == SEVEN
