"""The commands that read several runs: which ones they take, what they print and end with."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from commands.made_runs import EARLY, LATE, a_line, write_run
from touchstone.cli import main
from touchstone.commands.baseline import held_against
from touchstone.commands.runs import newest_of_each
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus


def a_run(
    folder: Path, provider: str, started: str, verdict: str = "CONFORMS", **more: Any
) -> Path:
    """A whole run with this verdict, beside one that conforms."""
    beside = a_line(scenario="headers/test_y")
    lines = [a_line(verdict, **more), beside]
    return write_run(folder, lines, provider=provider, started=started)


def assert_listed(command: str, data: object) -> None:
    """Refuses what the schema of this command's JSON does not allow."""
    text = resources.files("touchstone.commands").joinpath("listings.schema.json").read_text()
    Draft202012Validator({**json.loads(text), "$ref": f"#/$defs/{command}"}).validate(data)


def test_the_newest_run_of_each_provider_is_taken(tmp_path: Path) -> None:
    mine = a_run(tmp_path / "a", "mine", LATE)
    a_run(tmp_path / "b", "mine", EARLY)
    other = a_run(tmp_path / "c", "other@1", EARLY)
    a_run(tmp_path / "d", "mine+mutant:wrong", LATE)
    torn = tmp_path / "e"
    torn.mkdir()
    (torn / "run.json").write_text('{"providers"')
    assert newest_of_each(tmp_path) == [mine, other]
    assert newest_of_each(tmp_path, ["other@1"]) == [other]
    with pytest.raises(UsageError, match=r"no run of me(.|\n)*runs of: mine, other@1"):
        newest_of_each(tmp_path, ["me"])


def test_the_report_shows_clients_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a_run(tmp_path / "a", "mine", LATE, observables={"order": [1]})
    a_run(tmp_path / "b", "other", EARLY, observables={"order": [2]})
    assert main(["report", "--results-dir", str(tmp_path)]) == ExitStatus.NOTHING_UNEXPECTED
    page = (tmp_path / "report" / "report.html").read_text()
    assert "mine" in page
    assert "other" in page
    assert "1 observed value differs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("CONFORMS", "VIOLATES", ExitStatus.UNEXPECTED),
        ("CONFORMS", "INCONCLUSIVE", ExitStatus.COULD_NOT_JUDGE),
        ("VIOLATES", "CONFORMS", ExitStatus.NOTHING_UNEXPECTED),
        ("VIOLATES", "VIOLATES", ExitStatus.NOTHING_UNEXPECTED),
    ],
)
def test_a_regression_is_told_and_ends_with_1(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    before: str,
    after: str,
    status: ExitStatus,
) -> None:
    earlier = a_run(tmp_path / "a", "mine@1", EARLY, before, observables={"order": [1]})
    other = a_run(tmp_path / "b", "mine@2", LATE, after, observables={"order": [2]})
    assert main(["compare", str(earlier), str(other)]) == status
    out = capsys.readouterr().out
    assert "mine@1 9 on pulsar 4.0.7, run a" in out
    assert "headers/test_x, order: [1] -> [2]" in out
    assert (f"{before} -> {after}" in out) == (before != after)

    assert main(["compare", str(earlier), str(other), "--json"]) == status
    data = json.loads(capsys.readouterr().out)
    assert_listed("compare", data)
    assert len(data["changes"]) == (before != after)


def a_run_on_java(folder: Path, java: str, version: str = "2", **facts: Any) -> Path:
    client = {"name": "mine", "version": version, "documents": ["SLJ"], "java": java}
    return write_run(
        folder, [a_line()], providers=[client], java=f"{java}, 25.0.2", started=LATE, **facts
    )


def test_the_java_of_each_run_is_told_and_whether_it_alone_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    on_17, on_21 = (a_run_on_java(tmp_path / java, java) for java in ("17.0.9", "21.0.8"))
    newer = a_run_on_java(tmp_path / "newer", "21.0.8", version="3")

    assert main(["compare", str(on_17), str(on_21)]) == ExitStatus.NOTHING_UNEXPECTED
    out = capsys.readouterr().out
    assert "before  mine 2 on pulsar 4.0.7, Java 17.0.9, run 17.0.9" in out
    assert "after   mine 2 on pulsar 4.0.7, Java 21.0.8, run 21.0.8" in out
    assert "Only Java differs" in out
    for older, only in ((on_17, True), (on_21, False), (newer, False)):
        main(["compare", str(older), str(on_21), "--json"])
        data = json.loads(capsys.readouterr().out)
        assert_listed("compare", data)
        assert data["only_java_differs"] is only
        assert data["after"]["java"] == "21.0.8"


@pytest.mark.parametrize("conforming", ["before", "after"])
def test_what_happens_only_sometimes_fails_nobody_by_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], conforming: str
) -> None:
    conforms: dict[str, Any] = {"by_chance": True}
    entry = {"class": "by-design", "reason": "It is lost at times.", "link": ""}
    deviates = {"verdict": "DEVIATES-AS-DOCUMENTED", "deviation": entry, "by_chance": True}
    earlier, later = (conforms, deviates) if conforming == "before" else (deviates, conforms)
    older = a_run(tmp_path / "baseline" / "a", "mine", EARLY, **earlier)
    results = tmp_path / "results"
    with held_against(older, results) as held:
        newer = a_run(results / "now", "mine", LATE, **later)
        assert held(ExitStatus.NOTHING_UNEXPECTED) is ExitStatus.NOTHING_UNEXPECTED
    capsys.readouterr()

    assert main(["compare", str(older), str(newer)]) == ExitStatus.NOTHING_UNEXPECTED
    out = capsys.readouterr().out
    assert "by chance: 1" in out
    assert "regression" not in out

    assert main(["compare", str(older), str(newer), "--json"]) == ExitStatus.NOTHING_UNEXPECTED
    data = json.loads(capsys.readouterr().out)
    assert_listed("compare", data)
    assert [change["kind"] for change in data["changes"]] == ["by chance"]


def test_what_is_no_run_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = a_run(tmp_path / "a", "mine@1", EARLY)
    assert main(["compare", str(folder), str(tmp_path / "none")]) == ExitStatus.FAULT
    assert "none is no run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after", "status", "beside"),
    [
        ("VIOLATES", "VIOLATES", ExitStatus.UNEXPECTED, ExitStatus.NOTHING_UNEXPECTED),
        ("CONFORMS", "VIOLATES", ExitStatus.UNEXPECTED, ExitStatus.UNEXPECTED),
        ("CONFORMS", "INCONCLUSIVE", ExitStatus.COULD_NOT_JUDGE, ExitStatus.COULD_NOT_JUDGE),
        ("INCONCLUSIVE", "INCONCLUSIVE", ExitStatus.COULD_NOT_JUDGE, ExitStatus.NOTHING_UNEXPECTED),
        ("CONFORMS", "CONFORMS", ExitStatus.FAULT, ExitStatus.FAULT),
    ],
)
@pytest.mark.parametrize("named", ["run", "runs"])
def test_beside_a_baseline_only_what_got_worse_fails(
    tmp_path: Path, before: str, after: str, status: ExitStatus, beside: ExitStatus, named: str
) -> None:
    older = a_run(tmp_path / "baseline" / "a", "mine", EARLY, before)
    results = tmp_path / "results"
    a_run(results / "earlier", "mine", EARLY, "CONFORMS")

    with held_against(older if named == "run" else older.parent, results) as held:
        a_run(results / "now", "mine", LATE, after)
        assert held(status) is beside


@pytest.mark.parametrize(
    ("after", "status"),
    [("CONFORMS", ExitStatus.COULD_NOT_JUDGE), ("VIOLATES", ExitStatus.UNEXPECTED)],
)
def test_beside_a_baseline_a_run_that_was_ended_early_is_no_success(
    tmp_path: Path, after: str, status: ExitStatus
) -> None:
    older = a_run(tmp_path / "baseline", "mine", EARLY)

    with held_against(older, tmp_path / "results") as held:
        made = a_run(tmp_path / "results" / "now", "mine", LATE, after)
        facts = json.loads((made / "run.json").read_text())
        (made / "run.json").write_text(json.dumps({**facts, "finished": None}))
        (made / "verdicts.jsonl").rename(made / "verdicts.jsonl.part")
        assert held(ExitStatus.COULD_NOT_JUDGE) is status


@pytest.mark.parametrize("there", ["nothing", "another provider"])
def test_without_a_baseline_everything_unexpected_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], there: str
) -> None:
    if there == "another provider":
        a_run(tmp_path / "baseline" / "a", "other", EARLY)

    with held_against(tmp_path / "baseline", tmp_path / "results") as held:
        a_run(tmp_path / "results" / "now", "mine", LATE, "VIOLATES")
        assert held(ExitStatus.UNEXPECTED) is ExitStatus.UNEXPECTED

    assert "no run of mine" in capsys.readouterr().out


def test_a_baseline_that_is_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "baseline.json"
    file.write_text("{}")

    status = main(["run", "--baseline", str(file), "--results-dir", str(tmp_path / "results")])

    assert status == ExitStatus.FAULT
    assert f"{file} is a file" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_the_comparison_is_written_as_a_page_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = a_run(tmp_path / "a", "mine@1", EARLY)
    later = a_run(tmp_path / "b", "mine@2", LATE, "VIOLATES", requirement="SLJ-PROP-002")
    runs = [str(earlier), str(later)]
    main(["compare", *runs])
    assert not list(tmp_path.rglob("comparison.html"))

    main(["compare", *runs, "--out", str(tmp_path / "out"), "--json"])
    printed = capsys.readouterr()
    assert "comparison.html" in printed.err
    assert "An int property n appears on the raw message as its decimal text." in (
        tmp_path / "out" / "comparison.html"
    ).read_text("utf-8")

    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    main(["compare", *runs, "--open"])
    assert opened == [(later / "comparison.html").as_uri()]
