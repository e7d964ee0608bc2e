"""Bodies that are written, and then read, in order: those of bytes and stream messages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final

from jms_model.answers import MODE, Effect, Expectation, Keeps, anything, raises, succeeds
from jms_model.bodies import Body
from jmsapi.errors import (
    IndexOutOfBoundsException,
    MessageEOFException,
    MessageFormatException,
    MessageNotReadableException,
    MessageNotWriteableException,
    NumberFormatException,
)

APPENDED: Final = (("body", "whole"), ("body", "length"))
"""What a write changes: what is there already stays."""

_OF_READS: Final = (
    MessageEOFException,
    MessageFormatException,
    NumberFormatException,
    IndexOutOfBoundsException,
)
"""What a read raises only where the body can be read."""


class OrderedBody(Body):
    """What is written behind what there is, or read where the last read ended."""

    rewinds: ClassVar[str]
    """The statement on reset()."""

    def __init__(self) -> None:
        super().__init__()
        self.at: int | None = 0
        """Where the next read begins; None: JMS does not say."""
        self.is_known = True
        """Whether it is known to be readable or writable."""
        self.is_lost = False
        """Whether nobody knows what is in it, until it is cleared."""

    def empty(self) -> None:
        """It can be written."""
        self.at, self.is_known, self.is_lost = 0, True, False

    def sent(self) -> None:
        """Whether it can be read or written now, JMS does not say."""
        self.forget_mode()

    def rewind(self) -> None:
        """It is read from the beginning."""
        self.writable, self.is_known, self.at = False, True, 0

    def forget_place(self) -> None:
        """Where the next read begins is not known."""
        self.at = None

    def forget_mode(self) -> None:
        """Nor is, whether it can be read."""
        self.is_known, self.at = False, None

    def lose(self) -> None:
        """Nor is what is in it."""
        self.is_lost = True

    def goes_on(self, at: int) -> Effect:
        """The next read begins there."""
        return partial(setattr, self, "at", at)

    def expect(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """As for every body; what is lost may be anything."""
        expectation = super().expect(method, args)
        if expectation is None or not self.is_lost or method == "clear_body":
            return expectation
        effect = self.rewind if method == "reset" else self.forget_mode
        return Expectation([anything(effect)], [], "of what JMS leaves open", changes=["body"])

    def expect_own(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """Reads, writes and reset."""
        if method == "reset":
            keeps = [Keeps("body", [self.rewinds], leaves_doubt=False)]
            return Expectation([succeeds(self.rewind)], [self.rewinds], self.state, keeps=keeps)
        verb, _, name = method.partition("_")
        if verb not in ("read", "write") and method != "body_length":
            return None
        if not self.is_known:
            effect = self.lose if verb == "write" else self.forget_mode
            return Expectation(
                [anything(effect)], [], "in a mode that JMS leaves open", changes=["body"]
            )
        if verb == "write":
            expectation = self.write(name, args[0]) if self.writable else self._refused(name, args)
            if args[0] is None:
                return self._of_null(expectation)
            betrays = [MessageNotWriteableException] if self.writable else []
            return replace(expectation, relies=[MODE], betrays=betrays)
        if self.writable:
            ids = ["JMS-BODY-006"] if self.cleared else []
            refused = raises(MessageNotReadableException)
            return Expectation(
                [refused], ids, "that is being written", relies=[MODE], betrays=_OF_READS
            )
        if self.at is None:
            unread = raises(MessageNotReadableException, effect=self.forget_mode)
            return Expectation(
                [unread, anything()], [], "at a place that JMS leaves open", changes=["body"]
            )
        return self.read(name, args, self.at)

    def _of_null(self, expectation: Expectation) -> Expectation:
        """That null is refused may be for its own sake, which is no matter of the mode."""
        if self.writable:
            read_only = raises(MessageNotWriteableException, effect=self.forget_mode)
            return replace(expectation, permitted=[*expectation.permitted, read_only])
        return replace(expectation, accuse=lambda _: ())

    def _refused(self, name: str, args: Sequence[Any]) -> Expectation:
        expectation = self.refused(name, args)
        if not self.is_received or self.cleared:
            expectation.ids, expectation.situation = [self.rewinds], "behind reset"
        return expectation

    @abstractmethod
    def write(self, name: str, value: Any) -> Expectation:
        """What is permitted of writing a value, where that is possible."""

    def refused(self, name: str, args: Sequence[Any]) -> Expectation:
        """A write into what is read-only."""
        return self.refused_write()

    @abstractmethod
    def read(self, name: str, args: Sequence[Any], at: int) -> Expectation:
        """What is permitted of a read, where that is possible."""
