"""JUnit XML of a run: a suite per combination and area, a case per scenario and requirement.

A combination is a client on a broker on a Java, and the class of a case names all of it. Of pairs
of clients it has a suite per pair, and a case per exchange.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from touchstone_reports.combination import Combination
from touchstone_reports.exchanges import Exchange, PairCell, ReportedDifference, pair_table
from touchstone_reports.legible import legible, one_line, shorten
from touchstone_reports.results import Run, RunResults, VerdictLine, read_all
from touchstone_reports.verdicts import Verdict

_TAGS = {
    Verdict.VIOLATES: "failure",
    Verdict.INCONCLUSIVE: "error",
    Verdict.NOT_APPLICABLE: "skipped",
}


def write(run_dirs: Path | Sequence[Path], out: Path) -> None:
    """Write the JUnit XML of one or several runs to the file `out`.

    The form is that of Jenkins' schema (xunit plug-in, junit-10.xsd), which knows no properties
    of a case: a documented deviation is a property of the suite and the output of its case.
    """
    root = ET.Element("testsuites", name="touchstone")
    suites = [suite for results in read_all(run_dirs) for suite in _suites(results)]
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.attrib[name]) for suite in suites)))
    root.set("time", f"{sum(float(suite.get('time', 0)) for suite in suites):.3f}")
    root.extend(suites)
    tree = ET.ElementTree(root)
    ET.indent(tree)
    out.parent.mkdir(parents=True, exist_ok=True)
    tree.write(out, encoding="utf-8", xml_declaration=True)


def _suites(results: RunResults) -> Iterator[ET.Element]:
    for provider in results.run.providers:
        for area, judgements in _by_area(results.of(provider.name)).items():
            combination = results.run.combination(provider.name)
            yield _suite_of_area(results.run, combination, area, judgements)
    clients = [provider.name for provider in results.run.providers]
    for row in pair_table(clients, results.exchanges).rows:
        yield from (_suite_of_pair(results.run, cell) for cell in row if cell.exchanges)


def _by_area(judgements: Iterable[VerdictLine]) -> dict[str, list[VerdictLine]]:
    areas: dict[str, list[VerdictLine]] = {}
    for judgement in judgements:
        areas.setdefault(judgement.area, []).append(judgement)
    return areas


def _suite_of_area(
    run: Run, combination: Combination, area: str, judgements: Sequence[VerdictLine]
) -> ET.Element:
    facts = combination.parameters | {"run": run.id, "seed": str(run.seed)}
    facts |= {
        f"deviation {_name(judgement)}": (
            f"{judgement.deviation.label}: {one_line(judgement.deviation.reason)}"
        )
        for judgement in judgements
        if judgement.deviation
    }
    suite = _suite(
        f"{combination.title}: {area}",
        facts,
        [
            _case(judgement, f"{combination.title}.{area}", run.strict_should)
            for judgement in judgements
        ],
        min(judgement.started for judgement in judgements),
    )
    suite.set("time", f"{sum(judgement.duration for judgement in judgements):.3f}")
    return suite


def _suite_of_pair(run: Run, pair: PairCell) -> ET.Element:
    """A suite without times: many exchanges go on at once, and none has a time of its own."""
    name = run.combination(f"{pair.producer} to {pair.consumer}").title
    facts = {"producer": pair.producer, "consumer": pair.consumer, "run": run.id}
    facts |= {
        f"deviation {exchange.name} [{each.field}]": f"{each.deviation.label}: "
        + one_line(each.deviation.reason)
        for exchange in pair.exchanges
        for each in exchange.differences
        if each.deviation
    }
    cases = [_case_of_exchange(exchange, name) for exchange in pair.exchanges]
    return _suite(name, facts, cases, run.started)


def _suite(
    name: str, facts: Mapping[str, str], cases: Sequence[ET.Element], started: datetime
) -> ET.Element:
    def count(tag: str) -> str:
        return str(sum(case.find(tag) is not None for case in cases))

    suite = ET.Element(
        "testsuite",
        name=legible(name),
        tests=str(len(cases)),
        failures=count("failure"),
        errors=count("error"),
        skipped=count("skipped"),
        timestamp=started.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds"),
    )
    properties = ET.SubElement(suite, "properties")
    for fact, value in facts.items():
        ET.SubElement(properties, "property", name=legible(fact), value=legible(value))
    suite.extend(cases)
    return suite


def _case(judgement: VerdictLine, of_class: str, strict_should: bool) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=legible(of_class),
        name=_name(judgement),
        time=f"{judgement.duration:.3f}",
    )
    if tag := _tag(judgement, strict_should):
        reason = judgement.reason or ""
        message = one_line(reason, 300)
        if judgement.unmet_should and not strict_should:
            message = f"{judgement.label}: {message}"
        ET.SubElement(case, tag, type=judgement.label, message=message).text = _text(judgement)
    elif judgement.verdict is Verdict.DEVIATES:
        ET.SubElement(case, "system-out").text = f"{judgement.verdict}\n{_text(judgement)}"
    return case


def _tag(judgement: VerdictLine, strict_should: bool) -> str | None:
    """The element that carries the verdict: an unmet should is red only where it fails the run."""
    if judgement.unmet_should and not strict_should:
        return "skipped"
    return _TAGS.get(judgement.verdict)


def _name(judgement: VerdictLine) -> str:
    return legible(f"{judgement.scenario.partition('/')[2]} {judgement.requirement}")


def _text(judgement: VerdictLine) -> str:
    deviation = judgement.deviation
    lines = (
        ("reason", judgement.reason),
        ("expected", judgement.expected),
        ("seen", judgement.seen),
        ("deviation", f"{deviation.label}: {deviation.reason}" if deviation else None),
        ("kept with", deviation.option if deviation else None),
        ("link", deviation.link if deviation else None),
        ("trace", judgement.trace),
        ("evidence", judgement.evidence),
        ("rerun", judgement.rerun),
    )
    return "\n".join(f"{name}: {shorten(value)}" for name, value in lines if value)


def _case_of_exchange(exchange: Exchange, of_class: str) -> ET.Element:
    case = ET.Element("testcase", classname=legible(of_class), name=legible(exchange.name))
    text = "\n".join(
        [*map(_difference_text, exchange.differences), f"rerun: {legible(exchange.rerun)}"]
    )
    if tag := _TAGS.get(exchange.verdict):
        message = one_line(exchange.reason or "", 300)
        ET.SubElement(case, tag, type=str(exchange.verdict), message=message).text = text
    elif exchange.verdict is Verdict.DEVIATES:
        ET.SubElement(case, "system-out").text = f"{exchange.verdict}\n{text}"
    return case


def _difference_text(difference: ReportedDifference) -> str:
    deviation = difference.deviation
    lines = (
        (difference.requirement, f"{difference.field} ({difference.verdict})"),
        ("  expected", difference.expected),
        ("  seen", difference.seen),
        ("  deviation", f"{deviation.label}: {deviation.reason}" if deviation else None),
        ("  link", deviation.link if deviation else None),
    )
    return "\n".join(f"{name}: {shorten(value)}" for name, value in lines if value)
