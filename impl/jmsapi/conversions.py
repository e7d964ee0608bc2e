"""The conversion tables of JMS: which type a property or an item of a body may be read as.

JMS 2.0, sections 3.5.4 (properties) and 3.11.3 (map and stream bodies). A table has a row for
each type that was written, with the types that it may be read as; every other pair is a
`MessageFormatException`. Strings are parsed, and null reads as Java's valueOf(null) does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, cast

from jmsapi.errors import MessageFormatException, NullPointerException, NumberFormatException
from jmsapi.numbers_as_text import (
    java_double_text,
    java_float_text,
    parse_java_double,
    parse_java_float,
    parse_java_integral,
)
from jmsapi.values import Byte, Char, Double, Float, Int, Long, PropertyValue, Short, Value

T = TypeVar("T", bound="bool | Byte | Short | Int | Long | Float | Double | str | Char | bytes")
ReadTable = Mapping[type, frozenset[type]]

PROPERTY_READS: ReadTable = {
    bool: frozenset({bool, str}),
    Byte: frozenset({Byte, Short, Int, Long, str}),
    Short: frozenset({Short, Int, Long, str}),
    Int: frozenset({Int, Long, str}),
    Long: frozenset({Long, str}),
    Float: frozenset({Float, Double, str}),
    Double: frozenset({Double, str}),
    str: frozenset({bool, Byte, Short, Int, Long, Float, Double, str}),
}
"""JMS 2.0, table 3-5: the type a property was set in, and the types it may be read as."""

BODY_READS: ReadTable = {
    **PROPERTY_READS,
    Char: frozenset({Char, str}),
    bytes: frozenset({bytes}),
}
"""JMS 2.0, table 3-6: the same for the items of maps and streams."""

JAVA_NAMES: Mapping[type, str] = {
    bool: "boolean",
    Byte: "byte",
    Short: "short",
    Int: "int",
    Long: "long",
    Float: "float",
    Double: "double",
    Char: "char",
    str: "String",
    bytes: "byte[]",
}
"""What messages to people call the types."""

_PARSERS: Mapping[type, Callable[[str], Any]] = {
    bool: lambda text: text.lower() == "true",
    Byte: partial(parse_java_integral, kind=Byte),
    Short: partial(parse_java_integral, kind=Short),
    Int: partial(parse_java_integral, kind=Int),
    Long: partial(parse_java_integral, kind=Long),
    Float: parse_java_float,
    Double: parse_java_double,
    str: str,
}

_TEXTS: Mapping[type, Callable[..., str]] = {
    bool: lambda value: "true" if value else "false",
    Byte: int.__repr__,
    Short: int.__repr__,
    Int: int.__repr__,
    Long: int.__repr__,
    Float: java_float_text,
    Double: java_double_text,
    Char: str,
    str: str,
}


def java_text(value: PropertyValue | Char) -> str:
    """`value` as Java's String.valueOf writes it."""
    return _TEXTS[type(value)](value)


def parse_java(text: str, kind: type[T]) -> T:
    """`text` as the valueOf(String) of `kind` reads it; `NumberFormatException` if it cannot."""
    parsed: T = _PARSERS[kind](text)
    return parsed


def read_as(value: Value | None, kind: type[T], reads: ReadTable, what: str) -> T | None:
    """`value` read as `kind` by the table `reads`; `what` names it in errors.

    None comes back for null read as String or bytes only. Raises `MessageFormatException` for a
    pair that is not in the table, `NumberFormatException` for a text that does not parse and for
    null as an integral, `NullPointerException` for null as float, double or char.
    """
    stored = type(value)
    if stored is kind:
        return cast(T, value)
    if value is None:
        return _read_null(kind, what)
    if kind not in reads.get(stored, ()):  # of schemas there are also maps and lists
        name = JAVA_NAMES.get(stored, stored.__name__)
        raise MessageFormatException(f"{what} is a {name} and cannot be read as {JAVA_NAMES[kind]}")
    if stored is str:
        try:
            return parse_java(cast(str, value), kind)
        except NumberFormatException as error:
            raise NumberFormatException(f"{what}: {error}") from None
    if kind is str:
        return cast(T, java_text(cast("PropertyValue | Char", value)))
    return cast(T, cast("Callable[[object], object]", kind)(value))


def _read_null(kind: type[T], what: str) -> T | None:
    if kind is str or kind is bytes:
        return None
    if kind is bool:
        return cast(T, False)
    if kind in (Float, Double, Char):
        raise NullPointerException(f"{what} is null and cannot be read as {JAVA_NAMES[kind]}")
    raise NumberFormatException(f"{what} is null and cannot be read as {JAVA_NAMES[kind]}")


def is_a(value: object, kind: type) -> bool:
    """Whether `value` may be given as `kind`, as in Java: no boolean as int, no char as String.

    Null is of every type.
    """
    match value:
        case None:
            return True
        case bool():
            return kind in (bool, object)
        case Char():
            return kind in (Char, object)
    return isinstance(value, kind)


def typed_integral(value: object, kind: type[T]) -> T:
    """`value` as the integral type `kind`; `MessageFormatException` if it is none or too large."""
    if isinstance(value, int) and not isinstance(value, bool):
        make: Callable[[int], T] = kind
        return make(value)
    raise _wrong_type(value, JAVA_NAMES[kind])


def typed_floating(value: object, kind: type[T]) -> T:
    """`value` as Float or Double; `MessageFormatException` if it is no number or too large."""
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        try:
            make: Callable[[float], T] = kind
            return make(value)
        except OverflowError as error:
            raise MessageFormatException(f"{value} does not fit a double") from error
    raise _wrong_type(value, JAVA_NAMES[kind])


def typed_boolean(value: object) -> bool:
    """`value` if it is a bool, else `MessageFormatException`."""
    if isinstance(value, bool):
        return value
    raise _wrong_type(value, "boolean")


def typed_string(value: object) -> str | None:
    """`value` if it is a plain string or None, else `MessageFormatException`."""
    if value is None or (isinstance(value, str) and not isinstance(value, Char)):
        return value if type(value) is str or value is None else str(value)
    raise _wrong_type(value, "String")


def typed_char(value: object) -> Char:
    """`value` as Char if it is one UTF-16 code unit, else `MessageFormatException`."""
    if isinstance(value, str):
        return Char(value)
    raise _wrong_type(value, "char")


def typed_bytes(value: object) -> bytes | None:
    """A copy of `value` if it is bytes-like or None, else `MessageFormatException`."""
    if value is None or type(value) is bytes:
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise _wrong_type(value, "byte[]")


def typed_property(value: object) -> PropertyValue | None:
    """`value` in the type that setObjectProperty gives it; `MessageFormatException` for others.

    A plain int counts as Int where it fits, else as Long; a plain float as Double.
    """
    kind = type(value)
    if value is None or kind in PROPERTY_READS:
        return cast("PropertyValue | None", value)
    if kind is int:
        number = cast(int, value)
        return Int(number) if -(1 << 31) <= number < 1 << 31 else Long(number)
    if kind is float:
        return Double(cast(float, value))
    raise _wrong_type(
        value, "message property: boolean, byte, short, int, long, float, double or String"
    )


def typed_item(value: object) -> Value | None:
    """`value` in the type that a map or stream keeps it in; `MessageFormatException` for others."""
    kind = type(value)
    if kind is Char or kind is bytes:
        return cast(Value, value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    try:
        return typed_property(value)
    except MessageFormatException:
        if kind in (int, float):
            raise
        raise _wrong_type(
            value,
            "item of a map, stream or object message: boolean, byte, short, char, int, long, "
            "float, double, String or byte[]",
        ) from None


def _wrong_type(value: object, wanted: str) -> MessageFormatException:
    return MessageFormatException(f"a {type(value).__name__} is no {wanted}")
