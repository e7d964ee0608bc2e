"""Explains a requirement: statement, sources, rules of the reference, scenarios, deviations."""

from __future__ import annotations

import argparse
from difflib import get_close_matches

from rich.padding import Padding
from rich.text import Text

from pulsar_jms.mapping.implements import rules_by_requirement
from touchstone.catalogue import Library, Requirement, load_library
from touchstone.catalogue.scenarios import by_requirement, collect_scenarios
from touchstone.commands.output import add_json, console, print_json
from touchstone.deviations import load_deviations
from touchstone.errors import UsageError
from touchstone.mutants.registry import all_mutants
from touchstone.verdicts import ExitStatus

NAME = "explain"
HELP = "what a requirement says, who implements and who judges it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which requirement."""
    parser.add_argument("requirement", metavar="REQ", help="an id such as SLJ-PROP-002")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print everything that is known of one requirement."""
    library = load_library()
    requirement = _find(arguments.requirement.upper(), library)
    facts = explanation(requirement, library)
    if arguments.json:
        print_json({"format": 1, "requirement": facts})
    else:
        _print(facts)
    return ExitStatus.NOTHING_UNEXPECTED


def explanation(requirement: Requirement, library: Library) -> dict[str, object]:
    """Plain data about the requirement, gathered from all parts of the project."""
    id_ = requirement.id
    return {
        **requirement.as_dict(),
        "title": library.documents[requirement.document].title,
        "rules": [
            {"name": rule.name, "module": rule.module, "statement": rule.statement}
            for rule in rules_by_requirement().get(id_, ())
        ],
        "scenarios": [
            {"id": scenario.id, "shows": scenario.shows}
            for scenario in by_requirement(collect_scenarios(library)).get(id_, ())
        ],
        "deviations": [
            {"provider": entry.provider, "scenario": entry.scenario or None, **entry.as_dict()}
            for entry in load_deviations(library)
            if entry.requirement == id_
        ],
        "mutants": [
            {"name": one.name, "doc": one.doc}
            for one in all_mutants().values()
            if id_ in one.violates
        ],
    }


def _find(id_: str, library: Library) -> Requirement:
    try:
        return library.requirements[id_]
    except KeyError:
        close = get_close_matches(id_, library.requirements, n=3)
        raise UsageError(
            f"There is no requirement {id_!r}",
            hint=f"Did you mean {' or '.join(close)}?" if close else "See `touchstone coverage`.",
        ) from None


def _print(facts: dict[str, object]) -> None:
    out = console()
    out.print(Text(f"{facts['id']}  {facts['area']}, {facts['strength']}", style="bold"))
    out.print(Text(f"{facts['statement']}"))
    sections: list[tuple[str, list[str]]] = [
        ("Stated in", [f"{s['document']}, {s['section']}" for s in _rows(facts, "source")]),
        ("Seen by", [str(facts["verify"])] if facts.get("verify") else []),
        ("Note", [str(facts["note"])] if facts.get("note") else []),
        (
            "Implemented by",
            [f"{r['module']}.{r['name']}: {r['statement']}" for r in _rows(facts, "rules")],
        ),
        ("Judged by", [f"{s['id']}: {s['shows']}" for s in _rows(facts, "scenarios")]),
        (
            "Known deviations",
            [f"{d['provider']} ({d['class']}): {d['reason']}" for d in _rows(facts, "deviations")],
        ),
        ("Wrong clients", [f"{m['name']}: {m['doc']}" for m in _rows(facts, "mutants")]),
    ]
    for title, lines in sections:
        if lines:
            out.print(Text(title, style="cyan"))
        for line in lines:
            out.print(Padding(Text(line), (0, 0, 0, 2), expand=False))


def _rows(facts: dict[str, object], name: str) -> list[dict[str, object]]:
    rows = facts[name]
    assert isinstance(rows, list)
    return rows
