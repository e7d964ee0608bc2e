"""Where figures are shown, and where they are kept."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from bench import kept
from touchstone.commands.output import DiscreetConsole

OUT = DiscreetConsole(highlight=False, markup=False, width=120)


def keep(
    name: str, arguments: argparse.Namespace, content: Mapping[str, object], *given: str
) -> Path:
    """The file of a result, named by those of the arguments that it heeds."""
    return kept.keep(name, {argument: getattr(arguments, argument) for argument in given}, content)
