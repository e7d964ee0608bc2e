"""Figures that are kept add up over runs."""

from __future__ import annotations

from pathlib import Path

from fuzz import kept
from fuzz.watching import TargetFigures


def test_runs_of_a_target_are_summed_up(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    kept.add(
        [TargetFigures("b", 100, 2.0, 0.01, 1000, 1), TargetFigures("a", 5, 1.0, 0.1, 10, 0)], file
    )
    kept.add([TargetFigures("b", 20, 1.5, 0.03, 500, 2, "it hangs")], file)
    assert kept.sum_by_target(kept.read(file)) == [
        TargetFigures("a", 5, 1.0, 0.1, 10, 0),
        TargetFigures("b", 120, 3.5, 0.03, 1000, 3, "it hangs"),
    ]
