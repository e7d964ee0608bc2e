"""Figures that are kept: a line for each target and run in `kept.jsonl`, so that runs add up."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench.kept import current_commit
from fuzz.targets import ROOT
from fuzz.watching import TargetFigures

FILE: Final = Path(__file__).parent / "kept.jsonl"


def add(figures: Iterable[TargetFigures], file: Path = FILE) -> None:
    """Write them to the end of `file`, with the date and the commit."""
    when = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "commit": current_commit()}
    with file.open("a", encoding="utf-8") as lines:
        lines.writelines(
            json.dumps(when | {"figures": _portable_figures(each)}) + "\n" for each in figures
        )


def _portable_figures(figures: TargetFigures) -> dict[str, object]:
    """As it is kept: a traceback without the folder of this checkout."""
    return asdict(replace(figures, finding=figures.finding.replace(f"{ROOT}/", "")))


def read(file: Path = FILE) -> list[TargetFigures]:
    """What was added, in that order."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [TargetFigures(**json.loads(line)["figures"]) for line in lines]


def sum_by_target(figures: Iterable[TargetFigures]) -> list[TargetFigures]:
    """One for each target: inputs, seconds and suspects added, the greatest CPU time and memory."""
    sums: dict[str, TargetFigures] = {}
    for each in figures:
        known = sums.get(each.target)
        sums[each.target] = each if known is None else _sum(known, each)
    return [sums[name] for name in sorted(sums)]


def _sum(left: TargetFigures, other: TargetFigures) -> TargetFigures:
    return TargetFigures(
        target=left.target,
        inputs=left.inputs + other.inputs,
        seconds=left.seconds + other.seconds,
        cpu=max(left.cpu, other.cpu),
        memory=max(left.memory, other.memory),
        suspects=left.suspects + other.suspects,
        finding=left.finding or other.finding,
    )
