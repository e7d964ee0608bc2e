"""The findings that are shown, each with the shortest history that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any, Final

from jms_histories.columns import Findings
from jms_histories.engines.local.tasks import chosen_rows
from jms_histories.history.reader import History
from jms_histories.kernels.witnesses.shortest import (
    WitnessSearch,
    first_findings,
)
from jms_histories.values import (
    Event,
    FaultKind,
    Intact,
    Mode,
    SendFate,
    Settle,
    SettlementOutcome,
    name_of,
)

_ENUMERATIONS: Final[Mapping[str, type[IntEnum]]] = {
    "event": Event,
    "fate": SendFate,
    "mode": Mode,
    "s_out": SettlementOutcome,
    "settle": Settle,
}
"""Columns whose numbers stand for names."""

SHOWN: Final = 5
"""Findings of each check that are shown with their rows."""


def findings_with_evidence(history: History, findings: Findings) -> list[dict[str, Any]]:
    """The first findings of each check, as report.json has them.

    Reads a few columns of row groups that may have a row to show, and whole rows of those that do.
    """
    search = WitnessSearch(first_findings(findings.rows, SHOWN), history.spec)
    if not len(search):
        return []
    sends = search.near_sends()
    for part in history.parts("send"):
        for rows in chosen_rows(part, sends):
            search.feed_sends(rows)
    deliveries = search.near_deliveries()
    for part in history.parts("delivery"):
        for rows in chosen_rows(part, deliveries):
            search.feed_deliveries(rows)
    compared = search.near_compared()
    for part in history.parts("delivery"):
        for rows in chosen_rows(part, compared):
            search.feed_compared(rows)
    return [
        {
            **witness.finding,
            "witness": {
                "sends": _named(witness.sends),
                "deliveries": _named(witness.deliveries),
                "events": _named(witness.events),
            },
        }
        for witness in search.witnesses()
    ]


def _named(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows with the names that their numbers stand for; a number that has none stays."""
    return [{column: _value(column, row) for column in row} for row in rows]


def _value(column: str, row: Mapping[str, Any]) -> int | bool | str:
    value: int | bool = row[column]
    if column in _ENUMERATIONS:
        return name_of(_ENUMERATIONS[column], value)
    if column == "arg" and row["event"] in (Event.FAULT_BEGIN, Event.FAULT_END):
        return name_of(FaultKind, value)
    if column == "intact":
        return " ".join(part.name for part in Intact if value & part)
    return value
