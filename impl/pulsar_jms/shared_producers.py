"""The ways to the topics that sessions send to, each shared while anybody uses it, then closed.

Closing waits a moment: an application that makes a session and a producer for each message would
otherwise wait each time until the broker has made one, too.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Final

from pulsar_jms.timer import Timer
from pulsar_jms.transport.transport_protocol import Outlet, Router, Transport

LINGER: Final = 1.0
"""Seconds after its last user until an outlet is closed."""


class OutletsInUse:
    """The outlets of a factory, each with those who use it."""

    def __init__(self, transport: Transport, timer: Timer) -> None:
        """`timer` may be kept waiting: the broker is told of a close there."""
        self._transport = transport
        self._timer = timer
        self._lock = threading.Lock()
        self._users: dict[Outlet, set[object]] = {}

    def outlet(self, user: object, topic: str, router: Router | None) -> Outlet:
        """The outlet of these arguments, open until `user` and all others have left it."""
        with self._lock:
            outlet = self._transport.outlet(topic, router)
            self._users.setdefault(outlet, set()).add(user)
            return outlet

    def leave(self, user: object) -> None:
        """Note that `user` sends no more."""
        with self._lock:
            left = [outlet for outlet, users in self._users.items() if user in users]
            for outlet in left:
                self._users[outlet].discard(user)
        for outlet in left:
            self._timer.after(LINGER, partial(self._close_unused, outlet))

    def connected(self) -> bool:
        """Whether all of them are connected to the broker."""
        return all(outlet.is_connected() for outlet in list(self._users))

    def _close_unused(self, outlet: Outlet) -> None:
        with self._lock:
            if self._users.get(outlet, True):  # used again, or closed already
                return
            del self._users[outlet]
            self._transport.forget(outlet)
        outlet.close()
