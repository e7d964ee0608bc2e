"""What crosses between the clients' processes and the one that judges: plain data, told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, Self

View = dict[str, str]
"""What a consumer saw of one message, field by field; times in ms since the epoch, as text."""
WORKING = "works"
"""The field that says whether the exchange came to its end, and its value then."""
DONE = "yes"


@dataclass(frozen=True)
class SendRecord:
    """What a producer knows of a message: times of the call, ms since the epoch, and its id."""

    since: int = 0
    until: int = 0
    message_id: str | None = None
    error: str | None = None
    """What the client threw instead of sending."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `of`."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """What `as_dict` described."""
        return cls(**data)


@dataclass(frozen=True)
class Reading:
    """What a consumer saw of several messages."""

    views: Mapping[str, Sequence[View]] = field(default_factory=dict)
    """By the name of the sample: more than one view where it came more than once."""
    errors: Sequence[str] = ()
    """What the client threw when it was asked for the next message."""
    unknown: Sequence[View] = ()
    """Messages of no sample."""
    whole: bool = False
    """Whether the last message came, so that it has seen all that was sent before."""
    until: int = 0
    """When it was done, ms since the epoch."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `of`."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """What `as_dict` described."""
        return cls(**data)


class Waiting(Protocol):
    """A consumer that is ready for an exchange."""

    def seen(self, sent: Mapping[str, Any]) -> View:
        """What it saw, once the producer has done its part."""
        ...

    def close(self) -> None:
        """It is not needed any more."""
        ...


class Partner(Protocol):
    """A client in a process of its own; what it takes and gives is plain data."""

    def send(self, queue: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Send the samples of these names, and the last one; what is known of each, by its name."""
        ...

    def read(self, queue: str, subscription: str, names: Sequence[str]) -> dict[str, Any]:
        """A `Reading` of the queue by a subscription of its own, up to the last sample."""
        ...

    def prepare(self, behaviour: str, name: str) -> Waiting | None:
        """A consumer for a behaviour; `name` is of a destination. None: it has no such thing."""
        ...

    def act(self, behaviour: str, name: str) -> dict[str, Any] | None:
        """The producer's part; what is known of it. None: it has no such thing."""
        ...

    def after(self, behaviour: str, name: str) -> View:
        """What the producer sees when the consumer has done its part."""
        ...
