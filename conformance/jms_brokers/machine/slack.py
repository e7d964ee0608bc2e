"""How late a busy machine makes things, measured beside them while they go on."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_NAP = 0.005
"""Seconds of a timed wait whose lateness is looked at."""
_LEAST = 0.1
"""Seconds to look: what is over sooner had a machine that is known from just behind it."""
_HANDOVERS = 8
"""How often a message, or its answer, waits for a thread to wake: in client, broker and between."""
_TURN = 0.004
"""Seconds for which a thread keeps a processor that others want: each waits for those before it."""
_WORK = 0.010
"""Seconds that client and broker compute for a message on a machine of their own."""
_LOAD = Path("/proc/loadavg")


@dataclass(frozen=True)
class Slack:
    """How busy a machine was for a while."""

    latest: float = 0.0
    """Seconds by which the latest of short timed waits woke too late."""
    crowding: float = 1.0
    """Threads that wanted each processor, on average; 1 and less is a processor for each."""

    @property
    def seconds(self) -> float:
        """By so much what goes through client and broker may have been late for the machine."""
        others = max(0.0, self.crowding - 1)
        return _HANDOVERS * max(self.latest, _TURN * others) + _WORK * others

    def __str__(self) -> str:
        late = f"timed waits woke up to {1000 * self.latest:.0f} ms late"
        return f"{late}, with {self.crowding:.1f} threads for each processor"


@dataclass
class Watch:
    """Looks at the machine while its block runs; afterwards knows how long that took, and slack."""

    since: float = 0.0
    """The monotonic clock at the beginning of the block."""
    seconds: float = 0.0
    slack: Slack = Slack()
    _lateness: list[float] = field(default_factory=list)
    _wanting: list[int] = field(default_factory=list)
    _over: bool = False

    def look(self) -> None:
        """Wait for short times until it is over, and note how late each wait ends."""
        while not self._over:
            due = time.monotonic() + _NAP
            time.sleep(_NAP)
            self._lateness.append(time.monotonic() - due)
            if (wanting := _wanting()) is not None:
                self._wanting.append(wanting)

    def end(self) -> None:
        """What was seen is all."""
        self._over = True
        mean = sum(self._wanting) / len(self._wanting) if self._wanting else 0.0
        processors = len(os.sched_getaffinity(0))
        self.slack = Slack(max(self._lateness, default=0.0), max(1.0, mean / processors))


@contextmanager
def watch_machine() -> Iterator[Watch]:
    """Watch the machine while the block runs, and for a tenth of a second in all at least."""
    watch = Watch()
    looking = threading.Thread(target=watch.look, name="slack", daemon=True)
    looking.start()
    watch.since = time.monotonic()
    try:
        yield watch
    finally:
        watch.seconds = time.monotonic() - watch.since
        time.sleep(max(_NAP, _LEAST - watch.seconds))
        watch._over = True
        looking.join()
        watch.end()


def _wanting() -> int | None:
    """How many threads run or wait for a processor now, besides the one that asks."""
    try:
        return int(_LOAD.read_text().split()[3].split("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        return None
