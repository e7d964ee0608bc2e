"""The messages of a simulated history: what was sent, and when it will be delivered first."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, concatenate, length, take
from jms_histories.history.schema import SEND
from jms_histories.history.simulation.clock import PHASE, PHASES
from jms_histories.history.simulation.hashing import Bits, digest, field, mix
from jms_histories.history.simulation.pattern import (
    BATCH,
    OUTPUTS,
    SECOND_OUTPUTS,
    Dest,
)
from jms_histories.history.simulation.planting import NO_PLANTS, Planted
from jms_histories.history.simulation.world import SimulatedWorld
from jms_histories.values import NONE, SEQUENCE_BITS, Mode, SendFate

SALT_CLASS, SALT_BODY, SALT_HEAD, SALT_ID, SALT_CHAIN, SALT_BATCH, SALT_BLOCK, SALT_KEY = range(8)

AFTER_COMMIT: Final = 8
"""Slots from a transacted send, and from the receipt of a request, to the delivery that follows."""
FIRST, NOW, COMMITTED, DELAYED_SHORT, DELAYED_LONG = range(5)
"""Phases of first deliveries; NOW is for what comes again at once."""
STRANGE: Final = 14
"""Phase of deliveries that should not be, in the slot of their plant."""
DIRTY: Final = 8
"""Phase of deliveries of what is not committed."""
UNKNOWN: Final = 1 << 21
BEYOND: Final = 1 << 39
CLASS_BITS: Final = 24
TTL: Final = 60_000_000_000


class Class(IntEnum):
    """What happens to a message."""

    PLAIN = 0
    REDELIVERED = 1
    DELAYED = 2
    EXPIRING = 3
    EXPIRED = 4
    """Its time ends before it is delivered."""
    VOLATILE = 5
    """Not persistent: may be lost in a fault."""
    REFUSED = 6
    UNSURE = 7
    """The send did not return; half of them are delivered."""


_ALLOWED: Final = {
    Dest.ORDERS: tuple(Class),
    Dest.PRICES: (Class.PLAIN, Class.REDELIVERED, Class.DELAYED, Class.REFUSED, Class.UNSURE),
    Dest.GROUPS: (Class.PLAIN, Class.REDELIVERED),
    Dest.REQUESTS: (Class.PLAIN,),
}


class BatchFate(IntEnum):
    """How a transaction of a producer ended."""

    COMMITTED = 0
    ABORTED = 1
    UNSURE = 2
    """Unknown, and what it sent is delivered."""
    VANISHED = 3
    """Unknown, and it is not."""


def salt(world: SimulatedWorld, kind: int) -> int:
    """A salt of the history for one purpose."""
    return world.settings.seed * 64 + kind


def _classes(
    world: SimulatedWorld, bits: Bits, dest: NDArray[Any], batch: NDArray[Any]
) -> NDArray[np.int8]:
    settings = world.settings
    shares = [
        settings.redelivered,
        settings.delayed,
        settings.expiring * 0.9,
        settings.expiring * 0.1,
        settings.volatile,
        settings.unsure / 2,
        settings.unsure,
    ]
    limits = (np.cumsum(shares) * (1 << CLASS_BITS)).astype(np.int64)
    drawn = field(bits, 0, CLASS_BITS)
    classes = np.zeros(len(bits), np.int8)
    special = np.flatnonzero(drawn < limits[-1])
    special = special[batch[special] < 0]
    kinds = 1 + np.searchsorted(limits, drawn[special], side="right")
    allowed = np.zeros((len(Dest), len(Class)), np.bool_)
    for at, those in _ALLOWED.items():
        allowed[at, list(those)] = True
    classes[special] = np.where(allowed[dest[special], kinds], kinds, Class.PLAIN)
    return classes


def batch_fates(
    world: SimulatedWorld, transactions: NDArray[Any], planted: Planted = NO_PLANTS
) -> NDArray[np.int64]:
    """How the transactions of producers ended; a plant in one says how."""
    drawn = field(mix(transactions, salt(world, SALT_BATCH)), 0, 10)
    fates = np.searchsorted(np.array([960, 1010, 1017]), drawn, side="right")
    forced = np.isin(transactions, batch_of(world, planted.of(17, 18)))
    fates[forced] = BatchFate.COMMITTED
    unsure = np.isin(transactions, batch_of(world, planted.of(17, variant=1)))
    fates[unsure] = BatchFate.UNSURE
    return fates


def batch_of(world: SimulatedWorld, slots: NDArray[Any]) -> NDArray[np.int64]:
    """The transaction of slots of transacted producers."""
    pattern = world.pattern
    numbers: NDArray[np.int64] = slots // pattern.period * pattern.batches
    numbers += pattern.batch[slots % pattern.period]
    return numbers


def commit_times(world: SimulatedWorld, slots: NDArray[Any]) -> NDArray[np.int64]:
    """When commit is called for the transactions of slots."""
    pattern = world.pattern
    first = slots // pattern.period * pattern.period + pattern.batch[slots % pattern.period] * (
        pattern.period // pattern.batches
    )
    return world.clock.sent(first + BATCH)


def messages(world: SimulatedWorld, begin: int, end: int, planted: Planted) -> Columns:
    """The messages of slots begin..end-1: columns of the sends, and what else deliveries need.

    slot: the message's own; at: that of its first delivery, in `phase`; kind: its Class; arrives:
    it is delivered at all; bits: for all that is random about its deliveries.
    """
    pattern, settings = world.pattern, world.settings
    slots = np.arange(begin, end, dtype=np.int64)
    position = slots % pattern.period
    bits = mix(slots, salt(world, SALT_CLASS))
    dest = pattern.dest[position]
    batch = pattern.batch[position]
    kind = _classes(world, bits, dest, batch)
    key = field(bits, 36, 20) % settings.keys
    gseq = np.full(len(slots), NONE, np.int64)
    grouped = np.flatnonzero(dest == Dest.GROUPS)
    number = pattern.numbers(Dest.GROUPS, slots[grouped], position[grouped])
    gseq[grouped] = number // world.group_keys
    key[grouped] = number % world.group_keys
    priority = np.full(len(slots), 4, np.int8)
    others = np.flatnonzero(field(bits, 24, 8) < settings.other_priorities * 256)
    priority[others] = field(bits[others], 32, 4) % 10
    planted.force(begin, dest=dest, kind=kind, key=key, priority=priority)

    at, phase = slots.copy(), np.zeros(len(slots), np.int64)
    transacted = np.flatnonzero(batch >= 0)
    at[transacted] += AFTER_COMMIT
    phase[transacted] = COMMITTED
    if world.scatter:
        far = np.flatnonzero((dest == Dest.ORDERS) & (batch < 0))
        within = slots[far] & (world.scatter - 1)
        at[far] += world.scatter - within + (within * 40503 + 12345) % world.scatter
    delayed = np.flatnonzero(kind == Class.DELAYED)
    short = (bits[delayed] >> np.uint64(40)) & np.uint64(1) == 0
    at[delayed] = slots[delayed] + np.where(short, world.again, 3 * world.again)
    phase[delayed] = np.where(short, DELAYED_SHORT, DELAYED_LONG)

    uid = pattern.uids(slots, position)
    t_inv = world.clock.sent(slots)
    t_inv += field(bits, 50, 13)
    t_ok = t_inv + 2000
    t_ok += field(bits, 37, 13)
    deliver_at = np.full(len(slots), NONE, np.int64)
    deliver_at[delayed] = world.clock.sent(at[delayed])
    expire_at = np.full(len(slots), NONE, np.int64)
    mode = np.full(len(slots), Mode.PERSISTENT, np.int8)
    mode[kind == Class.VOLATILE] = Mode.NON_PERSISTENT
    fate = np.full(len(slots), SendFate.MUST, np.int8)
    tx = np.full(len(slots), NONE, np.int64)
    t_visible = t_inv.copy()
    arrives = np.ones(len(slots), np.bool_)

    expiring = kind == Class.EXPIRING
    expire_at[expiring] = t_inv[expiring] + TTL
    expired = kind == Class.EXPIRED
    expire_at[expired] = t_inv[expired] + 1
    refused = kind == Class.REFUSED
    unsure = kind == Class.UNSURE
    fate[refused], fate[unsure] = SendFate.NEVER, SendFate.MAYBE
    t_ok[refused | unsure] = NONE
    arrives[expired | refused] = False
    arrives[unsure] = (bits[unsure] >> np.uint64(40)) & np.uint64(1) == 0
    volatile = np.flatnonzero(kind == Class.VOLATILE)
    until = world.clock.delivered(at[volatile])
    for fault_begin, fault_end in world.fault_windows:
        hit = volatile[(fault_begin <= until) & (t_inv[volatile] <= fault_end)]
        arrives[hit] = (bits[hit] >> np.uint64(40)) & np.uint64(1) == 0
    if len(transacted):
        tx[transacted] = batch_of(world, slots[transacted])
        ended = batch_fates(world, tx[transacted], planted)
        aborted = ended == BatchFate.ABORTED
        t_visible[transacted] = np.where(aborted, NONE, commit_times(world, slots[transacted]))
        by_end = np.array([SendFate.MUST, SendFate.NEVER, SendFate.MAYBE, SendFate.MAYBE], np.int8)
        fate[transacted] = by_end[ended]
        arrives[transacted] = (ended == BatchFate.COMMITTED) | (ended == BatchFate.UNSURE)
    match = np.where((dest == Dest.PRICES) & (key % 2 == 1), 3, 1)
    mid64 = digest(uid, salt(world, SALT_ID))
    mid64[t_ok < 0] = NONE
    table: Columns = {
        "uid": uid,
        "dest": dest,
        "key": key,
        "gseq": gseq,
        "priority": priority,
        "mode": mode,
        "t_inv": t_inv,
        "t_ok": t_ok,
        "deliver_at": deliver_at,
        "expire_at": expire_at,
        "fate": fate,
        "tx": tx,
        "t_visible": t_visible,
        "body64": digest(uid, salt(world, SALT_BODY)),
        "head64": digest(uid, salt(world, SALT_HEAD)),
        "mid64": mid64,
        "cause": np.full(len(slots), NONE, np.int64),
        "match": match,
        "slot": slots,
        "at": at,
        "phase": phase,
        "kind": kind,
        "arrives": arrives,
        "bits": bits,
    }
    _plant(world, table, begin, planted)
    return table


def _plant(world: SimulatedWorld, table: Columns, begin: int, planted: Planted) -> None:
    """What plants change about sends."""
    rows = planted.of(3) - begin
    table["fate"][rows], table["t_ok"][rows], table["mid64"][rows] = SendFate.NEVER, NONE, NONE
    rows = planted.of(15) - begin
    table["deliver_at"][rows] = table["t_inv"][rows] + TTL
    rows = planted.of(16) - begin
    table["expire_at"][rows] = table["t_inv"][rows] + 1
    slots = planted.of(27)
    twins = slots - world.pattern.period
    of = world.pattern.uids(twins, twins % world.pattern.period)
    table["mid64"][slots - begin] = digest(of, salt(world, SALT_ID))
    rows = planted.of(18) - begin
    table["at"][rows] = _last_uncommitted_slots(world, planted.of(18))
    table["phase"][rows] = DIRTY


def _last_uncommitted_slots(world: SimulatedWorld, slots: NDArray[Any]) -> NDArray[np.int64]:
    """The last slots whose deliveries end before the transactions of slots are committed."""
    until = commit_times(world, slots) - PHASES * PHASE
    least, most = slots - 2 * world.clock.reach, slots + BATCH
    while (most - least > 1).any():
        middle = (least + most) // 2
        early = world.clock.delivered(middle) <= until
        least, most = np.where(early, middle, least), np.where(early, most, middle)
    return least


def phantoms(world: SimulatedWorld, table: Columns, planted: Planted) -> Columns:
    """Messages that nobody sent: of an unknown producer, or with a number beyond all others."""
    slots = planted.of(2)
    begin = int(table["slot"][0])
    made = take(table, slots - begin)
    known = np.isin(slots, planted.of(2, variant=1))
    made["uid"] = phantom_uids(made["uid"], planted.ordinal_of(slots), known)
    made["phase"] = np.full(len(slots), STRANGE)
    return made


def phantom_uids(
    uids: NDArray[Any], ordinals: NDArray[Any], known: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Numbers that no send has, made of those of other messages; known: of their producers."""
    producer = np.where(known, uids >> SEQUENCE_BITS, UNKNOWN)
    numbers: NDArray[np.int64] = (producer << SEQUENCE_BITS) + ordinals
    return numbers + np.where(known, BEYOND, 0)


def replies(world: SimulatedWorld, table: Columns, planted: Planted) -> Columns:
    """The answers to the requests among the messages, as further messages.

    An answer to a request with plant D31 was refused, or there is a second one.
    """
    requests = take(table, np.flatnonzero(table["dest"] == Dest.REQUESTS))
    slots = requests["slot"]
    position = slots % world.pattern.period
    number = world.pattern.numbers(Dest.REQUESTS, slots, position)
    first = _replies(world, requests, (OUTPUTS << SEQUENCE_BITS) + number)
    refused = np.isin(slots, planted.of(31, variant=0))
    first["fate"][refused] = SendFate.NEVER
    first["t_ok"][refused] = NONE
    first["mid64"][refused] = NONE
    first["arrives"][refused] = False
    doubled = np.flatnonzero(np.isin(slots, planted.of(31, variant=1)))
    ordinal = planted.ordinal_of(slots[doubled])
    second = _replies(world, take(requests, doubled), (SECOND_OUTPUTS << SEQUENCE_BITS) + ordinal)
    for name in ("t_inv", "t_ok", "t_visible"):
        second[name] += 100
    second["phase"] += 1
    return concatenate([first, second])


def _replies(world: SimulatedWorld, requests: Columns, uid: NDArray[np.int64]) -> Columns:
    t_inv = world.clock.delivered(requests["at"]) + 200
    count = length(requests)
    none = np.full(count, NONE, np.int64)
    return {
        **requests,
        "uid": uid,
        "dest": np.full(count, Dest.REPLIES),
        "key": none,
        "priority": np.full(count, 4, np.int8),
        "t_inv": t_inv,
        "t_ok": t_inv + 200,
        "t_visible": t_inv.copy(),
        "fate": requests["fate"].copy(),
        "body64": digest(uid, salt(world, SALT_BODY)),
        "head64": digest(uid, salt(world, SALT_HEAD)),
        "mid64": digest(uid, salt(world, SALT_ID)),
        "cause": requests["uid"],
        "at": requests["at"] + AFTER_COMMIT,
        "phase": np.full(count, COMMITTED),
        "arrives": np.ones(count, np.bool_),
    }


def sends(table: Columns) -> Columns:
    """The columns of the table of sends."""
    return {name: table[name] for name in SEND.names}
