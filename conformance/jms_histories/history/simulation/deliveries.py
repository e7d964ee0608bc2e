"""Deliveries of a simulated history with their times: rows of the table."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns
from jms_histories.history.schema import DELIVERY
from jms_histories.history.simulation.clock import PHASE
from jms_histories.history.simulation.drafts import AS_USUAL
from jms_histories.history.simulation.hashing import field
from jms_histories.history.simulation.world import SimulatedWorld
from jms_histories.values import INTACT, Intact, Settle

_OF_MESSAGE: Final = (
    "uid",
    "dest",
    "key",
    "gseq",
    "priority",
    "mode",
    "deliver_at",
    "expire_at",
    "body64",
    "head64",
)
_OF_DRAFT: Final = (
    "session",
    "consumer",
    "sub",
    "redelivered",
    "count",
    "settle",
    "s_out",
    "tx",
)
_TYPES: Final = {field.name: field.type.to_pandas_dtype() for field in DELIVERY}
COLUMNS: Final = tuple(name for name in DELIVERY.names if name != "ridx")


def enter_times(
    world: SimulatedWorld, slots: NDArray[Any], phases: NDArray[Any], bits: NDArray[Any]
) -> NDArray[np.int64]:
    """When messages with these random bits are handed over in slots and phases."""
    times = world.clock.delivered(slots, phases)
    times += field(bits, 44, 7)
    return times


def rows(world: SimulatedWorld, table: Columns, drafts: Columns) -> Columns:
    """Drafts as rows of deliveries without ridx, with slot and attempt besides."""
    of = drafts["row"]
    bits = table["bits"][of]
    made: Columns = {name: drafts[name].astype(_TYPES[name], copy=False) for name in _OF_DRAFT}
    for name in _OF_MESSAGE:
        made[name] = table[name].astype(_TYPES[name], copy=False)[of]
    made["t_sent"] = table["t_inv"][of]
    made["t_enter"] = enter_times(world, drafts["slot"], drafts["phase"], bits)
    handling = 50 + field(bits, 51, 7)
    handling[made["session"] % 4 == 1] = 0
    made["t_exit"] = made["t_enter"] + handling
    inv = made["t_exit"] + 30
    inv = np.where(drafts["s_inv"] == AS_USUAL, inv, drafts["s_inv"])
    usual = inv + 50 + field(bits, 25, 7)
    made["s_inv"] = inv
    made["s_ok"] = np.where(drafts["s_ok"] == AS_USUAL, usual, drafts["s_ok"])
    overlapping = np.flatnonzero(drafts["overlaps"])
    made["t_exit"][overlapping] = (
        enter_times(
            world, drafts["slot"][overlapping], drafts["phase"][overlapping] + 1, bits[overlapping]
        )
        + 1
    )
    made["intact"] = (INTACT - drafts["damage"]).astype(np.int8)
    for name, bit in (("body64", Intact.BODY), ("head64", Intact.HEADERS)):
        wrong = np.flatnonzero(drafts["damage"] & bit)
        made[name][wrong] ^= 1
    unsettled = made["settle"] == Settle.NONE
    made["s_inv"][unsettled] = made["s_ok"][unsettled] = -1
    made["slot"], made["attempt"] = drafts["slot"], drafts["attempt"]
    return made


assert PHASE > 50 + 127 + 127 + 30 + 50 + 127
