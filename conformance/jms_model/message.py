"""One message as the model has it: its properties, header fields and body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from jms_model.answers import MODE, Answer, Expectation, Field, Gave, Keeps, Permitted
from jms_model.bodies import Body
from jms_model.bytes_body import BytesBody
from jms_model.headers import Headers
from jms_model.map_body import MapBody
from jms_model.properties import Properties
from jms_model.stream_body import StreamBody
from jms_model.whole_bodies import NoBody, ObjectBody, TextBody

BODIES: Final[dict[str, Callable[[], Body]]] = {
    body.kind: body for body in (NoBody, TextBody, BytesBody, MapBody, StreamBody, ObjectBody)
}
"""The bodies of the six kinds of message."""


class Message:
    """One message, and what has been seen of it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.properties = Properties()
        self.headers = Headers()
        self.body = BODIES[kind]()
        self._seen: set[Field] = {MODE}
        """The fields that were read as they should be, and have not been changed since."""
        self._kept: dict[Field, Keeps] = {}
        """Of those, the calls that had to leave them so since they were read."""
        self._doubtful: set[str] = set()
        """Scopes that had to stay as they are: who is wrong about what nobody read before?"""
        self._written: set[Field] = set()
        """The fields that were changed since."""

    def expect(self, method: str, args: Sequence[Any]) -> Expectation:
        """What is permitted of a call on the message.

        What was read as it should be, and has had to stay so since, is a matter of the statements
        that say so. Where it was not read before, nobody can tell who is wrong: none is named.
        """
        for part in (self.properties, self.headers, self.body):
            found = part.expect(method, args)
            if found is not None:
                found.of = self.kind if part is self.body else ""
                for field in (*found.reads, *found.relies):
                    if field in self._kept:
                        found.ids, found.accuse = self._kept[field].ids, None
                    elif self._is_doubtful(field):
                        found.ids, found.accuse = [], None
                return found
        raise KeyError(f"{method} of a {self.kind} message")

    def _is_doubtful(self, field: Field) -> bool:
        """Whether nobody read it before a call that had to keep it, nor wrote it since."""
        unknown = field[0] in self._doubtful and field not in self._seen
        return unknown and not any(field[: len(each)] == each for each in self._written)

    def ended(self, expectation: Expectation, answer: Answer) -> bool:
        """Follow a call that ended so; False: that is not permitted, and nothing has changed."""
        permitted = expectation.ending(answer)
        if permitted is None:
            return False
        self.follow(expectation, permitted)
        if permitted.learn is not None and isinstance(answer, Gave):
            permitted.learn(answer.value)
        return True

    def follow(self, expectation: Expectation, permitted: Permitted) -> None:
        """The same for whoever only knows which of the permitted ends it is."""
        permitted.effect()
        for field in (*expectation.reads, *expectation.relies):
            self._seen.add(field)
            self._kept.pop(field, None)
        for change in expectation.changes:
            self._forget(change)
        for kept in expectation.keeps:
            if kept.leaves_doubt:
                self._doubtful.add(kept.scope)
                self._written = {field for field in self._written if field[0] != kept.scope}
            for field in self._seen:
                if field[0] == kept.scope:
                    self._kept[field] = self._suspected(field, kept)

    def _suspected(self, field: Field, kept: Keeps) -> Keeps:
        """By which call a field is not as it was, if it is found to be wrong now.

        Where two had to leave it, and nobody looked between them, that is unknown; one that leaves
        no doubt is the less likely.
        """
        before = self._kept.get(field)
        if before is None or not before.leaves_doubt:
            return kept
        known = not kept.leaves_doubt or before.ids == kept.ids
        return before if known else Keeps(kept.scope)

    def _forget(self, change: Field | str) -> None:
        prefix = (change,) if isinstance(change, str) else change
        gone = {field for field in self._seen if field[: len(prefix)] == prefix}
        self._seen -= gone - {MODE}
        for field in gone:
            self._kept.pop(field, None)
        if isinstance(change, str):
            self._doubtful.discard(change)
        else:
            self._written.add(change)

    def sent(self) -> Message:
        """It was sent: what a receiver gets. What was seen of the sender's stays to be so."""
        other = Message(self.kind)
        other.properties = self.properties.received()
        other.headers = self.headers.received()
        other.body = self.body.received()
        self.headers.sent()
        self.body.sent()
        return other
