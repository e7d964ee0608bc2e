"""The site of results: what its pages say, and that it can be published and kept."""

from __future__ import annotations

import csv
import io
import json
import posixpath
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from commands.hostile_texts import HARMLESS, everything, same_elements
from made_site import REASON, Links, defect, known, write_releases
from touchstone_reports.records import ResultsError
from touchstone_reports.results import RunResults, read
from touchstone_reports.site import addresses
from touchstone_reports.site.facts import ClientFacts, FindingCase, Known
from touchstone_reports.site.folder import LIST, runs_below, write_files
from touchstone_reports.site.judged import client_of, version_order
from touchstone_reports.site.pages import site_files

pytestmark = pytest.mark.thorough

Record = dict[str, Any]
ATOM = "{http://www.w3.org/2005/Atom}"
XHTML = "{http://www.w3.org/1999/xhtml}"
RELEASES = ("1.9", "1.10", "2.0")


@pytest.fixture
def requirements(requirement: Callable[..., Record]) -> list[Record]:
    """Statements of the specification, and one of a vendor's document."""
    of_core = [requirement(f"JMS-HDR-{number:03}", "headers") for number in range(4)]
    return [*of_core, requirement("SLJ-PROP-001", "properties")]


@pytest.fixture
def runs(
    tmp_path: Path,
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
    requirements: list[Record],
) -> list[RunResults]:
    """Three releases of two clients."""
    return write_releases(
        tmp_path / "results", write_run, verdict, ("one", "other"), RELEASES, requirements
    )


@pytest.fixture
def facts(requirements: list[Record]) -> Known:
    """What is known of them."""
    client = ClientFacts(
        "One for JMS", "A client.", "Java", "Apache-2.0", "https://one.example/", tracker="none"
    )
    return known(requirements, [defect("one"), defect("other")], one=client)


def problems(files: dict[str, str]) -> Iterator[str]:
    """Links that lead nowhere, and whatever a page would ask of the network."""
    pages = {path: Links(text) for path, text in files.items() if path.endswith(".html")}
    for path, page in pages.items():
        for link in page.loaded:
            if urlsplit(link).scheme not in ("", "data"):
                yield f"{path} loads {link}"
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            joined = posixpath.join(posixpath.dirname(path), unquote(parts.path))
            target = posixpath.normpath(joined) if parts.path else path
            if target not in files:
                yield f"{path}: {link} leads to nothing"
            elif parts.fragment and target in pages and parts.fragment not in pages[target].places:
                yield f"{path}: {link} leads to no place"


def test_every_link_leads_somewhere_and_nothing_is_asked_of_the_network(
    runs: list[RunResults], facts: Known
) -> None:
    files = site_files(runs, facts)
    assert list(problems(files)) == []
    styles = "".join(text for path, text in files.items() if path.endswith(".css"))
    assert "url(" not in styles
    assert "@import" not in styles


def test_the_addresses_are_those_that_were_promised(runs: list[RunResults], facts: Known) -> None:
    files = site_files(runs, facts)
    assert {
        "index.html",
        "client/one/index.html",
        "client/one/feed.xml",
        "client/one/badges/JMS.svg",
        "client/one/badges/all.svg",
        "requirement/JMS-HDR-000/index.html",
        f"finding/{facts.findings[0].id}/index.html",
        "search/index.html",
        "matrix/index.html",
        "finding/findings.csv",
        "words/index.html",
        "feed.xml",
    } <= files.keys()


def test_a_second_site_has_the_same_pages_at_the_same_addresses(
    runs: list[RunResults], facts: Known
) -> None:
    first = site_files(runs, facts)
    assert site_files(list(reversed(runs)), facts) == first
    reworded = [replace(each, reason=f"Otherwise said: {each.reason}") for each in facts.findings]
    without_one = [run for run in runs if "2.0" not in run.run.id]
    later = site_files(without_one, replace(facts, findings=reworded))
    known_defects = {f"finding/{each.id}/index.html" for each in facts.findings}
    assert known_defects <= later.keys()
    assert first.keys() - later.keys() == set()


def test_a_client_page_says_what_it_is_and_how_it_stood(
    runs: list[RunResults], facts: Known
) -> None:
    page = site_files(runs, facts)["client/one/index.html"]
    for told in ("One for JMS", "A client.", "Java", "Apache-2.0", "duplicates"):
        assert told in page
    assert '<a href="https://one.example/" rel="noreferrer">' in page
    assert "none</a>" not in page  # no address, so no link
    assert 'href="../../client/one/feed.xml">Feed of this client</a>' in page
    assert page.index(">2.0<") < page.index(">1.10<") < page.index(">1.9<")
    assert page.count("<g><title>") == len(RELEASES)
    unknown = site_files(runs, facts)["client/other/index.html"]
    assert "<h1>other</h1>" in unknown


def test_what_a_release_changed_is_told(
    tmp_path: Path,
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
    requirements: list[Record],
    facts: Known,
) -> None:
    old = write_releases(tmp_path / "old", write_run, verdict, ["one"], ["1.0"], requirements, 2)
    new = write_releases(tmp_path / "new", write_run, verdict, ["one"], ["1.1"], requirements, 1)
    files = site_files([*old, *new], facts)
    page = files["client/one/index.html"]
    table = page[page.index('id="releases"') : page.index('id="findings"')]
    told = f"of {len(requirements)} verdicts of scenarios: 1 kept since, 0 not any more"
    assert told in table
    assert "JMS-HDR-001" in table
    assert "JMS-HDR-000" not in table
    assert 'href="../../client/one/releases/one/index.html"' in table
    beside = files["client/one/releases/one/index.html"]
    assert "changed in 1.1 ✓ conforms" in beside
    assert "assert 2 == 1" in beside
    assert 'href="../../../../requirement/JMS-HDR-001/index.html"' in beside
    assert "JMS-HDR-000" not in beside


def test_releases_that_keep_the_same_have_no_page_of_their_own(
    runs: list[RunResults], facts: Known
) -> None:
    assert not [path for path in site_files(runs, facts) if "/releases/" in path]


def test_a_requirement_page_has_the_verdict_of_everybody(
    runs: list[RunResults], facts: Known
) -> None:
    files = site_files(runs, facts)
    kept = files["requirement/JMS-HDR-002/index.html"]
    assert "What JMS-HDR-002 states." in kept
    assert "How JMS-HDR-002 is verified." in kept
    assert "https://docs.example/implementation.html" in kept
    assert kept.count('class="mark s-') == kept.count('class="mark s-conforms"') == 1
    assert "2.0, 1.10, 1.9" in kept
    broken = files["requirement/JMS-HDR-000/index.html"]
    assert broken.count("assert 2 == 1") == 2  # once for each client, not for each release
    for finding in facts.findings:
        assert f'href="../../finding/{finding.id}/index.html"' in broken


def test_a_requirement_page_names_what_is_known_though_no_current_run_shows_it(
    runs: list[RunResults], facts: Known
) -> None:
    elsewhere = FindingCase("JMS-HDR-002", "headers/test_2", ("assert",), "on another 9, by chance")
    unseen = replace(defect("one", 7), cases=(elsewhere,))
    pages = site_files(runs, replace(facts, findings=[*facts.findings, unseen]))
    page = pages["requirement/JMS-HDR-002/index.html"]
    assert f'href="../../finding/{unseen.id}/index.html"' in page
    assert "on another 9, by chance; not seen in the current runs of this site" in page
    assert "not seen" not in pages["requirement/JMS-HDR-000/index.html"]


def test_the_findings_are_there_as_a_table_for_spreadsheets(
    runs: list[RunResults], facts: Known
) -> None:
    formula = defect("other", 2, reason="=1+1", options=("a=b", "c=d"))
    files = site_files(runs, replace(facts, findings=[*facts.findings, formula]))
    first, _, second = csv.DictReader(io.StringIO(files["finding/findings.csv"]))
    assert (first["client"], first["effect"], first["statements"]) == (
        "one", "duplicates", "JMS-HDR-000",
    )  # fmt: skip
    assert first["what it does"] == REASON.format("one 0")
    assert first["seen with"] == "one 2.0; one 1.10; one 1.9"
    assert (second["what it does"], second["kept with"]) == ("'=1+1", "a=b c=d")
    assert 'href="../finding/findings.csv"' in files["finding/index.html"]


def test_badges_come_with_what_a_readme_needs(runs: list[RunResults], facts: Known) -> None:
    page = site_files(runs, facts, "https://results.example/jms/")["client/one/index.html"]
    badge = "https://results.example/jms/client/one/badges/all.svg"
    assert f"({badge})](https://results.example/jms/client/one/index.html)</code>" in page


def test_a_finding_page_has_what_shows_it_and_how_it_is_had_again(
    runs: list[RunResults], facts: Known
) -> None:
    finding = facts.findings[0]
    page = site_files(runs, facts)[addresses.finding_page(finding.id)]
    for told in (
        REASON.format("one 0"),
        "duplicates",
        "https://tracker.example/1",
        "What JMS-HDR-000 states.",
        "versions &gt;=2",
        "one 2.0, one 1.10, one 1.9",
        "not with other 1",
        "class Reproducer {}",
        "touchstone run --provider one@2.0 --requirement JMS-HDR-000",
    ):
        assert told in page, told
    unseen = site_files(runs, replace(facts, findings=[replace(finding, reason="Not met.")]))
    page = unseen[addresses.finding_page(finding.id)]
    assert "The current runs of this site do not show it." in page
    assert "touchstone run --provider one --requirement JMS-HDR-000" in page


def test_a_program_that_findings_share_is_there_once(
    runs: list[RunResults], requirements: list[Record]
) -> None:
    shared = replace(defect("one").programs[0], path="evidence/one/Shared.java")
    findings = [defect("one", number, programs=(shared,)) for number in range(2)]
    files = site_files(runs, known(requirements, findings))
    assert files["program/evidence/one/Shared.java"] == shared.text
    pages = [files[addresses.finding_page(finding.id)] for finding in findings]
    assert all("../../program/evidence/one/Shared.java" in page for page in pages)
    assert not any(shared.text in page for page in pages)


def test_the_newest_whole_run_is_told_and_a_part_only_where_there_is_none(
    tmp_path: Path,
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
    requirements: list[Record],
) -> None:
    whole, *_ = write_releases(tmp_path, write_run, verdict, ["one"], ["1.0"], requirements, 0)
    part = replace(
        whole,
        run=replace(
            whole.run,
            id="later",
            started=datetime.fromisoformat("2026-11-09T09:00:00+00:00"),
            selection=replace(whole.run.selection, narrowed_by=("-k x",)),  # type: ignore[type-var]
        ),
        judgements=whole.judgements[:1],
    )
    both = site_files([whole, part], known(requirements))["index.html"]
    assert '<time datetime="2026-11-01">2026-11-01</time></td>' in both
    alone = site_files([part], known(requirements))["index.html"]
    assert '<time datetime="2026-11-09">2026-11-09</time> <small class="quiet">a part' in alone


def test_a_run_that_was_killed_is_told_as_it_is(
    tmp_path: Path, write_run: Callable[..., Path], verdict: Callable[..., Record], facts: Known
) -> None:
    lines = [verdict(requirement="JMS-HDR-001", document="JMS", area="headers")]
    killed = read(write_run(tmp_path / "killed", lines, finished=False))
    files = site_files([killed], facts)
    assert '<p class="notice" role="status"><strong>Unfinished.</strong>' in files["index.html"]
    assert "not finished" in files["client/reference/badges/all.svg"]
    assert list(problems(files)) == []


def test_wrong_clients_and_findings_of_others_are_left_out(
    runs: list[RunResults], requirements: list[Record]
) -> None:
    mutant = replace(runs[0].run.providers[0], name="one+mutant:no-base64")
    wrong = replace(runs[0], run=replace(runs[0].run, id="m", providers=(mutant,)))
    files = site_files([*runs, wrong], known(requirements, [defect("nobody")]))
    assert not any("mutant" in path or "nobody" in path for path in files)


def test_a_folder_of_somebody_else_can_be_dropped_in(
    tmp_path: Path,
    runs: list[RunResults],
    facts: Known,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
) -> None:
    deviation = {"class": "known-defect", "reason": "Theirs.", "link": "javascript:alert(1)"}
    lines = [
        verdict(provider="theirs", requirement="THEIR-X-001", document="THEIR", area="x"),
        verdict(
            provider="theirs",
            requirement="JMS-HDR-003",
            document="JMS",
            verdict="DEVIATES-AS-DOCUMENTED",
            deviation=deviation,
        ),
    ]
    write_run(
        tmp_path / "results" / "dropped" / "in" / "by-others",
        lines,
        providers=[{"name": "theirs", "version": "7", "documents": ["THEIR"]}],
    )
    found = runs_below([tmp_path / "results", tmp_path / "results"])
    assert len(found) == len(runs) + 1
    files = site_files(found, facts)
    assert list(problems(files)) == []
    page = files["client/theirs/index.html"]
    assert "Theirs." in page
    [finding] = [path for path in files if path.startswith("finding/theirs")]
    theirs = [run for run in found if run.run.providers[0].name == "theirs"]
    assert finding in site_files(theirs, known([]))
    assert "javascript:" not in files[finding]
    assert "Not in the catalogue" in files["requirement/THEIR-X-001/index.html"]


def test_a_copy_of_a_run_is_told_once(tmp_path: Path, runs: list[RunResults]) -> None:
    shutil.copytree(tmp_path / "results", tmp_path / "copy")
    assert len(runs_below([tmp_path / "results", tmp_path / "copy"])) == len(runs)


def test_runs_of_pairs_have_a_page_of_their_own(
    tmp_path: Path, runs: list[RunResults], facts: Known, run_record: Callable[..., Record]
) -> None:
    folder = tmp_path / "pairs"
    folder.mkdir()
    clients: list[Record] = [
        {"name": name, "version": "1", "documents": []} for name in ("one", "other")
    ]
    exchange = {
        "format": 1,
        "exchange": "exchange/text",
        "producer": "one",
        "consumer": "other",
        "verdict": "CONFORMS",
        "reason": None,
        "fields": 3,
        "differences": [],
        "rerun": "touchstone interop",
    }
    (folder / "run.json").write_text(json.dumps(run_record(providers=clients)), encoding="utf-8")
    (folder / "exchanges.jsonl").write_text(json.dumps(exchange), encoding="utf-8")
    assert "pairs/index.html" not in site_files(runs, facts)
    files = site_files([*runs, read(folder)], facts)
    assert list(problems(files)) == []
    assert "1 of 1" in files["pairs/index.html"]
    assert 'href="pairs/index.html"' in files["index.html"]
    assert files["client/one/index.html"].count("<g><title>") == len(RELEASES)


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_without_runs_is_one_clear_error(tmp_path: Path, made: bool) -> None:
    folder = tmp_path / "nothing"
    if made:
        (folder / "deep").mkdir(parents=True)
    with pytest.raises(ResultsError, match=r"nothing has no run: .* run\.json; name folders"):
        runs_below([folder])


def test_a_run_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"run\.json"):
        runs_below([tmp_path])


def test_the_next_site_replaces_the_one_before_and_nothing_else(tmp_path: Path) -> None:
    write_files({"index.html": "1", "client/one/index.html": "1"}, tmp_path)
    (tmp_path / "CNAME").write_text("example.org", encoding="utf-8")
    write_files({"index.html": "2"}, tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert left == {"index.html", "CNAME", LIST}
    assert (tmp_path / "index.html").read_text("utf-8") == "2"


def test_a_site_of_others_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("theirs", encoding="utf-8")
    with pytest.raises(ResultsError, match="none of Touchstone's"):
        write_files({"index.html": "ours"}, tmp_path)
    assert (tmp_path / "index.html").read_text("utf-8") == "theirs"


def test_a_list_that_leads_out_of_the_site_removes_nothing_there(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine", encoding="utf-8")
    site = tmp_path / "site"
    site.mkdir()
    (site / LIST).write_text(json.dumps({"files": ["../outside.txt"]}), encoding="utf-8")
    write_files({"index.html": "1"}, site)
    assert outside.exists()


def entries(feed: str) -> list[ET.Element]:
    return ET.fromstring(feed).findall(f"{ATOM}entry")


@pytest.mark.parametrize("url", ["", "https://example.org/jms/"])
def test_feeds_are_valid_atom(runs: list[RunResults], facts: Known, url: str) -> None:
    files = site_files(runs, facts, url)
    ids = []
    for path in ("feed.xml", "client/one/feed.xml", "client/other/feed.xml"):
        feed = ET.fromstring(files[path])
        assert feed.tag == f"{ATOM}feed"
        ids.append(feed.findtext(f"{ATOM}id"))
        assert feed.find(f"{ATOM}author/{ATOM}name") is not None
        for one in (feed, *entries(files[path])):
            assert one.findtext(f"{ATOM}title")
            assert (one.findtext(f"{ATOM}id") or "").startswith("urn:uuid:")
            updated = datetime.fromisoformat(one.findtext(f"{ATOM}updated") or "")
            assert updated.tzinfo is not None
            for link in one.findall(f"{ATOM}link"):
                target = link.attrib["href"]
                assert target.startswith(url)
                local = posixpath.join("" if url else posixpath.dirname(path), target[len(url) :])
                assert posixpath.normpath(local) in files
        of_feed = [one.findtext(f"{ATOM}id") for one in entries(files[path])]
        assert len(of_feed) == len(set(of_feed)) == (6 if path == "feed.xml" else 3)
    assert len(set(ids)) == len(ids)


def test_a_feed_tells_what_became_otherwise_since_the_run_before(
    tmp_path: Path,
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
    requirements: list[Record],
) -> None:
    before, *_ = write_releases(tmp_path, write_run, verdict, ["one"], ["1.0"], requirements, 0)
    [first, *others] = before.judgements
    broken = replace(first, verdict=type(first.verdict).VIOLATES, reason="assert 2 == 1")
    later = datetime.fromisoformat("2026-11-09T09:00:00+00:00")
    after = replace(
        before,
        directory=before.directory.with_name("after"),
        run=replace(before.run, id="after", started=later, finished=later),
        judgements=(broken, *others),
    )
    newest, oldest = entries(site_files([before, after], known(requirements))["feed.xml"])
    assert "1 violates" in str(newest.findtext(f"{ATOM}title"))
    told = [" ".join("".join(item.itertext()).split()) for item in newest.iter(f"{XHTML}li")]
    assert told == [f"{first.requirement} {first.scenario}: conforms, now violates"]
    assert list(oldest.iter(f"{XHTML}li")) == []


def test_the_search_knows_every_page(runs: list[RunResults], facts: Known) -> None:
    files = site_files(runs, facts)
    script = files["search/index.js"]
    index = json.loads(script.removeprefix("window.searchIndex=").removesuffix(";\n"))
    paths = [path for *_, path in index]
    pages = [path for path in files if path.endswith("/index.html") and path.count("/") == 2]
    assert any("How JMS-HDR-002 is verified." in text for _, _, text, _ in index)
    assert sorted(paths) == sorted(pages)


@pytest.mark.parametrize(
    ("provider", "client"),
    [
        ("qpid", "qpid"),
        ("qpid@1.16.0", "qpid"),
        ("qpid@1.16.0+on:brokerj", "qpid"),
        ("qpid+on:brokerj", "qpid"),
        ("reference/amq", "reference/amq"),
        ("python:mine:provider", "python:mine:provider"),
    ],
)
def test_a_client_is_the_provider_without_version_and_broker(provider: str, client: str) -> None:
    assert client_of(provider) == client


def test_versions_are_in_the_order_of_releases() -> None:
    versions = ["2.0", "1.10.0", "1.9", "1.10.0-rc1", "10.0"]
    ordered = ["1.9", "1.10.0-rc1", "1.10.0", "2.0", "10.0"]
    assert sorted(versions, key=version_order) == ordered


@pytest.mark.parametrize(
    "name", ["..", "../../x", "/etc", "a b", "", "<b>", "ä", "x" * 300, "CON:"]
)
def test_no_name_leads_out_of_its_folder(name: str) -> None:
    part = addresses.name_in_address(name)
    assert part
    assert not set(part) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")
    assert not part.startswith(".")
    assert addresses.name_in_address(f"{name}!") != part


@everything
def test_hostile_texts_stay_texts(
    tmp_path: Path,
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
    requirement: Callable[..., Record],
    hostile: str,
) -> None:
    def made(folder: Path, text: str) -> dict[str, str]:
        source = {"title": text, "address": text, "section": text}
        fields = dict.fromkeys(("statement", "note", "verify"), text)
        wanted = [requirement("JMS-HDR-001", text, source=[source], **fields)]
        texts = {"reason": text, "expected": text, "seen": text, "scenario": f"area/test[{text}]"}
        line = verdict(**texts, provider=text, requirement="JMS-HDR-001", verdict="VIOLATES")
        client = {"name": text, "version": text, "documents": [text]}
        broker = {"family": text, "way": "embedded", "version": text}
        run = write_run(folder, [line], id=text, java=text, providers=[client], brokers=[broker])
        newer = write_run(
            folder / "newer", [line | {"verdict": "CONFORMS"}], id=f"{text}2", java=text,
            started="2026-11-22T09:00:00+00:00", finished="2026-11-22T09:01:00+00:00",
            providers=[client | {"version": f"{text}2"}], brokers=[broker],
        )  # fmt: skip
        told: Record = {"links": (text,), "options": (text,), "mended_in": text, "state": text}
        case = FindingCase("JMS-HDR-001", text, (text,), text)
        finding = defect(
            text, reason=f"It is so; {text}", cases=(case,), why=text, effect=text, **told
        )
        client_facts = ClientFacts(*([text] * 7))
        both = [read(run), read(newer)]
        return site_files(both, known(wanted, [finding], **{text: client_facts}))

    files, plain = made(tmp_path / "hostile", hostile), made(tmp_path / "plain", HARMLESS)
    assert list(problems(files)) == []
    assert len(entries(files["feed.xml"])) == 2
    assert [path for path in files if "/releases/" in path]
    for kind in ("index", "client/", "requirement/", "finding/", "search/index.html"):
        pages, others = (
            [text for path, text in each.items() if path.startswith(kind) and "html" in path]
            for each in (files, plain)
        )
        for page, other in zip(pages, others, strict=True):
            same_elements(page, other)
