"""Java's object streams as data: type codes, and the classes whose serial form is known here.

No class is ever loaded; a class is its name, its number and its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from jmsapi.values import Byte, Char, Double, Float, Int, Long, Short

MAGIC = bytes.fromhex("aced0005")
"""How every object stream begins: magic number and protocol version."""
NULL, REFERENCE, CLASS, OBJECT, STRING, ARRAY = 0x70, 0x71, 0x72, 0x73, 0x74, 0x75
BLOCK, END, LONG_BLOCK, LONG_STRING = 0x77, 0x78, 0x7A, 0x7C
FIRST_HANDLE = 0x7E0000
MAX_DEPTH = 100
"""How deep objects may nest when they are written."""

JavaValue = Any
"""None, a typed value, a list of these, or a dict of these; recursive, hence unchecked."""

WRITE_METHOD, SERIALIZABLE = 0x01, 0x02


class JavaClass(NamedTuple):
    """A class as its descriptor in a stream gives it."""

    name: str
    uid: int
    flags: int
    fields: tuple[tuple[str, str], ...] = ()
    """Type letter and name, in stream order."""
    parent: str | None = None


_NUMBER = "java.lang.Number"


def _boxed_class(name: str, uid: int, letter: str, parent: str | None = _NUMBER) -> JavaClass:
    return JavaClass(f"java.lang.{name}", uid, SERIALIZABLE, ((letter, "value"),), parent)


BOXED: Mapping[type, JavaClass] = {
    bool: _boxed_class("Boolean", 0xCD207280D59CFAEE, "Z", None),
    Byte: _boxed_class("Byte", 0x9C4E6084EE50F51C, "B"),
    Short: _boxed_class("Short", 0x684D37133460DA52, "S"),
    Char: _boxed_class("Character", 0x348B47D96B1A2678, "C", None),
    Int: _boxed_class("Integer", 0x12E2A0A4F7818738, "I"),
    Long: _boxed_class("Long", 0x3B8BE490CC8F23DF, "J"),
    Float: _boxed_class("Float", 0xDAEDC9A2DB3CF0EC, "F"),
    Double: _boxed_class("Double", 0x80B3C24A296BFB04, "D"),
}
"""The class of each boxed primitive, by the type that stands for it in Python."""

UNBOXED: Mapping[str, type] = {java.name: kind for kind, java in BOXED.items()}

LETTERS: Mapping[str, type] = {java.fields[0][0]: kind for kind, java in BOXED.items()}
"""The primitive type behind each type letter of a field."""

BYTE_ARRAY = JavaClass("[B", 0xACF317F8060854E0, SERIALIZABLE)
ARRAY_LIST = JavaClass(
    "java.util.ArrayList", 0x7881D21D99C7619D, SERIALIZABLE | WRITE_METHOD, (("I", "size"),)
)
HASH_MAP = JavaClass(
    "java.util.HashMap",
    0x0507DAC1C31660D1,
    SERIALIZABLE | WRITE_METHOD,
    (("F", "loadFactor"), ("I", "threshold")),
)
LINKED_HASH_MAP = JavaClass(
    "java.util.LinkedHashMap",
    0x34C04E5C106CC0FB,
    SERIALIZABLE,
    (("Z", "accessOrder"),),
    HASH_MAP.name,
)

CLASSES: Mapping[str, JavaClass] = {
    java.name: java
    for java in (
        *BOXED.values(),
        JavaClass(_NUMBER, 0x86AC951D0B94E08B, SERIALIZABLE),
        BYTE_ARRAY,
        ARRAY_LIST,
        HASH_MAP,
        LINKED_HASH_MAP,
    )
}
"""Every known class by name."""
