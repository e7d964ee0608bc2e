"""What makes a run no whole one, and what a reader is told besides its counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports.badges import badge_of
from touchstone_reports.markdown import summary_of
from touchstone_reports.results import RunResults, read
from touchstone_reports.wholeness import remarks, shortcomings, warnings

Record = dict[str, Any]
WHOLE: Record = {"narrowed_by": [], "scenarios": []}


@pytest.fixture
def run(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> Callable[..., RunResults]:
    """A run with these verdicts and facts."""

    def run(*verdicts: str, finished: bool = True, **facts: Any) -> RunResults:
        lines = [verdict(verdict=expected) for expected in verdicts]
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        return read(write_run(folder, lines, finished=finished, **facts))

    return run


@pytest.mark.parametrize("judged", ["CONFORMS", "VIOLATES", "DEVIATES-AS-DOCUMENTED"])
def test_a_run_of_everything_that_judged_something_is_whole(
    run: Callable[..., RunResults], judged: str
) -> None:
    assert shortcomings(run("INCONCLUSIVE", judged, selection=WHOLE)) == ()


def test_each_shortcoming_is_told(run: Callable[..., RunResults]) -> None:
    assert shortcomings(run("CONFORMS")) == ("it does not say which scenarios were asked for",)
    narrowed = {"narrowed_by": ["-k \x1b[31mred", "--draw 2"], "scenarios": []}
    assert shortcomings(run("INCONCLUSIVE", "NOT-APPLICABLE", selection=narrowed)) == (
        r"narrowed by -k \x1b[31mred, --draw 2",
        "nothing was judged",
    )
    [early] = shortcomings(run("CONFORMS", selection=WHOLE, finished=False))
    assert "the run did not finish" in early


def test_a_forgotten_document_is_seen_where_nothing_was_judged(
    run: Callable[..., RunResults],
) -> None:
    results = run("NOT-APPLICABLE", "NOT-APPLICABLE", not_applicable_documents=["RMQ", "AMQ"])
    assert list(warnings(results)) == [
        "nothing was judged, so there is no success",
        "reference names these documents as its own: SLJ; the catalogues also have AMQ, RMQ",
        "2 not applicable: because of NOT-APPLICABLE",
    ]
    assert "Nothing unexpected" not in summary_of([results])
    assert badge_of([results]).message == "nothing judged"


def test_a_stale_deviation_is_told_and_nothing_green_is_shown(
    run: Callable[..., RunResults],
) -> None:
    results = run("CONFORMS", stale=["mine.toml: SLJ-HDR-001 in any scenario"])
    [told] = warnings(results)
    assert told.startswith("stale deviation, it did not happen: mine.toml: SLJ-HDR-001")
    assert "stale deviation" in summary_of([results])
    assert "Nothing unexpected" not in summary_of([results])
    assert badge_of([results]).as_endpoint() == {
        "schemaVersion": 1,
        "label": "JMS conformance",
        "message": "1 stale",
        "color": "red",
    }


def test_what_other_releases_showed_is_counted_and_no_warning(
    run: Callable[..., RunResults],
) -> None:
    results = run("CONFORMS", not_shown=["mine.toml: SLJ-HDR-001", "mine.toml: SLJ-HDR-002"])
    assert list(warnings(results)) == []
    [told] = remarks(results)
    assert told == "2 entries of deviations did not show with this release, seen with another one"
    assert "Nothing unexpected." in summary_of([results])
    assert badge_of([results]).color == "brightgreen"


def test_a_run_without_anything_to_say_is_said_to_be_so(run: Callable[..., RunResults]) -> None:
    results = run("CONFORMS", selection=WHOLE)
    assert list(warnings(results)) == []
    assert "Nothing unexpected." in summary_of([results])
