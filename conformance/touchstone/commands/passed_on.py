"""The options that commands pass on to runs, where they are shown or completed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import groupby

from touchstone.run_options import OF_PYTEST, RUN_OPTIONS, RunOption

_NAMED_BY_THE_COMMAND = "--provider"
"""Each command has a way of its own to name clients."""


def add_options_of_runs(parser: argparse.ArgumentParser) -> None:
    """Adds those that the command has not itself, by their subjects; pytest's own behind them."""
    own = parser.format_usage().removeprefix("usage: ").rstrip()
    parser.usage = f"{own} [OPTION OF A RUN ...]"
    for subject, options in groupby(RUN_OPTIONS, key=lambda option: option.subject):
        _add(parser, subject, options)
    _add(parser, "of pytest, which has more (`pytest --help`)", OF_PYTEST)


def _add(parser: argparse.ArgumentParser, title: str, options: Iterable[RunOption]) -> None:
    there = {_NAMED_BY_THE_COMMAND, *parser._option_string_actions}
    group = parser.add_argument_group(title)
    for option in options:
        if option.name not in there:
            group.add_argument(option.name, dest=option.dest, help=option.help, **option.how)
