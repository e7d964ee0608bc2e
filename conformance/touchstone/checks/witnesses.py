"""Witnesses: of a finding, the shortest history that shows it.

A search is told the findings, then shown all sends, then all deliveries, batch by batch; it keeps
the rows that may matter. Of those it leaves out whatever is not needed for `judge` to find the
same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from touchstone.checks.columns import Columns, Ints, Mask, Spec, concatenate, length, take
from touchstone.checks.evidence import compared_rows, compared_uids, events_of
from touchstone.checks.groups import Epochs
from touchstone.checks.segments import among, order_by
from touchstone.checks.tables import NO_DELIVERIES, NO_SENDS
from touchstone.checks.whole import judge

MOST_ROWS: Final = 64
"""Rows of a witness; of more the first are shown, and how many are left out."""

_KEYS: Final = ("uid", "sub", "a", "b", "should")


@dataclass(frozen=True)
class Witness:
    """A finding, with the rows that show it, as plain values by column, in order of time.

    left_out is the number of rows that were too many to show; complete says that these rows alone
    are judged as the whole history was.
    """

    finding: Mapping[str, Any]
    sends: tuple[Mapping[str, Any], ...]
    deliveries: tuple[Mapping[str, Any], ...]
    events: tuple[Mapping[str, Any], ...]
    subscriptions: tuple[Mapping[str, Any], ...]
    left_out: int
    complete: bool


def first_findings(rows: Columns, each: int = 3) -> Columns:
    """The first few findings of each check: those that decide before those that are shoulds."""
    rows = take(rows, order_by(rows["should"], *(rows[name] for name in _KEYS[:-1])))
    chosen = [np.flatnonzero(rows["check"] == check)[:each] for check in np.unique(rows["check"])]
    return take(rows, np.concatenate([np.zeros(0, np.int64), *chosen]))


@dataclass
class _Search:
    """What is known of one finding's witness while rows are shown."""

    finding: dict[str, Any]
    uids: set[int]
    sends: list[Columns] = field(default_factory=list)
    deliveries: list[Columns] = field(default_factory=list)
    kept: int = 0
    left_out: int = 0


class WitnessSearch:
    """Looks for the witnesses of some findings."""

    def __init__(self, findings: Columns, spec: Spec) -> None:
        """Findings have the columns of touchstone.history.schema.FINDING."""
        self._spec = spec
        names = ("check", *_KEYS)
        self._searches = [
            _Search(finding := dict(zip(names, values, strict=True)), set(compared_uids(finding)))
            for values in zip(*(findings[name].tolist() for name in names), strict=True)
        ]
        self._epochs = Epochs.of(spec)

    def _evidence(self, check: str, name: str) -> Ints:
        values = {one.finding[name] for one in self._searches if one.finding["check"] == check}
        return np.array(sorted(values), np.int64)

    def _uids(self) -> Ints:
        return np.array(sorted(set().union(*(one.uids for one in self._searches))), np.int64)

    def feed_sends(self, sends: Columns) -> None:
        """Look at some sends; all must have been fed before the deliveries."""
        near = among(self._uids(), sends["uid"])
        near |= among(self._evidence("D17", "a"), sends["tx"])
        near |= among(self._evidence("D31", "uid"), sends["cause"])
        sends = take(sends, np.flatnonzero(near))
        for one in self._searches if length(sends) else ():
            chosen = np.isin(sends["uid"], list(one.uids))
            if one.finding["check"] == "D17":
                chosen |= sends["tx"] == one.finding["a"]
            if one.finding["check"] == "D31":
                chosen |= sends["cause"] == one.finding["uid"]
            rows = self._room(one, sends, chosen)
            one.sends.append(rows)
            one.uids.update(rows["uid"].tolist())

    def feed_deliveries(self, deliveries: Columns) -> None:
        """Look at some deliveries, which may come in any order."""
        near = among(self._uids(), deliveries["uid"])
        for check, column, name in (
            ("D20", "t_exit", "b"),
            ("D22", "consumer", "a"),
            ("D23", "gseq", "b"),
            ("D32", "t_enter", "b"),
        ):
            wanted = self._evidence(check, name)
            if len(wanted):
                near |= among(wanted, deliveries[column])
        deliveries = take(deliveries, np.flatnonzero(near))
        for one in self._searches if length(deliveries) else ():
            one.deliveries.append(self._room(one, deliveries, self._wanted(one, deliveries)))

    def _wanted(self, one: _Search, rows: Columns) -> Mask:
        sub = one.finding["sub"]
        chosen = np.isin(rows["uid"], list(one.uids))
        if one.finding["check"] == "D31":
            chosen &= (rows["uid"] != one.finding["uid"]) | (rows["sub"] == sub)
        else:
            chosen &= (rows["sub"] == sub) | (rows["sub"] == -1 - sub)
        return chosen | compared_rows(one.finding, one.sends, rows, self._epochs)

    @staticmethod
    def _room(one: _Search, rows: Columns, chosen: Mask) -> Columns:
        """The chosen rows, as far as there is room for them."""
        at = np.flatnonzero(chosen)
        room = max(MOST_ROWS - one.kept, 0)
        one.kept += len(at[:room])
        one.left_out += len(at[room:])
        return take(rows, at[:room])

    def witnesses(self) -> list[Witness]:
        """The witness of each finding, in their order, when all rows have been fed."""
        return [self._witness(one) for one in self._searches]

    def _witness(self, one: _Search) -> Witness:
        sends = concatenate([NO_SENDS, *one.sends])
        deliveries = concatenate([NO_DELIVERIES, *one.deliveries])
        complete = self._shows(one, sends, deliveries)
        if complete:
            deliveries = self._shortened(one, deliveries, lambda rows: (sends, rows))
            sends = self._shortened(one, sends, lambda rows: (rows, deliveries))
        events = take(self._spec.events, events_of(one.finding, deliveries, self._spec))
        number = one.finding["sub"]
        subscriptions = self._spec.subscriptions
        owner = np.isin(subscriptions["sub"], (number, -1 - number))
        return Witness(
            one.finding,
            _values(sends, "t_inv"),
            _values(deliveries, "t_enter", "session", "ridx"),
            _values(events, "t"),
            _values(take(subscriptions, owner), "sub"),
            one.left_out,
            complete,
        )

    def _shortened(self, one: _Search, rows: Columns, tables: Any) -> Columns:
        """Leave out every row without which the finding is the same."""
        for place in range(length(rows) - 1, -1, -1):
            fewer = {name: np.delete(values, place) for name, values in rows.items()}
            if self._shows(one, *tables(fewer)):
                rows = fewer
        return rows

    def _shows(self, one: _Search, sends: Columns, deliveries: Columns) -> bool:
        found = judge(sends, deliveries, self._spec, [one.finding["check"]]).rows
        same = np.ones(length(found), np.bool_)
        for name in _KEYS:
            same &= found[name] == one.finding[name]
        return bool(same.any())


def _values(rows: Columns, *order: str) -> tuple[Mapping[str, Any], ...]:
    rows = take(rows, order_by(*(rows[name] for name in order)))
    return tuple(
        dict(zip(rows, values, strict=True))
        for values in zip(*(column.tolist() for column in rows.values()), strict=True)
    )


def witnesses(findings: Columns, sends: Columns, deliveries: Columns, spec: Spec) -> list[Witness]:
    """The witnesses of some findings in a history that is in memory."""
    search = WitnessSearch(findings, spec)
    search.feed_sends(sends)
    search.feed_deliveries(deliveries)
    return search.witnesses()
