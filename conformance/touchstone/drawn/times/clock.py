"""The clock that programs on time are judged by."""

from __future__ import annotations

import threading
import time


class Clock:
    """Milliseconds since the epoch."""

    def now(self) -> int:
        """This instant."""
        return time.time_ns() // 1_000_000

    def pause(self, milliseconds: float) -> None:
        """Let others work for so long."""
        threading.Event().wait(milliseconds / 1000)
