"""Explains a requirement: statement, sources, rules of the reference, scenarios, deviations."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.padding import Padding
from rich.text import Text

from jms_clients.presets import PRESETS
from touchstone.catalogue import known_library
from touchstone.catalogue.kept import Passing, kept_result
from touchstone.commands.output import add_json, console, print_json
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus
from touchstone_reports.legible import legible


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which requirement."""
    parser.add_argument("requirement", metavar="REQ", help="an id such as SLJ-PROP-002")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print everything that is known of one requirement."""
    known = all_explanations()
    id_ = arguments.requirement.upper()
    if id_ not in known:
        raise UsageError(f"There is no requirement {id_!r}", hint=known_library().like(id_))
    facts = known[id_]
    if arguments.json:
        print_json({"format": 1, "requirement": facts})
    else:
        _print(facts)
    return ExitStatus.NOTHING_UNEXPECTED


def all_explanations() -> dict[str, dict[str, object]]:
    """All that is known of each requirement, by its id, as plain data."""
    explained: dict[str, dict[str, object]] = kept_result("explanations", _explain_all)
    return explained


def _explain_all() -> dict[str, dict[str, object]]:
    # What is gathered for this takes seconds to import.
    from touchstone.catalogue import load_library
    from touchstone.catalogue.explanations import explanations

    library = load_library()
    found = {id_: each.as_dict() for id_, each in explanations(library).items()}
    if library.broken:
        raise Passing(found)
    return found


def _print(facts: dict[str, object]) -> None:
    out = console()
    title = f"{facts['id']}  {facts['area']}, {facts['strength']}"
    out.print(title, style="bold", markup=False)
    out.print(facts["statement"], markup=False)
    preferred = dict.fromkeys(name for s in _rows(facts, "scenarios") for name in _presets(s))
    sections: list[tuple[str, list[str]]] = [
        ("Stated in", [f"{s['title']}, {s['section']}" for s in _rows(facts, "source")]),
        ("Seen by", [str(facts["verify"])] if facts.get("verify") else []),
        ("Note", [str(facts["note"])] if facts.get("note") else []),
        (
            "Implemented by",
            [f"{r['module']}.{r['name']}: {r['statement']}" for r in _rows(facts, "rules")],
        ),
        ("Judged by", [_with_presets(s) for s in _rows(facts, "scenarios")]),
        ("Presets", [f"{name}: {PRESETS[name]}" for name in preferred]),
        (
            "Known deviations",
            [
                f"{_client_and_broker(d)}: {d['reason']}{_mended(d)}"
                for d in _rows(facts, "deviations")
            ],
        ),
        ("Wrong clients", [f"{m['name']}: {m['doc']}" for m in _rows(facts, "mutants")]),
    ]
    for title, lines in sections:
        if lines:
            out.print(Text(title, style="cyan"))
        for line in lines:
            # Padding would cut what is not wrapped, as it is where no terminal is.
            out.print(
                Padding(Text(legible(line)), (0, 0, 0, 2), expand=False)
                if out.is_terminal
                else Text(f"  {legible(line)}")
            )


def _client_and_broker(deviation: dict[str, object]) -> str:
    """The client and its broker, with the class, and whose fault it is if not the client's."""
    on = f" on {deviation['broker']}" if deviation["broker"] else ""
    kind, fault = str(deviation["class"]), str(deviation.get("fault", "client"))
    of = "" if fault == "client" or kind.startswith(fault) else f" of the {fault}"
    return f"{deviation['provider']}{on} ({kind}{of})"


def _presets(scenario: dict[str, object]) -> Sequence[str]:
    """The presets of its client that a scenario prefers, by their names."""
    names = scenario["presets"]
    assert isinstance(names, list)
    return names


def _with_presets(scenario: dict[str, object]) -> str:
    told = ", ".join(_presets(scenario))
    return f"{scenario['id']}: {scenario['shows']}{f' (presets: {told})' if told else ''}"


def _mended(deviation: dict[str, object]) -> str:
    option = deviation.get("option")
    return f" Kept with {option}." if option else ""


def _rows(facts: dict[str, object], name: str) -> list[dict[str, object]]:
    rows = facts[name]
    assert isinstance(rows, list)
    return rows
