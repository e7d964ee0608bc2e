"""Message: the names that setters of properties refuse, and what setting again does."""

from jms_scenarios.api.rows import by_method
from jms_scenarios.property_values import SEVEN_AND_A_TEXT
from jms_scenarios.refusals import outcome
from jmsapi import Byte, Double, IllegalArgumentException, Long
from touchstone.api import requirement

SETTERS = {
    "setBooleanProperty": (32, "boolean", True),
    "setByteProperty": (33, "byte", -1),
    "setShortProperty": (34, "short", -1),
    "setLongProperty": (35, "long", -1),
    "setFloatProperty": (36, "float", 2.0),
    "setDoubleProperty": (37, "double", 2.0),
    "setStringProperty": (38, "string", "größe"),
    "setObjectProperty": (39, "object", Long(-1)),
}


@by_method("API-MSG", SETTERS, "kind", "value")
def test_property_without_a_name_is_refused(jms, kind, value):
    """A null or empty name raises IllegalArgumentException; any other name is taken afterwards."""
    message = jms.session().create_message()
    setter = getattr(message, f"set_{kind}_property")

    refused = {name: outcome(lambda n=name: setter(n, value)) for name in (None, "")}

    setter("named", value)
    assert message.get_object_property("named") == value
    assert refused == dict.fromkeys((None, ""), IllegalArgumentException)


@requirement("API-MSG-040")
def test_property_exists_by_its_name_alone(jms, shown):
    """propertyExists is true of what was set, and false of headers and other names."""
    message = jms.session().create_message()
    message.jms_type, message.jms_correlation_id = "a type", "an id"
    message.set_boolean_property("no", False)
    message.set_string_property("empty", "")
    message.set_int_property("größe", 0)

    message = shown(message)

    asked = ("no", "empty", "größe", "NO", "Empty", "none", "JMSType", "JMSCorrelationID")
    assert [name for name in asked if message.property_exists(name)] == ["no", "empty", "größe"]


@requirement("API-MSG-041")
def test_property_that_is_set_again_is_the_latest(jms, shown):
    """A second value takes the place of the first, whatever type each is of."""
    message = jms.session().create_message()
    for value in SEVEN_AND_A_TEXT.values():
        message.set_object_property("p", value)
        message.set_byte_property("q", 1)
    message.set_byte_property("p", -1)
    message.set_double_property("q", 2.0)

    message = shown(message)

    read = {name: message.get_object_property(name) for name in ("p", "q")}
    assert read == {"p": -1, "q": 2.0}
    assert {name: type(value) for name, value in read.items()} == {"p": Byte, "q": Double}
