"""Draws programs that nobody wrote, for as long as you like, and judges them by the model.

`touchstone run --drawn` judges some thousand; this goes on with others. Every other option goes to
pytest: -n 2, --broker, --no-reports, …
"""

from __future__ import annotations

import argparse
from pathlib import Path

from touchstone.catalogue import load_library
from touchstone.catalogue.scenarios import collect_scenarios
from touchstone.commands.run import judge, workers
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus

PASSES_ON = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that are not pytest's."""
    parser.add_argument(
        "--provider", default="reference", metavar="NAME", help="the client (default: reference)"
    )
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="how long to draw, in all (default: 10)"
    )
    parser.add_argument(
        "--requirement", metavar="ID", help="only programs on what this statement is about"
    )
    parser.add_argument("--seed", type=int, help="draw from this seed on (default: by chance)")
    parser.add_argument(
        "--replay",
        type=int,
        metavar="SEED",
        help="only the programs of this seed, which a finding tells behind --touchstone-replay",
    )
    parser.add_argument(
        "--shows",
        action="append",
        default=[],
        metavar="MESSAGE",
        help="only programs that end so, as a verdict or the message of a deviation has it, each; "
        "* stands for anything. It ends once --requirement has been shown, of each scenario",
    )
    parser.add_argument(
        "--results-dir",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="where the run is written (default: results)",
    )


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Judge the scenarios that draw programs, each for its share of the time."""
    if not arguments.minutes > 0:
        raise UsageError(
            f"--minutes {arguments.minutes:g} leaves no time", hint="Give more than 0, such as 0.5."
        )
    library = load_library()
    id_ = arguments.requirement
    if id_ is not None and id_ not in library.requirements:
        raise UsageError(f"There is no requirement {id_!r}", hint=library.like(id_))
    every = [each for each in collect_scenarios(library) if each.is_drawn]
    drawn = [each for each in every if id_ is None or id_ in each.requirements]
    if not drawn:
        raise UsageError(
            f"No drawn program judges {id_}",
            hint=f"`touchstone explain {id_}` names the scenarios that do.",
        )
    replay = arguments.replay
    seconds = 0.0 if replay is not None else arguments.minutes * 60 / len(drawn)
    options = ["--provider", arguments.provider, *workers(arguments.provider, arguments.rest)]
    options += ["--results-dir", str(arguments.results_dir)]
    options += ["--touchstone-hunt", str(seconds)]
    options += ["--touchstone-seed", str(arguments.seed)] if arguments.seed is not None else []
    options += ["--touchstone-replay", str(replay)] if replay is not None else []
    options += [option for message in arguments.shows for option in ("--touchstone-shows", message)]
    options += [option for each in drawn for option in ("--scenario", each.id)]
    if id_ is not None:
        options += ["--requirement", id_]
    packages = [catalogue.package for catalogue in library.catalogues]
    return judge(packages, [*options, *arguments.rest])
