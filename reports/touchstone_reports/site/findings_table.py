"""The findings as a table for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

from touchstone_reports.legible import legible
from touchstone_reports.site.contents import Contents

_FORMULA: Final = re.compile(r"[=+\-@\t\r]")
"""How a text begins that a spreadsheet would take for a formula: it gets an apostrophe."""
_HEADS: Final = (
    *("client", "effect", "what it does", "statements", "scenarios", "at fault", "kept with"),
    *("in plain Java", "upstream", "links", "mended in", "seen with"),
)


def findings_csv(contents: Contents) -> str:
    """A line for each finding, the worst first; what is several is separated by a blank."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(_HEADS)
    for finding in contents.findings:
        seen = dict.fromkeys(each.told.column.title for each in contents.sightings[finding.id])
        scenarios = dict.fromkeys(case.scenario for case in finding.cases)
        cells = (
            finding.client,
            finding.effect,
            finding.reason,
            " ".join(finding.requirements),
            " ".join(scenarios),
            " ".join(finding.faults),
            " ".join(finding.options),
            finding.state,
            finding.upstream,
            " ".join(finding.links),
            finding.mended_in,
            "; ".join(seen),
        )
        writer.writerow(map(_plain, cells))
    return out.getvalue()


def _plain(text: str) -> str:
    told = legible(text)
    return f"'{told}" if _FORMULA.match(told) else told
