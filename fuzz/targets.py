"""What is fuzzed: targets stand beside the tests of their package, in files `fuzz_*.py`.

Such a file has `TARGETS`, a tuple. The names of its targets begin with its own: `fuzz_avro.py` has
`avro` or `avro-schema`. The kept inputs of a target are the files in `corpora/NAME` beside it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]

Mutation = Callable[[bytes, Random], bytes]
"""Another input made of one, by what is known of its structure."""


@dataclass(frozen=True)
class Target:
    """A decoder under hostile input."""

    name: str
    directory: str
    """The folder whose `tests` it stands in: impl, conformance or reports."""
    decode: Callable[[bytes], object]
    """What is called. An oracle says by `assert` what else has to hold."""
    promises: tuple[type[Exception], ...] = ()
    """What `decode` may raise, and nothing else."""
    mutate: Mutation | None = None
    """Half of all inputs are made by this, the others by the engine, which knows only bytes."""
    longest: int = 8_192
    """Bytes of an input."""

    @property
    def corpus(self) -> Path:
        """The folder of the inputs that are kept."""
        return ROOT / self.directory / "tests" / "corpora" / self.name


def all_targets() -> list[Target]:
    """Every target of every package, by name; without those of the driver's own tests."""
    targets = (each for stem in _stems() for each in _targets_of(stem) if each.directory != "fuzz")
    return sorted(targets, key=lambda each: each.name)


def find(name: str) -> Target:
    """The target of this name; only its own file is imported."""
    for stem in _stems():
        if name == stem or name.startswith(f"{stem}-"):
            for target in _targets_of(stem):
                if target.name == name:
                    return target
    raise LookupError(f"there is no target {name!r}; `python -m fuzz --list` shows them")


def _stems() -> list[str]:
    files = sorted(ROOT.glob("*/tests/fuzz_*.py"))
    for folder in {str(path.parent) for path in files} - {*sys.path}:
        sys.path.append(folder)
    return [path.stem.removeprefix("fuzz_") for path in files]


def _targets_of(stem: str) -> tuple[Target, ...]:
    targets: tuple[Target, ...] = importlib.import_module(f"fuzz_{stem}").TARGETS
    return targets
