"""The header fields of a message (JMS 2.0, section 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, Permitted, anything, gives, gives_what, raises, succeeds
from jms_model.provider_fields import Fields
from jmsapi.errors import UnsupportedOperationException

STATEMENTS: Final = {
    "jms_message_id": "API-MSG-020",
    "jms_timestamp": "API-MSG-021",
    "jms_correlation_id": "API-MSG-022",
    "jms_correlation_id_as_bytes": "API-MSG-023",
    "jms_reply_to": "API-MSG-024",
    "jms_delivery_mode": "API-MSG-025",
    "jms_destination": "API-MSG-026",
    "jms_redelivered": "API-MSG-027",
    "jms_type": "API-MSG-028",
    "jms_expiration": "API-MSG-029",
    "jms_delivery_time": "API-MSG-030",
    "jms_priority": "API-MSG-031",
}
"""Each header field, and the statement that it gives what it was set to."""
_CLIENTS: Final = {
    "jms_correlation_id": ("JMS-HDR-013",),
    "jms_reply_to": ("JMS-HDR-015", "JMS-HDR-016"),
    "jms_type": ("JMS-HDR-017", "JMS-HDR-018"),
}
"""The fields that are the application's: carried as they are, null where they were not set."""
_BYTES: Final = "jms_correlation_id_as_bytes"
_TEXT: Final = "jms_correlation_id"


@dataclass(frozen=True, slots=True)
class Name:
    """A destination by its kind, `queue` or `topic`, and its name."""

    kind: str
    name: str


class Headers:
    """The header fields of one message, as far as they are known."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = dict.fromkeys(_CLIENTS)
        self.values[_BYTES] = None
        self.learned: set[str] = set()
        """Those that were read without being known before."""
        self.provider: Fields = {}
        """What the provider has set by the send of a producer that is followed."""
        self.is_disturbed = False
        """Whether the client has set one of these since: what is left of the others is open."""
        self.presets: dict[str, Any] = {}
        """What the client has put into fields that the provider sets."""
        self.of_producer: dict[str, Sequence[str]] = {}
        """The fields that the producer has set, and the statements that say so."""
        self._carried: dict[str, str] = {}
        """Those that came so, or were sent so, and the statements by which they are so still."""
        self.came_as_bytes = False
        """Whether a correlation id arrived that was set as bytes."""
        self.is_received = False
        self.has_arrived = False
        """Whether it was not sent since it arrived."""

    def received(self) -> Headers:
        """What a receiver knows of them."""
        other = Headers()
        other.is_received = True
        other._carried = {name: ids[0] for name, ids in _CLIENTS.items()}
        other.values = {name: self.values[name] for name in _CLIENTS if name in self.values}
        if self.values.get(_TEXT, "") is None:
            other.values[_BYTES] = None
        elif _TEXT not in self.values and _BYTES in self.values:
            other.values[_BYTES] = self.values[_BYTES]
            other.came_as_bytes = True
        return other

    def sent(self) -> None:
        """They were sent: what the provider sets is no longer known."""
        self._stay()
        self.values = {
            name: value for name, value in self.values.items() if name in (*_CLIENTS, _BYTES)
        }

    def _stay(self) -> None:
        """A send has to leave the client's fields as they are."""
        for name, (arrives, *unchanged) in _CLIENTS.items():
            self._carried.setdefault(name, unchanged[0] if unchanged else arrives)

    of_provider: Final = frozenset(STATEMENTS) - {*_CLIENTS, _BYTES}
    """The fields that the provider sets."""

    def provided(self, fields: Fields, *, arrived: bool) -> None:
        """They have arrived, or a producer has sent them: what the provider sets is this."""
        self.has_arrived = arrived
        if not arrived:
            self._stay()
        for name in self.of_provider:
            self.values.pop(name, None)
        self.learned -= self.of_provider
        self.provider, self.is_disturbed = fields, False

    @property
    def overwritten(self) -> Collection[str]:
        """The fields that the client had set, and then the provider."""
        return [name for name, each in self.provider.items() if each.was_preset]

    def put_by_producer(self, name: str, value: Any, statements: Sequence[str]) -> None:
        """A producer has set a field of what arrives."""
        self.leave_open([name])
        self.values[name] = value
        for each in _fields_touched_by(name):
            self.of_producer[each] = statements

    def leave_open(self, names: Collection[str]) -> None:
        """What these are JMS does not say."""
        for name in names:
            for each in _fields_touched_by(name):
                self.values.pop(each, None)
                self.learned.discard(each)
                self.of_producer.pop(each, None)

    def _learn(self, name: str, value: object) -> None:
        self.values[name] = value
        self.learned.add(name)

    def expect(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """What is permitted of a call; None: it is none of header fields."""
        verb, _, name = method.partition("_")
        if name not in STATEMENTS:
            return None
        return self._set(name, *args) if verb == "set" else self._get(name)

    def _set(self, name: str, value: Any) -> Expectation:
        def put() -> None:
            if name in (_TEXT, _BYTES):  # how they turn into each other is the provider's
                for other in (_TEXT, _BYTES):
                    self.values.pop(other, None)
                if value is None and name == _TEXT:
                    self.values[_BYTES] = None
            self.values[name] = value
            self.learned -= {*_fields_touched_by(name)}
            for each in _fields_touched_by(name):
                self.of_producer.pop(each, None)
                self._carried.pop(each, None)
            self.came_as_bytes &= name not in (_TEXT, _BYTES)
            if name in self.of_provider:
                self.presets[name] = value
                self.provider = {
                    each: field for each, field in self.provider.items() if each != name
                }
                self.is_disturbed = True

        ids = [STATEMENTS[name], *(["JMS-HDR-024"] if self.is_received else [])]
        situation = "of a received message" if self.is_received else ""
        permitted = [succeeds(put)]
        if name == _BYTES:
            permitted.append(
                raises(UnsupportedOperationException, effect=lambda: self.values.pop(_BYTES, None))
            )
        return Expectation(
            permitted,
            ids,
            situation,
            changes=[("header", each) for each in _fields_touched_by(name)],
        )

    def _get(self, name: str) -> Expectation:
        if name in self.provider:
            expectation = self.provider[name].read(name, self.has_arrived)
            if self.is_disturbed:
                expectation.ids, expectation.accuse = [], None
            return expectation
        reads = [("header", name)]
        situation = "of a received message" if self.is_received else ""
        if name not in self.values:
            learn = partial(self._learn, name) if self.is_received else None
            return Expectation([anything(learn=learn)], [], situation, reads=reads)
        value = self.values[name]
        ids = [] if name in self.learned else [STATEMENTS[name]]
        if name in self._carried:
            ids.append(self._carried[name])
        permitted = [gives(value)]
        if self.is_received and isinstance(value, Name) and name not in self.learned:
            permitted = [_destination_as_it_arrives(value, learn=partial(self._learn, name))]
        if name == _BYTES:
            permitted.append(raises(UnsupportedOperationException))
            if value is None:
                ids = ["API-MSG-042"]
            elif self.came_as_bytes and name not in self.learned:
                ids = ["JMS-HDR-014"]
        if name in self.of_producer and name not in self.learned:
            ids = list(self.of_producer[name])
        return Expectation(permitted, ids, situation, reads=reads)


def _destination_as_it_arrives(sent: Name, learn: Callable[[object], None]) -> Permitted:
    """The destination as it arrives: of the same kind, under whatever name the provider has."""
    words = f"the {sent.kind} {sent.name}"
    permitted = gives_what(words, lambda value: isinstance(value, Name) and value.kind == sent.kind)
    return replace(permitted, learn=learn)


def _fields_touched_by(name: str) -> Sequence[str]:
    return (_TEXT, _BYTES) if name in (_TEXT, _BYTES) else (name,)
