"""Deliveries of a simulated history before they have times: what is delivered, where, in which
slot, and how it ends."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, concatenate, length, take
from jms_histories.history.simulation.hashing import field, mix
from jms_histories.history.simulation.messages import (
    COMMITTED,
    DELAYED_LONG,
    DELAYED_SHORT,
    FIRST,
    NOW,
    SALT_BLOCK,
    SALT_CHAIN,
    Class,
    salt,
)
from jms_histories.history.simulation.pattern import Dest
from jms_histories.history.simulation.settings import Acknowledging
from jms_histories.history.simulation.world import (
    MAX_DELIVERIES,
    SimulatedSubscription,
    SimulatedWorld,
)
from jms_histories.values import NONE, Settle, SettlementOutcome

AGAIN: Final = 5
"""Phase of the second delivery of a message; of the third and fourth one and two more."""
DEAD: Final = 8
AFTER_BLOCK: Final = {FIRST: 9, COMMITTED: 10, DELAYED_SHORT: 11, DELAYED_LONG: 12}
"""Phase of the second delivery after a block was recovered or rolled back, by that of the first."""
LATE: Final = 13
SETTLING: Final = 15

AS_USUAL: Final = -2
"""In place of a time of settling: right after the delivery, or at the end of its block."""
CONSUMER_TRANSACTIONS: Final = 1 << 50


def block_transaction(session: NDArray[Any], block: NDArray[Any]) -> NDArray[np.int64]:
    """The number of the transaction of a consumer's session in a block of slots."""
    numbers: NDArray[np.int64] = (session.astype(np.int64) << 36) + block
    return numbers + CONSUMER_TRANSACTIONS


def draft(world: SimulatedWorld, rows: NDArray[Any], table: Columns, sub: int) -> Columns:
    """First deliveries of messages (indices into the table) from a subscription."""
    count = len(rows)
    slot = table["at"][rows]
    session = np.full(
        count, world.session_of(sub) if sub != SimulatedSubscription.GROUPED else 0, np.int64
    )
    consumer = session
    if sub == SimulatedSubscription.QUEUE:
        session = world.pattern.session[table["slot"][rows] % world.pattern.period]
        consumer = session
    elif sub == SimulatedSubscription.GROUPED:
        member = world.group_member(table["key"][rows], slot)
        session, consumer = world.group_session(member), world.group_consumer(member)
    else:
        consumer = np.full(count, world.consumer_of(sub), np.int64)
    return {
        "row": rows,
        "sub": np.full(count, sub, np.int64),
        "session": session,
        "consumer": consumer,
        "slot": slot,
        "phase": table["phase"][rows],
        "attempt": np.ones(count, np.int16),
        "count": np.ones(count, np.int16),
        "redelivered": np.zeros(count, np.bool_),
        "settle": np.full(count, Settle.ACK, np.int8),
        "s_out": np.full(count, SettlementOutcome.OK, np.int8),
        "s_inv": np.full(count, AS_USUAL, np.int64),
        "s_ok": np.full(count, AS_USUAL, np.int64),
        "tx": np.full(count, NONE, np.int64),
        "damage": np.zeros(count, np.int8),
        "overlaps": np.zeros(count, np.bool_),
    }


def first_deliveries(world: SimulatedWorld, table: Columns) -> dict[int, Columns]:
    """The first deliveries of all messages, by subscription; rows ascend."""
    dest, arrives = table["dest"], table["arrives"]
    drafts: dict[int, Columns] = {
        SimulatedSubscription.QUEUE: draft(
            world,
            np.flatnonzero(arrives & (dest == Dest.ORDERS)),
            table,
            SimulatedSubscription.QUEUE,
        )
    }
    topic = np.flatnonzero(arrives & (dest == Dest.PRICES))
    drafts[SimulatedSubscription.DURABLE] = draft(
        world, topic, table, SimulatedSubscription.DURABLE
    )
    after = table["slot"][topic] >= world.creation
    selected = topic[after & (table["key"][topic] % 2 == 1)]
    drafts[SimulatedSubscription.SELECTED] = draft(
        world, selected, table, SimulatedSubscription.SELECTED
    )
    for sub, at in (
        (SimulatedSubscription.GROUPED, Dest.GROUPS),
        (SimulatedSubscription.THROUGH, Dest.REQUESTS),
        (SimulatedSubscription.OUTPUT, Dest.REPLIES),
    ):
        drafts[sub] = draft(world, np.flatnonzero(arrives & (dest == at)), table, sub)
    _blocks(world, drafts[SimulatedSubscription.QUEUE])
    return drafts


def _blocks(world: SimulatedWorld, queue: Columns) -> None:
    """How each session of the queue settles."""
    kinds = np.array(world.settings.sessions)[queue["session"]]
    queue["settle"][kinds == Acknowledging.LAZY] = Settle.LAZY
    for kind, good, bad in (
        (Acknowledging.CLIENT, Settle.CLIENT_ACK, Settle.RECOVER),
        (Acknowledging.TRANSACTED, Settle.ACK, Settle.ROLLBACK),
    ):
        rows = np.flatnonzero(kinds == kind)
        block = block_transaction(queue["session"][rows], queue["slot"][rows] // world.block)
        fail_deliveries = blocks_fail(world, block)
        queue["settle"][rows] = np.where(fail_deliveries, bad, good)
        if kind == Acknowledging.TRANSACTED:
            queue["tx"][rows] = block
        last = (queue["slot"][rows] // world.block + 1) * world.block - 1
        ended = world.clock.delivered(last, SETTLING)
        queue["s_inv"][rows], queue["s_ok"][rows] = ended, ended + 300


def blocks_fail(world: SimulatedWorld, transactions: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether blocks of a session that settles by blocks are recovered or rolled back."""
    drawn = field(mix(transactions, salt(world, SALT_BLOCK)), 0, 16)
    return drawn < world.settings.redelivered * (1 << 16)


def redelivery_of(
    world: SimulatedWorld, before: Columns, attempt: int, *, phase: Any = None
) -> Columns:
    """The next delivery of each of some deliveries, flagged and counted, acknowledged at once."""
    count = length(before)
    sessions = world.auto_sessions
    session, consumer = before["session"].copy(), before["consumer"].copy()
    queue = before["sub"] == SimulatedSubscription.QUEUE
    session[queue] = sessions[(before["slot"][queue] + attempt) % len(sessions)]
    consumer[queue] = session[queue]
    return {
        **before,
        "session": session,
        "consumer": consumer,
        "slot": before["slot"] + world.again,
        "phase": np.full(count, AGAIN + attempt - 2) if phase is None else phase,
        "attempt": np.full(count, attempt, np.int16),
        "count": np.full(count, attempt, np.int16),
        "redelivered": np.ones(count, np.bool_),
        "settle": np.full(count, Settle.ACK, np.int8),
        "s_out": np.full(count, SettlementOutcome.OK, np.int8),
        "s_inv": np.full(count, AS_USUAL, np.int64),
        "s_ok": np.full(count, AS_USUAL, np.int64),
        "tx": np.full(count, NONE, np.int64),
        "damage": np.zeros(count, np.int8),
        "overlaps": np.zeros(count, np.bool_),
    }


def dead_letters(world: SimulatedWorld, last: Columns) -> Columns:
    """The copies of messages in the dead-letter queue of their subscription."""
    copies = redelivery_of(world, last, 1, phase=np.full(length(last), DEAD))
    copies["redelivered"][:] = False
    copies["sub"] = -1 - last["sub"]
    copies["session"] = np.full(length(last), world.session_of(-1))
    grouped = last["sub"] == SimulatedSubscription.GROUPED
    copies["consumer"] = np.where(
        grouped,
        world.consumer_of(-1 - SimulatedSubscription.GROUPED),
        world.consumer_of(-1 - SimulatedSubscription.QUEUE),
    )
    return copies


def fail_deliveries(drafts: Columns, rows: NDArray[Any], settle: int = Settle.NACK) -> None:
    """Let deliveries fail, right after they were handed over."""
    drafts["settle"][rows] = settle
    drafts["s_inv"][rows] = drafts["s_ok"][rows] = AS_USUAL
    drafts["tx"][rows] = NONE


def redeliveries(world: SimulatedWorld, table: Columns, first: dict[int, Columns]) -> list[Columns]:
    """What comes after first deliveries that failed, which this also settles accordingly."""
    later: list[Columns] = []
    queue = first[SimulatedSubscription.QUEUE]
    rolled = take(
        queue, np.flatnonzero(np.isin(queue["settle"], (Settle.RECOVER, Settle.ROLLBACK)))
    )
    phases = np.zeros(SETTLING, np.int64)
    phases[list(AFTER_BLOCK)] = list(AFTER_BLOCK.values())
    later.append(redelivery_of(world, rolled, 2, phase=phases[rolled["phase"]]))
    for sub in (SimulatedSubscription.QUEUE, SimulatedSubscription.GROUPED):
        drafts = first[sub]
        rows = _redelivered_rows(table, drafts)
        rows = rows[drafts["s_inv"][rows] == AS_USUAL]
        bits = mix(table["uid"][drafts["row"][rows]], salt(world, SALT_CHAIN))
        drawn = field(bits, 0, 10)
        failures = 1 + np.searchsorted(np.array([820, 945, 985]), drawn, side="right")
        if sub == SimulatedSubscription.GROUPED:
            failures = np.minimum(failures, 2)
        fail_deliveries(drafts, rows)
        drafts["settle"][rows[drawn % 4 == 1]] = Settle.RECOVER
        later += chain(world, take(drafts, rows), failures, table)
    for sub in (SimulatedSubscription.DURABLE, SimulatedSubscription.SELECTED):
        drafts = first[sub]
        rows = _redelivered_rows(table, drafts)
        bits = mix(table["uid"][drafts["row"][rows]], salt(world, SALT_CHAIN) + 32 * sub)
        mine = field(bits, 0, 1) == 0
        rows, drawn = rows[mine], field(bits, 1, 2)[mine]
        fail_deliveries(drafts, rows)
        drafts["settle"][rows[drawn == 1]] = Settle.ROLLBACK
        recovered = rows[drawn == 0]
        drafts["settle"][recovered] = Settle.RECOVER
        later.append(recovered_delivery(world, take(drafts, recovered)))
        later += chain(
            world, take(drafts, rows[drawn != 0]), np.ones(int((drawn != 0).sum())), table
        )
    return later


def recovered_delivery(world: SimulatedWorld, before: Columns) -> Columns:
    """What a recovered session hands over next: the same message again."""
    now = redelivery_of(world, before, 2, phase=np.full(length(before), NOW))
    now["session"], now["consumer"] = before["session"], before["consumer"]
    now["slot"] = before["slot"]
    return now


def _redelivered_rows(table: Columns, drafts: Columns) -> NDArray[np.intp]:
    return np.flatnonzero(table["kind"][drafts["row"]] == Class.REDELIVERED)


def chain(
    world: SimulatedWorld,
    first: Columns,
    failures: NDArray[Any],
    table: Columns,
    *,
    dead: bool = True,
) -> list[Columns]:
    """The deliveries after a first that failed, until one does not, or the dead-letter copy.

    failures: how many deliveries fail; with as many as the subscription allows there is a copy,
    unless `dead` is False.
    """
    later: list[Columns] = []
    before, left = first, failures
    for attempt in range(2, MAX_DELIVERIES + 1):
        going = np.flatnonzero(left >= attempt - 1)
        if not len(going):
            return later
        before, left = redelivery_of(world, take(before, going), attempt), left[going]
        _member(world, table, before)
        fail_deliveries(before, np.flatnonzero(left >= attempt))
        later.append(before)
    worn = np.flatnonzero(left >= MAX_DELIVERIES)
    if dead and len(worn):
        later.append(dead_letters(world, take(before, worn)))
    return later


def _member(world: SimulatedWorld, table: Columns, drafts: Columns) -> None:
    """Redeliveries of the grouped queue go to whoever owns the key by then."""
    grouped = np.flatnonzero(drafts["sub"] == SimulatedSubscription.GROUPED)
    if len(grouped):
        keys = table["key"][drafts["row"][grouped]]
        member = world.group_member(keys, drafts["slot"][grouped])
        drafts["session"][grouped] = world.group_session(member)
        drafts["consumer"][grouped] = world.group_consumer(member)


def join(parts: list[Columns]) -> Columns:
    """All drafts."""
    return concatenate([part for part in parts if length(part)])
