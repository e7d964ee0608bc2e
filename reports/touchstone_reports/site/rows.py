"""What several pages say of a client in one version: a row of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from touchstone_reports.grid import KEYS
from touchstone_reports.site.contents import Contents, Told
from touchstone_reports.site.judged import Judged
from touchstone_reports.wholeness import shortcomings


def judged_row(contents: Contents, judged: Judged, tally: Mapping[str, int]) -> dict[str, Any]:
    """Who, on what, when, with which counts by `Cell.key`."""
    return {
        "client": judged.client,
        "title": contents.client(judged.client).title,
        "version": judged.version,
        "broker": judged.combination.broker,
        "java": judged.combination.java,
        "ground": ", Java ".join(
            filter(None, (judged.combination.broker, judged.combination.java))
        ),
        "date": judged.results.run.started.date().isoformat(),
        "started": judged.results.run.started,
        "run": judged.results.run.id,
        "is_whole": judged.is_whole,
        "shortcomings": shortcomings(judged.results),
        "tally": tally,
    }


def told_row(contents: Contents, told: Told) -> dict[str, Any]:
    """The same of a version as it stands in the matrix."""
    return judged_row(contents, told.judged, contents.matrix.tally(told.index))


def counted(judged: Judged) -> Counter[str]:
    """How many requirements a run has of each verdict, by `Cell.key`."""
    counts = judged.results.counts(judged.provider.name)
    return Counter({KEYS[verdict]: count for verdict, count in counts.items()})
