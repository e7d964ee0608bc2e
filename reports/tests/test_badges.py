"""Badges say what runs came to, of all documents and of each."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports import badges
from touchstone_reports.badges import Badge, badge_of
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

SVG = "{http://www.w3.org/2000/svg}"


def test_there_is_one_for_each_document_and_one_for_all(mixed_run: Path, tmp_path: Path) -> None:
    badges.write([mixed_run], tmp_path)
    results = read(mixed_run)
    counts = results.counts(results.run.providers[0].name)
    endpoint = json.loads((tmp_path / "badge.json").read_text("utf-8"))
    assert endpoint["color"] == "red"
    assert endpoint["message"].startswith(f"{counts[Verdict.VIOLATES]} of ")
    pictures = {each.stem for each in (tmp_path / "badges").iterdir()}
    assert pictures == {"all", *(line.requirement[:3] for line in results.judgements)}


def test_that_of_a_document_counts_its_statements_alone(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    lines = [verdict(), verdict(requirement="JMS-PROP-001", verdict="VIOLATES", document="JMS")]
    results = [read(write_run(tmp_path, lines))]
    assert badge_of(results, "SLJ") == Badge(
        "JMS conformance, SLJ", "1 of 1 conform", "brightgreen"
    )
    assert badge_of(results, "JMS").message == "1 of 1 violated"
    assert badge_of(results, "RMQ").message == "nothing judged"
    assert badge_of(results).message == "1 of 2 violated"


@pytest.mark.parametrize("color", ["brightgreen", "yellow", "red", "lightgrey"])
def test_a_picture_says_it_to_everybody_whatever_stands_in_it(color: str, nasty: str) -> None:
    picture = ET.fromstring(Badge(nasty, nasty, color).as_svg())
    texts = [str(each.text) for each in picture.iter(f"{SVG}text")]
    assert texts[0] == texts[1]
    assert picture.get("aria-label") == picture.findtext(f"{SVG}title") == ": ".join(texts)
    assert {each.tag.removeprefix(SVG) for each in picture.iter()} == {
        *("svg", "title", "clipPath", "rect", "g", "text"),
    }


def test_an_unfinished_run_has_come_to_nothing_yet(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    results = read(write_run(tmp_path, [verdict()], finished=False))
    assert badge_of([results]) == Badge("JMS conformance", "not finished", "lightgrey")
