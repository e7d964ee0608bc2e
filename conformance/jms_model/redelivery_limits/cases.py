"""What an application does with the messages of one destination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jms_model.redelivery_limits.settings import ConsumerSettings

QUEUE: Final = "queue"
SHARED: Final = "shared subscription"
SHARED_DURABLE: Final = "shared durable subscription"
DURABLE: Final = "durable subscription"
KINDS: Final = (QUEUE, SHARED, SHARED_DURABLE, DURABLE)
UNSHARED: Final = (DURABLE,)
"""Pulsar counts no redeliveries of their messages, and so sets none of them aside."""

RECOVER: Final = "recover"
LISTENER: Final = "a listener that throws"
TIME_OUT: Final = "time-out"
WAYS: Final = (RECOVER, LISTENER, TIME_OUT)
"""How a message fails: receive() and recover(), a listener, or that nothing is done with it."""

SELECTOR: Final = "selector"
NO_LOCAL: Final = "noLocal"
ALWAYS: Final = 1000
"""So often fails what never succeeds."""


@dataclass(frozen=True, slots=True)
class MessageCase:
    """A message, and what becomes of it."""

    kind: str
    content: object
    properties: Mapping[str, object]
    fails: int = 0
    """So often, before it is acknowledged."""
    rejected: bool = False
    """Whether the selector or noLocal of the consumer keeps it from the application."""


@dataclass(frozen=True, slots=True)
class Case:
    """A destination of its own with a consumer of a factory."""

    factory: int
    kind: str
    way: str
    messages: Sequence[MessageCase]
    filtered: str = ""
    """`selector` or `noLocal`."""
    taker: bool = False
    """Whether another consumer then takes what was rejected."""
    simplified: bool = False
    """Whether a context receives, and not a session."""

    @property
    def method(self) -> str:
        """What the case is, as the last step of a program."""
        return self.filtered or self.way

    @property
    def shared(self) -> bool:
        """Whether several consumers may share its subscription."""
        return self.kind not in UNSHARED

    def dies(self, number: int, settings: ConsumerSettings) -> bool:
        """Whether a message has to be set aside."""
        policy = settings.policy
        if policy is None or not self.shared:
            return False
        sent = self.messages[number]
        return sent.rejected or sent.fails > policy.limit

    def deliveries(self, number: int, settings: ConsumerSettings) -> int:
        """So often the application has to see a message."""
        sent = self.messages[number]
        if sent.rejected:
            return 0
        if self.dies(number, settings) and settings.policy is not None:
            return settings.policy.limit + 1
        return sent.fails + 1

    def __str__(self) -> str:
        sent = ", ".join(map(_describe, self.messages))
        by = " of a context" if self.simplified else ""
        filtered = f" with a {self.filtered}" if self.filtered else ""
        taken = ", then another consumer takes them" if self.taker else ""
        how = "" if self.filtered else f", which fail by {self.way}"
        return (
            f"a consumer{filtered}{by} of f{self.factory} on a {self.kind} gets {sent}{how}{taken}"
        )


def _describe(sent: MessageCase) -> str:
    message = f"a {sent.kind} message {sent.content!r:.60} with {dict(sent.properties)!r:.60}"
    if sent.rejected:
        return f"{message} that is not for it"
    if not sent.fails:
        return message
    return f"{message} that fails {'always' if sent.fails == ALWAYS else f'{sent.fails} times'}"
