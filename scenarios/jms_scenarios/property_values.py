"""Properties by their eight types: how each is set, and how it may be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jmsapi import (
    Byte,
    Double,
    Float,
    Int,
    Long,
    Message,
    MessageFormatException,
    PropertyValue,
    Short,
)

_TYPES: Mapping[type, str] = {
    bool: "boolean",
    Byte: "byte",
    Short: "short",
    Int: "int",
    Long: "long",
    Float: "float",
    Double: "double",
    str: "string",
}
TYPES = tuple(_TYPES.values())
"""The types that a property may be of."""

SEVEN_AND_A_TEXT: Mapping[str, PropertyValue] = {
    "boolean": True,
    "byte": Byte(7),
    "short": Short(300),
    "int": Int(70_000),
    "long": Long(5_000_000_000),
    "float": Float(1.5),
    "double": Double(2.5),
    "string": "5",
}
"""One value of each type."""

READS: Mapping[str, Mapping[str, PropertyValue]] = {
    "boolean": {"boolean": True, "string": "true"},
    "byte": {
        "byte": Byte(7),
        "short": Short(7),
        "int": Int(7),
        "long": Long(7),
        "string": "7",
    },
    "short": {"short": Short(300), "int": Int(300), "long": Long(300), "string": "300"},
    "int": {"int": Int(70_000), "long": Long(70_000), "string": "70000"},
    "long": {"long": Long(5_000_000_000), "string": "5000000000"},
    "float": {"float": Float(1.5), "double": Double(1.5), "string": "1.5"},
    "double": {"double": Double(2.5), "string": "2.5"},
    "string": {
        "boolean": False,
        "byte": Byte(5),
        "short": Short(5),
        "int": Int(5),
        "long": Long(5),
        "float": Float(5.0),
        "double": Double(5.0),
        "string": "5",
    },
}
"""What each value of `SEVEN_AND_A_TEXT` gives, read as another type (JMS 2.0, section 3.5.4)."""


def set_property(message: Message, name: str, value: Any) -> None:
    """Set a property by the method of its value's own type."""
    getattr(message, f"set_{_TYPES[type(value)]}_property")(name, value)


def reader(message: Message, kind: str) -> Callable[[str], Any]:
    """The method that reads a property as `kind`, one of `TYPES`."""
    read: Callable[[str], Any] = getattr(message, f"get_{kind}_property")
    return read


def reads(message: Message, name: str) -> dict[str, PropertyValue]:
    """What a property gives, by the types that it may be read as.

    It may not where a MessageFormatException says so.
    """
    values: dict[str, PropertyValue] = {}
    for kind in TYPES:
        try:
            values[kind] = reader(message, kind)(name)
        except MessageFormatException:
            continue
    return values


def own_names(message: Message) -> list[str]:
    """The names of a message's properties in order, without JMSX and JMS_ ones and their like."""
    return sorted(name for name in message.property_names() if not name.startswith("JMS"))
