"""`prove --generated`: the reference is broken by small changes that nobody chose."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from jvm_runtime.own_folders import OwnFolder, environment
from touchstone.catalogue import Library, load_library
from touchstone.catalogue.scenarios import modules_by_requirement
from touchstone.commands.run import command
from touchstone.errors import HarnessError
from touchstone.families.broker_option import broker_settings
from touchstone.judging.generated.reach import Reach, digests, kept
from touchstone.judging.generated.runs import Runs, on_fresh_brokers, warm_runs
from touchstone.judging.generated.task import Task, Told
from touchstone.judging.generated.verdicts import Judged, judge
from touchstone.mutants.generated.changes import Change
from touchstone.mutants.generated.reference import Reference

PROVIDERS = ("reference", "reference-java")
"""In this order: a change is judged on the first that reaches it."""
_CHANGES_OF_A_BROKER = 100
_FILES_OF_A_BROKER = 40
_LONGEST = 30.0
"""Seconds that any scenario may take a few times of, when nothing is known of it."""
_MEASURING = 600.0
"""Seconds for the scenarios of one file."""
BUDGET = 30.0
"""Seconds of scenarios that a change is judged by, as they took on the right reference."""


@dataclass(frozen=True)
class Asked:
    """What runs go on by."""

    at_once: int
    seed: int
    offline: bool


def drawn(reference: Reference, count: int, seed: str) -> list[Change]:
    """`count` of all changes, drawn by `seed`, in the order of the modules."""
    everything = list(reference.changes.values())
    draw = random.Random(seed)  # noqa: S311 (a choice, not a secret)
    chosen = set(draw.sample(range(len(everything)), min(count, len(everything))))
    return [change for at, change in enumerate(everything) if at in chosen]


def commit() -> str:
    """The commit of the checkout that this is in; `HarnessError` where it is in none."""
    done = subprocess.run(
        ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"],  # noqa: S607
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise HarnessError(
            "A sample is drawn by the commit, and this is no checkout",
            hint="Name changes with --change, or take all.",
        )
    return done.stdout.strip()


def judge_all(chosen: Sequence[Change], reference: Reference, asked: Asked) -> list[Judged]:
    """What becomes of each of `chosen`, in their order."""
    files = _files(load_library())
    now = digests(files, reference.digest)
    settings = broker_settings("embedded", offline=asked.offline)
    with ExitStack() as stack:
        folder = stack.enter_context(OwnFolder("generated"))
        runs: dict[str, Runs] = {}
        reaches = []
        for provider in PROVIDERS:
            runs[provider] = stack.enter_context(_runs(provider, files, folder, asked))
            reaches.append(_reach(kept(provider), now, runs[provider], asked))
        begun = time.monotonic()
        judged = []
        for one in on_fresh_brokers(
            settings, folder, chosen, lambda change: judge(change, reaches, runs, BUDGET),
            at_once=asked.at_once, each=_CHANGES_OF_A_BROKER,
        ):  # fmt: skip
            judged.append(one)
            spent = time.monotonic() - begun
            sys.stderr.write(
                f"{len(judged)} of {len(chosen)}, {spent:.0f} s: {one.fate} {one.change.id}"
                f" {one.scenarios} {one.noticed_by}{' ended' if one.ended else ''}\n"
            )
    return judged


def _files(library: Library) -> list[Path]:
    return sorted({file for files in modules_by_requirement(library).values() for file in files})


@contextmanager
def _runs(provider: str, files: Sequence[Path], folder: Path, asked: Asked) -> Iterator[Runs]:
    with warm_runs(
        provider, [str(file) for file in files], command, environment(folder), folder,
        at_once=asked.at_once, seed=asked.seed,
    ) as runs:  # fmt: skip
        yield runs


def _reach(reach: Reach, now: dict[str, str], runs: Runs, asked: Asked) -> Reach:
    """What is known of a provider's reach, with what is not known yet."""
    missing = reach.missing(now)

    def measure(file: str) -> tuple[str, list[Told]]:
        return file, runs.run(Task("", _MEASURING), [file], _LONGEST)

    settings = broker_settings("embedded", offline=asked.offline)
    for file, told in on_fresh_brokers(
        settings, runs.folder, missing, measure, at_once=asked.at_once, each=_FILES_OF_A_BROKER
    ):
        sys.stderr.write(f"reach of {runs.provider}: {file}, {len(told)} scenarios\n")
        reach.learn(file, now[file], told)
        reach.keep()
    return reach
