"""`prove --generated`: the reference is broken by small changes that nobody chose."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from jms_clients.mutants.changes.arguments import argued, read_arguments
from jms_clients.mutants.changes.changes import Change
from jms_clients.mutants.changes.reference import ReferenceSources
from jvm_runtime.own_folders import OwnFolder, environment
from touchstone.brokers.option import broker_settings
from touchstone.catalogue import Library, load_library
from touchstone.catalogue.scenarios import modules_by_requirement
from touchstone.commands.output import print_json, print_table
from touchstone.commands.run import command
from touchstone.errors import HarnessError, UsageError
from touchstone.judging.changes.reach import Reach, digests, kept
from touchstone.judging.changes.runs import ChangeRuns, on_fresh_brokers, warm_runs
from touchstone.judging.changes.score import by_area, by_module, score, with_arguments
from touchstone.judging.changes.task import ChangeTask, ScenarioResult
from touchstone.judging.changes.verdicts import ChangeFate, Judged, judge, reached
from touchstone.verdicts import ExitStatus

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

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """What runs go on by."""

    at_once: int
    seed: int
    offline: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What goes with `--generated`."""
    parser.add_argument(
        "--generated",
        action="store_true",
        help="break the reference by small changes made of its own code",
    )
    parser.add_argument("--change", action="append", default=[], metavar="ID")
    parser.add_argument(
        "--at-least",
        type=float,
        default=100.0,
        metavar="PERCENT",
        help="so many of the changes have to be noticed (default: 100)",
    )


def is_asked(arguments: argparse.Namespace) -> bool:
    """Whether generated changes are; `UsageError` for options that do not go together."""
    if arguments.sample is not None and arguments.sample < 1:
        raise UsageError(f"--sample {arguments.sample} leaves nothing", hint="Give 1 or more.")
    others = [f"--{name}" for name in ("mutant", "area", "whole") if getattr(arguments, name)]
    if not arguments.generated:
        if arguments.change:
            raise UsageError("--change is of generated changes", hint="Add --generated.")
        return False
    if others:
        raise UsageError(
            f"{others[0]} is of wrong clients that were written, not of generated changes",
            hint="Leave it out, or leave --generated out.",
        )
    if arguments.change and arguments.sample is not None:
        raise UsageError("Either --sample or --change", hint="A sample is drawn by the commit.")
    return True


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Judge the reference with changes, and print how many are noticed and which are not."""
    asked = Asked(arguments.at_once, arguments.seed, arguments.offline)
    told = prove_changes(arguments.sample, arguments.change, asked)
    if arguments.json:
        print_json(told)
    else:
        _show(told)
    share = told["score"]["share"]
    enough = share is None or share * 100 >= arguments.at_least
    return ExitStatus.NOTHING_UNEXPECTED if enough else ExitStatus.UNEXPECTED


def prove_changes(sample: int | None, named: Sequence[str], asked: Asked) -> dict[str, Any]:
    """What becomes of changes, with scores, as plain data."""
    reference = ReferenceSources.installed()
    why = argued(reference, read_arguments())
    chosen = choose(reference, sample, named)
    judged = _report_progress(judge_all(chosen, reference, asked), len(chosen))
    return report(with_arguments(judged, why), reference)


def choose(reference: ReferenceSources, sample: int | None, named: Sequence[str]) -> list[Change]:
    """The changes of these ids, or so many drawn by the commit, or all."""
    if named:
        return [reference.change(id_) for id_ in named]
    everything = list(reference.changes.values())
    return everything if sample is None else drawn_sample(everything, sample, commit())


def drawn_sample(everything: Sequence[T], count: int, seed: str) -> list[T]:
    """`count` of `everything`, drawn by `seed`, in the same order."""
    draw = random.Random(seed)  # noqa: S311 (a choice, not a secret)
    chosen = set(draw.sample(range(len(everything)), min(count, len(everything))))
    return [item for at, item in enumerate(everything) if at in chosen]


def report(judged: Sequence[Judged], reference: ReferenceSources) -> dict[str, Any]:
    """Scores, and every change with its fate, as plain data."""
    return {
        "format": 1,
        "score": score(judged).as_dict(),
        "areas": {name: counts.as_dict() for name, counts in by_area(judged).items()},
        "modules": {name: counts.as_dict() for name, counts in by_module(judged).items()},
        "changes": [
            {
                "change": outcome.change.id,
                "line": outcome.change.line,
                "fate": outcome.fate.value,
                "provider": outcome.provider or None,
                "scenarios": outcome.scenarios,
                "noticed_by": outcome.noticed_by or None,
                "reason": outcome.reason or None,
                "ended": outcome.ended,
                "diff": []
                if outcome.fate is ChangeFate.NOTICED
                else list(reference.diff(outcome.change)),
            }
            for outcome in judged
        ],
    }


def _show(told: Mapping[str, Any]) -> None:
    counts = told["score"]
    reached = counts["noticed"] + counts["survived"]
    print_table(
        f"{counts['noticed']} of {reached} changes that are reached and not argued were noticed",
        ("area", "noticed", "survived", "argued", "unreached", "share"),
        (
            (
                name,
                *(row[fate] for fate in ("noticed", "survived", "argued", "unreached")),
                "" if row["share"] is None else f"{row['share']:.1%}",
            )
            for name, row in told["areas"].items()
        ),
    )
    survivors = [row for row in told["changes"] if row["fate"] == ChangeFate.SURVIVED]
    for row in survivors:
        ended = ", and was ended" if row["ended"] else ""
        sys.stderr.write(f"\n{row['change']} (line {row['line']}) passed")
        sys.stderr.write(f" {row['scenarios']} scenarios of {row['provider']}{ended}\n")
        sys.stderr.writelines(f"  {line}\n" for line in row["diff"])


def commit() -> str:
    """The commit of the checkout that this is in; `HarnessError` where it is in none."""
    done = subprocess.run(  # noqa: S603 - the command is ours
        ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"],  # noqa: S607
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise HarnessError(
            "A sample is drawn by the commit, and this is no checkout",
            hint="Name changes with --change, or take all.",
        )
    return done.stdout.strip()


def judge_all(
    chosen: Sequence[Change], reference: ReferenceSources, asked: Asked
) -> Iterator[Judged]:
    """What becomes of each of `chosen`, in their order."""
    files = _files(load_library())
    now = digests(files, reference.digest)
    settings = broker_settings("embedded", offline=asked.offline)
    with ExitStack() as stack:
        folder = stack.enter_context(OwnFolder("generated"))
        runs: dict[str, ChangeRuns] = {}
        reaches: list[Reach] = []
        for provider in PROVIDERS:
            if all(reached(change, reaches) for change in chosen):
                break
            runs[provider] = stack.enter_context(_runs(provider, files, folder, asked))
            reaches.append(_reach(kept(provider), now, runs[provider], asked))
        yield from on_fresh_brokers(
            settings, folder, chosen, lambda change: judge(change, reaches, runs, BUDGET),
            at_once=asked.at_once, each=_CHANGES_OF_A_BROKER,
        )  # fmt: skip


def _report_progress(judged: Iterable[Judged], of: int) -> Iterator[Judged]:
    """The same; progress goes to standard error."""
    begun = time.monotonic()
    for number, outcome in enumerate(judged, start=1):
        seconds = f"{time.monotonic() - begun:.0f} s"
        line = f"{number} of {of}, {seconds}: {outcome.fate} {outcome.change.id}"
        sys.stderr.write(f"{line}{f' by {outcome.noticed_by}' if outcome.noticed_by else ''}\n")
        yield outcome


def _files(library: Library) -> list[Path]:
    return sorted({file for files in modules_by_requirement(library).values() for file in files})


@contextmanager
def _runs(provider: str, files: Sequence[Path], folder: Path, asked: Asked) -> Iterator[ChangeRuns]:
    with warm_runs(
        provider, [str(file) for file in files], command, environment(folder), folder,
        seed=asked.seed,
    ) as runs:  # fmt: skip
        yield runs


def _reach(reach: Reach, now: dict[str, str], runs: ChangeRuns, asked: Asked) -> Reach:
    """What is known of a provider's reach, with what is not known yet."""
    missing = reach.missing(now)

    def measure(file: str) -> tuple[str, list[ScenarioResult]]:
        return file, runs.run(ChangeTask("", _MEASURING), [file], _LONGEST)

    settings = broker_settings("embedded", offline=asked.offline)
    for file, told in on_fresh_brokers(
        settings, runs.folder, missing, measure, at_once=asked.at_once, each=_FILES_OF_A_BROKER
    ):
        sys.stderr.write(f"reach of {runs.provider}: {file}, {len(told)} scenarios\n")
        reach.learn(file, now[file], told)
        reach.keep()
    return reach
