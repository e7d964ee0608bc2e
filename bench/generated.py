"""How much is noticed of the reference's code being changed: measured, and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import kept
from touchstone.commands.changes import Asked, prove_changes


def measure(sample: int | None, at_once: int, seed: int) -> dict[str, Any]:
    """Scores and every change's fate, of a sample drawn by the commit or of all."""
    return prove_changes(sample, (), Asked(at_once, seed, offline=False))


def keep(sample: int | None, seed: int, told: dict[str, Any]) -> Path:
    """Write it to the kept results; gives the file."""
    return kept.keep("generated", {"sample": sample, "seed": seed}, told)
