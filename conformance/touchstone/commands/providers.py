"""Lists the providers that are installed, and the wrong clients that scenarios must notice."""

from __future__ import annotations

import argparse
from typing import Any

from touchstone.commands.output import add_json, print_json, print_table
from touchstone.errors import TouchstoneError
from touchstone.mutants.registry import Mutant, all_mutants
from touchstone.providers.registry import load_provider, provider_names
from touchstone.verdicts import ExitStatus

NAME = "providers"
HELP = "the clients that can be judged"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to list."""
    parser.add_argument("--mutants", action="store_true", help="list the wrong clients too")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print every registered provider; one that cannot be loaded is listed with its reason."""
    found = [_facts(name) for name in provider_names()]
    mutants = sorted(all_mutants().values(), key=lambda one: (one.area, one.name))
    if arguments.json:
        print_json({"format": 1, "providers": found, "mutants": [_mutant(one) for one in mutants]})
        return ExitStatus.NOTHING_UNEXPECTED
    print_table(
        "Providers",
        ("name", "version", "broker", "transport", "documents", "problem"),
        (
            (
                one["name"],
                one.get("version", ""),
                one.get("broker_family", ""),
                one.get("transport", ""),
                " ".join(one.get("documents", [])),
                one.get("problem", ""),
            )
            for one in found
        ),
    )
    if arguments.mutants:
        print_table(
            f"\n{len(mutants)} wrong clients",
            ("spelling", "area", "violates", "what is wrong"),
            ((one.spelling, one.area, " ".join(one.violates), one.doc) for one in mutants),
        )
    return ExitStatus.NOTHING_UNEXPECTED


def _facts(name: str) -> dict[str, Any]:
    try:
        provider = load_provider(name)
    except TouchstoneError as error:
        return {"name": name, "problem": error.what}
    return {
        "name": provider.name,
        "version": provider.version,
        "broker_family": provider.broker_family,
        "transport": provider.transport,
        "documents": sorted(provider.documents),
        "capabilities": sorted(provider.capabilities),
    }


def _mutant(one: Mutant) -> dict[str, object]:
    return {
        "name": one.spelling,
        "area": one.area,
        "violates": list(one.violates),
        "doc": one.doc,
    }
