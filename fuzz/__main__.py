"""Fuzzes the targets that are named, else all of them. Exit status 1 when there is a finding."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fuzz import kept
from fuzz.judging import judge
from fuzz.targets import ROOT, Target, all_targets, find
from fuzz.watching import TargetFigures

_OUT = Console(highlight=False, markup=False, width=120)
_FOR_EVER = 10**9
"""Seconds."""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all")
    parser.add_argument("--list", action="store_true", help="print the targets, and that is all")
    parser.add_argument("--input", type=Path, metavar="FILE", help="judge this input alone")
    parser.add_argument("--minutes", type=float, help="for all targets together")
    parser.add_argument("--inputs", type=int, default=-1, help="for each target")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--keep", action="store_true", help=f"add the figures to {kept.FILE.name}")
    parser.add_argument("--kept", action="store_true", help="print what was kept, summed up")
    arguments = parser.parse_args()
    if arguments.list:
        for target in all_targets():
            _OUT.print(f"{target.name:<28}{target.directory}")
        return 0
    if arguments.kept:
        _OUT.print(table(kept.sum_by_target(kept.read())))
        return 0
    try:
        targets = [find(name) for name in arguments.targets] or all_targets()
    except LookupError as error:
        parser.error(str(error))
    if arguments.input:
        if len(targets) != 1:
            parser.error("--input is for one target: name it")
        return _run_one(targets[0], arguments.input)
    if arguments.minutes is None and arguments.inputs < 0:
        parser.error("say how long: --minutes or --inputs")
    share = arguments.at_once / max(len(targets), arguments.at_once)
    seconds = _FOR_EVER if arguments.minutes is None else arguments.minutes * 60 * share
    return _run_all(targets, seconds, arguments)


def _run_one(target: Target, path: Path) -> int:
    seen = judge(target, path.read_bytes())
    _OUT.print(seen.fault or "nothing is wrong")
    _OUT.print(f"{seen.cpu:.3f} s of CPU time, {seen.memory / (1 << 20):.1f} MiB")
    return 1 if seen.fault else 0


def _run_all(targets: list[Target], seconds: float, arguments: argparse.Namespace) -> int:
    with ThreadPoolExecutor(arguments.at_once) as pool:
        figures = list(pool.map(lambda each: _run_apart(each, seconds, arguments.inputs), targets))
    _OUT.print(table(figures))
    for each in figures:
        if each.finding:
            _OUT.print(f"\n{each.target}: {each.finding}")
    if arguments.keep:
        kept.add(figures)
    return 1 if any(each.finding for each in figures) else 0


def _run_apart(target: Target, seconds: float, inputs: int) -> TargetFigures:
    """What becomes of the target, in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-m", "fuzz.watching", target.name, str(seconds), str(inputs)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        check=True,
    )
    return TargetFigures(**json.loads(ended.stdout))


def table(figures: Iterable[TargetFigures]) -> Table:
    """The figures, a row for each target."""
    shown = Table("target", title="Fuzzing", title_justify="left")
    for column in ("inputs", "seconds", "inputs/s", "CPU, ms", "memory, MiB", "suspects", "found"):
        shown.add_column(column, justify="right")
    for each in figures:
        shown.add_row(
            each.target,
            f"{each.inputs:,}",
            f"{each.seconds:.0f}",
            f"{each.inputs / max(each.seconds, 0.001):,.0f}",
            f"{each.cpu * 1000:.0f}",
            f"{each.memory / (1 << 20):.0f}",
            str(each.suspects),
            "1" if each.finding else "",
        )
    return shown


if __name__ == "__main__":
    raise SystemExit(main())
