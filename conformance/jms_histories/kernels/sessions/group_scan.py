"""D23 within a consumer while rows stream by, and the cells that D22 and D23 need."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Ints, Mask
from jms_histories.kernels.arrays.groups import Groups
from jms_histories.kernels.arrays.highest import Highest
from jms_histories.kernels.arrays.interning import Interner, grown
from jms_histories.kernels.arrays.segments import (
    GREATEST,
    LEAST,
    begins,
    largest,
    lasts,
    least,
    numbers,
    sums,
)
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.links.partials import CELLS
from jms_histories.kernels.predicates.groups import Epochs
from jms_histories.kernels.sessions.chunks import Chunk, Setting

_WORD: Final = 0xFFFFFFFF

_EMPTY: Final = {
    "rows": 0,
    "t_first": GREATEST,
    "t_last": LEAST,
    "gseq_most": LEAST,
    "gseq_least": GREATEST,
    "least_ridx": -1,
    "least_uid": -1,
    "least_faulted": 0,
    "calm": 0,
    "calm_t": GREATEST,
    "calm_ridx": -1,
    "calm_uid": -1,
    "calm_faulted": 0,
}
"""What holds of a cell without rows."""


class GroupScan:
    """The cells of grouped subscriptions, one for each session that has rows of it."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._epochs = Epochs.of(setting.spec)
        self._groups, self._cells = Interner(), Interner()
        self._places = Highest()
        self._state: dict[str, NDArray[Any]] = {
            name: np.full(16, value, np.int64) for name, value in _EMPTY.items()
        }

    def feed(self, chunk: Chunk, collector: Collector) -> None:
        """Judge the rows of a chunk."""
        collector.judged("D23", 0)
        grouped = chunk.each("grouped")
        if not grouped.any():
            return
        rows = chunk.rows
        chosen = grouped & chunk.fresh
        chosen &= (rows["key"] >= 0) & (rows["gseq"] >= 0) & (rows["deliver_at"] == -1)
        at = np.flatnonzero(chosen)
        if not len(at):
            return
        keys = [rows["key"][at]]
        if chunk.only is None:
            keys.append(chunk.member[at])
        groups = Groups.of(*keys)
        group = self._groups(self._group_codes(chunk, at[groups.rows]))
        behind, most, _ = self._places.feed(groups, group, rows["gseq"][at])
        if len(behind):
            late = at[behind]
            collector.add(
                "D23", rows["uid"][late], rows["sub"][late], rows["gseq"][late], most,
                chunk.faulted(late),
            )  # fmt: skip
        self._count(chunk, at, groups, keys)

    def _group_codes(self, chunk: Chunk, at: Ints) -> Ints:
        return np.asarray(chunk.member[at].astype(np.int64) << 32 | chunk.rows["key"][at])

    def _count(self, chunk: Chunk, at: Ints, groups: Groups, keys: list[NDArray[Any]]) -> None:
        """Add rows to their cells; groups are those of all rows by keys."""
        rows = chunk.rows
        epoch, end = self._epochs.number_and_end(rows["sub"][at], rows["t_sent"][at])
        if len(epoch) > 1:
            groups = Groups.of(*keys, epoch)
            epoch = epoch[groups.rows]
        first = groups.first
        code = self._groups(self._group_codes(chunk, at[groups.rows])).astype(np.int64) << 32
        code |= epoch
        which = self._cells(code)
        calm = (rows["t_enter"][at] < end)[groups.order]
        at = at[groups.order]
        for name, empty in _EMPTY.items():
            self._state[name] = grown(self._state[name], len(self._cells), empty)
        self._extremes(chunk, at, first, which)
        gseq = rows["gseq"][at]
        self._firsts(chunk, "gseq_least", "least", gseq, at, first, which)
        self._state["calm"][which] += sums(calm, first)
        if calm.any():
            begun = np.flatnonzero(calm)
            of = numbers(first)[begun]
            at, first = at[begun], begins(of)
            which = which[of[first]]
            self._firsts(chunk, "calm_t", "calm", rows["t_enter"][at], at, first, which)

    def _extremes(self, chunk: Chunk, at: Ints, first: Mask, which: NDArray[Any]) -> None:
        state, rows = self._state, chunk.rows
        t_enter = rows["t_enter"][at]
        state["rows"][which] += lasts(first) - np.flatnonzero(first) + 1
        state["t_first"][which] = np.minimum(state["t_first"][which], least(t_enter, first))
        state["t_last"][which] = np.maximum(state["t_last"][which], largest(t_enter, first))
        most = largest(rows["gseq"][at], first)
        state["gseq_most"][which] = np.maximum(state["gseq_most"][which], most)

    def _firsts(
        self,
        chunk: Chunk,
        by: str,
        name: str,
        values: Ints,
        at: Ints,
        first: Mask,
        which: NDArray[Any],
    ) -> None:
        """Remember of each cell the first row (by ridx) with the least value."""
        smallest = least(values, first)
        segment = numbers(first)
        candidates = np.flatnonzero(values == smallest[segment])
        earliest = candidates[begins(segment[candidates])]
        better = smallest < self._state[by][which]
        cells, chosen = which[better], at[earliest[better]]
        self._state[by][cells] = smallest[better]
        self._state[f"{name}_ridx"][cells] = chunk.rows["ridx"][chosen]
        self._state[f"{name}_uid"][cells] = chunk.rows["uid"][chosen]
        self._state[f"{name}_faulted"][cells] = chunk.faulted(chosen)

    def cells(self) -> Columns:
        """All cells."""
        codes = self._cells.codes
        group = self._groups.codes[codes >> 32]
        members, member = self._setting.members, group >> 32
        session = members.session[member]
        state = {name: values[: len(codes)] for name, values in self._state.items()}
        table = {
            **state,
            "sub": members.sub[member],
            "key": group & _WORD,
            "epoch": codes & _WORD,
            "consumer": members.consumer[member],
            "least_session": session,
            "calm_session": session,
        }
        return {name: table[name].astype(values.dtype) for name, values in CELLS.items()}
