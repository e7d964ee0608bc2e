"""JUnit XML says the same as the verdicts, in the form that Jenkins accepts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports import junit

ALLOWED = {  # junit-10.xsd of Jenkins' xunit plug-in: attributes and children of each element
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
        {"properties", "testcase"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": (
        {"name", "classname", "time"},
        {"skipped", "error", "failure", "system-out"},
    ),
    "skipped": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "failure": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}


@pytest.fixture
def xml(mixed_run: Path, tmp_path: Path) -> ET.Element:
    out = tmp_path / "deep" / "junit.xml"
    junit.write(mixed_run, out)
    return ET.parse(out).getroot()


def cases(root: ET.Element) -> dict[str, ET.Element]:
    return {case.attrib["name"]: case for case in root.iter("testcase")}


@pytest.mark.parametrize(
    ("name", "tag", "type_"),
    [
        ("test_int_property_is_decimal_text SLJ-PROP-002", "failure", "VIOLATES"),
        (r"test_nasty[</script>] SLJ-HDR-001", "error", "INCONCLUSIVE"),
        ("test_optional SLJ-HDR-003", "skipped", "NOT-APPLICABLE"),
        ("test_should SLJ-HDR-002", "skipped", "VIOLATES(should)"),
        ("test_first[a-1] SLJ-PROP-001", None, None),
        ("test_type SLJ-PROP-003", None, None),
    ],
)
def test_each_verdict_has_its_element(
    xml: ET.Element, name: str, tag: str | None, type_: str | None
) -> None:
    case = cases(xml)[name]
    outcomes = [child for child in case if child.tag in ("failure", "error", "skipped")]

    assert [child.tag for child in outcomes] == ([tag] if tag else [])
    assert [child.attrib["type"] for child in outcomes] == ([type_] if type_ else [])


def test_a_failure_says_expected_seen_and_how_to_run_it_again(xml: ET.Element) -> None:
    failure = cases(xml)["test_int_property_is_decimal_text SLJ-PROP-002"].find("failure")

    assert failure is not None
    assert failure.attrib["message"] == "size arrived as a float"
    assert "expected: 42\nseen: 42.0" in (failure.text or "")
    assert "evidence: evidence/raw.txt" in (failure.text or "")
    assert "rerun: touchstone run --provider reference" in (failure.text or "")


def test_a_skipped_case_says_why(xml: ET.Element) -> None:
    skipped = cases(xml)["test_optional SLJ-HDR-003"].find("skipped")

    assert skipped is not None
    assert skipped.attrib["message"] == "optional, and the client declares it absent"


def test_a_deviation_passes_and_is_a_property(xml: ET.Element) -> None:
    said = cases(xml)["test_type SLJ-PROP-003"].findtext("system-out") or ""
    properties = {
        element.attrib["name"]: element.attrib["value"] for element in xml.iter("property")
    }

    assert "deviation: wire-compatibility: the real client writes it so" in said
    assert (
        properties["deviation test_type SLJ-PROP-003"]
        == "wire-compatibility: the real client writes it so"
    )


def test_suites_are_areas_and_count_their_cases(xml: ET.Element) -> None:
    suites = {suite.attrib["name"]: suite.attrib for suite in xml.iter("testsuite")}

    assert set(suites) == {
        "reference on pulsar 4.0.7: properties",
        "reference on pulsar 4.0.7: headers",
    }
    headers = suites["reference on pulsar 4.0.7: headers"]
    counts = [headers[name] for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["3", "0", "1", "2"]
    assert headers["timestamp"] == "2026-11-21T09:00:00"
    assert [xml.attrib[name] for name in ("tests", "failures", "errors")] == ["7", "1", "1"]


def test_the_form_is_the_one_jenkins_accepts(xml: ET.Element) -> None:
    for element in xml.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) <= attributes
        assert {child.tag for child in element} <= children
        if "time" in element.attrib and element.tag != "testcase":
            assert re.fullmatch(r"\d+\.\d{3}", element.attrib["time"])


def test_text_of_a_megabyte_is_cut_and_says_so(xml: ET.Element) -> None:
    error = cases(xml)[r"test_nasty[</script>] SLJ-HDR-001"].find("error")

    assert error is not None
    assert len(error.text or "") < 20_000
    assert "994000 characters left out" in (error.text or "")


def test_an_unmet_should_fails_where_the_run_was_strict(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    directory = write_run(
        tmp_path / "run",
        [verdict(verdict="VIOLATES", strength="should")],
        strict_should=True,
    )
    junit.write([directory], tmp_path / "junit.xml")

    failure = ET.parse(tmp_path / "junit.xml").getroot().find(".//failure")

    assert failure is not None
    assert failure.attrib["type"] == "VIOLATES(should)"
