"""The time of a simulated history: an axis of slots, one message sent and at most one first
delivery in each.

Sends of slot g begin at `sent(g)`; deliveries of slot h at `delivered(h)`, each in one of sixteen
phases. A delivery, a redelivery, a late delivery … of a message has its slot by a fixed distance
from the message's, and each such distance has a phase of its own. So no two deliveries ever meet,
and nothing has to be queued, carried or sorted out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

START: Final = 1_000_000_000_000
STEP: Final = 20_000
PHASE: Final = 900
PHASES: Final = 16
LEAST_LATENCY: Final = 100_000
SLOPE: Final = 2_000
"""How fast latency rises and falls, in ns per slot: slower than phases leave room for."""


@dataclass(frozen=True)
class SimulatedClock:
    """Times in ns. At each slot of `jumps` nothing happens for `gap`, before that slot begins.

    Latency goes up and down between LEAST_LATENCY and that plus SLOPE * rise.
    """

    jumps: NDArray[np.int64]
    gap: int
    rise: int

    def sent(self, slots: NDArray[Any]) -> NDArray[np.int64]:
        """When the send of a slot begins."""
        passed = np.searchsorted(self.jumps, slots, side="right")
        times = slots * np.int64(STEP)
        times += passed * np.int64(self.gap)
        times += START
        return times

    def delivered(self, slots: NDArray[Any], phase: Any = 0) -> NDArray[np.int64]:
        """When deliveries of a slot and phase begin."""
        wave = slots % np.int64(2 * self.rise)
        wave -= self.rise
        np.abs(wave, out=wave)
        wave *= SLOPE
        wave += self.sent(slots)
        wave += np.asarray(phase, np.int64) * PHASE
        wave += LEAST_LATENCY
        return wave

    @property
    def reach(self) -> int:
        """Slots that surely pass between a send and its delivery in the same slot."""
        return (LEAST_LATENCY + SLOPE * self.rise + 2 * self.gap) // STEP + 4


def sent_at(clock: SimulatedClock, slot: int) -> int:
    """The same for one slot."""
    return int(clock.sent(np.array([slot], np.int64))[0])


def delivered_at(clock: SimulatedClock, slot: int) -> int:
    """The same for one slot."""
    return int(clock.delivered(np.array([slot], np.int64))[0])
