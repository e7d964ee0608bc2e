"""Java's typed values in Python: the numbers with their ranges, and a UTF-16 code unit.

bool, str and bytes stand for boolean, String and byte[]. The typed numbers are ordinary Python
numbers, so they compare and calculate as such; their class is the JMS type.
"""

from __future__ import annotations

import struct
from typing import ClassVar, Self

from jmsapi.errors import MessageFormatException


class _Integral(int):
    """An int within the range of a Java type; outside it `MessageFormatException`."""

    __slots__ = ()
    BITS: ClassVar[int]
    BOUND: ClassVar[int]
    """The first number that is too large."""

    def __init_subclass__(cls) -> None:
        cls.BOUND = 1 << (cls.BITS - 1)

    def __new__(cls, value: int) -> Self:
        bound = cls.BOUND
        if -bound <= value < bound:
            return int.__new__(cls, value)
        name = cls.__name__.lower()
        raise MessageFormatException(
            f"{value} does not fit a {name}: {-bound} to {bound - 1} is allowed"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int(self)})"


class Byte(_Integral):
    """Java's byte: 8 bits, signed."""

    __slots__ = ()
    BITS = 8


class Short(_Integral):
    """Java's short: 16 bits, signed."""

    __slots__ = ()
    BITS = 16


class Int(_Integral):
    """Java's int: 32 bits, signed."""

    __slots__ = ()
    BITS = 32


class Long(_Integral):
    """Java's long: 64 bits, signed."""

    __slots__ = ()
    BITS = 64


class Float(float):
    """Java's float: the nearest IEEE 754 single to the value; infinite beyond its range."""

    __slots__ = ()

    def __new__(cls, value: float) -> Self:
        try:
            single = struct.unpack(">f", struct.pack(">f", value))[0]
        except OverflowError:
            single = float("inf") if value > 0 else float("-inf")
        return super().__new__(cls, single)

    def __repr__(self) -> str:
        return f"Float({float(self)!r})"


class Double(float):
    """Java's double: IEEE 754 double precision."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Double({float(self)!r})"


class Char(str):
    """Java's char: one UTF-16 code unit, surrogates included."""

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        if len(value) != 1 or ord(value) > 0xFFFF:
            raise MessageFormatException(f"{value!r} is not one UTF-16 code unit")
        return super().__new__(cls, value)

    def __repr__(self) -> str:
        return f"Char({str(self)!r})"


PropertyValue = bool | Byte | Short | Int | Long | Float | Double | str
"""What a message property may hold (JMS 2.0, section 3.5.4)."""
Value = PropertyValue | Char | bytes
"""What a map or stream item may hold (JMS 2.0, section 3.11)."""
