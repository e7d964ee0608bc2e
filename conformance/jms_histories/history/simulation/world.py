"""The small things of a simulated history: destinations, subscriptions, sessions, consumers, and
what happened to all of them while it ran."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns
from jms_histories.history.manifest import ConsumerPlace
from jms_histories.history.simulation.clock import (
    SLOPE,
    START,
    STEP,
    SimulatedClock,
    delivered_at,
    sent_at,
)
from jms_histories.history.simulation.pattern import Dest, Pattern, make_pattern
from jms_histories.history.simulation.settings import Acknowledging, SimulationSettings
from jms_histories.values import NONE, Event, FaultKind, Ordering

EPSILON: Final = 1_000
MAX_DELIVERIES: Final = 4
MOST_SLACK: Final = 50_000_000
SECOND: Final = 1_000_000_000


class SimulatedSubscription(IntEnum):
    """Subscriptions of a simulated history; each queue is one."""

    QUEUE = 0
    DURABLE = 1
    """All of the topic, in order by producer and key."""
    SELECTED = 2
    """Odd keys of the topic, in order by producer; created a little later than the others."""
    GROUPED = 3
    THROUGH = 4
    OUTPUT = 5


DESTINATIONS: Final = {
    SimulatedSubscription.QUEUE: Dest.ORDERS,
    SimulatedSubscription.DURABLE: Dest.PRICES,
    SimulatedSubscription.SELECTED: Dest.PRICES,
    SimulatedSubscription.GROUPED: Dest.GROUPS,
    SimulatedSubscription.THROUGH: Dest.REQUESTS,
    SimulatedSubscription.OUTPUT: Dest.REPLIES,
}
WITH_DEAD_LETTERS: Final = (SimulatedSubscription.QUEUE, SimulatedSubscription.GROUPED)
EXCLUSIVE: Final = (
    SimulatedSubscription.DURABLE,
    SimulatedSubscription.SELECTED,
    SimulatedSubscription.THROUGH,
)


@dataclass(frozen=True)
class SimulatedWorld:
    """What is fixed before the first message.

    again: slots until a message that failed comes again. block: slots that a client acknowledgement
    or a transaction of a consumer spans. scatter: slots of a block within which messages of the
    queue are shuffled, 0 none. group_keys: keys of the grouped queue.
    """

    settings: SimulationSettings
    pattern: Pattern
    clock: SimulatedClock
    slack: int
    again: int
    block: int
    scatter: int
    group_keys: int
    faults: tuple[int, ...]
    moves: tuple[int, ...]
    stop: int
    creation: int

    @property
    def queue_sessions(self) -> int:
        """How many sessions share the queue; they have the first numbers."""
        return len(self.settings.sessions)

    @cached_property
    def auto_sessions(self) -> NDArray[np.int64]:
        """Those of them that acknowledge each message by itself."""
        kinds = np.array(self.settings.sessions)
        return np.flatnonzero(kinds == Acknowledging.AUTO)

    @property
    def slots(self) -> int:
        """Slots in which anything can be delivered."""
        widest = 6 * self.again + 2 * self.scatter + self.slack // STEP + 16 * self.pattern.period
        return self.settings.messages + widest + self.clock.reach

    @property
    def end(self) -> int:
        """When all has been delivered."""
        return delivered_at(self.clock, self.slots)

    def session_of(self, sub: int) -> int:
        """The session of a subscription with one consumer; of the dead-letter queues for -1."""
        base = self.queue_sessions
        return (
            {
                SimulatedSubscription.DURABLE: base,
                SimulatedSubscription.SELECTED: base + 1,
                SimulatedSubscription.THROUGH: base + 4,
                SimulatedSubscription.OUTPUT: base + 4,
            }.get(SimulatedSubscription(sub), -1)
            if sub >= 0
            else base + 5
        )

    def consumer_of(self, sub: int) -> int:
        """The consumer of a subscription with one, or of a dead-letter queue."""
        base = self.queue_sessions
        return (
            base
            + {
                SimulatedSubscription.DURABLE: 0,
                SimulatedSubscription.SELECTED: 1,
                SimulatedSubscription.THROUGH: 5,
                SimulatedSubscription.OUTPUT: 6,
                -1 - SimulatedSubscription.QUEUE: 7,
                -1 - SimulatedSubscription.GROUPED: 8,
            }[sub]
        )

    def group_member(self, keys: NDArray[Any], slots: NDArray[Any]) -> NDArray[np.int64]:
        """Which of the grouped queue's three consumers owns keys when slots are delivered.

        The third leaves and comes back again and again: then keys move.
        """
        epoch = np.searchsorted(np.array(self.moves, np.int64), slots, side="right")
        return np.where(epoch & 1, keys % 2, keys % 3)

    def group_consumer(self, member: NDArray[Any]) -> NDArray[np.int64]:
        """The number of a member as a consumer."""
        numbers: NDArray[np.int64] = self.queue_sessions + 2 + np.asarray(member)
        return numbers

    def group_session(self, member: NDArray[Any]) -> NDArray[np.int64]:
        """Its session: the first has one of its own, the others share one."""
        numbers: NDArray[np.int64] = self.queue_sessions + 2 + np.minimum(np.asarray(member), 1)
        return numbers

    @cached_property
    def fault_windows(self) -> tuple[tuple[int, int], ...]:
        """Begin and end of each fault: while nothing is sent."""
        gap = self.clock.gap
        return tuple(
            (sent_at(self.clock, slot) - gap * 3 // 4, sent_at(self.clock, slot) - gap // 4)
            for slot in self.faults
        )

    def consumers(self) -> tuple[ConsumerPlace, ...]:
        """All consumers."""
        queue = [
            ConsumerPlace(n, n, SimulatedSubscription.QUEUE) for n in range(self.queue_sessions)
        ]
        single = [
            ConsumerPlace(self.consumer_of(sub), self.session_of(sub), sub)
            for sub in (
                SimulatedSubscription.DURABLE,
                SimulatedSubscription.SELECTED,
                SimulatedSubscription.THROUGH,
                SimulatedSubscription.OUTPUT,
            )
        ]
        members = np.arange(3)
        grouped = [
            ConsumerPlace(int(consumer), int(session), SimulatedSubscription.GROUPED)
            for consumer, session in zip(
                self.group_consumer(members), self.group_session(members), strict=True
            )
        ]
        dead = [
            ConsumerPlace(self.consumer_of(-1 - sub), self.session_of(-1), -1 - sub)
            for sub in WITH_DEAD_LETTERS
        ]
        return tuple(
            sorted([*queue, *single, *grouped, *dead], key=lambda consumer: consumer.consumer)
        )

    def subscriptions(self) -> Columns:
        """The table of subscriptions."""
        early = START - SECOND
        created = sent_at(self.clock, self.creation) - self.clock.gap // 2
        drained = self.end + SECOND
        rows = [
            {
                "sub": sub,
                "dest": DESTINATIONS[sub],
                "t_from": created if sub == SimulatedSubscription.SELECTED else early,
                "t_to": drained + SECOND,
                "t_drained": drained,
                "t_dlq_drained": drained if sub in WITH_DEAD_LETTERS else NONE,
                "durable": True,
                "shared": sub not in EXCLUSIVE,
                "exclusive": sub in EXCLUSIVE,
                "no_local": False,
                "grouped": sub == SimulatedSubscription.GROUPED,
                "through": sub == SimulatedSubscription.THROUGH,
                "ordering": {
                    SimulatedSubscription.DURABLE: Ordering.KEY,
                    SimulatedSubscription.SELECTED: Ordering.PRODUCER,
                }.get(sub, Ordering.NONE),
                "selector_id": 0 if sub == SimulatedSubscription.SELECTED else NONE,
                "bit": 1 if sub == SimulatedSubscription.SELECTED else 0,
                "max_deliveries": MAX_DELIVERIES if sub in WITH_DEAD_LETTERS else NONE,
            }
            for sub in SimulatedSubscription
        ]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def events(self) -> list[tuple[int, int, int, int]]:
        """Rows (session, t, event, arg) of all that does not belong to a message."""
        clock, gap = self.clock, self.clock.gap
        rows: list[tuple[int, int, int, int]] = []
        consumers = self.consumers()
        sessions = sorted({consumer.session for consumer in consumers})
        for session in sessions:
            rows.append((session, START - SECOND // 2, Event.START, NONE))
            rows.append((session, self.end + 2 * SECOND, Event.CLOSE, NONE))
        for consumer in consumers:
            opened = START - SECOND * 3 // 4
            rows += [
                (consumer.session, t, Event.CONSUMER_OPEN, consumer.consumer)
                for t in (opened, opened + 1000)
            ]
        for number, (begin, end) in enumerate(self.fault_windows):
            kind = (FaultKind.BROKER_RESTART, FaultKind.CUT)[number % 2]
            rows += [(-1, begin, Event.FAULT_BEGIN, kind), (-1, end, Event.FAULT_END, kind)]
        third = int(self.group_consumer(np.array(2)))
        its = int(self.group_session(np.array(2)))
        for number, slot in enumerate(self.moves):
            event = (Event.CONSUMER_CLOSE, Event.CONSUMER_OPEN)[number % 2]
            t = delivered_at(clock, slot) - gap // 2
            rows += [(its, t, event, third), (its, t + gap // 8, event, third)]
        t = delivered_at(clock, self.stop)
        rows += [(0, t - gap // 2, Event.STOP, NONE), (0, t - gap // 4, Event.START, NONE)]
        return rows


def make_world(settings: SimulationSettings) -> SimulatedWorld:
    """The world of some settings; shares of time follow the number of messages."""
    messages = settings.messages
    pattern = make_pattern(settings)
    scatter = 0
    if settings.scatter:
        scatter = 1 << min(16, (messages // 64).bit_length() - 1)
    slack = max(min(messages * STEP // 16, MOST_SLACK), 3 * scatter * STEP)
    rise = min(messages * STEP // 16, MOST_SLACK) // 3 // SLOPE
    gap = min(messages * STEP // 16, MOST_SLACK) // 8
    moves = min(64, max(2, messages >> 21)) // 2 * 2
    move_slots = tuple(messages * (2 * n + 1) // (2 * moves) for n in range(moves))
    faults = tuple(messages * percent // 100 for percent in (40, 85))
    stop, creation = messages * 60 // 100, messages * 4 // 100
    jumps = np.array(sorted({*move_slots, *faults, stop, creation}), np.int64)
    again = min(5000, max(16, messages // 256))
    grouped = messages // pattern.period * len(pattern.positions(Dest.GROUPS))
    return SimulatedWorld(
        settings=settings,
        pattern=pattern,
        clock=SimulatedClock(jumps, gap, rise),
        slack=slack,
        again=again,
        block=min(256, again // 2),
        scatter=scatter,
        group_keys=max(2, min(settings.keys, grouped // 64)),
        faults=faults,
        moves=move_slots,
        stop=stop,
        creation=creation,
    )
