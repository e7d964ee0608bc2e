"""What a queue or a subscription holds, and which of it may come next (JMS 2.0, 6.2.9, 6.2.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum


class State(Enum):
    """Where a message is, as a queue or a subscription has it."""

    WAITING = "waiting"
    HELD = "held"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Sent:
    """A message as it was sent."""

    number: int
    text: str
    x: int
    """The property that selectors look at."""
    sender: str
    """The session that sent it: its messages keep their order."""


@dataclass(slots=True, eq=False)
class Copy:
    """One message in one queue or subscription."""

    sent: Sent
    ids: Sequence[str]
    """The statements by which it is where it is."""
    words: str
    """How it came to be there: `that was sent`, `that rollback gave back`."""
    state: State = State.WAITING
    deliveries: int = 0
    """How often an application received it."""
    unseen: int = 0
    """How often it may have been delivered besides, to a client that closed or started again."""
    left: bool = False
    """Whether a consumer was closed that had received it, or for which it was on its way again."""
    repeated: Sequence[str] = ()
    """The statements by which it comes again with its flag and count."""

    def becomes(self, state: State, ids: Sequence[str], words: str) -> None:
        """It is somewhere else now, by these statements."""
        self.state, self.ids, self.words = state, ids, words


@dataclass(slots=True, eq=False)
class Backlog:
    """The messages of a queue or of a subscription."""

    is_queue: bool
    selector: int | None = None
    """The value of `x` that a subscription takes in."""
    is_durable: bool = True
    """Whether it outlives its consumer."""
    replaces_until: int = 0
    """The number of the last message for the subscription of its name whose place it took."""
    is_read: bool = False
    """Whether it has a consumer."""
    is_gone: bool = False
    copies: dict[int, Copy] = field(default_factory=dict)
    restarted: list[Copy] = field(default_factory=list)
    """What its consumer gets first, and in this order."""

    @property
    def is_held(self) -> bool:
        """Whether somebody has got a message of it and not settled it."""
        return any(copy.state is State.HELD for copy in self.copies.values())

    def takes(self, sent: Sent, ids: Sequence[str], words: str) -> None:
        """A message was sent to it."""
        if not self.is_gone and self.selector in (None, sent.x):
            self.copies[sent.number] = Copy(sent, ids, words)

    def waiting(self, selector: int | None = None) -> list[Copy]:
        """What a consumer with this selector has to get, in the order sent."""
        return [
            copy
            for copy in self.copies.values()
            if copy.state is State.WAITING and selector in (None, copy.sent.x)
        ]

    def next(self, selector: int | None = None) -> list[Copy]:
        """What it may get now.

        After a restart just one message. Otherwise the first of each sender that was never
        delivered, and any of those that came back to be delivered to somebody.
        """
        waiting = self.waiting(selector)
        restarted = [copy for copy in self.restarted if copy in waiting]
        if restarted:
            return restarted[:1]
        first: dict[str, Copy] = {}
        for copy in waiting:
            if not copy.deliveries:
                first.setdefault(copy.sent.sender, copy)
        return [copy for copy in waiting if copy.deliveries or copy in first.values()]

    def starts_again(self, with_: Sequence[Copy]) -> None:
        """Its consumer gets these first, before what it had to get again already."""
        self.restarted = [*with_, *(copy for copy in self.restarted if copy not in with_)]
