"""JUnit XML of a run: a suite per provider and area, a case per scenario and requirement."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from datetime import UTC
from pathlib import Path

from touchstone_reports.legible import legible, one_line, shortened
from touchstone_reports.results import Judgement, Run, read_all
from touchstone_reports.verdicts import Verdict


def write(run_dirs: Path | Sequence[Path], out: Path) -> None:
    """Write the JUnit XML of one or several runs to the file `out`.

    The form is that of Jenkins' schema (xunit plug-in, junit-10.xsd), which knows no properties
    of a case: a documented deviation is a property of the suite and the output of its case.
    """
    root = ET.Element("testsuites", name="touchstone")
    suites = [
        _suite(results.run, provider.name, area, judgements)
        for results in read_all(run_dirs)
        for provider in results.run.providers
        for area, judgements in _by_area(results.of(provider.name)).items()
    ]
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.attrib[name]) for suite in suites)))
    root.set("time", f"{sum(float(suite.attrib['time']) for suite in suites):.3f}")
    root.extend(suites)
    tree = ET.ElementTree(root)
    ET.indent(tree)
    out.parent.mkdir(parents=True, exist_ok=True)
    tree.write(out, encoding="utf-8", xml_declaration=True)


def _by_area(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    areas: dict[str, list[Judgement]] = {}
    for one in judgements:
        areas.setdefault(one.area, []).append(one)
    return areas


def _suite(run: Run, provider: str, area: str, judgements: Sequence[Judgement]) -> ET.Element:
    cases = [_case(one, run.strict_should) for one in judgements]

    def count(tag: str) -> str:
        return str(sum(case.find(tag) is not None for case in cases))

    suite = ET.Element(
        "testsuite",
        name=legible(f"{provider}: {area}"),
        tests=str(len(cases)),
        failures=count("failure"),
        errors=count("error"),
        skipped=count("skipped"),
        time=f"{sum(one.duration for one in judgements):.3f}",
        timestamp=min(one.started for one in judgements)
        .astimezone(UTC)
        .replace(tzinfo=None)
        .isoformat(timespec="seconds"),
    )
    properties = ET.SubElement(suite, "properties")
    facts = {"provider": provider, "run": run.id, "seed": str(run.seed)}
    facts |= {
        f"deviation {_name(one)}": f"{one.deviation.kind}: {one_line(one.deviation.reason)}"
        for one in judgements
        if one.deviation
    }
    for name, value in facts.items():
        ET.SubElement(properties, "property", name=legible(name), value=legible(value))
    suite.extend(cases)
    return suite


def _case(one: Judgement, strict_should: bool) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=legible(f"{one.provider}.{one.area}"),
        name=_name(one),
        time=f"{one.duration:.3f}",
    )
    if tag := _tag(one, strict_should):
        reason = one.reason or ""
        message = one_line(reason, 300)
        if one.unmet_should and not strict_should:
            message = f"{one.label}: {message}"
        ET.SubElement(case, tag, type=one.label, message=message).text = _text(one)
    elif one.verdict is Verdict.DEVIATES:
        ET.SubElement(case, "system-out").text = f"{one.verdict}\n{_text(one)}"
    return case


def _tag(one: Judgement, strict_should: bool) -> str | None:
    """The element that carries the verdict: an unmet should is red only where it fails the run."""
    if one.unmet_should and not strict_should:
        return "skipped"
    return {
        Verdict.VIOLATES: "failure",
        Verdict.INCONCLUSIVE: "error",
        Verdict.NOT_APPLICABLE: "skipped",
    }.get(one.verdict)


def _name(one: Judgement) -> str:
    return legible(f"{one.scenario.partition('/')[2]} {one.requirement}")


def _text(one: Judgement) -> str:
    deviation = one.deviation
    lines = (
        ("reason", one.reason),
        ("expected", one.expected),
        ("seen", one.seen),
        ("deviation", f"{deviation.kind}: {deviation.reason}" if deviation else None),
        ("link", deviation.link if deviation else None),
        ("trace", one.trace),
        ("evidence", one.evidence),
        ("rerun", one.rerun),
    )
    return "\n".join(f"{name}: {shortened(value)}" for name, value in lines if value)
