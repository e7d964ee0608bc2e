"""A send and what was seen of its message, with the instants around each call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jms_model.answers import Answer, Expectation

ROUNDING: Final = 2
"""Milliseconds: client and broker count in whole ones, each for itself."""
LATE: Final = 1500
"""Milliseconds after which a message that is due has to be there, beyond what a busy machine
explains: a broker looks for what is due once a second at least."""
TICK: Final = 1000
"""Milliseconds by which a broker may be early that heeds a delay, though it must not: its clock."""
LEARNED: Final = 400
"""Milliseconds for which a message must have been expired: a busy broker may learn of it late, and
count from then on."""

QUEUE, TOPIC, DURABLE = "queue", "topic", "durable"
SHARED, SHARED_DURABLE = "shared", "shared durable"
SIMPLE_SHARED: Final = "simple shared"
OUTLETS: Final = {
    QUEUE: "of a queue",
    TOPIC: "of a topic",
    DURABLE: "of a durable subscription",
    SHARED: "of a shared subscription",
    SHARED_DURABLE: "of a shared durable subscription",
    SIMPLE_SHARED: "of a topic by a consumer whose subscription is Shared",
}
"""What messages come out of, and how it is named."""


@dataclass(frozen=True, slots=True)
class TimedMessage:
    """A message that was sent."""

    number: int
    outlet: str
    """What it comes out of."""
    form: str
    """How it was sent: `with arguments`, `by a JMSProducer`."""
    delay: int
    lives: int
    """Milliseconds; 0 is for ever."""
    before: int
    after: int
    """Milliseconds between which it was sent."""
    earlier: Sequence[int] = ()
    """Delays that its producer had before this one: 0, and what was set."""
    of_producer: int = 0
    """The time to live of its producer, where the send was given another."""
    committed: tuple[int, int] | None = None
    """Milliseconds between which its transaction was committed."""
    delivery_time: int | None = None
    expiration: int | None = None
    """Header fields as the sender reads them; None: there is no message to ask."""
    is_behind: bool = False
    """Whether a message of its destination, sent before it, is due much later."""
    is_beside: bool = False
    """Whether messages of its destination expire."""
    is_told: bool = True
    """Whether JMSDeliveryTime shows delays at all."""
    ready: int = 0
    """When whoever receives it was there, and nothing else held it back."""

    @property
    def first(self) -> int:
        """When it may be seen."""
        return self.before + self.delay - ROUNDING

    @property
    def last(self) -> int:
        """When it has to be there, but for what is late."""
        return max(self.after + self.delay, self.ready)

    @property
    def expired(self) -> int | None:
        """When it has to be known to have expired; None: it does not."""
        return self.after + self.lives + LEARNED if self.lives else None

    @property
    def is_held(self) -> bool:
        """Whether its transaction was committed so late that one can tell from what time runs."""
        return self.committed is not None and self.committed[0] > self.after + LATE

    @property
    def situation(self) -> str:
        """What decides how it comes."""
        parts = (
            self.form,
            "in a transaction" if self.committed else "",
            OUTLETS[self.outlet],
        )
        return " ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A message that an application got."""

    number: int
    asked: int
    """When it asked for a message, or was called with this one."""
    at: int
    """When it had it."""
    delivery_time: Answer | None
    expiration: Answer
    missed: int = 0
    """When it was last asked for in vain: a slow client's message may have been there since."""
    again: bool = False
    """Whether it came before, and was given back."""


@dataclass(frozen=True, slots=True)
class TimedLook:
    """What was looked at, what is permitted, and what was seen."""

    method: str
    numbers: Sequence[int]
    """The sends that it is about."""
    expectation: Expectation
    answer: Answer
