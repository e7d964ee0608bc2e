"""How much a received body may hold when it is decoded: a small one can stand for a large one.

Bytes on the wire can stand for far more in memory: in AVRO a record of empty fields takes no byte
at all, and a list in a Java stream may refer to another one a thousand times. Neither document nor
specification has limits; the keys are this implementation's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from jmsapi.errors import MessageFormatException

MAX_DEPTH = "touchstone.limits.maxDepth"
MAX_ELEMENTS = "touchstone.limits.maxElements"
MAX_SIZE = "touchstone.limits.maxSize"
DEEPEST = 200
"""The greatest maxDepth: what is nested more deeply would fill the interpreter's stack."""


@dataclass(frozen=True)
class BodyLimits:
    """The greatest body that is decoded."""

    depth: int = 100
    """How many lists, maps and records may stand around a value."""
    elements: int = 100_000
    """How many items, entries and fields they may have together."""
    size: int = 64 << 20
    """Bytes of the body on the wire."""

    def check_size(self, size: int) -> None:
        """`MessageFormatException` for a body of that many bytes if it is too large."""
        if size > self.size:
            raise _limit_error(f"the body has more bytes, {size},", MAX_SIZE, self.size)

    def check(self, depth: int, elements: int) -> None:
        """`MessageFormatException` for a value so deep inside others, or one of too many."""
        if depth > self.depth:
            raise _limit_error("values are nested more deeply", MAX_DEPTH, self.depth)
        if elements > self.elements:
            raise _limit_error("there are more elements", MAX_ELEMENTS, self.elements)


def _limit_error(what: str, key: str, limit: int) -> MessageFormatException:
    return MessageFormatException(
        f"{what} than {key}={limit} allows; a greater number in the configuration of the "
        "connection factory has them read"
    )


DEFAULT_BODY_LIMITS = BodyLimits()
UNLIMITED = BodyLimits(depth=1 << 62, elements=1 << 62, size=1 << 62)
"""For what the application itself made."""
