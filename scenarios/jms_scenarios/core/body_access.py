"""The calls that write and read bodies, by the Java names of what they take or give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jmsapi import Int

Call = Callable[[Any], object]
WRITES: dict[str, dict[str, Call]] = {
    "text": {"text": lambda message: setattr(message, "text", "changed")},
    "object": {"object": lambda message: setattr(message, "object", "changed")},
    "map": {
        "boolean": lambda message: message.set_boolean("k", True),
        "byte": lambda message: message.set_byte("k", 1),
        "short": lambda message: message.set_short("k", 1),
        "char": lambda message: message.set_char("k", "c"),
        "int": lambda message: message.set_int("k", 1),
        "long": lambda message: message.set_long("k", 1),
        "float": lambda message: message.set_float("k", 1.0),
        "double": lambda message: message.set_double("k", 1.0),
        "String": lambda message: message.set_string("k", "s"),
        "byte[]": lambda message: message.set_bytes("k", b"\x01"),
        "object": lambda message: message.set_object("k", Int(1)),
    },
}
_IN_ORDER: dict[str, Call] = {
    "boolean": lambda message: message.write_boolean(True),
    "byte": lambda message: message.write_byte(1),
    "short": lambda message: message.write_short(1),
    "char": lambda message: message.write_char("c"),
    "int": lambda message: message.write_int(1),
    "long": lambda message: message.write_long(1),
    "float": lambda message: message.write_float(1.0),
    "double": lambda message: message.write_double(1.0),
    "byte[]": lambda message: message.write_bytes(b"\x01"),
    "object": lambda message: message.write_object(Int(1)),
}
WRITES["bytes"] = {**_IN_ORDER, "UTF": lambda message: message.write_utf("s")}
WRITES["stream"] = {**_IN_ORDER, "String": lambda message: message.write_string("s")}
"""Of each kind, what writes to its body."""
_READ_ALIKE: dict[str, Call] = {
    "boolean": lambda message: message.read_boolean(),
    "byte": lambda message: message.read_byte(),
    "short": lambda message: message.read_short(),
    "char": lambda message: message.read_char(),
    "int": lambda message: message.read_int(),
    "long": lambda message: message.read_long(),
    "float": lambda message: message.read_float(),
    "double": lambda message: message.read_double(),
}
READS: dict[str, dict[str, Call]] = {
    "bytes": {
        **_READ_ALIKE,
        "unsigned byte": lambda message: message.read_unsigned_byte(),
        "unsigned short": lambda message: message.read_unsigned_short(),
        "UTF": lambda message: message.read_utf(),
    },
    "stream": {
        **_READ_ALIKE,
        "String": lambda message: message.read_string(),
        "object": lambda message: message.read_object(),
    },
}
"""Of both kinds that are read in order, what reads the next of a body, but arrays of bytes."""
