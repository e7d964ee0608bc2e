"""`touchstone coverage`: what has a scenario, with which outcome, and what drawn programs judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.made_runs import a_line, write_run
from touchstone.catalogue import Requirement, Source, SourceDocument
from touchstone.catalogue.coverage import coverage, drawn_coverage, total
from touchstone.cli import main
from touchstone.verdicts import ExitStatus, Strength, Verdict

NO_RUNS = ("--results-dir", "there-are-none")


def requirement(id_: str, area: str) -> Requirement:
    """A requirement of which only id and area matter."""
    source = Source(SourceDocument("d", "D"), "s")
    return Requirement(id_, area, "It is so.", (source,), Strength.MUST, {})


def test_each_statement_of_a_clients_document_has_a_scenario(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also where the provider that is the default has nothing to do with the document."""
    assert main(["coverage", "--json", *NO_RUNS]) == ExitStatus.NOTHING_UNEXPECTED
    rows = json.loads(capsys.readouterr().out)["coverage"]
    clients = [row for row in rows if row["document"] not in ("JMS", "API")]
    assert {row["document"] for row in clients} == {"SLJ", "RMQ", "AMQ"}
    assert [row for row in clients if row["with_scenario"] != row["total"]] == []


def test_coverage_counts_nothing_that_has_no_scenario() -> None:
    requirements = [
        requirement("AAA-X-001", "x"),
        requirement("AAA-X-002", "x"),
        requirement("AAA-X-003", "x"),
        requirement("AAA-Y-001", "y"),
    ]
    verdicts = {
        "AAA-X-001": Verdict.CONFORMS,
        "AAA-X-002": Verdict.VIOLATES,
        "AAA-Y-001": Verdict.CONFORMS,  # from an old run: there is no scenario any more
    }
    judges = {"AAA-X-001": (), "AAA-X-002": (), "AAA-X-003": ()}
    x, y = coverage(requirements, judges, ["AAA-X-002"], verdicts)

    assert (x.total, x.with_scenario, x.permissive) == (3, 3, 1)
    assert (x.conforms, x.violates, x.not_judged) == (1, 1, 1)
    assert not x.not_yet
    assert y.not_yet
    assert (y.total, y.conforms, y.not_judged) == (1, 0, 0)
    assert total([x, y], "AAA").total == 4


def test_coverage_of_drawn_programs_names_what_none_judges_and_what_none_decided() -> None:
    requirements = [
        requirement("AAA-X-001", "x"),
        requirement("AAA-X-002", "x"),
        requirement("AAA-X-003", "x"),
        requirement("AAA-Y-001", "y"),
    ]
    judged = {"AAA-X-001", "AAA-X-002", "AAA-Y-001"}
    x, y = drawn_coverage(requirements, judged, {"AAA-X-001": 7, "AAA-X-003": 2, "AAA-Y-001": 1})

    assert (x.total, x.judged, x.decided) == (3, 2, 7)
    assert (x.without, x.undecided) == (("AAA-X-003",), ("AAA-X-002",))
    assert (y.total, y.judged, y.decided, y.without, y.undecided) == (1, 1, 1, (), ())
    without_run, _ = drawn_coverage(requirements, judged, None)
    assert (without_run.decided, without_run.undecided) == (None, ())


def test_coverage_shows_how_often_the_drawn_programs_of_a_run_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        a_line(requirement="JMS-SEL-004", document="JMS", decided=3),
        a_line(requirement="JMS-SEL-004", document="JMS", scenario="selectors/test_other"),
        a_line(requirement="JMS-SEL-005", document="JMS", decided=0),
    ]
    run = write_run(tmp_path / "run", lines)

    arguments = ["coverage", str(run), "--drawn", "--document", "JMS", "--json"]
    assert main(arguments) == ExitStatus.NOTHING_UNEXPECTED

    drawn = json.loads(capsys.readouterr().out)["drawn"]
    [row] = [row for row in drawn if row["area"] == "selectors"]
    assert row["decided"] == 3
    assert "JMS-SEL-005" in row["undecided"]
    assert "JMS-SEL-004" not in row["undecided"]


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(["x", "y"]), st.integers(1, 9)),
        st.sampled_from([None, *Verdict]),
        max_size=12,
    ),
    st.sets(st.tuples(st.sampled_from(["x", "y"]), st.integers(1, 9))),
)
def test_coverage_counts_each_judged_requirement_once(
    seen: dict[tuple[str, int], Verdict | None], without: set[tuple[str, int]]
) -> None:
    ids = {key: f"AAA-{key[0].upper()}-{key[1]:03}" for key in seen}
    requirements = [requirement(ids[key], key[0]) for key in seen]
    judges = {ids[key]: () for key in seen if key not in without}
    verdicts = {ids[key]: verdict for key, verdict in seen.items() if verdict is not None}
    for row in coverage(requirements, judges, (), verdicts):
        counted = row.conforms + row.deviates + row.violates + row.inconclusive + row.not_applicable
        assert counted + row.not_judged == row.with_scenario <= row.total
