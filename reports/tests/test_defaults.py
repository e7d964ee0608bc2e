"""The table of defaults that depart, made of the deviations of the runs that are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from touchstone_reports import matrix
from touchstone_reports.defaults import MendedDefault, mended_defaults
from touchstone_reports.grid import columns_of
from touchstone_reports.results import read

Record = dict[str, Any]
ENTRY = {"class": "by-design", "reason": "It is not strict.", "fault": "settings"}


def deviating(verdict: Any, requirement: str, **entry: str) -> Record:
    record: Record = verdict(
        verdict="DEVIATES-AS-DOCUMENTED",
        requirement=requirement,
        scenario=f"properties/test_{requirement[-3:]}",
        deviation={**ENTRY, **entry},
    )
    return record


def test_defaults_are_told_by_the_setting_that_mends_them(
    tmp_path: Path, verdict: Any, write_run: Any, catalogue: list[Record]
) -> None:
    run = write_run(
        tmp_path / "run",
        [
            deviating(verdict, "SLJ-PROP-003", option="jms.strict=true"),
            deviating(verdict, "SLJ-PROP-001", option="jms.strict=true", reason="Nor here."),
            deviating(verdict, "SLJ-PROP-002"),
            verdict(requirement="SLJ-HDR-001"),
        ],
    )
    assert mended_defaults(columns_of([read(run)])) == (
        MendedDefault(
            "reference",
            "jms.strict=true",
            ("SLJ-PROP-001", "SLJ-PROP-003"),
            ("It is not strict.", "Nor here."),
        ),
    )
    matrix.write(run, catalogue, run / "report.html")
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Which defaults depart, and what mends them" in page
    assert "<code>jms.strict=true</code>" in page


def test_without_such_deviations_there_is_no_table(
    tmp_path: Path, verdict: Any, write_run: Any, catalogue: list[Record]
) -> None:
    run = write_run(tmp_path / "run", [deviating(verdict, "SLJ-PROP-002")])
    matrix.write(run, catalogue, run / "report.html")
    assert "Which defaults depart" not in (run / "report.html").read_text(encoding="utf-8")
