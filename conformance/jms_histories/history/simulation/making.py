"""Makes a simulated history: slice by slice, so that its size does not matter to memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, concatenate, length, take
from jms_histories.definitions import CHECKS
from jms_histories.history.schema import SEND, TABLES
from jms_histories.history.simulation.deliveries import COLUMNS, rows
from jms_histories.history.simulation.drafts import (
    block_transaction,
    blocks_fail,
    first_deliveries,
    join,
    redeliveries,
)
from jms_histories.history.simulation.effects import Effects, Events
from jms_histories.history.simulation.faults import NO_FAULTS, PlantedFaults
from jms_histories.history.simulation.messages import (
    BatchFate,
    batch_fates,
    commit_times,
    messages,
    phantoms,
    replies,
)
from jms_histories.history.simulation.pattern import BATCH, PRODUCERS, SECOND_OUTPUTS, Dest
from jms_histories.history.simulation.plan import make_plan
from jms_histories.history.simulation.planting import Planted
from jms_histories.history.simulation.settings import Acknowledging, SimulationSettings
from jms_histories.history.simulation.truth import write_truth
from jms_histories.history.simulation.world import (
    EPSILON,
    EXCLUSIVE,
    SimulatedSubscription,
    SimulatedWorld,
    make_world,
)
from jms_histories.history.writer import HistoryWriter, TableWriter
from jms_histories.values import NONE, SEQUENCE_BITS, Event, Settle, SettlementOutcome

SLICE: Final = 1 << 18
ROW_GROUP: Final = 1 << 17
"""Rows of a row group: a file of each session and producer is open at once."""
PRODUCER_SESSIONS: Final = 1000
"""Sessions of producers, in the table of transactions: this plus the producer's number."""


class _Counts:
    """What is known of a history by making it."""

    def __init__(self) -> None:
        self.sends = self.deliveries = self.copies = 0
        self.attempts: dict[int, NDArray[np.int64]] = {}

    def add(self, made: Columns) -> None:
        self.deliveries += length(made)
        self.copies += int((made["sub"] < 0).sum())
        for sub in SimulatedSubscription:
            seen = np.bincount(made["attempt"][made["sub"] == sub], minlength=8)
            self.attempts[sub] = self.attempts.get(sub, 0) + seen

    def statistics(self) -> dict[str, object]:
        """Rows, and how many messages of a subscription were delivered how many times."""
        by_sub = {sub: -np.diff(seen[1:], append=0) for sub, seen in self.attempts.items()}
        total = sum(by_sub.values(), np.zeros(7, np.int64))
        return {
            "sends": self.sends,
            "deliveries": self.deliveries,
            "dead_letter_copies": self.copies,
            "delivery_counts": _histogram(total),
            "delivery_counts_by_subscription": {
                str(int(sub)): _histogram(counts) for sub, counts in by_sub.items()
            },
            "redelivered_messages": int(total[1:].sum()),
        }


def _histogram(counts: NDArray[Any]) -> dict[str, int]:
    return {str(n): int(count) for n, count in enumerate(counts, start=1) if count}


class _Output:
    """The files of a history while it is made."""

    def __init__(self, writer: HistoryWriter, world: SimulatedWorld) -> None:
        self._sends: dict[int, TableWriter] = {}
        self._deliveries: dict[int, TableWriter] = {}
        self._next: dict[int, int] = {}
        self._writer = writer
        self._sessions = sorted({consumer.session for consumer in world.consumers()})
        self._deliveries = {session: writer.deliveries() for session in self._sessions}

    def sends(self, table: Columns) -> None:
        producers = table["uid"] >> SEQUENCE_BITS
        for producer in range(1, SECOND_OUTPUTS + 1):
            mine = np.flatnonzero(producers == producer)
            if not len(mine):
                continue
            if producer not in self._sends:
                self._sends[producer] = self._writer.sends()
            self._sends[producer].write(_cast_columns("send", take(table, mine)))

    def deliveries(self, made: Columns, chosen: NDArray[Any]) -> None:
        """Append chosen rows to the files of their sessions, in the order of time."""
        order = chosen[np.argsort(made["t_enter"][chosen], kind="stable")]
        sessions = made["session"][order]
        for session in self._sessions:
            mine = order[sessions == session]
            if not len(mine):
                continue
            first = self._next.get(session, 0)
            self._next[session] = first + len(mine)
            rows_ = {name: made[name][mine] for name in COLUMNS}
            rows_["ridx"] = np.arange(first, first + len(mine), dtype=np.int64)
            self._deliveries[session].write(rows_)


def _cast_columns(table: str, columns: Columns) -> Columns:
    schema = TABLES[table]
    return {
        field.name: columns[field.name].astype(field.type.to_pandas_dtype(), copy=False)
        for field in schema
    }


def make_history(
    folder: Path,
    settings: SimulationSettings,
    faults: PlantedFaults = NO_FAULTS,
    *,
    compression: str = "lz4",
    slice_slots: int = SLICE,
) -> dict[str, Any]:
    """Write a history with the plants of faults, and expected.json; what that holds.

    The same settings and faults give the same history, whatever slice_slots (messages that are
    worked on at once) is. Raises HistoryError if it cannot be made.
    """
    world = make_world(settings)
    plan = make_plan(world, faults)
    seen = _Counts()
    events = world.events()
    with HistoryWriter(
        folder,
        run=f"simulated-{settings.preset}-{settings.messages}-{settings.seed}",
        compression=compression,
        row_group=ROW_GROUP,
    ) as writer:
        output = _Output(writer, world)
        waiting: Columns = {}
        for begin in range(0, settings.messages, slice_slots):
            end = min(begin + slice_slots, settings.messages)
            table, made, more = make_slice(world, begin, end, plan.between(begin, end))
            seen.sends += length(table)
            seen.add(made)
            events += more
            output.sends(table)
            del table
            until = end - 2 * world.clock.reach if end < settings.messages else world.slots + 1
            made = concatenate([waiting, made]) if waiting else made
            over = made["slot"] < until
            output.deliveries(made, np.flatnonzero(over))
            waiting = take(made, ~over)
            del made
        assert not length(waiting)
        writer.table("subscription", world.subscriptions())
        writer.table("session", _event_table(events))
        writer.table("tx", transactions(world, plan))
        writer.finish(
            epsilon=EPSILON,
            priority_slack=world.slack,
            checks=tuple(CHECKS),
            consumers=world.consumers(),
            names=_names(world),
            settings={
                "simulated": True,
                "preset": settings.preset,
                "messages": settings.messages,
                "seed": settings.seed,
            },
        )
    return write_truth(folder, world, plan, faults, seen.statistics())


def make_slice(
    world: SimulatedWorld, begin: int, end: int, planted: Planted
) -> tuple[Columns, Columns, Events]:
    """The sends of slots begin..end-1, all deliveries of these messages, and events of these.

    Deliveries have the columns slot and attempt besides; many come in slots after end.
    """
    table = messages(world, begin, end, planted)
    table = concatenate([table, replies(world, table, planted)])
    sent = length(table)
    if len(planted.of(2)):
        table = concatenate([table, phantoms(world, table, planted)])
    first = first_deliveries(world, table)
    effects = Effects(world, table, first, planted)
    later = redeliveries(world, table, first)
    made = rows(world, table, join([*first.values(), *effects.later, *later]))
    events = effects.events + _recoveries(made)
    sends = {name: table[name][:sent] for name in SEND.names}
    return sends, made, events


def _recoveries(made: Columns) -> Events:
    """recover() of the sessions whose exclusive consumers got a message again."""
    chosen = (made["settle"] == Settle.RECOVER) & np.isin(made["sub"], EXCLUSIVE)
    sessions, times = made["session"][chosen].tolist(), made["s_inv"][chosen].tolist()
    return [(s, t, Event.RECOVER, NONE) for s, t in zip(sessions, times, strict=True)]


def _event_table(events: Events) -> Columns:
    ordered = np.array(sorted(events, key=lambda event: event[1]), np.int64)
    return _cast_columns(
        "session", dict(zip(("session", "t", "event", "arg"), ordered.T, strict=True))
    )


def transactions(world: SimulatedWorld, plan: Planted) -> Columns:
    """The table of transactions: those of producers, then those of consumers, for audit."""
    pattern, messages_ = world.pattern, world.settings.messages
    starts = np.arange(pattern.batches) * (pattern.period // pattern.batches)
    periods = np.arange(-(-messages_ // pattern.period), dtype=np.int64)
    slots = (periods[:, None] * pattern.period + starts).ravel()
    slots = slots[slots < messages_]
    numbers = np.arange(len(slots), dtype=np.int64)
    fates = batch_fates(world, numbers, plan)
    t_inv = commit_times(world, slots)
    unsure = fates >= BatchFate.UNSURE
    outcome = np.where(unsure, SettlementOutcome.INFO, SettlementOutcome.OK)
    outcome[fates == BatchFate.ABORTED] = SettlementOutcome.FAIL
    parts = [
        {
            "tx": numbers,
            "session": PRODUCER_SESSIONS + pattern.producer[slots % pattern.period],
            "t_inv": t_inv,
            "t_ok": np.where(unsure, NONE, t_inv + BATCH * 100),
            "outcome": outcome,
        }
    ]
    blocks = np.arange(world.slots // world.block, dtype=np.int64)
    for session, kind in enumerate(world.settings.sessions):
        if kind != Acknowledging.TRANSACTED:
            continue
        tx = block_transaction(np.full(len(blocks), session), blocks)
        ended = world.clock.delivered((blocks + 1) * world.block - 1, 15)
        parts.append(
            {
                "tx": tx,
                "session": np.full(len(blocks), session),
                "t_inv": ended,
                "t_ok": ended + 300,
                "outcome": np.where(
                    blocks_fail(world, tx), SettlementOutcome.FAIL, SettlementOutcome.OK
                ),
            }
        )
    return _cast_columns("tx", concatenate(parts))


def _names(world: SimulatedWorld) -> dict[str, dict[str, str]]:
    consumers = world.consumers()
    return {
        "dest": {str(int(dest)): dest.name.lower() for dest in Dest},
        "sub": {str(int(sub)): sub.name.lower() for sub in SimulatedSubscription},
        "session": {str(consumer.session): f"session-{consumer.session}" for consumer in consumers},
        "consumer": {
            str(consumer.consumer): f"consumer-{consumer.consumer}" for consumer in consumers
        },
        "producer": {
            str(number): "answers" if number > PRODUCERS + 4 else f"producer-{number}"
            for number in range(1, SECOND_OUTPUTS + 1)
        },
    }
