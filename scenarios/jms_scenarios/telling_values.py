"""Values by which conversions give themselves away, with their texts in Java.

A type is refused for what it is, though the value would fit: 7 of a short as byte, 2.0 as int. What
converts keeps its sign, and zero and false are values as well.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from jmsapi import Byte, Double, Float, Int, Long, Short

TELLING: Mapping[str, Sequence[tuple[Any, str]]] = {
    "boolean": ((False, "false"), (True, "true")),
    "byte": ((Byte(-1), "-1"), (Byte(-128), "-128"), (Byte(0), "0")),
    "short": ((Short(7), "7"), (Short(-1), "-1"), (Short(0), "0")),
    "int": ((Int(7), "7"), (Int(-1), "-1"), (Int(0), "0")),
    "long": ((Long(7), "7"), (Long(-1), "-1"), (Long(0), "0")),
    "float": ((Float(2.0), "2.0"), (Float(-1.0), "-1.0"), (Float(0.0), "0.0")),
    "double": ((Double(2.0), "2.0"), (Double(-1.0), "-1.0"), (Double(0.0), "0.0")),
}
"""By the Java names of the kinds."""
KIND_OF: Mapping[str, type] = {
    "byte": Byte,
    "short": Short,
    "int": Int,
    "long": Long,
    "float": Float,
    "double": Double,
}


def converted(value: Any, text: str, kind: str, target: str) -> Any:
    """`value` of `kind`, whose text is `text`, as the type `target` has it."""
    if target == kind:
        return value
    return text if target in ("String", "string") else KIND_OF[target](value)
