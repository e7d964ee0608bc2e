"""Properties read as another type: the table, texts that are no numbers, and null."""

import pytest

from jms_scenarios.property_values import (
    READS,
    SEVEN_AND_A_TEXT,
    TYPES,
    reader,
    reads,
    set_property,
)
from jms_scenarios.refusals import refused_as
from jms_scenarios.telling_values import TELLING, converted
from jmsapi import (
    MessageFormatException,
    NullPointerException,
    NumberFormatException,
)
from touchstone.api import (
    judging,
    refuses,
    requirement,
    strategies,
)

NUMBERS = ("byte", "short", "int", "long", "float", "double")


@requirement("JMS-PROP-013")
def test_conversions_are_those_of_the_table(message_with, shown):
    """Of the 64 pairs of types 29 give the converted value, the others are refused."""
    message = shown(message_with(SEVEN_AND_A_TEXT))

    outcomes = {kind: reads(message, kind) for kind in TYPES}
    assert {kind: sorted(row) for kind, row in outcomes.items()} == {
        kind: sorted(row) for kind, row in READS.items()
    }
    assert [kind for kind in TYPES if not strategies.identical(outcomes[kind], READS[kind])] == []


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
                    if refused_as(reader(each, other), "p", by=MessageFormatException) is None
                ]
                assert accepted == []
                value = each.get_object_property("p")
                assert strategies.identical(value, SEVEN_AND_A_TEXT[kind])


@pytest.mark.parametrize(
    ("kind", "allowed", "refused"),
    [
        conversions(
            "boolean", {"boolean": "JMS-PROP-014", "string": "JMS-PROP-016"}, "JMS-PROP-015"
        ),
        *(
            conversions(
                kind, dict.fromkeys(READS[kind], f"JMS-PROP-{id_:03}"), f"JMS-PROP-{id_ + 1:03}"
            )
            for kind, id_ in zip(NUMBERS, range(17, 29, 2), strict=True)
        ),
    ],
)
def test_type_decides_whatever_the_value(jms, delivered, kind, allowed, refused):
    """Values that would fit another type are refused as that; sign, zero and false stay."""
    message = jms.text()
    values = {f"p{number}": pair for number, pair in enumerate(TELLING[kind])}
    for name, (value, _) in values.items():
        set_property(message, name, value)
    message = delivered(message)

    for id_ in dict.fromkeys(allowed.values()):
        with judging(id_):
            wanted = {
                (name, other): converted(value, text, kind, other)
                for name, (value, text) in values.items()
                for other, its in allowed.items()
                if its == id_
            }
            given = {(name, other): reader(message, other)(name) for name, other in wanted}
            assert strategies.identical(given, wanted)
    for id_ in refused:
        with judging(id_):
            accepted = [
                (name, other)
                for name in values
                for other in TYPES
                if other not in READS[kind]
                and refused_as(reader(message, other), name, by=MessageFormatException) is None
            ]
            assert accepted == []


@requirement("JMS-PROP-029")
def test_text_true_is_read_as_boolean(message_with, shown):
    """The text true, in whatever case, is the boolean true, and any other text false."""
    message = shown(message_with({"a": "true", "b": "TRUE", "c": "yes"}))

    assert [message.get_boolean_property(name) for name in "abc"] == [True, True, False]


@requirement("JMS-PROP-030")
def test_text_that_is_no_number_is_refused_as_such(message_with, shown):
    """Read as each type of number, x1 raises NumberFormatException; so does 300 read as a byte."""
    message = shown(message_with({"p": "x1", "large": "300"}))

    accepted = [
        kind
        for kind in NUMBERS
        if refused_as(reader(message, kind), "p", by=NumberFormatException) is None
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
    refused = {kind: refused_as(reader(message, kind), name, by=kinds) for kind in AS_NULL}
    assert {kind: by for kind, by in refused.items() if by != AS_NULL[kind]} == {}
    assert message.property_exists("absent") is False
