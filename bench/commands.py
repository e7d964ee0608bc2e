"""What commands that only report something cost: seconds of CPU, cold and warm."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

AIMS: Final = {
    "--help": 0.15,
    "explain SLJ-PROP-002": 0.4,
    "list": 0.4,
    "list --area redelivery": 0.4,
    "coverage": 0.4,
    "deviations": 0.4,
    "providers": 0.4,
}
"""The commands, and the seconds that each may take when it is warm and processors are idle."""


@dataclass(frozen=True)
class CommandCosts:
    """Seconds of CPU, user and system, of one command."""

    command: str
    cold: float
    """Without bytecode and with an empty cache folder, as after an installation."""
    warm: float
    """The median of those that followed."""


def measure(rounds: int) -> Iterator[CommandCosts]:
    """Each command, run once cold and `rounds` times warm, in a folder without results."""
    for command in AIMS:
        with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as name:
            folder = Path(name)
            own = {
                "TOUCHSTONE_CACHE": str(folder / "cache"),
                "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
                "PYTHONDONTWRITEBYTECODE": "",
            }
            environment = {**os.environ, **own}
            cold, *warm = (_seconds(command, folder, environment) for _ in range(rounds + 1))
        yield CommandCosts(command, cold, statistics.median(warm))


def _seconds(command: str, folder: Path, environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "touchstone", *command.split()],
        check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
