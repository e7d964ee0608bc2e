"""Bodies that are had as one: of text and object messages, and of messages without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final, Self

from jms_model.answers import Expectation, gives, succeeds
from jms_model.bodies import Body


class NoBody(Body):
    """A message that has headers and properties alone."""

    kind = "message"
    asked = ("API-MSG-010", "API-MSG-010", "API-MSG-016")

    def expect_own(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """There is nothing of its own."""
        return None

    def empty(self) -> None:
        """It is."""

    def copied(self) -> Self:
        """Another."""
        return type(self)()

    @property
    def whole(self) -> object:
        """None."""
        return None


class _Single(Body):
    """A body that is one value, with a getter and a setter."""

    name: ClassVar[str]
    new: ClassVar[str]
    latest: ClassVar[str]
    made: ClassVar[str]
    """The statements on a new body, on one that was set, and on one that was given at once."""

    def __init__(self) -> None:
        super().__init__()
        self.value: Any = None
        self.of_value = self.new
        """The statement by which it has its value."""

    @classmethod
    def of(cls, value: object) -> Self:
        """The body of a message that was made of this."""
        body = cls()
        body.value, body.of_value = value, cls.made
        return body

    def expect_own(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """Its getter and its setter."""
        if method == f"get_{self.name}":
            return self._get()
        return self._set(*args) if method == f"set_{self.name}" else None

    def empty(self) -> None:
        """It is null."""
        self.value = None

    def copied(self) -> Self:
        """Another with the value."""
        other = type(self)()
        other.value, other.of_value = self.value, self.of_value
        return other

    @property
    def whole(self) -> object:
        """The value."""
        return self.value

    def _get(self) -> Expectation:
        is_new = self.of_value == self.new
        ids = [self.of_value]
        situation = "of a new message" if is_new else self.state
        if self.of_value == self.made:
            situation = f"{self.state or 'of a message'} that was made of it"
        if self.cleared and self.value is None:
            ids = ["JMS-BODY-003"]
        elif self.value is None and not is_new:
            ids = ["JMS-BODY-037"]
        return Expectation(
            [gives(self.value)], [*ids, *self.arrival], situation, reads=[("body", "whole")]
        )

    def _set(self, value: Any) -> Expectation:
        if not self.writable:
            return self.refused_write()

        def put() -> None:
            self.value, self.of_value = value, self.latest

        ids = [self.latest if value is not None else "JMS-BODY-037", *self.written()]
        return Expectation([succeeds(put)], ids, self.state, changes=["body"])


class TextBody(_Single):
    """A text."""

    kind, name = "text", "text"
    new, latest, made = "API-TEXT-001", "API-TEXT-002", "API-TEXT-003"
    asked = ("API-MSG-001", "API-MSG-002", "API-MSG-011")


SET: Final = "changed after it was set"
GOT: Final = "changed after it was got"
"""What an application puts into an object afterwards."""
COPIED: Final = {SET: "JMS-BODY-036", GOT: "JMS-BODY-039"}
"""By that, the statement that nobody sees it."""


class ObjectBody(_Single):
    """An object; the application goes on changing what it has given to it and got of it."""

    kind, name = "object", "object"
    new, latest, made = "API-OBJ-001", "API-OBJ-002", "API-OBJ-003"
    asked = ("API-MSG-007", "API-MSG-008", "API-MSG-014")

    def expect_own(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """Its getter shows nothing of such changes."""
        expectation = super().expect_own(method, args)
        return expectation if expectation is None else self._apart(expectation)

    def _get_body(self, wanted: str) -> Expectation:
        return self._apart(super()._get_body(wanted))

    def _apart(self, expectation: Expectation) -> Expectation:
        if not (expectation.reads and expectation.ids and isinstance(self.value, list | dict)):
            return expectation
        ids = [*expectation.ids, *COPIED.values()]
        return replace(expectation, ids=ids, accuse=partial(_ids_of_change, expectation.ids))


def _ids_of_change(ids: Sequence[str], value: object) -> Sequence[str]:
    return [id_ for mark, id_ in COPIED.items() if _holds(value, mark)] or ids


def _holds(value: object, mark: str) -> bool:
    """Whether a list or a map holds it, to any depth."""
    if not isinstance(value, list | dict):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return mark in value or any(_holds(each, mark) for each in inner)
