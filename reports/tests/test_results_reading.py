"""Results are read as written, and nothing that does not fit is believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports.deviations import MatchedDeviation
from touchstone_reports.records import ResultsError, complaint
from touchstone_reports.results import read, read_all, sorted_worst_first
from touchstone_reports.verdicts import Verdict, worst

MISSING = object()


def test_a_run_is_read_as_it_was_written(mixed_run: Path) -> None:
    results = read(mixed_run)

    assert results.finished
    assert results.notices == ()
    assert results.run.id == "2026-11-21T09-00-00"
    assert results.run.seconds == 90.5
    assert results.run.providers[0].documents == frozenset({"SLJ"})
    assert results.run.brokers[0].version == "4.0.7"
    violation = results.judgements[1]
    assert violation.verdict is Verdict.VIOLATES
    assert (violation.expected, violation.seen) == ("42", "42.0")
    assert violation.observables == {"encoding": "utf-8", "sizes": [1, 2]}
    assert results.judgements[3].deviation == MatchedDeviation(
        "wire-compatibility",
        "the real client writes it so",
        "https://example.org/decisions#1",
    )


def test_a_requirement_takes_the_worst_of_its_scenarios(mixed_run: Path) -> None:
    worst_of = read(mixed_run).worst_by_requirement("reference")

    assert worst_of["SLJ-PROP-002"] is Verdict.VIOLATES
    assert worst_of["SLJ-PROP-001"] is Verdict.CONFORMS
    assert read(mixed_run).counts("reference") == {
        Verdict.VIOLATES: 2,
        Verdict.INCONCLUSIVE: 1,
        Verdict.DEVIATES: 1,
        Verdict.CONFORMS: 1,
        Verdict.NOT_APPLICABLE: 1,
    }


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (Verdict.NOT_APPLICABLE, Verdict.CONFORMS),
        (Verdict.CONFORMS, Verdict.DEVIATES),
        (Verdict.DEVIATES, Verdict.INCONCLUSIVE),
        (Verdict.INCONCLUSIVE, Verdict.VIOLATES),
    ],
)
def test_the_order_of_verdicts(better: Verdict, worse: Verdict) -> None:
    assert worst([better, worse, better]) is worse


def test_an_unmet_should_comes_after_an_unmet_must(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    directory = write_run(
        tmp_path / "run",
        [
            verdict(),
            verdict(verdict="VIOLATES", strength="should"),
            verdict(verdict="INCONCLUSIVE"),
            verdict(verdict="VIOLATES"),
            verdict(verdict="VIOLATES", strength="may", permissive=True),
        ],
    )

    labels = [judgement.label for judgement in sorted_worst_first(read(directory).judgements)]

    assert labels == ["VIOLATES", "VIOLATES", "VIOLATES(should)", "INCONCLUSIVE", "CONFORMS"]


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("format", 2, "format"),
        ("format", MISSING, "format"),
        ("scenario", "no_area", "scenario"),
        ("scenario", MISSING, "scenario"),
        ("requirement", "slj-1", "requirement"),
        ("provider", "", "provider"),
        ("verdict", "PASSED", "verdict"),
        ("strength", "shall", "strength"),
        ("duration", -1, "duration"),
        ("duration", "fast", "duration"),
        ("seed", 1.5, "seed"),
        ("started", "yesterday", "started"),
        ("started", "2026-11-21T09:00:00", "started"),
        ("observables", [], "observables"),
        ("trace", "/etc/passwd", "trace"),
        ("trace", "../other/trace.jsonl", "trace"),
        ("trace", "traces/../../up", "trace"),
        ("evidence", "javascript:alert(1)", "evidence"),
        ("evidence", "", "evidence"),
        ("rerun", MISSING, "rerun"),
        ("surprise", 1, "surprise"),
        ("deviation", {"class": "x", "reason": "y"}, "deviation"),
    ],
)
def test_a_verdict_that_does_not_fit_is_refused(
    verdict: Callable[..., dict[str, Any]], field: str, value: object, named: str
) -> None:
    record = verdict()
    assert complaint("verdict", record) is None
    if value is MISSING:
        del record[field]
    else:
        record[field] = value

    wrong = complaint("verdict", record)

    assert wrong is not None
    assert named in wrong


@pytest.mark.parametrize(
    "verdict_name", ["VIOLATES", "INCONCLUSIVE", "DEVIATES-AS-DOCUMENTED", "NOT-APPLICABLE"]
)
def test_a_verdict_other_than_conforms_says_why(
    verdict: Callable[..., dict[str, Any]], verdict_name: str
) -> None:
    record = verdict(verdict=verdict_name)
    assert complaint("verdict", record) is None

    assert "reason" in (complaint("verdict", record | {"reason": None}) or "")


def test_a_deviation_carries_its_entry(verdict: Callable[..., dict[str, Any]]) -> None:
    record = verdict(verdict="DEVIATES-AS-DOCUMENTED")
    del record["deviation"]

    assert "deviation" in (complaint("verdict", record) or "")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("format", 0),
        ("seed", "7"),
        ("providers", [{"name": "reference"}]),
        ("finished", ""),
        ("counts", {"PASSED": 1}),
        ("brokers", [{"family": "pulsar", "way": "telepathy"}]),
        ("requirements", {"SLJ": {"SLJ-PROP-001": {"reference": "FINE"}}}),
        ("surprise", 1),
    ],
)
def test_a_run_that_does_not_fit_is_refused(
    tmp_path: Path, run_record: Callable[..., dict[str, Any]], field: str, value: object
) -> None:
    assert complaint("run", run_record()) is None
    record = run_record(**{field: value})
    (tmp_path / "run.json").write_text(json.dumps(record), encoding="utf-8")

    with pytest.raises(ResultsError, match=rf"run\.json: .*{field}"):
        read(tmp_path)


def test_the_line_that_is_wrong_is_named(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    directory = write_run(tmp_path / "run", [verdict(), verdict(verdict="PASSED", reason="x")])

    with pytest.raises(ResultsError, match=r"verdicts\.jsonl:2: verdict: 'PASSED'"):
        read(directory)


@pytest.mark.parametrize("line", [b'{"format": 1', b"\xff\xfe", b"[]", b'{"duration": NaN}'])
def test_a_finished_run_has_no_broken_line(
    tmp_path: Path,
    verdict: Callable[..., dict[str, Any]],
    write_run: Callable[..., Path],
    line: bytes,
) -> None:
    directory = write_run(tmp_path / "run", [verdict()], torn=line)

    with pytest.raises(ResultsError, match=r"verdicts\.jsonl:2: "):
        read(directory)


def test_a_torn_last_line_of_an_unfinished_run_is_left_out_and_said(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    whole = json.dumps(verdict()).encode()
    for end in (1, len(whole) // 2, len(whole) - 1):
        directory = write_run(
            tmp_path / str(end), [verdict(), verdict()], finished=False, torn=whole[:end]
        )

        results = read(directory)

        assert len(results.judgements) == 2
        assert not results.finished
        assert any("2 verdicts were written" in notice for notice in results.notices)
        assert any("verdicts.jsonl.part:3" in notice for notice in results.notices)


def test_a_whole_last_line_without_its_line_feed_counts(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    whole = json.dumps(verdict()).encode()
    directory = write_run(tmp_path / "run", [verdict()], finished=False, torn=whole)

    results = read(directory)

    assert len(results.judgements) == 2
    assert results.notices == (
        "2026-11-21T09-00-00: the run did not finish; 2 verdicts were written",
    )


def test_a_broken_line_before_the_last_is_not_forgiven(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    torn = b'{"half\n' + json.dumps(verdict()).encode() + b"\n"
    directory = write_run(tmp_path / "run", [verdict()], finished=False, torn=torn)

    with pytest.raises(ResultsError, match=r"part:2: not a line of JSON"):
        read(directory)


def test_a_run_killed_before_its_first_verdict_is_readable(
    tmp_path: Path, write_run: Callable[..., Path]
) -> None:
    directory = write_run(tmp_path / "run", [], finished=False)
    (directory / "verdicts.jsonl.part").unlink()

    assert read(directory).judgements == ()
    assert "nothing was judged yet" in read(directory).notices[0]


def test_a_directory_without_a_run_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"run\.json does not exist; give the directory"):
        read(tmp_path)
    with pytest.raises(ResultsError, match="no run directory given"):
        read_all([])


def test_verdicts_of_a_provider_that_the_run_does_not_list_are_refused(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    directory = write_run(tmp_path / "run", [verdict(provider="other")])

    with pytest.raises(ResultsError, match="provider 'other' has verdicts but is not listed"):
        read(directory)
