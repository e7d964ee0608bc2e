"""The screening of sends: what each subscription is owed or allowed of them, a bit a message.

A send is *plain* when it must have arrived (fate MUST) and has no transaction, expiry or cause;
every other one is a suspect. Sends from the cut of a truncated producer on are ignored.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from touchstone.checks.arrays.segments import GREATEST, LEAST
from touchstone.checks.columns import Columns, Ints, Mask, Spec, length, take
from touchstone.checks.screening.block_bits import Block, BlockBits
from touchstone.checks.screening.suspects import Uids
from touchstone.checks.sessions.chunks import CHUNK
from touchstone.checks.summaries import Series
from touchstone.checks.terms.fault_windows import FaultWindows, fault_windows
from touchstone.checks.terms.obligations import drained, survives
from touchstone.checks.terms.rows import knowable, ordered
from touchstone.checks.terms.subscriptions import Subscriptions
from touchstone.history.values import Fate, Ordering

COLUMNS: Final = (
    *("uid", "dest", "key", "mode", "t_inv", "t_ok", "deliver_at", "expire_at", "fate", "tx"),
    *("t_visible", "mid64", "cause", "match"),
)
"""The columns of sends that the screening reads."""
_NEEDED_BY: Final = {"mid64": ("D27",)}

SENT: Final = (1 << 16) - 1
"""The lane of all sends."""

MOST_SUBSCRIPTIONS: Final = SENT // 2
"""Numbers of subscriptions that can be screened are smaller."""

_GAP: Final = 4096
_RUNS: Final = 64
_SIGN: Final = 63
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)


def columns_of(spec: Spec) -> list[str]:
    """Those of COLUMNS that the checks to be judged need."""
    return spec.without(COLUMNS, _NEEDED_BY)


class SentTwiceError(Exception):
    """A message has two sends: the history is damaged."""


def owed_lane(sub: int) -> int:
    """The lane of what has lo at a subscription."""
    return 2 * sub


def allowed_lane(sub: int) -> int:
    """The lane of what has hi at a subscription, and not lo."""
    return 2 * sub + 1


@dataclass
class Sent:
    """What is known of some sends.

    blocks: their bits by lane; suspects: the sends that are not plain. owed, ordered, named: the
    power of D01, D10 and D27. fingerprints: 32 bits of each message id; two equal message ids have
    equal ones.
    """

    blocks: list[Block]
    suspects: Ints
    fingerprints: NDArray[np.uint32]
    over_time: Series = field(default_factory=Series)
    owed: int = 0
    ordered: int = 0
    named: int = 0
    rows: int = 0


def fingerprints(mid64: NDArray[Any]) -> NDArray[np.uint32]:
    """32 bits of each message id, evenly spread."""
    mixed = np.ascontiguousarray(mid64, np.int64).view(np.uint64) * _MULTIPLIER
    mixed >>= np.uint64(32)
    return mixed.astype(np.uint32)


class SendScan:
    """Looks at sends while they stream by, in any order."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._faults = fault_windows(spec.events)
        self._subscriptions = Subscriptions.of(spec.subscriptions)
        self._bits, self._suspects = BlockBits(), Uids()
        self._fingerprints: list[NDArray[np.uint32]] = []
        self._sent = Sent([], np.zeros(0, np.int64), np.zeros(0, np.uint32))

    def feed(self, sends: Columns) -> None:
        """The next sends, with `columns_of`. Raises SentTwiceError if one was there before."""
        for low in range(0, length(sends), CHUNK):
            self._feed(take(sends, slice(low, low + CHUNK)))

    def _feed(self, sends: Columns) -> None:
        if self._spec.truncated:
            sends = take(sends, knowable(sends["uid"], self._spec.truncated))
        uid = sends["uid"]
        if not len(uid):
            return
        sent = self._sent
        sent.rows += len(uid)
        sent.over_time.add(sends["t_inv"])
        if self._spec.judges("D27"):
            named = sends["mid64"] != -1
            sent.named += int(np.count_nonzero(named))
            self._fingerprints.append(fingerprints(sends["mid64"][named]))
        plain = sends["fate"] == Fate.MUST
        for name in ("tx", "expire_at", "cause"):
            plain &= sends[name] == -1
        if not plain.all():
            self._suspects.add(uid[~plain])
        runs = list(_runs(uid))
        if self._mark(runs, sends, np.ones(len(uid), np.bool_), SENT):
            raise SentTwiceError(f"a message of {int(uid.min())} to {int(uid.max())} is sent twice")
        obligations = _Obligations(sends, self._faults)
        for row in range(len(self._subscriptions)):
            self._subscription(self._subscriptions.at(row), obligations, sends, plain, runs)

    def _subscription(
        self,
        here: Columns,
        obligations: _Obligations,
        sends: Columns,
        plain: Mask,
        runs: list[slice],
    ) -> None:
        allowed, owed = obligations.of(here)
        if not allowed.any():
            return
        self._sent.owed += int(np.count_nonzero(owed))
        if here["exclusive"] and here["ordering"] != Ordering.NONE:
            in_order = owed & ordered(here["ordering"], sends["key"], sends["deliver_at"])
            self._sent.ordered += int(np.count_nonzero(in_order))
        sub = int(here["sub"])
        if sub >= MOST_SUBSCRIPTIONS:
            return
        for marked, lane in ((owed, owed_lane(sub)), (allowed & ~owed, allowed_lane(sub))):
            if (chosen := marked & plain).any():
                self._mark(runs, sends, chosen, lane)

    def _mark(self, runs: list[slice], sends: Columns, chosen: Mask, lane: int) -> bool:
        """Mark the chosen sends; whether one of them was marked before."""
        uid = sends["uid"]
        if not runs:
            at = np.flatnonzero(chosen)
            return bool(len(self._bits.add(uid[at], np.full(len(at), lane, np.int64))))
        again = False
        for run in runs:
            first, last = int(uid[run][0]), int(uid[run][-1])
            marked = chosen[run]
            if last - first + 1 != len(marked):
                spread = np.zeros(last - first + 1, np.bool_)
                spread[uid[run] - first] = marked
                marked = spread
            again |= self._bits.add_run(first, marked, lane)
        return again

    def partials(self) -> Sent:
        """What was seen, when all sends have been fed."""
        self._sent.blocks = list(self._bits.blocks())
        self._sent.suspects = self._suspects.distinct()
        self._sent.fingerprints = np.concatenate([np.zeros(0, np.uint32), *self._fingerprints])
        return self._sent


def _runs(uid: Ints) -> Iterator[slice]:
    """Ascending runs of messages without large gaps; none if there are too many of them."""
    gaps = uid[1:] - uid[:-1]
    breaks = np.flatnonzero((gaps <= 0) | (gaps > _GAP)) + 1
    if len(breaks) < _RUNS:
        bounds = [0, *breaks.tolist(), len(uid)]
        for low, high in itertools.pairwise(bounds):
            yield slice(low, high)


class _Obligations:
    """hi and lo of sends, by the subscription; what all of them agree in is looked at once."""

    def __init__(self, sends: Columns, faults: FaultWindows) -> None:
        self._sends, self._faults = sends, faults
        self._dests = _bounds(sends["dest"])
        self._invoked = _bounds(sends["t_inv"])
        t_ok = sends["t_ok"]
        self._returned = np.where(t_ok == -1, GREATEST, t_ok)
        self._earliest = int(self._returned.min())
        ready = np.maximum(sends["t_inv"], t_ok)
        np.maximum(ready, sends["t_visible"], out=ready)
        np.maximum(ready, sends["deliver_at"], out=ready)
        self._ready, self._last_ready = ready, int(ready.max())
        self._perhaps = sends["fate"] != Fate.NEVER
        self._certain = sends["fate"] == Fate.MUST
        self._certain &= sends["expire_at"] == -1

    def of(self, here: Columns) -> tuple[Mask, Mask]:
        """hi and lo at a subscription."""
        sends, bit = self._sends, int(here["bit"])
        t_from, t_to, t_drained = (int(here[name]) for name in ("t_from", "t_to", "t_drained"))
        if bit < 0 or not self._dests[0] <= here["dest"] <= self._dests[1]:
            none = np.zeros(len(self._ready), np.bool_)
            return none, none
        allowed = sends["match"] & np.int64(1 << bit if bit < _SIGN else LEAST) != 0
        allowed &= self._perhaps
        if self._dests[0] != self._dests[1]:
            allowed &= sends["dest"] == here["dest"]
        if self._invoked[1] >= t_to:
            allowed &= sends["t_inv"] < t_to
        if self._earliest < t_from:
            allowed &= self._returned >= t_from
        owed = allowed & self._certain
        if self._invoked[0] < t_from:
            owed &= sends["t_inv"] >= t_from
        if self._last_ready > t_drained:
            owed &= self._ready <= t_drained
        if not drained(here):
            owed[:] = False
        if len(self._faults.begins):
            owed &= survives(sends["mode"], sends["t_inv"], here["t_drained"], self._faults)
        return allowed, owed


def _bounds(values: NDArray[Any]) -> tuple[int, int]:
    return int(values.min()), int(values.max())


def scan_sends(batches: Iterable[Columns], spec: Spec) -> Sent:
    """Screen sends that come in batches."""
    scan = SendScan(spec)
    for batch in batches:
        scan.feed(batch)
    return scan.partials()
