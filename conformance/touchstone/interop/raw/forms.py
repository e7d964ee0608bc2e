"""Properties as they have to lie on the wire: the texts of values, and what a sample has."""

from __future__ import annotations

from collections.abc import Mapping

from jmsapi import Byte, Double, Float, Int, Long, PropertyValue, Short
from touchstone.interop.samples import NAME, SampleMessage

_TYPE_WORDS: Mapping[type, str] = {
    bool: "boolean",
    Byte: "byte",
    Short: "short",
    Int: "int",
    Long: "long",
    Float: "float",
    Double: "double",
}
"""What stands in the companion of a property, by the type of its value; a text has none."""


def text_of(value: PropertyValue) -> str:
    """The text of a property: Java's of booleans and numbers, but for digits of no weight."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        plain = repr(float(value))
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(plain, plain)
    return str(int(value)) if isinstance(value, int) else str(value)


def type_word(value: PropertyValue) -> str | None:
    """The word of a property's companion; None where there is none."""
    return _TYPE_WORDS.get(type(value))


def raw_properties(sample: SampleMessage, now: int) -> dict[str, str]:
    """The raw properties of a sample that is sent at `now`, ms since the epoch."""
    properties = {NAME: sample.name}
    for name, value in sample.properties.items():
        if name == "JMSXGroupID":
            continue
        properties[name] = text_of(value)
        if word := type_word(value):
            properties[f"{name}_jsmtype"] = word
    if sample.foreign:
        return properties
    if lives := sample.options.get("time_to_live"):
        properties |= {"JMSExpiration": str(now + lives), "JMSExpiration_jsmtype": "long"}
    return {
        **properties,
        **sample.raw,
        "JMSPulsarMessageType": sample.kind,
        "JMSDeliveryTime": str(now),
        "JMSConnectionID": "raw",
    }


def told(properties: Mapping[str, str]) -> dict[str, str]:
    """Raw properties with the texts of floats and doubles as `text_of` writes them.

    Versions of Java differ in the last digits, so a number is compared and not its text; a text
    that is no number stays.
    """
    return {
        name: _told(text, properties.get(f"{name}_jsmtype")) for name, text in properties.items()
    }


def _told(text: str, word: str | None) -> str:
    try:
        match word:
            case "float":
                return text_of(Float(float(text)))
            case "double":
                return text_of(Double(float(text)))
    except ValueError:
        pass
    return text
