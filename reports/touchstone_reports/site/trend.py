"""How a client stood in one run after the other: a chart of shares, and what releases changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from touchstone_reports.grid import Column
from touchstone_reports.releases import ReleaseRow, release_rows
from touchstone_reports.results import RunResults
from touchstone_reports.site.contents import Told
from touchstone_reports.site.judged import Judged, version_order
from touchstone_reports.site.rows import counted
from touchstone_reports.verdicts import Verdict

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


@dataclass(frozen=True, slots=True)
class ReleaseTable:
    """Releases of a client on brokers of one family, the oldest first, where some differ."""

    family: str
    versions: tuple[str, ...]
    columns: tuple[Column, ...]
    """That of the run of each version."""
    rows: tuple[ReleaseRow, ...]

    @property
    def changed(self) -> tuple[ReleaseRow, ...]:
        """The statements that releases begin or cease to keep."""
        return tuple(row for row in self.rows if row.changed_at)

    @property
    def kept_since(self) -> int:
        """How many of these the newest release keeps."""
        newest = (row.lines[-1] for row in self.changed)
        return sum(line is not None and line.verdict is Verdict.CONFORMS for line in newest)

    @property
    def kept_until(self) -> int:
        """How many it does not keep."""
        return len(self.changed) - self.kept_since


def between_releases(told: Sequence[Told]) -> list[ReleaseTable]:
    """For each family of brokers the releases of a client, where a statement changed in one."""
    by_family = groupby(
        sorted(told, key=lambda each: each.judged.family), key=lambda each: each.judged.family
    )
    tables = [_table(family, group) for family, group in by_family]
    return [table for table in tables if table.changed]


def _table(family: str, told: Iterable[Told]) -> ReleaseTable:
    newest: dict[str, Told] = {}
    for each in told:
        newest.setdefault(each.judged.version, each)
    versions = sorted(newest, key=version_order)
    chosen = [newest[version] for version in versions]
    rows = release_rows([alone(each.judged) for each in chosen])
    return ReleaseTable(family, tuple(versions), tuple(each.column for each in chosen), rows)


def alone(judged: Judged) -> RunResults:
    """A run as if it had judged this client alone."""
    results = judged.results
    return replace(results, judgements=results.of(judged.provider.name))


def _parts(tally: Mapping[str, int]) -> list[dict[str, Any]]:
    whole = sum(tally[key] for key in _STACKED)
    parts, top = [], float(_HEIGHT)
    for key in _STACKED:
        if tally[key]:
            height = tally[key] / whole * _HEIGHT
            top -= height
            parts.append({"key": key, "y": round(max(top, 0), 1), "height": round(height, 1)})
    return parts
