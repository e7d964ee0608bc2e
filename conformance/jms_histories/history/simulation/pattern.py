"""Who sends to which destination in each slot: a pattern that repeats, so that everything about a
message follows from its slot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.history.simulation.settings import Acknowledging, SimulationSettings
from jms_histories.values import SEQUENCE_BITS

PRODUCERS: Final = 8
"""Producers that are not transacted: numbers 1 to 8."""
TRANSACTED: Final = 4
"""Transacted producers at most: the numbers after those."""
OUTPUTS: Final = PRODUCERS + TRANSACTED + 1
"""The producer that answers what is consumed through."""
SECOND_OUTPUTS: Final = OUTPUTS + 1
"""The producer of answers that should not be."""
BATCH: Final = 4
"""Messages of a transaction: adjacent slots."""
SMALL: Final = 1 << 17


class Dest(IntEnum):
    """Destinations of a simulated history."""

    ORDERS = 0
    """A queue that several sessions share."""
    PRICES = 1
    """A topic with two durable, exclusive subscriptions."""
    GROUPS = 2
    """A queue whose messages are grouped by key."""
    REQUESTS = 3
    """A queue whose messages are each answered."""
    REPLIES = 4
    """The queue of these answers."""


@dataclass(frozen=True)
class Pattern:
    """Arrays over the positions of a period.

    rank and shares number the messages of a producer: message g has the number
    g // period * shares[producer] + rank. group_rank and through_rank do the same for the messages
    of their destinations, -1 elsewhere. batch: number of the position's transaction in the period,
    -1 none. session: of the queue's, for ORDERS.
    """

    period: int
    dest: NDArray[np.int64]
    producer: NDArray[np.int64]
    rank: NDArray[np.int64]
    session: NDArray[np.int64]
    batch: NDArray[np.int64]
    dest_rank: NDArray[np.int64]
    shares: NDArray[np.int64]
    batches: int

    def positions(self, dest: Dest) -> NDArray[np.int64]:
        """Positions of messages to a destination by producers that are not transacted."""
        return np.flatnonzero((self.dest == dest) & (self.batch < 0))

    def uids(self, slots: NDArray[Any], at: NDArray[Any]) -> NDArray[np.int64]:
        """The numbers of the messages of slots, whose positions are given."""
        producer = self.producer[at]
        numbers = slots // self.period
        numbers *= self.shares[producer]
        numbers += self.rank[at]
        numbers += producer << SEQUENCE_BITS
        return numbers

    def numbers(self, dest: Dest, slots: NDArray[Any], at: NDArray[Any]) -> NDArray[np.int64]:
        """The how manieth of their destination the messages of slots are."""
        count = len(self.positions(dest))
        numbers: NDArray[np.int64] = slots // self.period * count
        numbers += self.dest_rank[at]
        return numbers

    def slots(self, dest: Dest, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """The reverse of `numbers`."""
        positions = self.positions(dest)
        slots: NDArray[np.int64] = numbers // len(positions) * self.period
        slots += positions[numbers % len(positions)]
        return slots


def _deal_evenly(weights: list[float], count: int) -> list[int]:
    """`count` draws of indices of weights, as evenly mixed as can be."""
    debt = [0.0] * len(weights)
    drawn = []
    for _ in range(count):
        debt = [owed + weight for owed, weight in zip(debt, weights, strict=True)]
        most = max(range(len(debt)), key=debt.__getitem__)
        debt[most] -= sum(weights)
        drawn.append(most)
    return drawn


def make_pattern(settings: SimulationSettings) -> Pattern:
    """The pattern that comes nearest to the shares that are asked for."""
    period = 128 if settings.messages < SMALL else 1024
    batches = max(1, round(settings.transactional * period / BATCH))
    weights = settings.subscriptions
    total = sum(weights.values())
    through = round(weights.get("through", 0) / total * period)
    if weights.get("through", 0) > 0:
        through = max(2, through)
    dest = np.full(period, -1, np.int64)
    batch = np.full(period, -1, np.int64)
    producer = np.zeros(period, np.int64)
    session = np.full(period, -1, np.int64)
    auto = [n for n, kind in enumerate(settings.sessions) if kind == Acknowledging.AUTO]
    durable = weights.get("durable", 0) > 0
    for number in range(batches):
        for place in range(BATCH):
            at = number * (period // batches) + place
            batch[at] = number
            dest[at] = Dest.PRICES if durable and place == 2 else Dest.ORDERS
            producer[at] = PRODUCERS + 1 + number % TRANSACTED
            session[at] = auto[(number + place) % len(auto)]
    free = np.flatnonzero(batch < 0)
    for number in range(through):
        dest[free[(number * len(free)) // through + len(free) // (2 * through)]] = Dest.REQUESTS
    free = np.flatnonzero(dest < 0)
    kinds = (Dest.ORDERS, Dest.PRICES, Dest.GROUPS)
    dealt = _deal_evenly(
        [weights.get(name, 0) for name in ("queue", "durable", "grouped")], len(free)
    )
    dest[free] = np.array(kinds)[dealt]
    for kind in (*kinds, Dest.REQUESTS):
        positions = np.flatnonzero((dest == kind) & (batch < 0))
        ranks = np.arange(len(positions))
        producer[positions] = 1 + ranks % PRODUCERS
        if kind == Dest.ORDERS:
            session[positions] = (ranks // PRODUCERS + ranks) % len(settings.sessions)
    rank, dest_rank = np.zeros(period, np.int64), np.full(period, -1, np.int64)
    shares = np.zeros(SECOND_OUTPUTS + 1, np.int64)
    for number in np.unique(producer):
        mine = np.flatnonzero(producer == number)
        rank[mine] = np.arange(len(mine))
        shares[number] = len(mine)
    for kind in Dest:
        mine = np.flatnonzero((dest == kind) & (batch < 0))
        dest_rank[mine] = np.arange(len(mine))
    return Pattern(period, dest, producer, rank, session, batch, dest_rank, shares, batches)
