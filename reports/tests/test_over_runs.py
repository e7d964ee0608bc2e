"""Verdicts over the runs of a folder: their order, what counts as a change, and of which kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports.comparison import ChangeKind
from touchstone_reports.over_runs import Track, changed_most_first, tracks
from touchstone_reports.over_runs_page import how_often, over_runs_page
from touchstone_reports.results import read
from touchstone_reports.side_by_side import Statements
from touchstone_reports.site.judged import judged_by

Record = dict[str, Any]
WORDS = {
    "V": "VIOLATES", "D": "DEVIATES-AS-DOCUMENTED", "C": "CONFORMS", "U": "INCONCLUSIVE",
    "N": "NOT-APPLICABLE",
}  # fmt: skip
BROKER = {"family": "brokerj", "way": "embedded", "version": "9"}
OTHER = {"family": "activemq", "way": "embedded", "version": "6"}
Course = Callable[..., Sequence[Track]]


@pytest.fixture
def course(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> Course:
    """`course("CV", "CC")`: a scenario for each text, with a letter for each day's run.

    A small letter knows of chance, `.` was not judged; `brokers` has one for each day.
    """

    def made(*letters: str, brokers: Sequence[Record] = (BROKER,) * 9) -> Sequence[Track]:
        runs = []
        for day, of_day in enumerate(zip(*letters, strict=True)):
            version = f"1.{day}"
            lines = [
                verdict(
                    scenario=f"area/test_{place}", provider=f"qpid@{version}",
                    verdict=WORDS[letter.upper()], by_chance=letter.islower(),
                )
                for place, letter in enumerate(of_day)
                if letter != "."
            ]  # fmt: skip
            runs.append(
                write_run(
                    tmp_path / str(day), lines, id=f"day-{day}",
                    started=f"2026-11-{day + 1:02}T09:00:00+00:00", brokers=[brokers[day]],
                    providers=[{"name": f"qpid@{version}", "version": version, "documents": []}],
                )
            )  # fmt: skip
        return tracks(judged_by(map(read, reversed(runs))))

    return made


@pytest.mark.parametrize(
    ("letters", "changes"),
    [
        ("CCC", []),
        ("CVC", [("regression", 0, 1), ("improvement", 1, 2)]),
        ("DDV", [("regression", 1, 2)]),
        ("C.V", [("regression", 0, 2)]),
        ("CNV", [("regression", 0, 2)]),
        ("NC", []),
        ("CU", [("cannot be judged any more", 0, 1)]),
        ("UC", [("can be judged now", 0, 1)]),
        ("UV", [("newly judged, and violates", 0, 1)]),
        ("cd", [("by chance", 0, 1)]),
    ],
)
def test_a_change_is_another_verdict_than_in_the_last_run_that_judged_it(
    course: Course, letters: str, changes: list[tuple[str, int, int]]
) -> None:
    [track] = course(letters)
    assert [
        (change.kind, change.before.judged.results.run.id, change.after.judged.results.run.id)
        for change in track.changes
    ] == [(kind, f"day-{before}", f"day-{after}") for kind, before, after in changes]


def test_the_oldest_run_comes_first_whatever_the_order_of_the_folders(course: Course) -> None:
    [track] = course("CVVC")
    assert [step.judged.version for step in track.steps] == ["1.0", "1.1", "1.2", "1.3"]
    assert track.kinds == (None, ChangeKind.REGRESSION, None, ChangeKind.IMPROVEMENT)
    assert (track.client, track.family) == ("qpid", "brokerj")


def test_a_broker_of_another_family_is_no_change(course: Course) -> None:
    both = course("CVCV", brokers=(BROKER, OTHER) * 2)
    assert [(track.family, len(track.steps), track.changes) for track in both] == [
        ("activemq", 2, ()),
        ("brokerj", 2, ()),
    ]


def test_what_changed_most_often_comes_first(course: Course) -> None:
    found = changed_most_first(course("CCC", "CCV", "CVC"))
    assert [track.scenario for track in found] == ["area/test_2", "area/test_1"]
    assert [how_often(track) for track in found] == [
        "changed 2 times in 3 runs",
        "changed once in 3 runs",
    ]


def test_the_page_has_a_row_for_each_run(course: Course) -> None:
    texts = {"SLJ-PROP-002": "An int travels as decimal text."}
    page = over_runs_page("SLJ-PROP-002", course("CV"), Statements(texts))
    [group] = page.groups
    assert group.title == "SLJ-PROP-002 area/test_0, qpid on brokerj"
    assert group.told == "changed once in 2 runs · An int travels as decimal text."
    assert [(row.label, row.text, row.aside, row.note) for row in group.rows] == [
        ("2026-11-01 09:00 UTC", "qpid 1.0 on brokerj 9", "day-0", ""),
        ("2026-11-02 09:00 UTC", "qpid 1.1 on brokerj 9", "day-1", "regression"),
    ]
