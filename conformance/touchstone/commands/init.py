"""Writes a Python package with a client, a catalogue or a family of brokers of your own.

It works as it is: what it is for is filled in afterwards. The folder's name is that of the
distribution and, with _ for -, of the package.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from touchstone.commands.output import console
from touchstone.skeletons.writing import KINDS, write_skeleton
from touchstone.verdicts import ExitStatus

_JUDGES = {
    "provider": "touchstone run --provider {name} --area order",
    "catalogue": "touchstone run --catalogue {name}",
    "broker": "touchstone run --provider {name} --broker {name}=URL --area order",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Of what, and where."""
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help="|".join(KINDS))
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder, new or empty")


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Write it, and say what to do next."""
    blanks = write_skeleton(arguments.kind, arguments.folder)
    next_ = [
        f"pip install --no-deps --no-build-isolation --editable {arguments.folder}",
        _JUDGES[arguments.kind].format(name=blanks.name),
        f"pytest {arguments.folder / 'tests'}",
    ]
    out = console()
    out.print(f"{arguments.folder}: the package {blanks.package}. Next:", markup=False)
    for line in next_:
        out.print(f"  {line}", markup=False)
    return ExitStatus.NOTHING_UNEXPECTED
