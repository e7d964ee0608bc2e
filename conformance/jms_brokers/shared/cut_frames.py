"""What is read of a family's protocol, so that a connection can be cut at a point of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from jms_brokers.brokers.interface import BrokerAddress

if TYPE_CHECKING:  # proxies bring asyncio
    from jms_brokers.faults.relay import Relay
    from jms_brokers.faults.rules import Frame


class Point(Enum):
    """Where in the protocol a connection is cut; the frame named is lost with it."""

    SEND = "the next message on its way to the broker"
    CONFIRMATION = "the broker's confirmation of the next message"
    COMMIT = "the next commit on its way to the broker, which then discards the transaction"
    COMMIT_REPLY = "the broker's reply to the next commit"


class CutFrames(Protocol):
    """What cuts have to know of the protocol of one broker family.

    All of it is pure but `discard`; a proxy that was made is not started.

    `frames` are in the order in which they passed the proxy; a message is found by its text.
    """

    def proxy(self, service_url: str) -> Relay:
        """A proxy that reads the frames, for the broker at `service_url`; raises FaultError.

        Clients reach it by the same scheme.
        """
        ...

    def address(self, address: BrokerAddress, reconnects: bool) -> BrokerAddress:
        """The same address for a client that reconnects, or for one that does not."""
        ...

    def settings(self, send_timeout: float | None, reconnects: bool) -> Mapping[str, object]:
        """The client's settings for a send timeout in seconds; None is the client's default.

        A client whose reconnecting cannot be switched off gets a short send timeout instead.
        """
        ...

    def is_at(self, point: Point, frame: Frame) -> bool:
        """Whether the frame is the one to be lost."""
        ...

    def discard(self, frame: Frame, broker: BrokerAddress) -> None:
        """Have the broker discard the transaction whose commit was lost.

        Nothing where the broker does so by itself when the connection is lost.
        """
        ...

    def attached(self, frames: Iterable[Frame]) -> frozenset[object]:
        """What the client has open at the broker and the broker has confirmed."""
        ...

    def transfers(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """The frames by which the client sent the message."""
        ...

    def confirmations(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """The frames by which the broker confirmed it to its sender."""
        ...

    def acknowledgements(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """The frames by which the client acknowledged it, in a transaction or not."""
        ...
