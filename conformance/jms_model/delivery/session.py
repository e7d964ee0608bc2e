"""Connections, sessions, consumers and received messages, as an application has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from jms_model.delivery.backlog import Backlog, Copy, MessageState, SentMessage
from jms_model.delivery.vendors import NONE, Vendor

TRANSACTED: Final = 0
AUTO: Final = 1
CLIENT: Final = 2
DUPS_OK: Final = 3
FLAGGED: Final = "JMS-REDL-005"
"""The statement that what recover() gives back comes, with its flag and count."""
ORDERED: Final = "JMS-REDL-006"
"""The statement that it comes first, and in the old order."""
RECOVERED: Final = "JMS-REDL-015"
"""The statement that it comes to a subscriber that lives, whose subscription is not durable."""
AT_COMMIT: Final = "SLJ-TX-011"
"""The statement that emulated transactions acknowledge when they are committed."""
UNSETTLED: Final = "JMS-ACK-004"
"""The statement that a message is not settled before its listener has returned."""
REFUSED: Final = ("JMS-CTX-013", "JMS-CTX-014")
"""The statements on a message that receiveBody could not give, of both modes that hold it."""
_SETTLES: Final = {
    AUTO: (("JMS-ACK-003", "JMS-REDL-007"), "that AUTO_ACKNOWLEDGE settled"),
    DUPS_OK: (("JMS-ACK-005",), "that DUPS_OK_ACKNOWLEDGE settled"),
}


@dataclass(slots=True, eq=False)
class Connection:
    """A connection, or what contexts share."""

    client_id: str | None
    started: bool = False
    was_stopped: bool = False
    closed: bool = False
    closed_twice: bool = False
    """Whether a context of it was closed again, which has to leave the others as they are."""


@dataclass(frozen=True, slots=True)
class Produced:
    """What a transaction sends when it is committed."""

    destination: str
    backlogs: Sequence[Backlog]
    """The queue, or the subscriptions that the topic had."""
    sent: SentMessage


@dataclass(slots=True, eq=False)
class Session:
    """A session, or a context: what it got and did not settle, what it sent and holds back."""

    name: str
    connection: Connection
    mode: int
    closed_by: str = ""
    """What was closed: the `session` or its `connection`."""
    held: list[tuple[Backlog, Copy]] = field(default_factory=list)
    produced: list[Produced] = field(default_factory=list)
    handled: Received | None = None
    """The message of which a listener is called now: what the session does, that listener does."""
    listening: dict[str, Consumer] = field(default_factory=dict)
    """Its consumers that were given a listener, by name."""

    @property
    def listeners(self) -> dict[str, Consumer]:
        """Its open consumers that have a listener, by name."""
        return {name: each for name, each in self.listening.items() if not each.closed_by}

    @property
    def transacted(self) -> bool:
        """Whether it works in transactions."""
        return self.mode == TRANSACTED

    @property
    def settles_itself(self) -> bool:
        """Whether what is received is settled by that."""
        return self.mode in _SETTLES

    def gets(self, backlog: Backlog, copy: Copy) -> None:
        """A consumer of it received a message."""
        copy.deliveries += 1
        if self.settles_itself:
            copy.becomes(MessageState.SETTLED, *_SETTLES[self.mode])
        else:
            self.holds(backlog, copy)

    def holds(self, backlog: Backlog, copy: Copy) -> None:
        """It has a message that is not settled."""
        copy.spared = ()
        copy.becomes(MessageState.HELD, ["JMS-REDL-009"], "that the session has got already")
        self.held.append((backlog, copy))

    def settles(
        self,
        ids: Sequence[str],
        words: str,
        by: Copy | None = None,
        vendor: Vendor = NONE,
    ) -> None:
        """All that it got is done with; `by`: by the message that was acknowledged."""
        later = by is not None and all(copy is not by for _, copy in self.held)
        of = next((backlog for backlog, copy in self.held if copy is by), None)
        for backlog, copy in self.held:
            what = words.replace("acknowledge", "acknowledge of an earlier one") if later else words
            left = ", of a closed consumer" if copy.left else ""
            own = vendor.settles_earlier if backlog is of else vendor.settles_of_others
            said = ids if later or copy.left or by is None else [*ids, *own]
            copy.becomes(MessageState.SETTLED, said, f"{what}{left}")
            later = later or copy is by
        self.held = []

    def settles_some(self, copies: Sequence[Copy], ids: Sequence[str], left: Sequence[str]) -> None:
        """These of what it got are done with, and by the statements `left` the others are not."""
        for _, copy in self.held:
            if copy in copies:
                copy.becomes(MessageState.SETTLED, ids, "that acknowledge settled alone")
            else:
                copy.spared = left
        self.held = [(backlog, copy) for backlog, copy in self.held if copy not in copies]

    def spares(self, ids: Sequence[str]) -> None:
        """An acknowledge that has no meaning in its mode leaves all that it got, by these."""
        for _, copy in self.held:
            copy.spared = ids

    def starts_again(self, ids: Sequence[str], words: str) -> None:
        """What it got comes again, in the old order where the consumer is still there."""
        for backlog in dict.fromkeys(backlog for backlog, _ in self.held):
            copies = [copy for of, copy in self.held if of is backlog]
            for copy in copies:
                refused = [each for each in copy.ids if each in REFUSED]
                first = [each for each in ids if not (backlog.had_several and each == ORDERED)]
                lives = FLAGGED in ids and not (backlog.is_queue or backlog.is_durable)
                recovers = [RECOVERED] if lives else []
                copy.becomes(
                    MessageState.WAITING, [*first, *recovers, *refused, *copy.spared], words
                )
                copy.repeated = [
                    each for each in ids if each not in (ORDERED, UNSETTLED, AT_COMMIT)
                ]
            if backlog.had_several:
                backlog.loosens()
            elif backlog.is_read:
                backlog.starts_again(copies)
        self.held = []

    def gives_back(self, ids: Sequence[str], words: str) -> None:
        """What it got goes back to be delivered to others."""
        for backlog, copy in self.held:
            kept = [] if self.transacted else _ids_of_leaving(backlog)
            copy.becomes(MessageState.WAITING, [*ids, *kept, *copy.spared], words)
            copy.repeated = ids
            copy.unseen += 1  # it may have been on its way again before all was closed
        for backlog in dict.fromkeys(backlog for backlog, _ in self.held if backlog.had_several):
            backlog.loosens()
        self.held = []


def _ids_of_leaving(backlog: Backlog) -> Sequence[str]:
    """The statements by which a session that ends leaves what it got and did not settle."""
    if backlog.is_queue:
        return ["JMS-REDL-012"]
    return ["JMS-REDL-013", "JMS-REDL-016"] if backlog.is_durable else []


@dataclass(slots=True, eq=False)
class Consumer:
    """A consumer and what it consumes from."""

    session: Session
    backlog: Backlog
    selector: str | None
    closed_by: str = ""
    """What was closed: the `consumer`, its `session`, or the `connection`."""
    last: dict[str, int] = field(default_factory=dict)
    """By sender, the number of the last message that it got for the first time."""

    def gets(self, copy: Copy) -> None:
        """It received a message."""
        if not (copy.is_loose or copy.deliveries):
            self.last[copy.sent.sender] = copy.sent.number
        copy.taker = self
        self.session.gets(self.backlog, copy)


@dataclass(slots=True, eq=False)
class Subscription:
    """A subscription that has a name."""

    topic: str
    selector: str | None
    backlog: Backlog

    def is_as(self, topic: str, selector: str | None, *, no_local: bool = False) -> bool:
        """Whether a consumer that asks for these has no other one in mind."""
        asked = (topic, selector or None, no_local)
        return (self.topic, self.selector or None, self.backlog.no_local) == asked


@dataclass(slots=True, eq=False)
class Received:
    """A message as one receive gave it."""

    copy: Copy
    consumer: Consumer
    deliveries: int
    unseen: int
    """What of its count may be due to deliveries that nobody saw."""
    ids: Sequence[str]
    """The statements by which it came now."""
    words: str
    changed: bool = False
    """Whether the application wrote into it."""

    @property
    def session(self) -> Session:
        """The session that got it."""
        return self.consumer.session


def received_copy(copy: Copy, consumer: Consumer) -> Received:
    """What a consumer gets of a message that comes now."""
    ids = copy.repeated if copy.deliveries else copy.ids
    return Received(copy, consumer, copy.deliveries + 1, copy.unseen, ids, copy.words)
