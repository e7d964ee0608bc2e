"""Eclipse OpenMQ as a client: what applies to it, and the page that tells of it as the control."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jms_scenarios
from jms_clients.openmq import OpenMqProvider
from jms_clients.registry import load_provider
from touchstone.catalogue.deviation_files import read_deviations
from touchstone.catalogue.registry import load_library
from touchstone.cli import main
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

PAGE = Path(__file__).parents[3] / "docs" / "control.md"
PROGRAMS = PAGE.with_suffix("")
DEVIATIONS = Path(jms_scenarios.__file__).parent / "deviations" / "openmq.toml"
_ID = re.compile(r"`((?:JMS|API)-[A-Z]+)?(-\d+)`")


def told(section: str) -> set[str]:
    """The requirements that a section names; `-002` is of the area of the one before it."""
    names, area = set(), ""
    for begins, number in _ID.findall(section):
        area = begins or area
        names.add(area + number)
    return names


def test_the_provider_says_what_applies_to_it() -> None:
    provider = load_provider("openmq@6.6.0")
    assert isinstance(provider, OpenMqProvider)
    assert (provider.documents, provider.broker_family) == (frozenset(), "openmq")


def test_the_page_explains_each_deviation() -> None:
    entries = read_deviations(DEVIATIONS, load_library())
    explained = told(PAGE.read_text().partition("## What is OpenMQ's")[2])
    assert {entry.requirement for entry in entries} - explained == set()


def test_the_page_names_each_program() -> None:
    page = PAGE.read_text()
    programs = {file.name for file in PROGRAMS.glob("*.java")} - {"Control.java"}
    assert programs
    assert {name for name in programs if f"`{name}`:" not in page} == set()


def test_scenarios_of_the_core_judge_it(tmp_path: Path) -> None:
    pytest.importorskip("jpype")
    status = main(
        ["run", "--provider", "openmq", "--results-dir", str(tmp_path),
         "--requirement", "JMS-ORD-001", "--requirement", "JMS-DLY-001"]
    )  # fmt: skip
    assert status == ExitStatus.NOTHING_UNEXPECTED

    [run] = tmp_path.iterdir()
    worst = read(run).worst_by_requirement("openmq")
    assert (worst["JMS-ORD-001"], worst["JMS-DLY-001"]) == (Verdict.CONFORMS, Verdict.DEVIATES)
