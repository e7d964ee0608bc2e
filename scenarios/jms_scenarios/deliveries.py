"""What the broker delivers, seen on its way to the client by a frame proxy."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from jmsapi import Session, SessionMode
from touchstone.api import PASS, UnderTest

_REDELIVER = "REDELIVER_UNACKNOWLEDGED_MESSAGES"


class Watching(Protocol):
    """A frame proxy with a rule for MESSAGE, which notes what passes."""

    def on(self, command: str, **rule: Any) -> object: ...

    def seen(self, command: str) -> Iterable[Any]: ...


def redelivery_counts(proxy: Watching) -> list[list[int]]:
    """The broker's redelivery counts in the deliveries of each message, in order."""
    counts: defaultdict[str, list[int]] = defaultdict(list)
    for frame in proxy.seen("MESSAGE"):
        counts[str(frame.fields["message_id"])].append(frame.fields.get("redelivery_count", 0))
    return list(counts.values())


def _noting(times: list[float]) -> Callable[[object], bool]:
    """A condition that holds for every frame, and notes when it was asked."""

    def note(frame: object) -> bool:
        times.append(time.monotonic())
        return True

    return note


class Watched:
    """The client under test, behind a proxy that notes what the broker delivers, and when."""

    def __init__(self, client: UnderTest, proxy: Watching) -> None:
        self._client = client
        self._proxy = proxy
        self.times: list[float] = []
        """Seconds of the monotonic clock, one for each delivery."""
        self.requests: list[float] = []
        """The same for the client's requests to redeliver."""
        proxy.on("MESSAGE", action=PASS, where=_noting(self.times))
        proxy.on(_REDELIVER, action=PASS, where=_noting(self.requests))

    def session(self, consumer_config: Mapping[str, object]) -> Session:
        """A session in CLIENT_ACKNOWLEDGE of a connection with this consumerConfig."""
        connection = self._client.connection({"consumerConfig": consumer_config})
        return connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)

    def redelivery_counts(self) -> list[list[int]]:
        """The broker's redelivery counts in the deliveries of each message, in order."""
        return redelivery_counts(self._proxy)
