"""The objects of a program, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from jms_model.resources.arguments import Selector, Unique

TRANSACTED, AUTO, CLIENT, DUPS_OK = range(4)
MODES: Final = (TRANSACTED, AUTO, CLIENT, DUPS_OK)
"""The session modes that JMS has."""
ANY: Final = ""
QUEUES: Final = "queues"
TOPICS: Final = "topics"
"""The domains: ANY of the common interfaces, QUEUES and TOPICS of those for one alone."""
FRESH: Final = "fresh"
"""Nothing was done with the connection yet."""
TOUCHED: Final = "touched"
"""It may be used or not: JMS does not say whether what was done is an action."""
USED: Final = "used"
SET: Final = "set"
"""It was given a client id."""


@dataclass(eq=False)
class Connection:
    """A connection, or what the contexts share that were made of one."""

    simplified: bool
    domain: str = ANY
    identity: str = FRESH
    """FRESH, TOUCHED, USED or SET."""
    used_by: str = ""
    """What was its first action, or set the client id."""
    client_id: Unique | None = None
    is_doubtful: bool = False
    """Whether it took an id that another has: then it is refused when it is used."""
    is_vague: bool = False
    """Whether it took null or an empty id, so that it may be with one or without."""
    was_rejected: bool = False
    """Whether a client id was refused: a provider may have given the connection up."""
    is_lost: bool = False
    """Whether it has."""
    has_listener: bool = False
    """Whether an ExceptionListener is registered."""
    closed: bool = False
    has_lost_contexts: bool = False
    """Whether one of its contexts was closed, though not the last."""
    closed_twice: bool = False
    """Whether that was closed again: if its connection has gone with it, that is at fault."""

    def used(self, by: str) -> None:
        """It cannot be given a client id any more."""
        if self.identity in (FRESH, TOUCHED):
            self.identity, self.used_by = USED, by

    def touched(self) -> None:
        """Something was done that may be an action."""
        if self.identity == FRESH:
            self.identity = TOUCHED


@dataclass(eq=False)
class Session:
    """A session, or a context."""

    connection: Connection
    mode: int
    domain: str = ANY
    auto_start: bool = True
    closed_by: str = ""
    """`session` or `connection`, once it is closed."""
    was_refused: bool = False
    """Whether a call of the other domain was refused."""

    @property
    def simplified(self) -> bool:
        """Whether it is a context."""
        return self.connection.simplified


@dataclass(eq=False)
class Destination:
    """A queue or topic."""

    is_queue: bool
    name: Unique | None
    """None of a temporary one."""
    owner: Connection | None = None
    """The connection of a temporary one."""
    maker: Session | None = None
    deleted: bool = False

    @property
    def temporary(self) -> bool:
        """Whether it lasts as long as a connection."""
        return self.owner is not None

    @property
    def gone(self) -> bool:
        """Whether it is not there any more."""
        return self.deleted or (self.owner is not None and self.owner.closed)


@dataclass(eq=False)
class Subscription:
    """What consumers of a topic have in common by a name."""

    topic: Destination
    selector: Selector
    shared: bool
    durable: bool


@dataclass(eq=False)
class Consumer:
    """A consumer of a queue or topic."""

    session: Session
    destination: Destination
    selector: Selector
    subscription: Subscription | None = None
    closed: bool = False


@dataclass(eq=False)
class Browser:
    """A browser of a queue on which nothing was sent."""

    session: Session
    queue: Destination
    selector: Selector
    closed: bool = False


@dataclass(eq=False)
class Enumeration:
    """What a browser shows: nothing."""

    browser: Browser


@dataclass(eq=False)
class Producer:
    """A producer by which nothing is sent."""

    session: Session
    destination: Destination | None
    closed: bool = False


@dataclass(eq=False)
class MetaData:
    """What a connection says of its provider."""

    connection: Connection


Thing = Connection | Session | Destination | Consumer | Browser | Enumeration | Producer | MetaData


@dataclass
class World:
    """All that one program has made."""

    administered: bool = False
    """Whether the factory gives each connection a client id."""
    objects: dict[str, Thing] = field(default_factory=dict)
    subscriptions: dict[tuple[Unique | None, Unique, bool], Subscription] = field(
        default_factory=dict
    )
    """By client id, name, and whether they are durable."""
    oldest: int = 2
    """The major version of JMS that the client is of at least."""
    told: dict[str, object] = field(default_factory=dict)
    """What meta data and the administered client id were, by what was asked."""
    unsubscribes: bool = False
    """Whether unsubscribe was seen to end a subscription of a plain name."""
    spoiled: set[Unique] = field(default_factory=set)
    """Names of subscriptions of which a consumer was refused: what that has left is open."""
    temporary_names: dict[str, Destination] = field(default_factory=dict)
    connections: list[Connection] = field(default_factory=list)
    """Those of contexts, too."""

    def consumers(self) -> Iterator[Consumer]:
        """The open ones."""
        for each in self.objects.values():
            if isinstance(each, Consumer) and not each.closed and not each.session.closed_by:
                yield each

    def browsers(self) -> Iterator[Browser]:
        """The open ones."""
        for each in self.objects.values():
            if isinstance(each, Browser) and not each.closed and not each.session.closed_by:
                yield each

    def sessions_of(self, connection: Connection) -> list[Session]:
        """Its open sessions or contexts."""
        return [
            each
            for each in self.objects.values()
            if isinstance(each, Session) and each.connection is connection and not each.closed_by
        ]

    def others_id(self, connection: Connection, client_id: Unique) -> bool:
        """Whether another open connection has a client id."""
        return any(
            each.client_id == client_id and not each.closed
            for each in self.connections
            if each is not connection
        )

    def release(self) -> None:
        """Subscriptions that last as long as they have consumers end with the last of them."""
        used = {id(each.subscription) for each in self.consumers() if each.subscription}
        for key, each in [*self.subscriptions.items()]:
            if not each.durable and id(each) not in used:
                del self.subscriptions[key]
