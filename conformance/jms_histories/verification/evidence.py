"""The findings that are shown, each with the shortest history that shows it."""

from __future__ import annotations

from typing import Any, Final

from jms_histories.columns import Findings
from jms_histories.engines.local.tasks import chosen_rows
from jms_histories.history.reader import History
from jms_histories.kernels.witnesses.shortest import (
    WitnessSearch,
    first_findings,
)

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
                "sends": list(witness.sends),
                "deliveries": list(witness.deliveries),
                "events": list(witness.events),
            },
        }
        for witness in search.witnesses()
    ]
