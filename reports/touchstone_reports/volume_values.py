"""Values of a history in words for people: times, messages, names, columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

NONE: Final = "\N{EN DASH}"
"""What stands where there is no such value."""

_SEQUENCE_BITS = 40
_NO_SUBSCRIPTION = -(1 << 31)
_NEVER = (1 << 63) - 1


def duration(nanoseconds: float) -> str:
    """A duration for people, three digits."""
    if nanoseconds < 0:
        return f"\N{MINUS SIGN}{duration(-nanoseconds)}"
    for unit, name in ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")):
        if nanoseconds >= unit:
            amount = nanoseconds / unit
            return f"{amount:,.0f} {name}" if amount >= 100 else f"{amount:.3g} {name}"
    return f"{nanoseconds:.0f} ns"


def message(uid: int) -> str:
    """A message's number as producer and sequence."""
    if uid < 0:
        return NONE
    return f"{uid >> _SEQUENCE_BITS}:{uid & ((1 << _SEQUENCE_BITS) - 1)}"


def subscription(number: int, names: Mapping[str, Mapping[str, str]]) -> str:
    """The name of a subscription, or whose dead-letter queue it is."""
    if number == _NO_SUBSCRIPTION:
        return NONE
    known = names.get("sub", {})
    if number < 0:
        own = -1 - number
        return f"dead letters of {known.get(str(own), own)}"
    return known.get(str(number), str(number))


@dataclass(frozen=True)
class Words:
    """How values of one history are said: from when its times count, and what has a name."""

    started: int
    names: Mapping[str, Mapping[str, str]]

    def evidence(self, kind: str, value: int) -> str:
        """A number of evidence by its kind, of those in volume.schema.json."""
        return _BY_KIND[kind](self, value)

    def fields(self, row: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Of a row what there is of it: what readers call the column, and the value in words."""
        return [
            (COLUMNS[name].title if name in COLUMNS else name, said)
            for name, value in row.items()
            if (said := self._cell(name, value)) != NONE
        ]

    def time(self, at: int) -> str:
        """A time, as milliseconds since the history began, which tell close ones apart."""
        if at == _NEVER:
            return "never"
        return NONE if at == -1 else f"{(at - self.started) / 1e6:,.3f} ms"

    def named(self, kind: str, number: int) -> str:
        """The name of what has this number, or the number."""
        return NONE if number == -1 else self.names.get(kind, {}).get(str(number), str(number))

    def _cell(self, name: str, value: int | bool | str) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return _NAMED.get(name, {}).get(value) or value.lower().replace("_", " ")
        return COLUMNS[name].say(self, value) if name in COLUMNS else str(value)


@dataclass(frozen=True)
class Column:
    """What readers call a column, and how its numbers are said."""

    title: str
    say: Callable[[Words, int], str]


def _amount(_: Words, value: int) -> str:
    return NONE if value == -1 else f"{value:,}"


def _digest(_: Words, value: int) -> str:
    return NONE if value == -1 else f"{value & ((1 << 64) - 1):016x}"


def _message(_: Words, value: int) -> str:
    return message(value)


def _number(_: Words, value: int) -> str:
    return NONE if value == -1 else str(value)


def _of(kind: str) -> Callable[[Words, int], str]:
    return lambda words, value: words.named(kind, value)


def _subscription(words: Words, value: int) -> str:
    return subscription(value, words.names)


_BY_KIND: Final[Mapping[str, Callable[[Words, int], str]]] = {
    "time": Words.time,
    "count": _amount,
    "message": _message,
    "consumer": _of("consumer"),
    "transaction": _number,
    "digest": _digest,
}

COLUMNS: Final[Mapping[str, Column]] = {
    "uid": Column("message", _message),
    "session": Column("session", _of("session")),
    "ridx": Column("place in its session", _number),
    "consumer": Column("consumer", _of("consumer")),
    "sub": Column("subscription", _subscription),
    "dest": Column("destination", _of("dest")),
    "key": Column("key or group", _of("key")),
    "gseq": Column("number in its group", _amount),
    "priority": Column("priority", _number),
    "mode": Column("delivery mode", _number),
    "t_inv": Column("send called", Words.time),
    "t_ok": Column("send returned", Words.time),
    "t_sent": Column("send called", Words.time),
    "t_visible": Column("visible from", Words.time),
    "deliver_at": Column("due", Words.time),
    "expire_at": Column("expires", Words.time),
    "t_enter": Column("handed to the application", Words.time),
    "t_exit": Column("application done", Words.time),
    "redelivered": Column("JMSRedelivered", _number),
    "count": Column("JMSXDeliveryCount", _number),
    "fate": Column("what became of it", _number),
    "settle": Column("how it was settled", _number),
    "s_out": Column("outcome of settling", _number),
    "s_inv": Column("settling called", Words.time),
    "s_ok": Column("settling returned", Words.time),
    "tx": Column("transaction", _number),
    "intact": Column("arrived whole", _number),
    "body64": Column("digest of the body", _digest),
    "head64": Column("digest of the headers", _digest),
    "mid64": Column("hash of its JMSMessageID", _digest),
    "cause": Column("because of message", _message),
    "match": Column("selectors that let it pass, as bits", _number),
    "t_from": Column("existed from", Words.time),
    "t_to": Column("existed until", Words.time),
    "t_drained": Column("seen to be drained at", Words.time),
    "t_dlq_drained": Column("its dead-letter queue seen to be drained at", Words.time),
    "durable": Column("durable", _number),
    "shared": Column("shared", _number),
    "exclusive": Column("only one consumer at a time", _number),
    "no_local": Column("without messages of its own connection", _number),
    "grouped": Column("messages of a key go to one consumer at a time", _number),
    "through": Column("each message is to cause exactly one output", _number),
    "ordering": Column("within what order is promised", _number),
    "selector_id": Column("selector", _number),
    "bit": Column("its bit in match", _number),
    "max_deliveries": Column("failed deliveries before the dead-letter queue", _number),
    "t": Column("time", Words.time),
    "event": Column("event", _number),
    "arg": Column("consumer or fault", _of("consumer")),
}
"""The columns of sends, deliveries, subscriptions and events, which definitions speak of."""

_NAMED: Final[Mapping[str, Mapping[str, str]]] = {
    "fate": {
        "NEVER": "refused or rolled back (NEVER)",
        "MAYBE": "not known (MAYBE)",
        "MUST": "sent (MUST)",
    },
    "settle": {
        "NONE": "not settled (NONE)",
        "ACK": "acknowledged (ACK)",
        "CLIENT_ACK": "by acknowledge() (CLIENT_ACK)",
        "NACK": "given back (NACK)",
        "ROLLBACK": "rolled back (ROLLBACK)",
        "RECOVER": "given back by recover() (RECOVER)",
        "LAZY": "acknowledged lazily (LAZY)",
    },
    "s_out": {
        "OK": "returned (OK)",
        "FAIL": "refused (FAIL)",
        "INFO": "not known (INFO)",
        "NONE": NONE,
    },
    "intact": {"": "nothing"},
}
"""What names in a row mean, where they do not say it themselves; the definitions speak of them."""
