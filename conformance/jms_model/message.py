"""One message as the model has it: its properties, header fields and body."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from jms_model.answers import MODE, Answer, Expectation, Gave, Permitted
from jms_model.bodies import Body
from jms_model.bytes_body import BytesBody
from jms_model.headers import Headers
from jms_model.late_changes import or_late
from jms_model.map_body import MapBody
from jms_model.properties import Properties
from jms_model.provider_fields import Fields
from jms_model.stream_body import StreamBody
from jms_model.suspects import Suspects
from jms_model.whole_bodies import NoBody, ObjectBody, TextBody

BODIES: Final[dict[str, Callable[[], Body]]] = {
    body.kind: body for body in (NoBody, TextBody, BytesBody, MapBody, StreamBody, ObjectBody)
}
"""The bodies of the six kinds of message."""
SINGLE: Final = {body.kind: body for body in (TextBody, ObjectBody)}
"""Those that a message may be made of."""
_ARRIVED: Final = "JMS-BODY-001"
_REDELIVERED: Final = ("header", "jms_redelivered")


class Message:
    """One message, and what has been seen of it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.properties = Properties()
        self.headers = Headers()
        self.body = BODIES[kind]()
        self._suspects = Suspects(MODE)
        self._late: Message | None = None
        """What would have arrived if it had been sent when it was received."""
        self._is_bare = False
        """Whether it was made for a body that was sent without a message."""
        self._is_again = False
        """Whether it was delivered before: it is the original one, whatever was done to that."""

    def expect(self, method: str, args: Sequence[Any]) -> Expectation:
        """What is permitted of a call on the message."""
        for part in (self.properties, self.headers, self.body):
            expectation = part.expect(method, args)
            if expectation is not None:
                expectation.of = self.kind if part is self.body else ""
                if self._is_bare and _ARRIVED in expectation.ids:
                    expectation.ids, expectation.accuse = ["JMS-CTX-006"], None
                if self._is_again and expectation.reads:
                    expectation.ids, expectation.accuse = ["JMS-REDL-014"], None
                self._suspects.judge(expectation)
                if self._late is None or not expectation.reads or not expectation.ids:
                    return expectation
                return or_late(expectation, self._late.expect(method, args))
        raise KeyError(f"{method} of a {self.kind} message")

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
        self._suspects.follow(expectation)
        if expectation.changes:
            self._late = None
        if _REDELIVERED in expectation.changes:  # a client may count by it
            self.properties.is_counted = False

    def sent(self) -> Message:
        """It was sent: what a receiver gets. What was seen of the sender's stays to be so."""
        other = self._as_received()
        self.headers.sent()
        self.body.sent()
        return other

    def delivered_again(self) -> Message:
        """It has just arrived: what comes once it is given back."""
        other = self._as_received()
        other._is_again = True
        return other

    def sent_by(self, for_sender: Fields, for_receiver: Fields) -> Message:
        """A producer has sent it: what a receiver gets, with what the provider says of the send."""
        other = self._as_received()
        other.headers.provided(for_receiver, arrived=True)
        self.headers.provided(for_sender, arrived=False)
        self.body.sent()
        for name in self.headers.of_provider:
            self._suspects.forget(("header", name))
        return other

    def refused(self) -> None:
        """A send of it was refused: what of it was changed before that is not known."""
        self.headers.provided({}, arrived=False)
        self.body.sent()

    def overridden(self, properties: Collection[str], headers: Collection[str]) -> None:
        """A producer has put its own values over these; whether here, too, JMS does not say."""
        self.properties.leave_open(properties)
        self.headers.leave_open(headers)
        for name in properties:
            self._suspects.forget(("property", name))
        for name in headers:
            self._suspects.forget(("header", name))

    def changed_meanwhile(self, sender: Message) -> None:
        """The sender's was changed before this one was received: nobody may see that here."""
        if sender.kind == self.kind:
            self._late = sender._as_received()

    @classmethod
    def made_of(cls, kind: str, *body: object) -> Message:
        """A new message, made of a text or of an object, if there is one."""
        made = cls(kind)
        if body:
            made.body = SINGLE[kind].of(*body)
        return made

    @classmethod
    def bare(cls, kind: str, body: Body) -> Message:
        """The message that a producer makes for a body."""
        made = cls(kind)
        made.body, made._is_bare = body, True
        return made

    def _as_received(self) -> Message:
        other = Message(self.kind)
        other.properties = self.properties.received()
        other.headers = self.headers.received()
        other.body = self.body.received()
        other._is_bare = self._is_bare and not self.body.is_received
        return other
