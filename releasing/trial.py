"""The wheels of a release in an environment of their own, without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from releasing.distributions import ROOT

TRIED: tuple[tuple[str, ...], ...] = (
    ("doctor",),
    ("providers",),
    ("run", "--requirement", "SLJ-PROP-002", "--no-reports"),
)
"""Commands of `touchstone`; each has to end with 0."""


def environment(home: Path, wheels: Iterable[Path]) -> Path:
    """The folder of programs of a new environment: wheels and what `locks/base.txt` locks.

    CalledProcessError, also where what is installed does not suit what the wheels ask for.
    """
    uv = [sys.executable, "-m", "uv", "--quiet"]
    into = ["--python", str(home / "bin" / "python")]
    locked = ["--require-hashes", "--requirement", str(ROOT / "locks" / "base.txt")]
    for words in (
        ["venv", "--python", sys.executable, str(home)],
        ["pip", "install", *into, *locked],
        ["pip", "install", *into, "--no-deps", *map(str, wheels)],
        ["pip", "check", *into],
    ):
        subprocess.run([*uv, *words], check=True)
    return home / "bin"


def touchstone(
    programs: Path, words: Sequence[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """One command of `touchstone` in `folder`, with nothing of this process's own Python."""
    ours = ("PYTHON", "PYTEST", "VIRTUAL_ENV")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [programs / "touchstone", *words],
        cwd=folder, env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip


def failures(programs: Path, version: str, folder: Path) -> list[str]:
    """What the installed release does not do in `folder`, with what it said."""
    done = {words: touchstone(programs, words, folder) for words in (("--version",), *TRIED)}
    found = [
        f"`touchstone {' '.join(words)}` ended with {each.returncode}:\n{each.stdout}{each.stderr}"
        for words, each in done.items()
        if each.returncode
    ]
    told = done["--version",].stdout.strip()
    return found if told == version else [f"It says it is {told}, not {version}", *found]
