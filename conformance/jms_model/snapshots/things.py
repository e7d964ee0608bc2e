"""What programs with snapshots have made: factories, connections, sessions, browsers, queues."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeVar

from jms_model.delivery.choosing import chooses

T = TypeVar("T")
INITIAL: Final = 0
"""The limit of a factory to which nobody has given one (RMQ-CFG-010)."""
TOPIC: Final = "t"
"""What the names of topics begin with."""


class SnapshotState(Enum):
    """Where a message is."""

    READY = "ready"
    HELD = "held"
    SETTLED = "settled"


@dataclass(slots=True, eq=False)
class Message:
    """A message of a queue."""

    number: int
    kind: int
    is_brief: bool = False
    """Whether it expires soon."""
    state: SnapshotState = SnapshotState.READY
    settled: int = 0
    """When it was settled, by the count of events."""
    put_back: int = 0
    """When it was put back last; 0: never."""
    holder: Connection | None = None
    """Who has got it, and not settled it."""


@dataclass(slots=True, eq=False)
class Queue:
    """A queue, whose messages are read in the order sent."""

    messages: list[Message] = field(default_factory=list)
    is_mixed: bool = False
    """Whether its order may be another, since messages were put back."""
    is_unknown: bool = False
    """Whether something of it has expired: when the broker drops that is its own affair."""
    expired: int = 0
    """When something of it expired, by the count of events; 0: never."""

    @property
    def ready(self) -> list[Message]:
        """What is there for everybody."""
        return [each for each in self.messages if each.state is SnapshotState.READY]

    @property
    def held(self) -> list[Message]:
        """What somebody has got and not settled."""
        return [each for each in self.messages if each.state is SnapshotState.HELD]


@dataclass(slots=True, eq=False)
class Factory:
    """Makes connections, each with the limit that it has then."""

    limit: int = INITIAL
    is_set: bool = False
    made: int = 0
    """How many connections it has made since the limit was set."""


@dataclass(slots=True, eq=False)
class Connection:
    """A connection, or the one of contexts."""

    factory: Factory
    limit: int
    is_set: bool
    """Whether its limit was set on the factory."""
    place: int
    """How many connections were made by the factory since it was set, before this."""
    is_closed: bool = False

    @property
    def is_limited(self) -> bool:
        """Whether a browser reads so many messages, and no more."""
        return self.limit > 0


@dataclass(slots=True, eq=False)
class Session:
    """A session, or a context."""

    connection: Connection
    closed_by: str = ""
    """`session` or `connection`."""


@dataclass(slots=True, eq=False)
class Browser:
    """A browser of a queue."""

    session: Session
    queue: Queue
    selector: str | None
    born: int
    """When it was made, by the count of events."""
    last_sent: int
    """The number of the last message that was sent before it was made."""
    is_closed: bool = False
    enumerations: int = 0


@dataclass(slots=True, eq=False)
class Snapshot:
    """What a queue had when an enumeration was asked for."""

    browser: Browser
    at: int
    """When it was taken, by the count of events."""
    last_sent: int
    """The number of the last message that was sent before."""
    left: list[Message]
    """What is still to be read."""
    beyond: list[Message]
    """What the limit keeps out."""
    held: list[Message]
    """What somebody had got then."""
    ready: list[Message]
    """What was there for everybody then."""
    other_limits: set[int]
    """Those that other open connections had then."""
    factory_limit: int
    """That which the factory had then."""
    in_order: bool
    is_first: bool
    """Whether its browser had none before."""
    read: list[Message] = field(default_factory=list)
    is_exhausted: bool = False
    """Whether it has said that nothing is left."""
    browser_closed: bool = False
    """Whether its browser was closed since."""

    @property
    def is_changed(self) -> bool:
        """Whether the factory had another limit than the connection."""
        return self.factory_limit != self.browser.session.connection.limit


@dataclass
class World:
    """What one program has made."""

    simplified: bool = False
    objects: dict[str, Any] = field(default_factory=dict)
    queues: dict[str, Queue] = field(default_factory=dict)
    sent: int = 0
    events: int = 1
    """A count that says which event was earlier."""

    def of_kind(self, kind: type[T]) -> dict[str, T]:
        """What the program has made of a kind, by name."""
        return {name: each for name, each in self.objects.items() if isinstance(each, kind)}

    def queue(self, name: str) -> Queue:
        """The queue of this name."""
        return self.queues.setdefault(name, Queue())

    def now(self) -> int:
        """The moment of an event."""
        self.events += 1
        return self.events

    def other_limits(self, connection: Connection) -> set[int]:
        """Those that other open connections have."""
        every = self.of_kind(Connection).values()
        return {each.limit for each in every if not each.is_closed} - {connection.limit}


def choose(messages: Iterable[Message], selector: str | None) -> list[Message]:
    """Those that a selector lets through."""
    return [each for each in messages if chooses(selector, each.kind)]


def messages_within(messages: Sequence[Message], limit: int) -> Sequence[Message]:
    """Those that are read by who has this limit: what the selector drops counts, too."""
    return messages[:limit] if limit > 0 else messages
