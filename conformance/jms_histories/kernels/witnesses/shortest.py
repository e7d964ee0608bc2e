"""Witnesses: of a finding, the shortest history that shows it.

A search gets the findings, then shown, batch by batch, all sends, all deliveries, and these
once more; it keeps the rows that may matter. Of those it leaves out whatever is not needed for
`judge` to find the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from jms_histories.columns import Columns, Findings, HistoryTables, Mask, concatenate, length, take
from jms_histories.definitions import CHECKS, View
from jms_histories.kernels.arrays.segments import order_by
from jms_histories.kernels.arrays.sought import Sought, rows_with
from jms_histories.kernels.messages.judging import judge_messages
from jms_histories.kernels.predicates.groups import Epochs
from jms_histories.kernels.sessions.judging import judge_sessions
from jms_histories.kernels.tables import EMPTY_DELIVERIES, EMPTY_SENDS
from jms_histories.kernels.whole import judge
from jms_histories.kernels.witnesses.evidence import compared_rows, compared_uids, events_of
from jms_histories.values import Event

MOST_ROWS: Final = 64
"""Rows of a witness; of more the first are shown, and how many are left out."""

_KEYS: Final = ("uid", "sub", "a", "b", "should")

_OTHER_SENDS: Final = (("D17", "tx", "a"), ("D31", "cause", "uid"))
_OTHER_DELIVERIES: Final = (
    ("D20", "t_exit", "b"),
    ("D22", "consumer", "a"),
    ("D23", "gseq", "b"),
    ("D32", "t_enter", "b"),
)
"""The check, a column, and the part of its findings that names a value of this column."""


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
    compared: list[Columns] = field(default_factory=list)
    kept: int = 0
    left_out: int = 0

    @property
    def check(self) -> str:
        """The finding's check."""
        return str(self.finding["check"])


class WitnessSearch:
    """Looks for the witnesses of some findings."""

    def __init__(self, findings: Columns, spec: HistoryTables) -> None:
        """Findings have the columns of jms_histories.history.schema.FINDING."""
        self._spec = spec
        names = ("check", *_KEYS)
        self._searches = [
            _Search(finding := dict(zip(names, values, strict=True)), set(compared_uids(finding)))
            for values in zip(*(findings[name].tolist() for name in names), strict=True)
        ]
        self._epochs = Epochs.of(spec)

    def __len__(self) -> int:
        return len(self._searches)

    def near_sends(self) -> dict[str, Sought]:
        """The sends that may matter have, in one of these columns, a value that is sought."""
        return self._messages() | self._near(_OTHER_SENDS)

    def near_deliveries(self) -> dict[str, Sought]:
        """The same of deliveries that are shown first, when all sends have been fed."""
        return self._messages()

    def near_compared(self) -> dict[str, Sought]:
        """The same of deliveries that are shown once more; empty if that is not needed."""
        return self._near(_OTHER_DELIVERIES)

    def _messages(self) -> dict[str, Sought]:
        return _sought_columns({"uid": set().union(*(search.uids for search in self._searches))})

    def _near(self, others: Sequence[tuple[str, str, str]]) -> dict[str, Sought]:
        return _sought_columns(
            {
                column: {search.finding[name] for search in self._searches if search.check == check}
                for check, column, name in others
            }
        )

    def feed_sends(self, sends: Columns) -> None:
        """Look at some sends; all must have been fed before the deliveries."""
        sends = take(sends, rows_with(self.near_sends(), sends))
        for search in self._searches if length(sends) else ():
            chosen = np.isin(sends["uid"], list(search.uids))
            if search.check == "D17":
                chosen |= sends["tx"] == search.finding["a"]
            if search.check == "D31":
                chosen |= sends["cause"] == search.finding["uid"]
            rows = self._room(search, sends, chosen)
            search.sends.append(rows)
            search.uids.update(rows["uid"].tolist())

    def feed_deliveries(self, deliveries: Columns) -> None:
        """Look at some deliveries of messages, which may come in any order."""
        deliveries = take(deliveries, rows_with(self.near_deliveries(), deliveries))
        for search in self._searches if length(deliveries) else ():
            search.deliveries.append(
                self._room(search, deliveries, _own_deliveries(search, deliveries))
            )

    def feed_compared(self, deliveries: Columns) -> None:
        """Look at some deliveries once more, when all have been fed, for those compared with."""
        near = self.near_compared()
        deliveries = take(deliveries, rows_with(near, deliveries))
        for check, column, _ in _OTHER_DELIVERIES if length(deliveries) else ():
            if not (searches := [search for search in self._searches if search.check == check]):
                continue
            rows = take(deliveries, rows_with({column: near[column]}, deliveries))
            for search in searches:
                own = concatenate([EMPTY_DELIVERIES, *search.deliveries])
                chosen = compared_rows(search.finding, own, rows, self._epochs) & ~_own_deliveries(
                    search, rows
                )
                search.compared.append(self._room(search, rows, chosen))

    @staticmethod
    def _room(search: _Search, rows: Columns, chosen: Mask) -> Columns:
        """The chosen rows, as far as there is room for them."""
        at = np.flatnonzero(chosen)
        room = max(MOST_ROWS - search.kept, 0)
        search.kept += len(at[:room])
        search.left_out += len(at[room:])
        return take(rows, at[:room])

    def witnesses(self) -> list[Witness]:
        """The witness of each finding, in their order, when all rows have been fed."""
        return [self._witness(search) for search in self._searches]

    def _witness(self, search: _Search) -> Witness:
        sends = concatenate([EMPTY_SENDS, *search.sends])
        deliveries = concatenate([EMPTY_DELIVERIES, *search.deliveries, *search.compared])
        complete = self._shows(search, sends, deliveries)
        if complete:
            deliveries = self._shortened(search, deliveries, lambda rows: (sends, rows))
            sends = self._shortened(search, sends, lambda rows: (rows, deliveries))
        events = take(self._spec.events, events_of(search.finding, deliveries, self._spec))
        number = search.finding["sub"]
        subscriptions = self._spec.subscriptions
        owner = np.isin(subscriptions["sub"], (number, -1 - number))
        return Witness(
            search.finding,
            _rows_as_dicts(sends, "t_inv"),
            _rows_as_dicts(deliveries, "t_enter", "session", "ridx"),
            _rows_as_dicts(events, "t"),
            _rows_as_dicts(take(subscriptions, owner), "sub"),
            search.left_out,
            complete,
        )

    def _shortened(self, search: _Search, rows: Columns, tables: Any) -> Columns:
        """Leave out every row without which the finding is the same."""
        for place in range(length(rows) - 1, -1, -1):
            fewer = {name: np.delete(values, place) for name, values in rows.items()}
            if self._shows(search, *tables(fewer)):
                rows = fewer
        return rows

    def _shows(self, search: _Search, sends: Columns, deliveries: Columns) -> bool:
        spec = replace(
            self._spec, events=_events_about(search.finding, deliveries, self._spec.events)
        )
        rows = _judge_once(search.finding["check"], sends, deliveries, spec).rows
        same = rows["check"] == search.finding["check"]
        for name in _KEYS:
            same &= rows[name] == search.finding[name]
        return bool(same.any())


def _sought_columns(values: Mapping[str, set[int]]) -> dict[str, Sought]:
    """The columns in which something is looked for."""
    return {
        column: Sought(np.array(sorted(some), np.int64)) for column, some in values.items() if some
    }


def _own_deliveries(search: _Search, rows: Columns) -> Mask:
    """Which deliveries are of the messages that the finding and its evidence name."""
    sub = search.finding["sub"]
    chosen = np.isin(rows["uid"], list(search.uids))
    if search.check == "D31":
        chosen &= (rows["uid"] != search.finding["uid"]) | (rows["sub"] == sub)
    else:
        chosen &= (rows["sub"] == sub) | (rows["sub"] == -1 - sub)
    return chosen


def _events_about(finding: Mapping[str, Any], deliveries: Columns, events: Columns) -> Columns:
    """The events that may bear on a finding among a few deliveries."""
    kind, check = events["event"], finding["check"]
    if check in ("D22", "D23"):
        return events
    chosen = np.isin(events["session"], deliveries["session"])
    chosen |= np.isin(kind, (Event.FAULT_BEGIN, Event.FAULT_END))
    if check == "D07":
        chosen |= (kind == Event.CONSUMER_CLOSE) & np.isin(events["arg"], deliveries["consumer"])
    if check == "D30":
        chosen &= (kind != Event.RECOVER) | (events["t"] == finding["b"])
    return take(events, chosen)


def _judge_once(check: str, sends: Columns, deliveries: Columns, spec: HistoryTables) -> Findings:
    """What the kernels find that this check needs."""
    view = CHECKS[check].view
    if view is View.MESSAGE:
        return judge_messages(sends, deliveries, spec).findings
    if view is View.SESSION:
        return judge_sessions(deliveries, spec).findings
    return judge(sends, deliveries, spec)


def _rows_as_dicts(rows: Columns, *order: str) -> tuple[Mapping[str, Any], ...]:
    rows = take(rows, order_by(*(rows[name] for name in order)))
    return tuple(
        dict(zip(rows, values, strict=True))
        for values in zip(*(column.tolist() for column in rows.values()), strict=True)
    )


def witnesses(
    findings: Columns, sends: Columns, deliveries: Columns, spec: HistoryTables
) -> list[Witness]:
    """The witnesses of some findings in a history that is in memory."""
    search = WitnessSearch(findings, spec)
    search.feed_sends(sends)
    search.feed_deliveries(deliveries)
    search.feed_compared(deliveries)
    return search.witnesses()
