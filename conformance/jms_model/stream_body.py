"""The body of a StreamMessage: items that are written, and then read, one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Self

from jms_model.answers import Effect, Expectation, Keeps, anything, gives, raises, succeeds
from jms_model.bodies import TEN, item_read
from jms_model.bytes_body import modified_utf8
from jms_model.conversions import type_of
from jms_model.ordered_body import APPENDED, OrderedBody
from jmsapi.errors import (
    JMSException,
    MessageEOFException,
    MessageFormatException,
    NullPointerException,
    NumberFormatException,
)

_READS: Final = {name: f"API-STREAM-{number:03}" for number, name in enumerate(TEN, start=1)}
_LONGEST: Final = 65_535
"""The bytes of a text that writeUTF can write, by which clients write streams."""
_STAYS: Final = [Keeps("body", ["JMS-BODY-034"])]


class StreamBody(OrderedBody):
    """Items, which of them is read next, and how much of it has been."""

    kind = "stream"
    asked = ("API-MSG-009", "API-MSG-009", "API-MSG-015")
    rewinds = "API-STREAM-017"

    def __init__(self) -> None:
        super().__init__()
        self.items: list[Any] = []
        self.by_object: set[int] = set()
        """Which of them writeObject wrote."""
        self.taken: int | None = None
        """How many bytes of an array were read, if it is not known to be at its end."""

    def empty(self) -> None:
        """Nothing is written yet."""
        super().empty()
        self.items, self.by_object, self.taken = [], set(), None

    def copied(self) -> Self:
        """Another with the same items."""
        other = type(self)()
        other.items, other.by_object = list(self.items), set(self.by_object)
        other.is_lost = self.is_lost
        return other

    def rewind(self) -> None:
        """It is read from the first item."""
        super().rewind()
        self.taken = None

    @property
    def whole(self) -> object:
        """Something that fits no class."""
        return self

    def fits(self, wanted: str) -> bool:
        """It may be had as no class."""
        return False

    def write(self, name: str, value: Any) -> Expectation:
        """What is permitted of writing an item, where that is possible."""

        def put() -> None:
            if name == "object":
                self.by_object.add(len(self.items))
            self.items.append(value)

        ids, situation = self.written(), self.state
        if value is None:
            ids, situation = ["JMS-BODY-037", *ids], "of null"
        else:
            ids = ["API-STREAM-012" if name == "object" else "JMS-BODY-007", *ids]
        permitted = [succeeds(put)]
        if isinstance(value, str) and len(modified_utf8(value)) > _LONGEST:
            permitted.append(raises(JMSException))  # how long a text may be JMS does not say
        return Expectation(permitted, ids, situation, changes=APPENDED)

    def read(self, name: str, args: Sequence[Any], at: int) -> Expectation:
        """What is permitted of reading the next item, where that is possible."""
        if at == len(self.items):
            return Expectation([raises(MessageEOFException)], [], "at the end")
        value = self.items[at]
        if name == "bytes":
            return self._read_array(value, at, *args)
        if self.taken is not None:
            return self._read_within(name, value)
        reads = [("body", "item", at, name)]
        ids = self._ids(at, value)
        situation = f"of an item of type {type_of(value)}"
        if name == "object":
            ids.append("API-STREAM-011" if value is not None else "JMS-BODY-037")
            return Expectation([gives(value, self._next(at))], ids, situation, reads=reads)
        permitted, converted = item_read(value, TEN[name])
        if {MessageFormatException, NumberFormatException} & {*permitted.errors}:
            return Expectation([permitted], converted, situation, relies=reads, keeps=_STAYS)
        if NullPointerException in permitted.errors:  # whether it was read, JMS does not say
            lost = replace(permitted, effect=self.forget_place)
            return Expectation([lost], converted, situation, relies=reads)
        if value is not None and type_of(value) == TEN[name]:
            converted = [_READS[name], *ids, *(converted if not self.arrival else [])]
        moving = replace(permitted, effect=self._next(at))
        return Expectation([moving], converted, situation, reads=reads)

    def _ids(self, at: int, value: Any) -> list[str]:
        """The statements on an item in its own type, besides those of its type."""
        ids = list(self.arrival)
        if at in self.by_object and value is not None:
            ids += ["API-STREAM-012", "JMS-BODY-007"]
        if at and isinstance(value, bytes) and isinstance(self.items[at - 1], bytes):
            ids.append("API-STREAM-020")
        return ids

    def _next(self, at: int) -> Effect:
        def read() -> None:
            self.at, self.taken = at + 1, None

        return read

    def _takes(self, taken: int) -> Effect:
        def read() -> None:
            self.taken = taken

        return read

    def _read_within(self, name: str, value: bytes) -> Expectation:
        """A read of another type, before the end of an array was seen."""
        if self.taken == len(value):  # it was read whole, but JMS wants one call more
            return Expectation(
                [anything(self.forget_place)], [], "where an array was read but for its end"
            )
        ids = ["API-STREAM-019" if name == "object" else "API-STREAM-018"]
        situation = "within an array"
        return Expectation(
            [raises(MessageFormatException)], ids, situation, keeps=[Keeps("body", ids)]
        )

    def _read_array(self, value: Any, at: int, length: int) -> Expectation:
        reads = [("body", "item", at, "bytes", self.taken, length)]
        if value is None:
            ids = ["JMS-BODY-037"]
            return Expectation([gives(None, self._next(at))], ids, "of a null", reads=reads)
        if not isinstance(value, bytes):
            permitted, ids = item_read(value, "byte[]")
            situation = f"of an item of type {type_of(value)}"
            return Expectation([permitted], ids, situation, relies=reads, keeps=_STAYS)
        taken = self.taken or 0
        part = value[taken : taken + length]
        ids = [*self._ids(at, value), "API-STREAM-010"]
        if not self.arrival:
            ids += item_read(value, "byte[]")[1]
        if self.taken is not None and not part:
            situation = "behind the end of an array"
            return Expectation(
                [gives(None, self._next(at))], ["API-STREAM-015", *ids], situation, reads=reads
            )
        if len(part) == length:
            part_given = gives(part, self._takes(taken + length))
            return Expectation(
                [part_given], ["API-STREAM-014", *ids], "of a part of an array", reads=reads
            )
        statement, situation = (
            ("API-STREAM-016", "of an empty array") if not value
            else ("API-STREAM-014", "of the rest of an array") if taken
            else ("API-STREAM-013", "of an array")
        )  # fmt: skip
        return Expectation([gives(part, self._next(at))], [statement, *ids], situation, reads=reads)
