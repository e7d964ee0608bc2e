"""A JMSProducer: settings, properties and headers that go with all it sends (JMS 2.0, 7.10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from jms_model.answers import (
    Answer,
    Effect,
    Expectation,
    Keeps,
    Permitted,
    Raised,
    anything,
    gives,
    gives_what,
    raises,
    succeeds,
)
from jms_model.bodies import Body
from jms_model.bytes_body import BytesBody
from jms_model.conversions import reading, type_of
from jms_model.headers import Name
from jms_model.map_body import MapBody
from jms_model.message import Message
from jms_model.producer_sends import (
    Arrive,
    ExpectedSend,
    Ids,
    RefusalReason,
    RequestedSend,
    refuse,
    succeeding,
)
from jms_model.producer_settings import DEFAULTS, ProducerSettings
from jms_model.properties import TYPES, type_of_property
from jms_model.whole_bodies import NoBody, ObjectBody, TextBody
from jmsapi.errors import (
    IllegalArgumentException,
    InvalidDestinationRuntimeException,
    JMSRuntimeException,
    MessageFormatException,
    MessageFormatRuntimeException,
    MessageNotWriteableRuntimeException,
    NumberFormatException,
    UnsupportedOperationException,
)

ITSELF: Final = "the producer itself"
"""What stands for the producer in an answer."""
_CHAINED: Final = "JMS-CTX-009"
_NAMELESS: Final = {
    name: f"API-JPROD-{number:03}" for number, name in enumerate(TYPES.values(), start=10)
}
_GETS: Final = {kind: f"API-JPROD-{number:03}" for number, kind in enumerate(TYPES, start=24)}
_CLEARS: Final = "API-JPROD-021"
_TEXT: Final = "jms_correlation_id"
_BYTES: Final = "jms_correlation_id_as_bytes"
HEADERS: Final = {
    _TEXT: "API-JPROD-034",
    _BYTES: "API-JPROD-035",
    "jms_reply_to": "API-JPROD-036",
    "jms_type": "API-JPROD-037",
}
"""The header fields that it can be given, and the statement that it gives what it was given."""
_NO_BYTES: Final = raises(UnsupportedOperationException)


@dataclass(frozen=True, slots=True)
class Null:
    """A null as a body, and the parameter of send() that it is given for: `Map`, `Message`."""

    of: str

    def __repr__(self) -> str:
        return f"null as a {self.of}"


def itself(effect: Effect = lambda: None) -> Permitted:
    """The call gives the producer."""
    return gives_what(ITSELF, lambda value: value == ITSELF, effect)


@dataclass(slots=True)
class _Chaining(Expectation):
    """What is permitted of a setter, which gives the producer."""

    def broken_by(self, answer: Answer) -> Sequence[str]:
        """If it gives something else, that alone is wrong."""
        if isinstance(answer, Raised):
            return [id_ for id_ in self.ids if id_ != _CHAINED]
        return [_CHAINED]


def _chaining(expectation: Expectation) -> Expectation:
    """A setter that is not refused gives the producer."""
    if expectation.permitted[0].errors:
        return expectation
    return _Chaining(
        expectation.permitted, [*expectation.ids, _CHAINED], expectation.situation,
        changes=expectation.changes, keeps=expectation.keeps,
    )  # fmt: skip


class JMSProducer:
    """A producer of a context."""

    def __init__(self) -> None:
        self.settings = ProducerSettings(
            "API-JPROD", ("API-JPROD-008", "API-JPROD-009"), JMSRuntimeException
        )
        self.suspects = self.settings.suspects
        self.properties: dict[str, Any] = {}
        self._again: set[str] = set()
        """Properties that were set more than once."""
        self._cleared: set[str] = set()
        """Properties that were taken away."""
        self._headers: dict[str, Any] = dict.fromkeys(HEADERS)
        """What is known of its headers."""
        self._touched: set[str] = set()
        """Headers that were set, to null perhaps."""
        self._ids = Ids()

    def expect(self, method: str, args: Sequence[Any]) -> Expectation:
        """What is permitted of a call, but of send."""
        expectation = self._expect(method, args)
        expectation.situation = " ".join(filter(None, ("of a JMSProducer", expectation.situation)))
        return expectation

    def _expect(self, method: str, args: Sequence[Any]) -> Expectation:
        verb, _, name = method.partition("_")
        if name in DEFAULTS:
            if verb == "get":
                return self.settings.get(name)
            return _chaining(self.settings.set(name, args[0], itself))
        if name in HEADERS:
            return self._get_header(name) if verb == "get" else self._set_header(name, *args)
        match method:
            case "get_completion_listener":
                expectation = Expectation([gives(None)], ["API-JPROD-007"], reads=[("listener",)])
            case "set_async":
                return _chaining(Expectation([itself()], ["API-JPROD-007"]))
            case "set_property":
                return self._set_property(*args)
            case "clear_properties":
                return self._clear()
            case "property_exists":
                ids, there = ["API-JPROD-022"], args[0] in self.properties
                expectation = Expectation(
                    [gives(there)], ids, reads=[("property", args[0], "exists")]
                )
            case "property_names":
                expectation = self._names()
            case _:
                expectation = self._get_property(name.removesuffix("_property"), *args)
        self.suspects.judge(expectation)
        return expectation

    # -- headers -------------------------------------------------------------------------------

    def _get_header(self, name: str) -> Expectation:
        reads = [("header", name)]
        if name not in self._headers:
            return Expectation([anything()], [], "that JMS leaves open", reads=reads)
        permitted = [gives(self._headers[name]), *([_NO_BYTES] if name == _BYTES else [])]
        expectation = Expectation(permitted, [HEADERS[name]], reads=reads)
        self.suspects.judge(expectation)
        return expectation

    def _set_header(self, name: str, value: Any) -> Expectation:
        both = (_TEXT, _BYTES) if name in (_TEXT, _BYTES) else (name,)

        def put() -> None:
            for each in both:
                self._headers.pop(each, None)
                self._touched.add(each)
            self._headers[name] = value

        def forget() -> None:
            put()
            self._headers.pop(name)

        permitted = [itself(put)]
        if name == _BYTES:
            permitted.append(raises(UnsupportedOperationException, effect=forget))
        changes = [("header", each) for each in both]
        return _chaining(Expectation(permitted, [HEADERS[name]], changes=changes))

    # -- properties ----------------------------------------------------------------------------

    def _set_property(self, name: str | None, value: Any) -> Expectation:
        kind = type_of_property(value)
        if not name:
            ids = [_NAMELESS.get(kind or "", "API-JPROD-018")]
            permitted = [raises(IllegalArgumentException)]
            if kind is None and value is not None:
                permitted.append(raises(MessageFormatRuntimeException))
            what = "null" if name is None else "an empty"
            return Expectation(permitted, ids, f"with {what} name", keeps=[Keeps("property", ids)])
        if kind is None:
            ids = ["API-JPROD-019"]
            return Expectation(
                [raises(MessageFormatRuntimeException)], ids, f"with a {type(value).__name__}",
                keeps=[Keeps("property", ids)],
            )  # fmt: skip

        def put() -> None:
            if name in self.properties:
                self._again.add(name)
            self.properties[name] = value
            self._cleared.discard(name)

        again = name in self.properties
        ids = ["API-JPROD-020"] if again else ["API-JPROD-032"]
        changes = [("property", name), ("property", None)]
        return _chaining(Expectation([itself(put)], ids, "again" if again else "", changes=changes))

    def _get_property(self, kind: str, name: str) -> Expectation:
        reads = [("property", name, kind)]
        if name not in self.properties:
            if kind in ("string", "object"):
                ids = ["API-JPROD-033", *([_CLEARS] if name in self._cleared else [])]
                return Expectation(  # what refuses to say so has cleared it for all that
                    [gives(None)], ids, "where there is none", reads=reads,
                    betrays=(), instead=ids[:1],
                )  # fmt: skip
            return Expectation([anything()], [], "where there is none", reads=reads)
        value = self.properties[name]
        again = ["API-JPROD-020"] if name in self._again else []
        situation = f"of a property of type {type_of(value)}"
        if kind == "object":
            ids = ["API-JPROD-032", *again]
            return Expectation([gives(value)], ids, situation, reads=reads)
        ids = [_GETS[kind], *(again if TYPES[kind] == type_of(value) else [])]
        permitted = reading(value, TYPES[kind])
        if MessageFormatException in permitted.errors:
            permitted = raises(MessageFormatRuntimeException)
        elif NumberFormatException in permitted.errors:  # which of them JMS does not say here
            permitted = raises(NumberFormatException, MessageFormatRuntimeException)
        return Expectation([permitted], ids, situation, reads=reads)

    def _names(self) -> Expectation:
        def are_all(names: Any) -> bool:
            return names is not None and sorted(names) == sorted(self.properties)

        ids = ["API-JPROD-023", *([_CLEARS] if self._cleared and not self.properties else [])]
        return Expectation(
            [gives_what(f"{sorted(self.properties)}", are_all)], ids, reads=[("property", None)]
        )

    def _clear(self) -> Expectation:
        def clear() -> None:
            self._cleared |= self.properties.keys()
            self.properties.clear()
            self._again.clear()

        keeps = [Keeps("header", [_CLEARS]), Keeps("setting", [_CLEARS])]
        return Expectation([itself(clear)], [_CLEARS], changes=["property"], keeps=keeps)

    # -- sending -------------------------------------------------------------------------------

    def send(self, destination: Name | None, body: Any) -> ExpectedSend:
        """What is permitted of sending a message, or a bare body."""
        if body == Null("Message"):
            return self._send_no_message()
        message = body if isinstance(body, Message) else None
        faults, of = [], "of a JMSProducer"
        if destination is None:
            faults.append(
                RefusalReason(InvalidDestinationRuntimeException, "API-JPROD-038", "to null")
            )
        if message is not None and not message.properties.writable and self.properties:
            words = "of a message with read-only properties"
            faults.append(
                RefusalReason(MessageNotWriteableRuntimeException, "API-JPROD-039", words)
            )
        if faults:
            expectation = refuse(faults, of, partial(self._refused, message))
            expectation.keeps = [
                Keeps(each, expectation.ids, leaves_doubt=False)
                for each in ("setting", "header", "property")
            ]
            return ExpectedSend(expectation)
        assert destination is not None
        sent = message or bare(body)
        ids = [] if message else ["JMS-CTX-006"]
        of += "" if message else f" of a bare {sent.kind}"
        return ExpectedSend(succeeding(succeeds(), ids, of), self._arrive(sent, destination))

    def _send_no_message(self) -> ExpectedSend:
        """A null that stands for a message: if it is refused, then as the simplified API does."""
        refused = Expectation(
            [raises(JMSRuntimeException)], ["JMS-CTX-015"], "of a JMSProducer of no message",
            accuse=lambda _: (),
        )  # fmt: skip
        return ExpectedSend(refused)

    def _refused(self, message: Message | None) -> None:
        if message is not None:
            message.refused()
            message.overridden(
                self.properties if message.properties.writable else (), self._touched
            )

    def _arrive(self, message: Message, destination: Name) -> Arrive:
        def arrive(before: int, after: int) -> Message:
            settings = self.settings
            doubtful = frozenset(each for each in DEFAULTS if settings.is_doubtful(each))
            send = RequestedSend(destination, settings.values, {}, doubtful)
            other = send.arrival(self._ids, message, before, after)
            self._override(other, message)
            message.overridden(self.properties, self._touched)
            return other

        return arrive

    def _override(self, arriving: Message, sent: Message) -> None:
        """Put the producer's properties and headers over those of what arrives."""
        for name, value in self.properties.items():
            ids = ["JMS-CTX-007", *(["API-JPROD-020"] if name in self._again else [])]
            is_sure = not self.suspects.is_suspected(("property", name, "object"))
            arriving.properties.put_by_producer(name, value, ids if is_sure else [])
        known = sent.properties
        for name in self._cleared - known.values.keys() - known.open:
            arriving.properties.of_producer[name] = [_CLEARS]
        for name in self._touched:
            value = self._headers.get(name)
            if value is None:  # whether null overrides JMS does not say
                arriving.headers.leave_open([name])
        for name in self._touched:
            if (value := self._headers.get(name)) is not None:
                is_sure = not self.suspects.is_suspected(("header", name))
                ids = ["JMS-HDR-014" if name == _BYTES else "JMS-CTX-008"] if is_sure else []
                arriving.headers.put_by_producer(name, value, ids)


_OF_NULL: Final[Mapping[str, Callable[[], Body]]] = {
    "String": TextBody,
    "Map": MapBody,
    "byte[]": BytesBody,
    "Serializable": ObjectBody,
}
"""The bodies that a null makes, by the parameter that it is given for."""


def bare(body: Any) -> Message:
    """The message that is made for a body; of null any kind without one will do."""
    made: Body
    match body:
        case None:
            made = NoBody()
        case Null(of):
            made = _OF_NULL[of]()
            if isinstance(made, TextBody | ObjectBody):
                made.of_value = made.latest
        case dict():
            made = MapBody()
            made.entries.update(body)
        case bytes():
            made = BytesBody()
            made.data = body
        case str():
            made = TextBody()
            made.value, made.of_value = body, made.latest
        case _:
            made = ObjectBody()
            made.value, made.of_value = body, made.latest
    return Message.bare(made.kind, made)
