"""Lists the scenarios of the catalogue and what they judge."""

from __future__ import annotations

import argparse

from touchstone.catalogue import known_library
from touchstone.catalogue.scenarios import collect_scenarios
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.judging.options import ScenarioSelection
from touchstone.judging.selection import selected
from touchstone.verdicts import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to list."""
    parser.add_argument("--area", action="append", default=[], metavar="AREA")
    parser.add_argument("--document", action="append", default=[], metavar="PREFIX")
    parser.add_argument("--requirement", action="append", default=[], metavar="ID")
    parser.add_argument("--scenario", action="append", default=[], metavar="ID")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print the scenarios that were asked for."""
    library = known_library()
    selection = ScenarioSelection(
        requirements=frozenset(arguments.requirement),
        areas=frozenset(arguments.area),
        documents=frozenset(arguments.document),
        scenarios=frozenset(arguments.scenario),
    )
    selection.check(library)
    there = collect_scenarios(library)
    selection.check_scenarios([scenario.id for scenario in there])
    chosen = selected(there, selection)
    if arguments.json:
        print_json({"format": 1, "scenarios": [scenario.as_dict() for scenario in chosen]})
    else:
        print_table(
            f"{len(chosen)} scenarios",
            ("scenario", "judges", "broker", "shows"),
            (
                (s.id, " ".join(s.requirements), _broker(s.profile, s.exclusive), s.shows)
                for s in chosen
            ),
        )
    return ExitStatus.NOTHING_UNEXPECTED


def _broker(profile: str, exclusive: bool) -> str:
    return f"{profile}, private" if exclusive else profile
