"""Lists the providers that are installed, and the wrong clients that scenarios must notice."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from jms_brokers.errors import HintedError
from jms_clients import readiness
from jms_clients.mutants.registry import all_mutants
from jms_clients.readiness import spellings
from jms_clients.registry import families_of, load_provider
from touchstone.catalogue.kept import kept_result
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.verdicts import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to list."""
    parser.add_argument("--mutants", action="store_true", help="list the wrong clients too")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print every registered provider, and why one cannot run here; nothing is fetched for it."""
    facts = [_facts(name) for name in spellings()]
    mutants: list[dict[str, Any]] = []
    if arguments.json or arguments.mutants:  # to find them takes longer than all the rest
        mutants = kept_result("mutants", _mutants)
    if arguments.json:
        print_json({"format": 1, "providers": facts, "mutants": mutants})
        return ExitStatus.NOTHING_UNEXPECTED
    print_table(
        "Providers",
        ("--provider", "version", "or", "namespace", "brokers", "documents", "runs here"),
        (
            (
                entry["name"],
                entry.get("version", ""),
                " ".join(_further_spellings(entry)),
                entry.get("namespace") or entry.get("transport", ""),
                " ".join(entry.get("broker_families", [])),
                " ".join(entry.get("documents", [])),
                f"no: {entry['problem']}" if entry.get("problem") else "yes",
            )
            for entry in facts
        ),
        spare=("namespace", "documents", "brokers"),
    )
    if arguments.mutants:
        print_table(
            f"\n{len(mutants)} wrong clients",
            ("spelling", "area", "violates", "what is wrong"),
            (
                (mutant["name"], mutant["area"], " ".join(mutant["violates"]), mutant["doc"])
                for mutant in mutants
            ),
        )
    return ExitStatus.NOTHING_UNEXPECTED


def _further_spellings(facts: Mapping[str, Any]) -> Iterator[str]:
    """How `--provider` takes its other versions, and it on another family of brokers."""
    name = facts["name"]
    yield from (f"{name}@{each}" for each in facts.get("versions", []) if each != facts["version"])
    yield from (f"{name}+on:{family}" for family in facts.get("broker_families", [])[1:])


def _facts(name: str) -> dict[str, Any]:
    try:
        provider = load_provider(name)
        problem = readiness.obstacle(provider)
    except HintedError as error:
        return {"name": name, "runs_here": False, "problem": error.what}
    facts: dict[str, Any] = {
        "name": provider.name,
        "version": provider.version,
        "versions": list(readiness.versions(provider)),
        "namespace": readiness.namespace(provider),
        "broker_families": list(families_of(provider)),
        "transport": provider.transport,
        "documents": sorted(provider.documents),
        "capabilities": sorted(provider.capabilities),
        "runs_here": not problem,
    }
    return {**facts, "problem": problem} if problem else facts


def _mutants() -> list[dict[str, object]]:
    return [
        {
            "name": mutant.spelling,
            "area": mutant.area,
            "violates": list(mutant.violates),
            "doc": mutant.doc,
        }
        for mutant in sorted(all_mutants().values(), key=lambda mutant: (mutant.area, mutant.name))
    ]
