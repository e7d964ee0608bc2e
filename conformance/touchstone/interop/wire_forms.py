"""Bodies as they have to lie on the wire, made from what is documented and was recorded.

Nothing here is shared with the reference, which has an encoder of its own. The class descriptions
are those that Java writes; they were recorded from the real client.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from jmsapi import Byte, Char, Double, Float, Int, Long, Short, Value

_MAGIC = bytes.fromhex("aced0005")
_NO_PARENT = bytes.fromhex("70")
_NUMBER = bytes.fromhex("7200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870")
_BYTES = bytes.fromhex("757200025b42acf317f8060854e00200007870")
"""An array of bytes up to its length."""


def _class(name: str, uid: str, letter: str, parent: bytes = _NUMBER) -> bytes:
    """A new object of java.lang.`name`, up to its one field `value`."""
    full = f"java.lang.{name}".encode()
    head = b"sr" + struct.pack(">H", len(full)) + full + bytes.fromhex(uid)
    return head + b"\x02\x00\x01" + letter.encode() + b"\x00\x05value" + b"x" + parent


_BOXED: Mapping[type, tuple[bytes, str]] = MappingProxyType(
    {
        bool: (_class("Boolean", "cd207280d59cfaee", "Z", _NO_PARENT), ">?"),
        Byte: (_class("Byte", "9c4e6084ee50f51c", "B"), ">b"),
        Short: (_class("Short", "684d37133460da52", "S"), ">h"),
        Int: (_class("Integer", "12e2a0a4f7818738", "I"), ">i"),
        Long: (_class("Long", "3b8be490cc8f23df", "J"), ">q"),
        Float: (_class("Float", "daedc9a2db3cf0ec", "F"), ">f"),
        Double: (_class("Double", "80b3c24a296bfb04", "D"), ">d"),
    }
)
_CHARACTER = _class("Character", "348b47d96b1a2678", "C", _NO_PARENT)
_TAGS: Mapping[type, tuple[int, str]] = MappingProxyType(
    {
        bool: (1, ">?"),
        Int: (3, ">i"),
        Short: (4, ">h"),
        Long: (5, ">q"),
        Float: (6, ">f"),
        Double: (7, ">d"),
        Byte: (8, ">b"),
    }
)
"""How the items of a stream begin, and how their numbers follow."""


def modified_utf8(text: str) -> bytes:
    """Java's modified UTF-8, without a length: U+0000 in two bytes, surrogates one by one."""
    units = text.encode("utf-16-be", "surrogatepass")
    pairs = (units[at] << 8 | units[at + 1] for at in range(0, len(units), 2))
    return b"".join(
        bytes([unit])
        if 0 < unit < 0x80
        else chr(unit).encode("utf-8", "surrogatepass")
        if unit
        else b"\xc0\x80"
        for unit in pairs
    )


def stream(items: Sequence[Value | None]) -> bytes:
    """The body of a StreamMessage: each item with a tag before it."""
    return b"".join(map(_item, items))


def _item(item: Value | None) -> bytes:
    match item:
        case None:
            return b"\x0b"
        case Char():
            return b"\x09" + item.encode("utf-16-be", "surrogatepass")
        case str():
            return b"\x02" + _counted(item)
        case bytes():
            return b"\x0a" + struct.pack(">i", len(item)) + item
    tag, form = _TAGS[type(item)]
    return bytes([tag]) + struct.pack(form, item)


def java_object(value: object) -> bytes:
    """The body of an ObjectMessage that holds a text, bytes, or one boxed value."""
    return _MAGIC + _object(value)


def map_of_one(name: str, value: Value | None) -> bytes:
    """The body of a MapMessage with one entry; the order of several is the writer's choice."""
    head = b"\x00\x00\x00\x01" + _counted(name)
    marked = b"w" + bytes([len(head)]) if len(head) < 256 else b"z" + struct.pack(">i", len(head))
    return _MAGIC + marked + head + _object(value)


def _object(value: object) -> bytes:
    match value:
        case None:
            return b"p"
        case Char():
            return _CHARACTER + value.encode("utf-16-be", "surrogatepass")
        case str():
            encoded = modified_utf8(value)
            if len(encoded) > 0xFFFF:
                return b"|" + struct.pack(">q", len(encoded)) + encoded
            return b"t" + _counted(value)
        case bytes():
            return _BYTES + struct.pack(">i", len(value)) + value
        case bool() | int() | float():
            head, form = _BOXED[type(value)]
            return head + struct.pack(form, value)
    raise TypeError(f"the form of a {type(value).__name__} is not recorded here")


def _counted(text: str) -> bytes:
    encoded = modified_utf8(text)
    return struct.pack(">H", len(encoded)) + encoded
