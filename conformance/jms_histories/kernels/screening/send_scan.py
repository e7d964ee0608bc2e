"""The screening of sends: what each subscription is owed or allowed of them, a bit a message.

A send is *plain* when it must have arrived (fate MUST) and has no transaction, expiry or cause;
every other one is a suspect. Sends from the cut of a truncated producer on are ignored.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, HistoryTables, Ints, Mask, length, take
from jms_histories.kernels.arrays.segments import LEAST
from jms_histories.kernels.predicates.fault_windows import FaultWindows, fault_windows
from jms_histories.kernels.predicates.obligations import drained
from jms_histories.kernels.predicates.rows import knowable, ordered
from jms_histories.kernels.predicates.subscriptions import Subscriptions
from jms_histories.kernels.screening.block_bits import Block, BlockBits
from jms_histories.kernels.screening.fingerprints import Fingerprints, Slice
from jms_histories.kernels.screening.suspects import Uids
from jms_histories.kernels.sessions.chunks import CHUNK
from jms_histories.kernels.summaries import TimeSeries
from jms_histories.values import Mode, Ordering, SendFate

COLUMNS: Final = (
    *("uid", "dest", "key", "mode", "t_inv", "t_ok", "deliver_at", "expire_at", "fate", "tx"),
    *("t_visible", "mid64", "cause", "match"),
)
"""The columns of sends that the screening reads."""
_NEEDED_BY: Final = {"mid64": ("D27",)}

SENT: Final = (1 << 16) - 1
"""The lane of all sends."""

MOST_SUBSCRIPTIONS: Final = SENT // 2
"""Numbers of subscriptions are smaller where histories are screened: others are judged exactly."""

_READY: Final = ("t_inv", "t_ok", "t_visible", "deliver_at")
"""The latest of these is when a message is ready."""
_GAP: Final = 4096
_RUNS: Final = 64
_SIGN: Final = 63


def columns_of(spec: HistoryTables) -> list[str]:
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
class KnownSends:
    """What is known of some sends.

    blocks: their bits by lane; suspects: the sends that are not plain. owed, ordered, named: the
    power of D01, D10 and D27. fingerprints: those of the message ids, by slice.
    """

    blocks: list[Block]
    suspects: Ints
    fingerprints: Sequence[Slice] = ()
    over_time: TimeSeries = field(default_factory=TimeSeries)
    owed: int = 0
    ordered: int = 0
    named: int = 0
    rows: int = 0


class SendScan:
    """Looks at sends while they stream by, in any order."""

    def __init__(self, spec: HistoryTables) -> None:
        self._spec = spec
        self._faults = fault_windows(spec.events)
        self._subscriptions = Subscriptions.of(spec.subscriptions)
        self._bits, self._suspects = BlockBits(), Uids()
        self._fingerprints = Fingerprints()
        self._sent = KnownSends([], np.zeros(0, np.int64))

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
            mid64 = sends["mid64"]
            if not (named := mid64 != -1).all():
                mid64 = mid64[named]
            sent.named += len(mid64)
            self._fingerprints.add(mid64)
        plain = sends["fate"] == SendFate.MUST
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
            marked, size = chosen[run], last - first + 1
            if size != len(marked):
                spread = np.zeros(size, np.bool_)
                spread[uid[run] - first] = marked
                marked = spread
            again |= self._bits.add_run(first, marked, lane)
        return again

    def partials(self) -> KnownSends:
        """What was seen, when all sends have been fed."""
        self._sent.blocks = list(self._bits.blocks())
        self._sent.suspects = self._suspects.distinct()
        self._sent.fingerprints = self._fingerprints.slices()
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
        self._last_ready = max(int(sends[name].max()) for name in _READY)
        self._perhaps = sends["fate"] != SendFate.NEVER
        self._certain = sends["fate"] == SendFate.MUST
        self._certain &= sends["expire_at"] == -1
        self._volatile = np.flatnonzero(sends["mode"] != Mode.PERSISTENT)

    @cached_property
    def _ready(self) -> Ints:
        sends = self._sends
        return np.asarray(np.maximum.reduce([sends[name] for name in _READY]))

    def of(self, here: Columns) -> tuple[Mask, Mask]:
        """hi and lo at a subscription."""
        sends, bit = self._sends, int(here["bit"])
        t_from, t_to, t_drained = (int(here[name]) for name in ("t_from", "t_to", "t_drained"))
        if bit < 0 or not self._dests[0] <= here["dest"] <= self._dests[1]:
            none = np.zeros(len(self._perhaps), np.bool_)
            return none, none
        allowed = sends["match"] & np.int64(1 << bit if bit < _SIGN else LEAST) != 0
        allowed &= self._perhaps
        if self._dests[0] != self._dests[1]:
            allowed &= sends["dest"] == here["dest"]
        if self._invoked[1] >= t_to:
            allowed &= sends["t_inv"] < t_to
        if before := self._invoked[0] < t_from:  # no call returns before it began
            allowed &= (sends["t_ok"] >= t_from) | (sends["t_ok"] == -1)
        owed = allowed & self._certain
        if before:
            owed &= sends["t_inv"] >= t_from
        if self._last_ready > t_drained:
            owed &= self._ready <= t_drained
        if not drained(here):
            owed[:] = False
        if len(self._faults.begins) and len(at := self._volatile):
            owed[at] &= ~self._faults.meet(sends["t_inv"][at], t_drained)
        return allowed, owed


def _bounds(values: NDArray[Any]) -> tuple[int, int]:
    return int(values.min()), int(values.max())


def scan_sends(batches: Iterable[Columns], spec: HistoryTables) -> KnownSends:
    """Screen sends that come in batches."""
    scan = SendScan(spec)
    for batch in batches:
        scan.feed(batch)
    return scan.partials()
