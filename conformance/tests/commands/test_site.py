"""`touchstone site`: the site of runs, with all that the catalogue and the clients say of them."""

from __future__ import annotations

import html
from pathlib import Path

import pytest

from commands.made_runs import LATE, a_line, write_run
from jms_clients.registry import load_provider
from reproducing.traces_by_hand import QUEUE, SESSION, made, trace_by_hand
from touchstone.catalogue import known_library
from touchstone.catalogue.findings import known_findings
from touchstone.cli import main
from touchstone.commands.site import site_url
from touchstone.results.site_facts import client_facts, known_facts
from touchstone.verdicts import ExitStatus
from touchstone_reports.site.facts import Program

pytestmark = pytest.mark.thorough

FINDINGS = known_findings(known_library())
QPID = next(each for each in FINDINGS if each.entries[0].provider == "qpid")
ENTRY = QPID.entries[0]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A run of qpid with a known deviation, and one of a client that is not installed."""
    explained = a_line(
        "DEVIATES-AS-DOCUMENTED",
        requirement=ENTRY.requirement,
        scenario=ENTRY.scenario,
        deviation=ENTRY.as_dict(),
        trace="traces/gone.jsonl",
    )
    folder = tmp_path / "results"
    write_run(folder / "a", [a_line(), explained], provider="qpid")
    write_run(folder / "of-others" / "b", [a_line("VIOLATES")], provider="theirs", started=LATE)
    return folder


def test_the_site_has_what_is_known_of_the_clients_that_were_judged(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    assert main(["site", str(results), "-o", str(site)]) == ExitStatus.NOTHING_UNEXPECTED
    assert "of 2 runs" in capsys.readouterr().out
    page = (site / "client" / "qpid" / "index.html").read_text("utf-8")
    assert "https://qpid.apache.org/components/jms/" in page
    assert len(list(site.glob("client/*"))) == 2
    of_qpid = [each for each in FINDINGS if each.entries[0].provider == "qpid"]
    assert len(list(site.glob("finding/*/index.html"))) == len(of_qpid)
    assert len(list(site.glob("requirement/*/index.html"))) == len(known_library().requirements)
    statement = (site / "requirement" / ENTRY.requirement / "index.html").read_text("utf-8")
    assert "finding/qpid-" in statement
    before = {file: file.read_bytes() for file in site.rglob("*") if file.is_file()}
    main(["site", str(results), "-o", str(site)])
    assert {file: file.read_bytes() for file in site.rglob("*") if file.is_file()} == before


def test_a_program_is_made_of_the_trace_of_a_run(tmp_path: Path) -> None:
    trace = trace_by_hand()
    trace.queue()
    refused = ["jakarta.jms.JMSException"]
    trace.call("Session", SESSION, "createBrowser", made(QUEUE), throws=refused)
    explained = a_line(
        "DEVIATES-AS-DOCUMENTED",
        requirement=ENTRY.requirement,
        scenario=ENTRY.scenario,
        reason="JMSException: no",
        expected=None,
        seen=None,
        by_chance=False,
        broker_profile="plain",
        deviation=ENTRY.as_dict(),
        trace="traces/t.jsonl",
    )
    brokers = [{"profile": "plain", "family": "artemis", "version": "2.55.0", "way": "embedded"}]
    run = write_run(
        tmp_path / "results" / "a",
        [{**explained, "scenario": "headers/test_x", "trace": "traces/gone.jsonl"}, explained],
        provider="qpid",
        brokers=brokers,
    )
    (run / "traces").mkdir()
    (run / "traces" / "t.jsonl").write_text("\n".join(trace.lines), encoding="utf-8")
    assert main(["site", str(tmp_path / "results"), "-o", str(tmp_path / "site")]) == 0
    having = [
        page
        for page in (tmp_path / "site" / "finding").glob("*/index.html")
        if "public class Reproducer" in page.read_text("utf-8")
    ]
    [page] = having
    told = page.read_text("utf-8")
    assert "createBrowser" in told
    assert f"Made of what {html.escape(ENTRY.scenario)} saw of qpid 9 on artemis 2.55.0" in told


def test_a_folder_without_runs_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["site", str(tmp_path), "-o", str(tmp_path / "site")])
    assert status == ExitStatus.FAULT
    told = capsys.readouterr().err
    assert told.count("touchstone:") == 1
    assert "has no run" in told
    assert not (tmp_path / "site").exists()


def test_an_address_that_is_none_is_refused(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["site", str(results), "-o", str(tmp_path / "site"), "--url", "example.org"]
    assert main(arguments) == ExitStatus.FAULT
    assert "begins with https://" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["https://example.org/jms", "https://example.org/jms/"])
def test_an_address_ends_as_one_of_a_folder(url: str) -> None:
    assert site_url(url) == "https://example.org/jms/"


@pytest.mark.parametrize(
    "name", ["activemq", "artemis", "openmq", "qpid", "rabbitmq", "starlight", "reference"]
)
def test_each_client_says_what_it_is(name: str) -> None:
    facts = client_facts(name)
    assert all((facts.title, facts.about, facts.language, facts.licence))
    addresses = (facts.homepage, facts.source, facts.tracker)
    releases = getattr(load_provider(name), "releases", None)
    assert releases is None or facts.title == releases.product
    ours = name == "reference"  # which has no address of its own
    assert all(each.startswith("https://") for each in addresses) is not ours


def test_a_client_that_is_not_here_has_its_name() -> None:
    assert client_facts("theirs").title == "theirs"


def test_every_finding_has_an_address_of_its_own() -> None:
    library = known_library()
    clients = {each.entries[0].provider for each in FINDINGS}
    once = known_facts(library, {}, clients, FINDINGS, {}).findings
    assert len({each.id for each in once}) == len(FINDINGS)
    twice = known_facts(library, {}, clients, [*FINDINGS, FINDINGS[0]], {}).findings
    assert len({each.id for each in twice}) == len(FINDINGS) + 1
    assert {each.id for each in once} < {each.id for each in twice}


def test_programs_are_kept_while_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("touchstone.results.site_facts._ROOM", 15)
    of_qpid = [each for each in FINDINGS if each.entries[0].provider == "qpid"][:3]
    programs = {
        ("qpid", each.reason): Program("Reproducer.java", "ten letters", "of a run")
        for each in of_qpid
    }
    known = known_facts(known_library(), {}, {"qpid"}, of_qpid, programs)
    shown = [any(not each.path for each in finding.programs) for finding in known.findings]
    assert shown == [True, False, False]
