"""Messages of classes that are not the client's own: what is sent of them, and what is dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, Permitted, are_same, gives, gives_what, succeeds, text_of

MAKES: Final = "program"
"""The one object that is there before the program."""
REPLY: Final = "reply"
"""What the queue of a JMSReplyTo is called."""
JMS: Final = "JMS"


class Odd(Enum):
    """What no property of JMS can be, and what a body cannot be rebuilt from."""

    UNREADABLE = "unreadable"
    NO_TYPE = "of no type"


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    """A message before it is sent."""

    kind: str
    body: Any
    properties: Mapping[str, Any]
    jms_type: str | None = None
    correlation_id: str | None = None
    replies: bool = False
    """Whether it has a JMSReplyTo."""
    is_own: bool = False
    """Whether the client itself has made it."""

    @property
    def odd(self) -> list[str]:
        """The names of properties that cannot be rebuilt."""
        return [name for name, value in self.properties.items() if isinstance(value, Odd)]

    @property
    def lost(self) -> bool:
        """Whether its body cannot be rebuilt."""
        return isinstance(self.body, Odd)


@dataclass(slots=True, eq=False)
class Made:
    """A message that can be sent, again and again."""

    spec: ForeignMessage
    sends: int = 0


@dataclass(slots=True, eq=False)
class Came:
    """A message that arrived."""

    spec: ForeignMessage


@dataclass
class Others:
    """What one program has made."""

    document: str = JMS
    """Whose statements are judged."""
    objects: dict[str, Any] = field(default_factory=dict)

    @property
    def is_of_vendor(self) -> bool:
        """Whether messages are rebuilt as RabbitMQ's document says."""
        return self.document != JMS


_OF_KIND: Final = {
    "message": "RMQ-INTR-001",
    "bytes": "RMQ-INTR-007",
    "map": "RMQ-INTR-008",
    "object": "RMQ-INTR-009",
    "text": "RMQ-INTR-010",
    "stream": "RMQ-INTR-011",
}
READERS: Final[Mapping[str, frozenset[str]]] = {
    "text": frozenset({"text"}),
    "map": frozenset({"map_names"}),
    "stream": frozenset({"read_object"}),
    "object": frozenset({"object"}),
}
"""What is asked of a message of each kind by who rebuilds its body."""


def make(others: Others, spec: ForeignMessage, makes: str) -> Expectation:
    """A message."""
    return Expectation([succeeds(partial(others.objects.__setitem__, makes, Made(spec)))], [])


def send(others: Others, made: Made, form: str) -> Expectation:
    """In one of the forms."""

    def count() -> None:
        made.sends += 1

    ids = _sending_ids(others, made.spec)
    return Expectation([succeeds(count)], ids, _situation(made.spec), of=made.spec.kind)


def arrives(others: Others, made: Made, makes: str) -> Expectation | None:
    """The next that a consumer receives."""
    if not made.sends:
        return None
    came = partial(others.objects.__setitem__, makes, Came(made.spec))
    way = gives_what("a message", lambda given: given is True, came)
    ids = _sending_ids(others, made.spec)
    return Expectation([way], ids, _situation(made.spec), of=made.spec.kind)


def _sending_ids(others: Others, spec: ForeignMessage) -> list[str]:
    """By which it is sent and arrives at all; of two that may keep it from that none."""
    if spec.is_own:
        return ["RMQ-INTR-013"]
    if not others.is_of_vendor:
        return ["JMS-INTR-002"] if spec.replies else ["JMS-BODY-035"]
    reasons = [
        *(["RMQ-INTR-005"] if spec.odd else []),
        *(["RMQ-INTR-006"] if spec.lost else []),
        *(["RMQ-INTR-004"] if spec.replies else []),
    ]
    if reasons:
        return reasons if len(reasons) == 1 else []
    return [*dict.fromkeys(["RMQ-INTR-001", _OF_KIND[spec.kind]])]


def questions_while_sent(others: Others, made: Made) -> Expectation | None:
    """What a foreign message was asked while it was sent."""
    if not made.sends or made.spec.is_own or not others.is_of_vendor:
        return None
    wanted = {"property_names"} | READERS.get(made.spec.kind, frozenset())
    way = gives_what(
        f"{', '.join(sorted(wanted))} among others",
        lambda given: isinstance(given, frozenset) and wanted <= given,
    )
    return Expectation([way], ["RMQ-INTR-012"], of=made.spec.kind, name=lambda _: "gave others")


def header(others: Others, made: Made) -> Expectation | None:
    """Whether the sender's message has the id, time and priority that arrived."""
    if not made.sends or (others.is_of_vendor and not made.spec.is_own):
        return None
    ids = ["RMQ-INTR-013" if others.is_of_vendor else "JMS-BODY-035"]
    return Expectation([gives(True)], ids, of=made.spec.kind)


def kind(others: Others, came: Came) -> Expectation | None:
    """Of which kind it is, and, for the vendor, whether of the client's own class."""
    ids = [_OF_KIND[came.spec.kind]] if others.is_of_vendor else ["JMS-BODY-035"]
    return _look(others, came, gives(came.spec.kind), ids)


def own_class(others: Others, came: Came) -> Expectation | None:
    """Whether it is of the class of what sessions make, which is said of those with a body."""
    if not others.is_of_vendor or came.spec.kind == "message":
        return None
    return _look(others, came, gives(True), [_OF_KIND[came.spec.kind]])


def body(others: Others, came: Came) -> Expectation | None:
    """Text, bytes, items, entries or object; null for a body that was dropped."""
    if came.spec.lost:
        return _look(others, came, gives(None), ["RMQ-INTR-006"])
    ids = [_OF_KIND[came.spec.kind]] if others.is_of_vendor else ["JMS-BODY-035"]
    return _look(others, came, gives(came.spec.body), ids, _of_body(came.spec))


def _of_body(spec: ForeignMessage) -> str:
    return "of null" if spec.body is None else "of nothing" if not spec.body else ""


def properties(others: Others, came: Came) -> Expectation | None:
    """All of them, but those of the provider, and those that cannot be rebuilt."""
    spec = came.spec
    kept = {name: value for name, value in spec.properties.items() if name not in spec.odd}
    ids = ["RMQ-INTR-005" if spec.odd else "RMQ-INTR-002"]
    ids = ids if others.is_of_vendor else ["JMS-BODY-035"]
    way = gives_what(text_of(kept), lambda given: are_same(_without_providers(given, kept), kept))
    return _look(others, came, way, ids, "beside odd ones" if spec.odd else "")


def _without_providers(given: object, kept: Mapping[str, Any]) -> object:
    """Properties without those that a provider may set: they are not the application's."""
    if not isinstance(given, dict):
        return given
    return {
        name: value for name, value in given.items() if name in kept or not name.startswith("JMS")
    }


def type_(others: Others, came: Came) -> Expectation | None:
    """JMSType."""
    return _look(others, came, gives(came.spec.jms_type), _header_ids(others))


def correlation(others: Others, came: Came) -> Expectation | None:
    """JMSCorrelationID."""
    return _look(others, came, gives(came.spec.correlation_id), _header_ids(others))


def _header_ids(others: Others) -> list[str]:
    return ["RMQ-INTR-003" if others.is_of_vendor else "JMS-BODY-035"]


def reply(others: Others, came: Came) -> Expectation | None:
    """JMSReplyTo, by the name that the program has for it."""
    if not came.spec.replies:
        return None
    if others.is_of_vendor:
        return _look(others, came, gives(None), ["RMQ-INTR-004"])
    dropped = Permitted("null", gives(None).holds)
    ways = [gives(REPLY), dropped]
    return Expectation(ways, ["JMS-INTR-002"], name=lambda _: "gave another")


def _look(
    others: Others, came: Came, way: Permitted, ids: Sequence[str], situation: str = ""
) -> Expectation | None:
    if came.spec.is_own:
        return None
    return Expectation(
        [way], ids, situation, of=came.spec.kind,
        name=lambda given: "gave null" if given is None else "gave another",
    )  # fmt: skip


def _situation(spec: ForeignMessage) -> str:
    parts = [
        *(["with an odd property"] if spec.odd else []),
        *(["with a body that is lost"] if spec.lost else []),
        *(["of the client's own"] if spec.is_own else []),
    ]
    return " and ".join(parts)


Rule = Callable[..., Expectation | None]
RULES: Final[Mapping[type[Any], Mapping[str, Rule]]] = {
    Made: {
        "send": send,
        "arrives": arrives,
        "asked": questions_while_sent,
        "header": header,
    },
    Came: {
        "kind": kind,
        "own_class": own_class,
        "properties": properties,
        "type": type_,
        "correlation": correlation,
        "reply": reply,
        "body": body,
    },
}


def expect(
    others: Others, on: str, method: str, args: Sequence[Any] = (), makes: str = ""
) -> Expectation | None:
    """What is permitted of a call on what has the name `on`; None: it makes no sense now."""
    named = (*args, makes) if makes else tuple(args)
    if on == MAKES:
        return make(others, *named)
    target = others.objects.get(on)
    return None if target is None else RULES[type(target)][method](others, target, *named)
