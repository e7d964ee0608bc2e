"""The producers of a factory: each is shared by all who send to its topic.

One ends at the broker with its last user, when nobody has sent for a while, or when others need its
place; never while a send is on its way, or a producer of the application is bound to its
destination. The next send opens it again. After its last user it waits a moment: an application
that makes a session and a producer for each message would otherwise wait each time until the broker
has made one, too.
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from functools import partial
from typing import Any, Final

from pulsar_jms.least_recently_used import LeastRecentlyUsed
from pulsar_jms.timer import Timer
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    Router,
    SendCallback,
    Transport,
    TransportProducer,
)
from pulsar_jms.transport.wire_messages import OutgoingMessage, StoredMessage

LINGER: Final = 1.0
"""Seconds after its last user until a producer is closed."""
BOUND: Final = 1000
"""How many there are at most, those in use apart, unless jms.maxNumOfProducers says otherwise."""
IDLE: Final = 60
"""Seconds without a send after which one ends, unless jms.producerAutoCloseTimeoutSec does."""

Key = tuple[str, Router | None]


class _Way:
    """The way to one topic."""

    __slots__ = ("inner", "turning", "users")

    def __init__(self) -> None:
        self.inner: TransportProducer | None = None
        self.turning = threading.Lock()
        """Held while the way is opened or closed, which waits for the broker."""
        self.users: set[object] = set()


class SharedProducers:
    """The producers of a factory, each with those who use it."""

    def __init__(
        self, transport: Transport, timer: Timer, bound: int = BOUND, idle: float = IDLE
    ) -> None:
        """`timer` may be kept waiting: it reports a close to the broker.

        With a negative `idle` a producer waits for ever.
        """
        self._transport = transport
        self._timer = timer
        self._idle = idle if idle >= 0 else math.inf
        self._lock = threading.Lock()
        """Held for what follows, and never while waiting: the transport's threads come here."""
        self._ways: dict[Key, _Way] = {}
        self._uses: LeastRecentlyUsed[Key] = LeastRecentlyUsed(bound)
        self._held: defaultdict[object, list[Key]] = defaultdict(list)
        self._looks = False
        """Whether somebody is going to look for what is idle."""

    def producer(self, user: object, topic: str, router: Router | None) -> SharedProducer:
        """The producer of these arguments, for sends of `user`."""
        return SharedProducer(self, user, (topic, router))

    def hold(self, user: object, key: Key) -> None:
        """Keep a producer open until `release`, or until `user` leaves."""
        with self._lock:
            self._held[user].append(key)
            self._uses.begin(key)

    def release(self, user: object, key: Key) -> None:
        """End one `hold`."""
        with self._lock:
            held = self._held.get(user, [])
            if key not in held:
                return
            held.remove(key)
        self.end(key)

    def leave(self, user: object) -> None:
        """Note that `user` sends no more."""
        with self._lock:
            held = self._held.pop(user, [])
            left = [key for key, way in self._ways.items() if user in way.users]
            for key in left:
                self._ways[key].users.discard(user)
        for key in held:
            self.end(key)
        for key in left:
            self._timer.after(LINGER, partial(self._close, key, unless_used=True))

    def is_connected(self) -> bool:
        """Whether all of them are connected to the broker."""
        open_now = [way.inner for way in list(self._ways.values())]
        return all(inner.is_connected() for inner in open_now if inner is not None)

    def begin(self, user: object, key: Key) -> TransportProducer:
        """The open producer of `key`, which stays so until `end`; others make room for it."""
        with self._lock:
            way = self._ways.get(key)
            if way is None:
                way = self._ways[key] = _Way()
            way.users.add(user)
            self._uses.begin(key)
            surplus = self._uses.surplus()
        for each in surplus:
            self._close(each)
        inner = way.inner
        if inner is None:
            with way.turning:
                inner = way.inner = way.inner or self._transport.producer(*key)
        return inner

    def end(self, key: Key) -> None:
        """Note that one of its sends is done; for any thread, as it does not wait."""
        with self._lock:
            self._uses.end(key, time.monotonic())
            surplus = self._uses.surplus()
            looks, self._looks = self._looks or self._idle == math.inf, True
        for each in surplus:
            self._timer.after(0, partial(self._close, each))
        if not looks:
            self._timer.after(self._idle, self._close_idle)

    def current(self, key: Key) -> TransportProducer | None:
        """The producer of `key` if it is open."""
        with self._lock:
            way = self._ways.get(key)
        return None if way is None else way.inner

    def _close_idle(self) -> None:
        with self._lock:
            idle = self._uses.waiting_since(time.monotonic() - self._idle)
        for key in idle:
            self._close(key)
        with self._lock:
            longest = self._uses.longest()
            self._looks = longest is not None
        if longest is not None:
            left = longest + self._idle - time.monotonic()
            self._timer.after(max(0.0, left), self._close_idle)

    def _close(self, key: Key, *, unless_used: bool = False) -> None:
        """Close a producer that no send needs; with `unless_used` none that has users."""
        with self._lock:
            way = self._ways.setdefault(key, _Way())
        with way.turning:
            with self._lock:
                closed = self._ways.get(key) is not way
                if closed or self._uses.in_use(key) or (unless_used and way.users):
                    return
                inner, way.inner = way.inner, None
            if inner is not None:
                self._transport.forget(inner)
                inner.close()
            with self._lock:
                if not self._uses.in_use(key):
                    self._uses.forget(key)
                    self._ways.pop(key, None)


class SharedProducer:
    """What one user sends by to one topic, whether its producer is open just now or not."""

    __slots__ = ("_latest", "_lost_at", "_pool", "_user", "key")

    def __init__(self, pool: SharedProducers, user: object, key: Key) -> None:
        self._pool = pool
        self._user = user
        self.key = key
        self._latest: TransportProducer | None = None
        self._lost_at = 0

    def send(
        self, message: OutgoingMessage, transaction: BrokerTransaction | None = None
    ) -> StoredMessage:
        """Send and wait for the broker's confirmation."""
        inner = self._begin()
        try:
            return inner.send(message, transaction)
        finally:
            self._pool.end(self.key)

    def send_async(
        self,
        message: OutgoingMessage,
        outcome: SendCallback,
        transaction: BrokerTransaction | None = None,
    ) -> None:
        """Send and return."""
        inner = self._begin()
        try:
            inner.send_async(message, partial(self._end, outcome), transaction)
        except BaseException:
            self._pool.end(self.key)
            raise

    def read_outcome(self, *outcome: Any) -> StoredMessage:
        """What an outcome says."""
        assert self._latest is not None  # there was a send
        return self._latest.read_outcome(*outcome)

    def is_connected(self) -> bool:
        """Whether the broker is connected, where it needs to be."""
        inner = self._pool.current(self.key)
        return inner is None or inner.is_connected()

    def lost_at(self) -> int:
        """When a connection that was used was lost last; it does not go back."""
        inner = self._pool.current(self.key) or self._latest
        if inner is not None:
            self._lost_at = max(self._lost_at, inner.lost_at())
        return self._lost_at

    def close(self) -> None:
        """Nothing: who is done with it leaves, and others may send by the same."""

    def _begin(self) -> TransportProducer:
        self._latest = self._pool.begin(self._user, self.key)
        return self._latest

    def _end(self, outcome: SendCallback, *result: Any) -> None:
        self._pool.end(self.key)
        outcome(*result)
