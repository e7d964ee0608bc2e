"""How a run steers its producers and consumers, be they threads here or processes elsewhere."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from enum import Enum


class Order(Enum):
    """What a run may ask of one of them."""

    GO = "go"
    """Begin to send."""
    REOPEN = "reopen"
    """Close the consumer and open it again."""
    PAUSE = "pause"
    """Stop the connection and start it again."""
    LEAVE = "leave"
    """Close the connection with messages that are not settled."""
    TAKE = "take"
    """Receive: what waited has been fetched."""
    RETURN = "return"
    """Come back from there, by a new connection."""
    STOP = "stop"
    """Settle what is open, close, and end."""


class Control:
    """The worker's side: orders that came in, and what it tells about itself."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` is called with "ready" once everything is open, with "disconnected" and "back".

        And with "trouble" and what a call raised that is tried again.
        """
        self.counted = 0
        """Messages that were sent, or received; written by the worker alone."""
        self._tell = tell
        self._trouble = ""
        self._going = threading.Event()
        self._stopping = threading.Event()
        self._orders: deque[Order] = deque()

    @property
    def stopping(self) -> bool:
        """Whether it is to end."""
        return self._stopping.is_set()

    def take(self, order: Order) -> None:
        """Hear an order, on any thread."""
        match order:
            case Order.GO:
                self._going.set()
            case Order.STOP:
                self._stopping.set()
                self._going.set()
            case other:
                self._orders.append(other)

    def next_order(self) -> Order | None:
        """The next order, if one waits."""
        return self._orders.popleft() if self._orders else None

    def ready(self) -> None:
        """Tell that everything is open."""
        self._tell("ready")

    def disconnected(self) -> None:
        """Tell that the connection is closed."""
        self._tell("disconnected")

    def back(self) -> None:
        """Tell that there is a new one."""
        self._tell("back")

    def trouble(self, error: Exception) -> None:
        """Tell what a call raised that is tried again: should nothing follow, it may say why."""
        text = f"{type(error).__name__}: {error}"
        if text != self._trouble:
            self._trouble = text
            self._tell(f"trouble {json.dumps(text)}")

    def wait_to_go(self) -> None:
        """Wait for GO or STOP."""
        self._going.wait()

    def wait(self, seconds: float) -> bool:
        """Wait for STOP; whether it came."""
        return self._stopping.wait(seconds)
