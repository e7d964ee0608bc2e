"""What a queue or a subscription holds, and which of it may come next (JMS 2.0, 6.2.9, 6.2.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from jms_model.delivery.choosing import chooses


class MessageState(Enum):
    """Where a message is, as a queue or a subscription has it."""

    WAITING = "waiting"
    HELD = "held"
    SETTLED = "settled"


class Publisher(Protocol):
    """A connection, as subscriptions know it that leave out what is their own."""

    @property
    def client_id(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message as it was sent."""

    number: int
    text: str
    kind: int
    """What it has that selectors look at: KINDS."""
    sender: str
    """The session that sent it: its messages keep their order."""
    over: Publisher
    """The connection that it was sent over."""


class BacklogReader(Protocol):
    """A consumer, as what it consumes from knows it."""

    @property
    def selector(self) -> str | None: ...

    @property
    def last(self) -> dict[str, int]:
        """By sender, the number of the last message that it got for the first time."""
        ...


@dataclass(slots=True, eq=False)
class Copy:
    """One message in one queue or subscription."""

    sent: SentMessage
    ids: Sequence[str]
    """The statements by which it is where it is."""
    words: str
    """How it came to be there: `that was sent`, `that rollback gave back`."""
    state: MessageState = MessageState.WAITING
    deliveries: int = 0
    """How often an application received it."""
    unseen: int = 0
    """How often it may have been delivered besides, to a client that closed or started again."""
    left: bool = False
    """Whether a consumer was closed that had received it, or for which it was on its way again."""
    repeated: Sequence[str] = ()
    """The statements by which it comes again with its flag and count."""
    is_loose: bool = False
    """Whether it may have gone back from one of several consumers: it has no place any more."""
    taker: BacklogReader | None = None
    """Which of several consumers got it, if since then none of them gave anything back."""

    spared: Sequence[str] = ()
    """The statements by which an acknowledge left it: of another message, or of another mode."""

    def becomes(self, state: MessageState, ids: Sequence[str], words: str) -> None:
        """It is somewhere else now, by these statements."""
        self.state, self.ids, self.words = state, ids, words


@dataclass(slots=True, eq=False)
class Backlog:
    """The messages of a queue or of a subscription."""

    is_queue: bool
    selector: str | None = None
    """What a subscription takes in."""
    is_durable: bool = True
    """Whether it outlives its consumers."""
    is_shared: bool = False
    """Whether it is a subscription for several consumers."""
    replaces_until: int = 0
    """The number of the last message for the subscription of its name whose place it took."""
    replaces_by: str = "JMS-SUB-011"
    """The statement by which nothing of that one is left."""
    of: Publisher | None = None
    """The connection that a subscription was made by, or is used by now."""
    no_local: bool = False
    """Whether a subscription leaves out what its own connection publishes."""
    own: dict[int, SentMessage] = field(default_factory=dict)
    """What it left out for that, by number."""
    readers: list[BacklogReader] = field(default_factory=list)
    """Its open consumers."""
    had_several: bool = False
    """Whether it ever had several at a time: who gets what is open then."""
    openings: int = 0
    """How many consumers it has had."""
    is_gone: bool = False
    copies: dict[int, Copy] = field(default_factory=dict)
    left_out: set[int] = field(default_factory=set)
    """The numbers of messages that its selector left out."""
    restarted: list[Copy] = field(default_factory=list)
    """What its consumer gets first, and in this order."""

    @property
    def is_read(self) -> bool:
        """Whether it has a consumer."""
        return bool(self.readers)

    @property
    def is_held(self) -> bool:
        """Whether somebody has got a message of it and not settled it."""
        return any(copy.state is MessageState.HELD for copy in self.copies.values())

    def takes(self, sent: SentMessage, ids: Sequence[str], words: str) -> None:
        """A message was sent to it."""
        if self.is_gone:
            return
        if self.no_local and self.why_own(sent):
            self.own[sent.number] = sent
        elif chooses(self.selector, sent.kind):
            is_local = self.is_read and not self.is_queue and sent.over is self.of
            said = [
                *ids,
                *(["JMS-NLOC-003"] if is_local else []),
                *(["SLJ-NLOC-002"] if self.no_local else []),
            ]
            self.copies[sent.number] = Copy(sent, said, words)
        else:
            self.left_out.add(sent.number)

    def why_own(self, sent: SentMessage) -> Sequence[str]:
        """The statements by which a message is its own, and is left out."""
        assert self.of is not None
        client_id = self.of.client_id
        is_of_client = client_id is not None and client_id == sent.over.client_id
        return [
            *(["JMS-NLOC-001"] if sent.over is self.of else []),
            *(["JMS-NLOC-002"] if self.is_durable and is_of_client else []),
        ]

    def waiting(self, selector: str | None = None) -> list[Copy]:
        """What a consumer with this selector has to get, in the order sent."""
        return [
            copy
            for copy in self.copies.values()
            if copy.state is MessageState.WAITING and chooses(selector, copy.sent.kind)
        ]

    def opens(self, reader: BacklogReader) -> None:
        """A consumer is there, perhaps beside others."""
        self.readers.append(reader)
        self.openings += 1
        if len(self.readers) > 1 and not self.had_several:
            self.had_several = True
            for copy in self.restarted:
                copy.is_loose = True
            self.restarted = []

    def loosens(self) -> None:
        """One of several consumers gives back what it got, and what it has not delivered."""
        for copy in self.copies.values():
            copy.taker = None
            if copy.state is MessageState.WAITING:
                copy.is_loose = True
                copy.unseen += 1

    def next(self, reader: BacklogReader) -> list[Copy]:
        """What it may get now.

        After a restart just one message. Otherwise the first of each sender that was never
        delivered, and any of those that came back to be delivered to somebody.
        """
        if self.had_several:
            return self._share(reader)
        waiting = self.waiting(reader.selector)
        restarted = [copy for copy in self.restarted if copy in waiting]
        if restarted:
            return restarted[:1]
        first: dict[str, Copy] = {}
        for copy in waiting:
            if not copy.deliveries:
                first.setdefault(copy.sent.sender, copy)
        return [copy for copy in waiting if copy.deliveries or copy in first.values()]

    def _share(self, reader: BacklogReader) -> list[Copy]:
        """What one of several may get: nothing before what it has, or what only it can get."""
        others = [each.selector for each in self.readers if each is not reader]
        share: list[Copy] = []
        held_up: set[str] = set()
        for copy in self.waiting(reader.selector):
            sender = copy.sent.sender
            if copy.is_loose or copy.deliveries:
                share.append(copy)
            elif copy.sent.number > reader.last.get(sender, 0) and sender not in held_up:
                share.append(copy)
                if not any(chooses(each, copy.sent.kind) for each in others):
                    held_up.add(sender)
        return share

    def starts_again(self, with_: Sequence[Copy]) -> None:
        """Its consumer gets these first, before what it had to get again already."""
        self.restarted = [*with_, *(copy for copy in self.restarted if copy not in with_)]
