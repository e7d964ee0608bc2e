"""How a client stood in one run after the other: a chart of shares, and what releases changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

from touchstone_reports.grid import KEYS
from touchstone_reports.releases import ReleaseRow, release_rows
from touchstone_reports.results import RunResults
from touchstone_reports.site.contents import Told
from touchstone_reports.site.judged import Judged, version_order
from touchstone_reports.site.rows import counted

_STACKED: Final = ("conforms", "deviates", "inconclusive", "violates")
"""From below."""
_WIDTH: Final = 640
_HEIGHT: Final = 120
_WIDEST: Final = 48.0
_MOST: Final = 60
"""Runs in the chart; the table has all."""


def chart(history: Sequence[Judged]) -> Mapping[str, Any]:
    """Columns of a picture, the oldest run at the left; `history` begins with the newest."""
    shown = list(reversed(history[:_MOST]))
    step = min(_WIDTH / max(len(shown), 1), _WIDEST)
    return {
        "width": _WIDTH,
        "columns": [
            {
                "title": f"{one.combination.title}, {one.results.run.started.date().isoformat()}",
                "x": round(number * step + 1, 1),
                "width": round(step - 2, 1),
                "parts": _parts(counted(one)),
            }
            for number, one in enumerate(shown)
        ],
    }


def between_releases(told: Sequence[Told]) -> list[dict[str, Any]]:
    """For each family of brokers the statements that releases begin or cease to keep."""
    tables = []
    by_family = sorted(told, key=_family)
    for family, group in groupby(by_family, key=_family):
        newest: dict[str, Judged] = {}
        for each in group:
            newest.setdefault(each.judged.version, each.judged)
        versions = sorted(newest, key=version_order)
        rows = release_rows([alone(newest[version]) for version in versions])
        changed = [row for row in rows if row.changed_at]
        if changed:
            tables.append(
                {
                    "family": family,
                    "versions": versions,
                    "rows": [_row(row) for row in changed],
                    "all": len(rows),
                }
            )
    return tables


def alone(judged: Judged) -> RunResults:
    """A run as if it had judged this client alone."""
    results = judged.results
    return replace(results, judgements=results.of(judged.provider.name))


def _family(told: Told) -> str:
    brokers = told.judged.results.run.brokers
    return ", ".join(dict.fromkeys(broker.family for broker in brokers))


def _row(row: ReleaseRow) -> dict[str, Any]:
    return {
        "requirement": row.requirement,
        "scenario": row.scenario,
        "verdicts": [KEYS[line.verdict if line else None] for line in row.lines],
    }


def _parts(tally: Mapping[str, int]) -> list[dict[str, Any]]:
    whole = sum(tally[key] for key in _STACKED)
    parts, top = [], float(_HEIGHT)
    for key in _STACKED:
        if tally[key]:
            height = tally[key] / whole * _HEIGHT
            top -= height
            parts.append({"key": key, "y": round(max(top, 0), 1), "height": round(height, 1)})
    return parts
