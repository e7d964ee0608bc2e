"""What a provider has of one program: its objects, queues, topics and subscriptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from jms_model.answers import Effect, Expectation, raises, succeeds
from jms_model.delivery.backlog import Backlog, MessageState, SentMessage
from jms_model.delivery.session import AUTO, Connection, Consumer, Session, Subscription
from jms_model.delivery.vendors import NONE, Vendor
from jmsapi.errors import IllegalStateException, IllegalStateRuntimeException

T = TypeVar("T")
QUEUE: Final = "q"
TOPIC: Final = "t"
"""What the names of destinations begin with."""
_REFUSED: Final = {
    "session": ("JMS-SESS-004", "API-CTX-012"),
    "connection": ("JMS-CONN-016", "API-CTX-012"),
    "consumer": ("API-CONS-002", None),
}
"""By what was closed, the statement that a later call is refused: of the classic API, and of the
simplified one."""
_CLOSED_AGAIN: Final = {
    "session": ("JMS-SESS-006", "API-CTX-013"),
    "connection": ("JMS-CONN-017", "API-CTX-013"),
    "consumer": ("API-CONS-003", "API-CONS-003"),
}
"""The same for a later close."""


@dataclass
class ModelProvider:
    """A provider, and what one program has made of it."""

    simplified: bool = False
    """Whether the program uses contexts, which are connection and session in one."""
    side_by_side: bool = False
    """Whether it may have several consumers of one queue at a time."""
    domain: str = ""
    """QUEUE or TOPIC: the program uses the interfaces that are for one domain alone."""
    emulated: bool = False
    """Whether transactions are the client's own: they settle together what was received."""
    vendor: Vendor = NONE
    """Whose documents have a word, too."""
    objects: dict[str, Any] = field(default_factory=dict)
    """What the program has made, by name."""
    queues: dict[str, Backlog] = field(default_factory=dict)
    topics: dict[str, list[Backlog]] = field(default_factory=dict)
    """The subscriptions of each."""
    durable: dict[tuple[str | None, str], Subscription] = field(default_factory=dict)
    """By client id and name."""
    shared: dict[tuple[str | None, str], Subscription] = field(default_factory=dict)
    """The shared ones that are not durable, and those that were there before them."""
    absent: dict[int, tuple[Sequence[str], str]] = field(default_factory=dict)
    """Of each message why a queue or subscription has it not: the statements, and words."""
    sent: int = 0

    def of_kind(self, kind: type[T]) -> dict[str, T]:
        """What the program has made of a kind, by name."""
        return {name: each for name, each in self.objects.items() if isinstance(each, kind)}

    def makes(self, name: str, thing: object) -> Callable[[], None]:
        """The effect of making something of this name."""
        return partial(self.objects.__setitem__, name, thing)

    def illegal_state(self, ids: Sequence[str], situation: str) -> Expectation:
        """The call is refused in this situation."""
        kind = IllegalStateRuntimeException if self.simplified else IllegalStateException
        return Expectation([raises(kind)], ids, situation)

    def refused(self, closed_by: str) -> Expectation | None:
        """The call is refused since something is closed; None: JMS does not say so."""
        id_ = _REFUSED[closed_by][self.simplified]
        return self.illegal_state([id_], f"behind close of the {closed_by}") if id_ else None

    def closed_again(self, closed_by: str, effect: Effect = lambda: None) -> Expectation:
        """What is closed may be closed again."""
        id_ = _CLOSED_AGAIN[closed_by][self.simplified]
        return Expectation([succeeds(effect)], [id_], f"behind close of the {closed_by}")

    def sessions_of(self, connection: Connection) -> list[Session]:
        """Its open sessions."""
        every = self.of_kind(Session).values()
        return [each for each in every if each.connection is connection and not each.closed_by]

    def consumers_of(self, session: Session) -> list[Consumer]:
        """Its open consumers."""
        every = self.of_kind(Consumer).values()
        return [each for each in every if each.session is session and not each.closed_by]

    def backlogs(self, destination: str) -> list[Backlog]:
        """What takes in the messages of a destination."""
        if destination.startswith(QUEUE):
            return [self.queues.setdefault(destination, Backlog(is_queue=True))]
        return self.topics.setdefault(destination, [])

    def delivers(
        self, backlogs: Sequence[Backlog], sent: SentMessage, ids: Sequence[str], words: str
    ) -> None:
        """A message gets to its queue or subscriptions."""
        self.absent[sent.number] = (["JMS-SUB-003"], "that was sent when it was not there")
        for backlog in backlogs:
            backlog.takes(sent, ids, words)

    def destroys(self, session: Session, ids: Sequence[str], words: str) -> None:
        """What a transaction has sent is never delivered."""
        for each in session.produced:
            self.absent[each.sent.number] = (ids, words)
        session.produced = []

    def loses(self, consumer: Consumer) -> None:
        """A consumer is closed: what comes first to the next one JMS does not say."""
        backlog = consumer.backlog
        backlog.readers = [each for each in backlog.readers if each is not consumer]
        backlog.restarted = []
        backlog.is_gone = not (backlog.is_queue or backlog.is_durable or backlog.is_read)
        if backlog.had_several:
            backlog.loosens()
        for copy in backlog.copies.values():
            copy.left = copy.left or copy.state is MessageState.HELD
        for copy in backlog.waiting():
            copy.unseen += consumer.session.mode != AUTO
            copy.left = copy.left or copy.deliveries > 0
            if copy.deliveries:
                copy.ids, copy.repeated = [], []  # who is at fault if it is lost?
                copy.words = "that a closed consumer did not deliver again"

    def ends(self, session: Session, by: str) -> None:
        """A session was closed, or its connection: what it held goes back."""
        for consumer in self.consumers_of(session):
            consumer.closed_by = by
            self.loses(consumer)
        session.closed_by = by
        rolled = "JMS-TX-007" if by == "connection" else "JMS-TX-008"
        kept = "JMS-ACK-007" if by == "connection" else "JMS-ACK-008"
        self.destroys(session, [rolled], f"that close of the {by} destroyed")
        done = "rolled back" if session.transacted else "gave back"
        session.gives_back(
            [rolled if session.transacted else kept], f"that close of the {by} {done}"
        )

    def counts_unseen(self, session: Session) -> None:
        """A session that starts again may count as delivered what was on its way."""
        for consumer in self.consumers_of(session):
            if consumer.backlog.had_several:
                consumer.backlog.loosens()
                continue
            for copy in consumer.backlog.waiting(consumer.selector):
                copy.unseen += 1
