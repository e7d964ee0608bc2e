"""What the bodies of all kinds of message share (JMS 2.0, section 3.11)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Self

from jms_model.answers import Effect, Expectation, Field, Keeps, Permitted, gives, raises, succeeds
from jms_model.conversions import reading, type_of
from jmsapi.errors import (
    MessageFormatException,
    MessageNotWriteableException,
    NumberFormatException,
)
from jmsapi.values import Int

TEN: Final = {
    "boolean": "boolean",
    "byte": "byte",
    "short": "short",
    "char": "char",
    "int": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "string": "String",
    "bytes": "byte[]",
}
"""The types of the items of maps and streams: what methods are called by, and the type."""
CONVERTED: Final = {
    kind: (f"JMS-BODY-{9 + 2 * row:03}", f"JMS-BODY-{10 + 2 * row:03}")
    for row, kind in enumerate(TEN.values())
}
"""Of each type, the statements on what it may be read as, and on what it may not."""
PYTHON_TYPES: Final[dict[str, type]] = {
    "String": str,
    "byte[]": bytes,
    "Map": dict,
    "Boolean": bool,
    "Integer": Int,
    "Object": object,
}
"""The classes that getBody is asked for."""


class Body(ABC):
    """The body of one message."""

    asked: ClassVar[tuple[str, str, str]]
    """The statements on getBody of a type that fits and of another, and on isBodyAssignableTo."""
    kind: ClassVar[str]

    def __init__(self) -> None:
        self.writable = True
        self.is_received = False
        self.cleared = False
        """Whether it was cleared on a received message."""

    def expect(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """What is permitted of a call; None: it is none of this body."""
        match method:
            case "clear_body":
                return self._clear()
            case "get_body":
                return self._get_body(args[0])
            case "is_body_assignable_to":
                return self._is_assignable(args[0])
        return self.expect_own(method, args)

    @abstractmethod
    def expect_own(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """The same for what this kind of body alone has."""

    @abstractmethod
    def empty(self) -> None:
        """Take away all that it holds, and what is known of it."""

    @abstractmethod
    def copied(self) -> Self:
        """Another body with the same content, as it arrives."""

    @property
    @abstractmethod
    def whole(self) -> object:
        """What getBody gives; None: there is no body."""

    def received(self) -> Self:
        """What a receiver has of it."""
        other = self.copied()
        other.writable = False
        other.is_received = True
        return other

    def sent(self) -> None:  # noqa: B027 (most bodies stay as they are)
        """It was sent."""

    def taken_whole(self) -> Effect:
        """What getBody changes."""
        return lambda: None

    def accuse(self, ids: Sequence[str]) -> Callable[[object], Sequence[str]] | None:
        """Which of the statements on its content another content breaks; None: all."""
        return None

    def as_taken(self) -> Sequence[Keeps]:
        """What has to be so behind getBody."""
        return ()

    def taken_in_vain(self) -> Effect:
        """What getBody changes that is refused."""
        return lambda: None

    @property
    def arrival(self) -> Sequence[str]:
        """What a body that is not as it was sent breaks besides."""
        return ("JMS-BODY-001",) if self.is_received and not self.cleared else ()

    @property
    def state(self) -> str:
        """For messages to people."""
        if self.cleared:
            return "of a received message that was cleared"
        return "of a received message" if self.is_received else ""

    def refused_write(self, *others: Permitted) -> Expectation:
        """A write into what is read-only."""
        ids = ["JMS-BODY-005"] if self.is_received else []
        permitted = [raises(MessageNotWriteableException), *others]
        return Expectation(permitted, ids, self.state, keeps=[Keeps("body", ids)])

    def written(self) -> Sequence[str]:
        """The statements that a write which is refused breaks besides."""
        return ("JMS-BODY-006",) if self.cleared else ()

    def _clear(self) -> Expectation:
        def clear() -> None:
            self.cleared = self.is_received
            self.writable = True
            self.empty()

        ids = ["JMS-BODY-003", *(["JMS-BODY-006"] if self.is_received else [])]
        return Expectation(
            [succeeds(clear)], ids, self.state, changes=["body"],
            keeps=[
                Keeps("header", ["API-MSG-018"]),
                Keeps("property", ["API-MSG-018", "JMS-BODY-004"]),
            ],
        )  # fmt: skip

    def fits(self, wanted: str) -> bool:
        """Whether the body may be had as this class."""
        whole = self.whole
        return whole is None or PYTHON_TYPES[wanted] in (object, type(whole))

    def _get_body(self, wanted: str) -> Expectation:
        fitting, refusing, _ = self.asked
        whole, keeps = self.whole, self.as_taken()
        reads: list[Field] = [("body", "whole")]
        refused = raises(MessageFormatException, effect=self.taken_in_vain())
        given = gives(whole, self.taken_whole())
        if whole in ({}, b""):  # whether that is a body JMS does not say
            permitted = [given, gives(None, self.taken_whole()), refused]
            return Expectation(permitted, [], "of an empty body", reads=reads, keeps=keeps)
        if not self.fits(wanted):
            keeps = [Keeps("body", [refusing])]
            return Expectation([refused], [refusing], f"as {wanted}", keeps=keeps)
        ids = [fitting if whole is not None else "API-MSG-010", *self.arrival]
        if whole is None and PYTHON_TYPES[wanted] is not object:
            # a refusal shows no other body, and may be for the sake of the class
            ids, reads = ["API-MSG-010"], [("body", "whole", wanted)]
        expectation = Expectation(
            [given], ids, f"as {wanted}", reads=reads, keeps=keeps, accuse=self.accuse(ids)
        )
        if whole is None:
            expectation.betrays, expectation.instead = (), ids[:1]
        return expectation

    def _is_assignable(self, wanted: str) -> Expectation:
        if self.whole in ({}, b""):
            keeps = [Keeps("body", [self.asked[2]])]
            return Expectation([gives(True), gives(False)], [], "of an empty body", keeps=keeps)
        ids = ["API-MSG-016" if self.whole is None else self.asked[2]]
        keeps = [Keeps("body", ids)]
        return Expectation([gives(self.fits(wanted))], ids, f"to {wanted}", keeps=keeps)


def item_ids(value: Any, permitted: Permitted, wanted: str) -> list[str]:
    """The statements on reading an item of a map or stream as a type."""
    if value is None:
        if wanted in ("String", "byte[]"):
            return ["JMS-BODY-037"]
        return ["JMS-BODY-032" if wanted == "char" else "JMS-BODY-031"]
    written = type_of(value)
    may, may_not = CONVERTED[written]
    ids = ["JMS-BODY-008", may_not if MessageFormatException in permitted.errors else may]
    if written == "String" and wanted == "boolean":
        return ["JMS-BODY-008", may, "JMS-BODY-030"]
    if NumberFormatException in permitted.errors:
        return ["JMS-BODY-029"]
    return ids


def item_read(value: Any, wanted: str) -> tuple[Permitted, list[str]]:
    """What is permitted of reading an item as a type, and which statements say so."""
    permitted = reading(value, wanted)
    return permitted, item_ids(value, permitted, wanted)
