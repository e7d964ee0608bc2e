"""Values of the ten types that maps and streams hold: the least, the greatest and others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from jmsapi import Byte, Char, Double, Float, Int, Long, Short, Value

TEN: Mapping[str, Sequence[Value]] = {
    "boolean": [True, False, True],
    "byte": [Byte(-128), Byte(-1), Byte(0), Byte(127)],
    "short": [Short(-32768), Short(-1), Short(0), Short(300), Short(32767)],
    "char": [Char("c"), Char("\u20ac"), Char("\ud83d"), Char("\uffff")],
    "int": [Int(-Int.BOUND), Int(-1), Int(0), Int(70_000), Int(Int.BOUND - 1)],
    "long": [Long(-Long.BOUND), Long(-1), Long(0), Long(5_000_000_000), Long(Long.BOUND - 1)],
    "float": [Float(each) for each in (2.0, -0.0, 2.0**-149, math.nan, -math.inf)],
    "double": [Double(each) for each in (2.0, -0.0, 5e-324, math.nan, math.inf)],
    "string": ["", "a", "5", "größe \U0001f600\0", "ß" * 2000],
    "bytes": [b"", b"\x00\xff", bytes(range(256)) * 8],
}
METHODS = {
    "boolean": "Boolean",
    "byte": "Byte",
    "short": "Short",
    "char": "Char",
    "int": "Int",
    "long": "Long",
    "float": "Float",
    "double": "Double",
    "string": "String",
    "bytes": "Bytes",
}
"""What the methods of each type are called in Java, behind read, write, get and set."""
EVERY = [(kind, value) for kind, values in TEN.items() for value in values]
"""Each value with its type."""
