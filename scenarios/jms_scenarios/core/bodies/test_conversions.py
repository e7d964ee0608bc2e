"""Items of map and stream bodies: what they may be read as, after they have arrived."""

from functools import partial

import pytest

from jms_scenarios import telling_values
from jms_scenarios.core.reads import (
    KEY,
    KINDS,
    differences,
    first_item,
    get,
    next_item,
    put,
    readers,
    write,
)
from jms_scenarios.refusals import outcome
from jms_scenarios.telling_values import TELLING
from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    Long,
    MessageEOFException,
    MessageFormatException,
    NullPointerException,
    NumberFormatException,
    Short,
)
from touchstone.api import judging, refuses, requirement, strategies

VALUES = {
    "boolean": (True, "true"),
    "byte": (Byte(7), "7"),
    "short": (Short(300), "300"),
    "char": (Char("c"), "c"),
    "int": (Int(70_000), "70000"),
    "long": (Long(5_000_000_000), "5000000000"),
    "float": (Float(1.5), "1.5"),
    "double": (Double(2.5), "2.5"),
    "String": ("5", "5"),
    "byte[]": (b"\x01\x02", None),
}
"""Of each kind a value, and its text."""
READABLE = {
    "boolean": {"boolean", "String"},
    "byte": {"byte", "short", "int", "long", "String"},
    "short": {"short", "int", "long", "String"},
    "char": {"char", "String"},
    "int": {"int", "long", "String"},
    "long": {"long", "String"},
    "float": {"float", "double", "String"},
    "double": {"double", "String"},
    "String": {"boolean", "byte", "short", "int", "long", "float", "double", "String"},
    "byte[]": {"byte[]"},
}
"""The specification's table: a kind that was written, and what it may be read as."""
IDS = {
    kind: (f"JMS-BODY-{9 + 2 * row:03}", f"JMS-BODY-{10 + 2 * row:03}")
    for row, kind in enumerate(VALUES)
}
"""Of each kind: the statement about reads that it allows, and the one about those it does not."""
INTEGRAL = ("byte", "short", "int", "long")
NUMBERS = (*INTEGRAL, "float", "double")


@pytest.fixture
def arrived(jms, delivered):
    """`arrived(kind, value)`: a map and a stream that hold one value, as they were received."""
    session = jms.session()

    def arrived(kind, value):
        entries, stream = session.create_map_message(), session.create_stream_message()
        put(entries, KEY, kind, value)
        write(stream, kind, value)
        return delivered(entries), delivered(stream)

    return arrived


def converted(kind, target):
    """The value of a kind as another kind has it."""
    value, text = VALUES[kind]
    if target == kind:
        return value
    if target == "String":
        return text
    if target == "boolean":
        return text == "true"
    return KINDS[target](float(text) if target in ("float", "double") else int(text))


each_body = pytest.mark.parametrize("body", ["map", "stream"])


@requirement("JMS-BODY-007")
@pytest.mark.parametrize("sent", [False, True], ids=["own", "received"])
def test_typed_methods_and_objects_of_a_map_are_alike(jms, delivered, sent):
    """What was set in either way reads the same in both."""
    entries = jms.session().create_map_message()
    for kind, (value, _) in VALUES.items():
        put(entries, f"typed {kind}", kind, value)
        entries.set_object(f"object {kind}", value)

    entries = delivered(entries) if sent else entries

    for kind, (value, _) in VALUES.items():
        keys = f"typed {kind}", f"object {kind}"
        values = [get(entries, key, kind) for key in keys] + [*map(entries.get_object, keys)]
        assert [each for each in values if not strategies.identical(each, value)] == [], (
            f"{kind}: not what was written"
        )


@requirement("JMS-BODY-007")
@pytest.mark.parametrize("sent", [False, True], ids=["own", "received"])
def test_typed_methods_and_objects_of_a_stream_are_alike(jms, delivered, sent):
    """What was written in either way reads the same in both."""
    stream = jms.session().create_stream_message()
    for kind, (value, _) in VALUES.items():
        for _ in range(2):
            write(stream, kind, value)
            stream.write_object(value)

    if sent:
        stream = delivered(stream)
    else:
        stream.reset()

    for kind, (value, _) in VALUES.items():
        values = [outcome(partial(next_item, stream, kind)) for _ in range(2)]
        values += [outcome(stream.read_object) for _ in range(2)]
        assert [each for each in values if not strategies.identical(each, value)] == [], (
            f"{kind}: not what was written"
        )


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=requirement("JMS-BODY-008", *ids), id=kind)
        for kind, ids in IDS.items()
    ],
)
def test_item_is_read_as_the_table_allows(arrived, kind):
    """An item gives the value as each kind of the table, and is refused as any other."""
    entries, stream = arrived(kind, VALUES[kind][0])
    read = readers(entries, stream)
    allowed, refused = IDS[kind]
    others = KINDS.keys() - READABLE[kind]

    with judging("JMS-BODY-008", allowed):
        wanted = {target: converted(kind, target) for target in sorted(READABLE[kind])}
        assert differences(read, wanted) == []
    with judging("JMS-BODY-008", refused):
        assert differences(read, dict.fromkeys(sorted(others), MessageFormatException)) == []
    with judging(refused):
        behind = {target: behind_a_refusal(stream, target) for target in sorted(others)}
        lost = [target for target, value in behind.items() if value != VALUES[kind][0]]
        assert lost == [], "the item is not read any more behind a refused read"


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=requirement("JMS-BODY-008", *IDS[kind]), id=kind)
        for kind in TELLING
    ],
)
def test_type_decides_whatever_the_value(arrived, kind):
    """Values that would fit another type are refused as that; sign, zero and false stay."""
    allowed, refused = IDS[kind]
    others = sorted(KINDS.keys() - READABLE[kind])
    for value, text in TELLING[kind]:
        read = readers(*arrived(kind, value))
        with judging("JMS-BODY-008", allowed):
            wanted = {
                target: telling_values.converted(value, text, kind, target)
                for target in sorted(READABLE[kind])
            }
            assert differences(read, wanted) == []
        with judging("JMS-BODY-008", refused):
            assert differences(read, dict.fromkeys(others, MessageFormatException)) == []


def behind_a_refusal(stream, target):
    """What the item is read as after a read as `target` was tried."""
    outcome(partial(first_item, stream, target))
    return outcome(stream.read_object)


@requirement("JMS-BODY-029")
def test_text_that_is_no_number_is_refused_as_such(arrived):
    """x1 read as each kind of number raises NumberFormatException."""
    read = readers(*arrived("String", "x1"))

    assert differences(read, dict.fromkeys(NUMBERS, NumberFormatException)) == []


@requirement("JMS-BODY-025", "JMS-BODY-030")
def test_text_is_a_boolean_as_java_has_it(arrived):
    """true in any case is true, and every other text is false."""
    booleans = {}
    for text in ("true", "TRUE", "yes", "1", "", "false"):
        for body, read in readers(*arrived("String", text)).items():
            booleans[body, text] = read("boolean")

    with judging("JMS-BODY-025"):
        assert booleans["map", "true"] is booleans["stream", "true"] is True
    with judging("JMS-BODY-030"):
        assert {text for (_, text), value in booleans.items() if value} == {"true", "TRUE"}
        assert [value for value in booleans.values() if value not in (True, False)] == []


NULL_AS = {
    "boolean": False,
    **dict.fromkeys(INTEGRAL, NumberFormatException),
    **dict.fromkeys(("float", "double"), NullPointerException),
}
"""What becomes of null read as a kind, but char."""


@each_body
@requirement("JMS-BODY-031", "JMS-BODY-032")
def test_null_is_read_as_java_has_it(arrived, body):
    """As boolean it is false; as any number, and as char, it raises what Java raises."""
    read = {body: readers(*arrived("String", None))[body]}

    with judging("JMS-BODY-031"):
        assert differences(read, NULL_AS) == []
    with judging("JMS-BODY-032"):
        assert differences(read, {"char": NullPointerException}) == []


@each_body
@requirement("JMS-BODY-032")
def test_null_is_no_char_of_a_message_that_was_not_sent(jms, body):
    """A null raises NullPointerException as char."""
    session = jms.session()
    entries, stream = session.create_map_message(), session.create_stream_message()
    put(entries, KEY, "String", None)
    write(stream, "String", None)
    read = {body: readers(entries, stream)[body]}

    assert differences(read, {"char": NullPointerException}) == []


@requirement("JMS-BODY-033")
def test_key_that_is_not_there_reads_as_null(arrived):
    """It does not exist, is null as String, byte[] and object, and no number and no char."""
    entries, _ = arrived("int", Int(1))

    def read(kind):
        return get(entries, "no", kind)

    assert not entries.item_exists("no")
    assert entries.get_object("no") is None
    wanted = {**NULL_AS, "char": NullPointerException, "String": None, "byte[]": None}
    assert differences({"map": read}, wanted) == []


@requirement("JMS-BODY-034")
def test_stream_stays_where_a_read_failed(jms, delivered):
    """Behind a read that was refused the same item is read, in the type it has."""
    stream = jms.session().create_stream_message()
    stream.write_string("abc")
    stream.write_int(5)
    received = delivered(stream)

    with refuses(NumberFormatException):
        received.read_int()
    with refuses(MessageFormatException):
        received.read_bytes(10)
    assert received.read_string() == "abc"
    with refuses(MessageFormatException):
        received.read_boolean()
    assert received.read_int() == 5
    with refuses(MessageEOFException):
        received.read_int()
