"""The shortest history that shows a finding: its message, those it is compared with, events."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from touchstone.checks.columns import Columns, Findings, Ints, Spec, length, take
from touchstone.checks.segments import begins, order_by, ranks
from touchstone.history.values import SEQUENCE_BITS, Event

SHOWN: Final = 5
"""Findings of each check that are shown with their rows."""
_MOST_ROWS: Final = 40

Row = dict[str, int | bool]


class Finding(NamedTuple):
    """One finding."""

    check: str
    uid: int
    sub: int
    a: int
    b: int
    should: bool


def first_findings(found: Findings) -> list[Finding]:
    """The first findings of each check, those that decide before those that do not."""
    rows = found.rows
    _, check = np.unique(rows["check"], return_inverse=True)
    order = order_by(check, *(rows[name] for name in ("should", "uid", "sub", "a", "b")))
    rows = take(rows, order)
    rows = take(rows, ranks(begins(rows["check"])) <= SHOWN)
    return [
        Finding(*values)
        for values in zip(*(rows[name].tolist() for name in Finding._fields), strict=True)
    ]


def messages_of(finding: Finding) -> list[int]:
    """The message of a finding, and those that its evidence names."""
    producer = finding.uid >> SEQUENCE_BITS << SEQUENCE_BITS
    named = {
        "D09": [producer | finding.b],
        "D10": [producer | finding.a, producer | finding.b],
        "D27": [finding.b],
        "D30": [finding.a],
    }.get(finding.check, [])
    return [uid for uid in (finding.uid, *named) if uid >= 0]


def messages_of_all(findings: list[Finding]) -> Ints:
    """The messages whose rows are needed to show some findings."""
    return np.unique(np.array([uid for one in findings for uid in messages_of(one)], np.int64))


def witness(
    finding: Finding, sends: Columns, deliveries: Columns, spec: Spec
) -> dict[str, list[Row]]:
    """The rows that show a finding, by time; a row of the history each, at most 40 of a table."""
    uids = messages_of(finding)
    mine = take(sends, np.isin(sends["uid"], uids))
    rows = take(deliveries, np.isin(deliveries["uid"], uids))
    if finding.check != "D02" and finding.sub >= 0:
        rows = take(rows, np.isin(rows["sub"], (finding.sub, -1 - finding.sub)))
    rows = take(rows, order_by(rows["t_enter"], rows["session"], rows["ridx"]))
    return {
        "sends": _rows(take(mine, order_by(mine["t_inv"]))),
        "deliveries": _rows(rows),
        "events": _rows(_events(mine, rows, spec)),
    }


def _events(sends: Columns, deliveries: Columns, spec: Spec) -> Columns:
    """What happened to the sessions, and the faults, from the first send to the last delivery."""
    events = spec.events
    times = np.concatenate([sends["t_inv"], deliveries["t_sent"], deliveries["t_enter"]])
    if not len(times):
        return take(events, slice(0, 0))
    sessions = [*np.unique(deliveries["session"]).tolist(), -1]
    chosen = (events["t"] >= times.min()) & (events["t"] <= times.max())
    chosen &= np.isin(events["session"], sessions)
    consumers = np.isin(events["event"], (Event.CONSUMER_OPEN, Event.CONSUMER_CLOSE))
    chosen &= ~consumers | np.isin(events["arg"], deliveries["consumer"])
    events = take(events, chosen)
    return take(events, np.argsort(events["t"], kind="stable"))


def _rows(columns: Columns) -> list[Row]:
    lists: dict[str, list[Any]] = {
        name: values[:_MOST_ROWS].tolist() for name, values in columns.items()
    }
    return [
        {name: values[at] for name, values in lists.items()}
        for at in range(min(length(columns), _MOST_ROWS))
    ]
