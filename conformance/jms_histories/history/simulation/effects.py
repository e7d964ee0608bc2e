"""What plants do to the deliveries of their messages: one anomaly each, and nothing else."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, length, take
from jms_histories.history.simulation.clock import STEP
from jms_histories.history.simulation.deliveries import enter_times
from jms_histories.history.simulation.drafts import (
    LATE,
    SETTLING,
    chain,
    dead_letters,
    draft,
    fail_deliveries,
    recovered_delivery,
    redelivery_of,
)
from jms_histories.history.simulation.messages import STRANGE
from jms_histories.history.simulation.planting import Planted
from jms_histories.history.simulation.world import (
    MAX_DELIVERIES,
    SimulatedSubscription,
    SimulatedWorld,
)
from jms_histories.values import NONE, Event, Intact, Settle, SettlementOutcome

Events = list[tuple[int, int, int, int]]
OVERDUE: Final = 256
"""Slots by which a message of the queue that is overtaken comes too late."""


class Effects:
    """Applies the plants of a slice to the first deliveries of its messages.

    Afterwards `later` has further deliveries and `events` rows (session, t, event, arg).
    """

    def __init__(
        self, world: SimulatedWorld, table: Columns, first: dict[int, Columns], planted: Planted
    ) -> None:
        self._world, self._table, self._first, self._planted = world, table, first, planted
        self._begin = int(table["slot"][0])
        self.later: list[Columns] = []
        self.events: Events = []
        if len(planted.slots):
            self._requeued()
            self._dead()
            self._at_the_queue()
            self._ordered()
            self._grouped()
            self._unfinished()
            self._absent()

    def _rows(self, sub: int, check: int, variant: int | None = None) -> NDArray[np.intp]:
        """The first deliveries from a subscription of the messages of a check's plants."""
        slots = self._planted.of(check, variant=variant)
        return np.searchsorted(self._first[sub]["row"], slots - self._begin)

    def _failing(self, check: int) -> Columns:
        """The same of the queue, after they failed."""
        rows = self._rows(SimulatedSubscription.QUEUE, check)
        fail_deliveries(self._first[SimulatedSubscription.QUEUE], rows)
        return take(self._first[SimulatedSubscription.QUEUE], rows)

    def _requeued(self) -> None:
        """D05, D06, D07, D08, D11, D20, D21: messages of the queue that come twice."""
        world, queue = self._world, self._first[SimulatedSubscription.QUEUE]
        rows = self._rows(SimulatedSubscription.QUEUE, 5)
        self.later.append(_without_settlement(redelivery_of(world, take(queue, rows), 2)))

        unflagged = redelivery_of(world, self._failing(6), 2)
        unflagged["redelivered"][:] = False
        self.later.append(unflagged)

        rows = self._rows(SimulatedSubscription.QUEUE, 7)
        self.later.append(redelivery_of(world, take(queue, rows), 2))
        fail_deliveries(queue, rows)
        queue["s_inv"][rows] = world.clock.delivered(queue["slot"][rows] + 2 * world.again)
        queue["s_ok"][rows] = queue["s_inv"][rows] + 50

        rows = self._rows(SimulatedSubscription.QUEUE, 8)
        self.later.append(redelivery_of(world, take(queue, rows), 2))
        queue["s_ok"][rows] = world.clock.delivered(queue["slot"][rows] + world.again, SETTLING)

        counted = redelivery_of(world, self._failing(11), 2)
        counted["count"][:] = 3
        self.later.append(counted)

        self.later.append(recovered_delivery(world, self._failing(20)))
        queue["overlaps"][self._rows(SimulatedSubscription.QUEUE, 20)] = True

        rows = self._rows(SimulatedSubscription.QUEUE, 21)
        queue["settle"][rows] = Settle.CLIENT_ACK
        twice = _without_settlement(redelivery_of(world, take(queue, rows), 2))
        twice["session"], twice["consumer"] = queue["session"][rows], queue["consumer"][rows]
        self.later.append(twice)

    def _dead(self) -> None:
        """D19, D24, D25, D26: messages of the queue that fail, and what becomes of them."""
        world, table = self._world, self._table
        self._failing(19)
        early = dead_letters(world, self._failing(24))
        early["phase"][:] = STRANGE
        self.later.append(early)
        worn = self._failing(25)
        failures = np.full(length(worn), MAX_DELIVERIES)
        self.later += chain(world, worn, failures, table, dead=False)
        saved = self._failing(26)
        deliveries = chain(world, saved, np.full(length(saved), MAX_DELIVERIES - 1), table)
        self.later += deliveries
        if deliveries:
            self.later.append(dead_letters(world, deliveries[-1]))

    def _at_the_queue(self) -> None:
        """D12, D13, D14, D29, D32: a single delivery from the queue that is wrong by itself."""
        world, queue = self._world, self._first[SimulatedSubscription.QUEUE]
        queue["redelivered"][self._rows(SimulatedSubscription.QUEUE, 12)] = True
        queue["damage"][self._rows(SimulatedSubscription.QUEUE, 13)] = Intact.BODY
        queue["damage"][self._rows(SimulatedSubscription.QUEUE, 14)] = Intact.HEADERS
        rows = self._rows(SimulatedSubscription.QUEUE, 29)
        bits = self._table["bits"][queue["row"][rows]]
        times = enter_times(world, queue["slot"][rows], queue["phase"][rows], bits)
        for session, t in zip(queue["session"][rows].tolist(), times.tolist(), strict=True):
            self.events.append((session, t - 10, Event.STOP, NONE))
            self.events.append((session, t + 1, Event.START, NONE))
        rows = self._rows(SimulatedSubscription.QUEUE, 32)
        queue["slot"][rows] += overdue_slots(world)
        queue["phase"][rows] = LATE

    def _ordered(self) -> None:
        """D04, D09, D30: deliveries from the topic's exclusive subscriptions."""
        world, table, period = self._world, self._table, self._world.pattern.period
        wrong = draft(
            world, self._planted.of(4) - self._begin, table, SimulatedSubscription.SELECTED
        )
        self.later.append(wrong)
        for variant, sub in enumerate(
            (SimulatedSubscription.DURABLE, SimulatedSubscription.SELECTED)
        ):
            rows = self._rows(sub, 9, variant)
            self._first[sub]["slot"][rows] += period
            self._first[sub]["phase"][rows] = LATE
        durable = self._first[SimulatedSubscription.DURABLE]
        rows = self._rows(SimulatedSubscription.DURABLE, 30)
        slots = self._planted.of(30)
        durable["slot"][rows] = self._planted.partner_of(slots) - 1
        durable["phase"][rows] = SETTLING
        fail_deliveries(durable, rows, Settle.RECOVER)
        later = redelivery_of(world, take(durable, rows), 2)
        later["slot"] += 3 * world.again
        later["phase"][:] = STRANGE
        self.later.append(later)

    def _grouped(self) -> None:
        """D22, D23: messages of the grouped queue at another consumer, or too late."""
        world, grouped = self._world, self._first[SimulatedSubscription.GROUPED]
        rows = self._rows(SimulatedSubscription.GROUPED, 22)
        members = world.group_member(
            self._table["key"][grouped["row"][rows]], grouped["slot"][rows]
        )
        other = np.where(members == 0, 1, 0)
        grouped["session"][rows] = world.group_session(other)
        grouped["consumer"][rows] = world.group_consumer(other)
        slots = self._planted.of(23)
        rows = self._rows(SimulatedSubscription.GROUPED, 23)
        grouped["slot"][rows] = self._planted.partner_of(slots)
        grouped["phase"][rows] = LATE

    def _unfinished(self) -> None:
        """D28: a message whose acknowledgement failed, and which never comes again."""
        slots = self._table["slot"]
        for sub in SimulatedSubscription:
            drafts = self._first[sub]
            chosen = np.isin(slots[drafts["row"]], self._planted.of(28, variant=sub))
            drafts["s_out"][chosen] = SettlementOutcome.FAIL

    def _absent(self) -> None:
        """D01, D10, D17: deliveries that never happen."""
        for sub, checks in (
            (SimulatedSubscription.QUEUE, (1, 17)),
            (SimulatedSubscription.SELECTED, (10,)),
        ):
            drafts = self._first[sub]
            keep = np.ones(length(drafts), np.bool_)
            for check in checks:
                keep[self._rows(sub, check)] = False
            if not keep.all():
                self._first[sub] = take(drafts, keep)


def overdue_slots(world: SimulatedWorld) -> int:
    """Slots by which a message must be late to be overtaken unduly."""
    return world.slack // STEP + OVERDUE


def _without_settlement(drafts: Columns) -> Columns:
    count = length(drafts)
    none: dict[str, Any] = {
        "settle": np.full(count, Settle.NONE, np.int8),
        "s_out": np.full(count, SettlementOutcome.NONE, np.int8),
    }
    return {**drafts, **none}
