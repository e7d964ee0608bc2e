"""Lists the providers that are installed, and the wrong clients that scenarios must notice."""

from __future__ import annotations

import argparse
from typing import Any

from jms_brokers.errors import HintedError
from touchstone.catalogue.kept import kept
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.mutants.registry import all_mutants
from touchstone.providers import readiness
from touchstone.providers.readiness import spellings
from touchstone.providers.registry import families_of, load_provider
from touchstone.verdicts import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to list."""
    parser.add_argument("--mutants", action="store_true", help="list the wrong clients too")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print every registered provider, and why one cannot run here; nothing is fetched for it."""
    found = [_facts(name) for name in spellings()]
    mutants: list[dict[str, Any]] = []
    if arguments.json or arguments.mutants:  # to find them takes longer than all the rest
        mutants = kept("mutants", _mutants)
    if arguments.json:
        print_json({"format": 1, "providers": found, "mutants": mutants})
        return ExitStatus.NOTHING_UNEXPECTED
    print_table(
        "Providers",
        ("name", "version", "other versions", "namespace", "brokers", "documents", "runs here"),
        (
            (
                one["name"],
                one.get("version", ""),
                " ".join(v for v in one.get("versions", []) if v != one["version"]),
                one.get("namespace") or one.get("transport", ""),
                " ".join(one.get("broker_families", [])),
                " ".join(one.get("documents", [])),
                f"no: {one['problem']}" if one.get("problem") else "yes",
            )
            for one in found
        ),
    )
    if arguments.mutants:
        print_table(
            f"\n{len(mutants)} wrong clients",
            ("spelling", "area", "violates", "what is wrong"),
            ((one["name"], one["area"], " ".join(one["violates"]), one["doc"]) for one in mutants),
        )
    return ExitStatus.NOTHING_UNEXPECTED


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
            "name": one.spelling,
            "area": one.area,
            "violates": list(one.violates),
            "doc": one.doc,
        }
        for one in sorted(all_mutants().values(), key=lambda one: (one.area, one.name))
    ]
