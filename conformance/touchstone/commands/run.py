"""Runs scenarios for one or more providers and writes `results/<run>/`: a thin layer over pytest.

Every other option goes to pytest: -n 2, --area, --requirement, --broker, --java,
--as-shipped, --setting, -x, …
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from jms_brokers.brokers.starts import describe_starts, note_starts_in, read_starts
from jms_brokers.errors import HintedError
from jms_brokers.machine.ending import Terminated
from jms_brokers.shared.registry import locked_versions
from jms_clients import readiness
from jms_clients.registry import load_provider
from jvm_runtime.child import ending_with_us
from jvm_runtime.own_folders import OwnFolder, environment
from touchstone.catalogue import load_library
from touchstone.catalogue.items import is_of_drawn_programs
from touchstone.commands import baseline, unfinished
from touchstone.commands.output import console
from touchstone.commands.runs import newest_of_each
from touchstone.errors import UsageError
from touchstone.results.gate import status_of_run
from touchstone.results.run_folder import NOTE
from touchstone.verdicts import ExitStatus, severest
from touchstone_reports.results import read
from touchstone_reports.verdicts import UNEXPECTED

PASSES_ON = True

PYTEST = Path(__file__).parents[1] / "judging" / "own_pytest.py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that are not pytest's."""
    parser.epilog = f"--broker embedded:VERSION takes one of these brokers: {locked_versions()}."
    parser.add_argument(
        "--provider",
        action="append",
        default=[],
        metavar="NAME",
        help="a client under test, may be given several times (default: reference)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="every provider that can run here, with its variants; the others are said at the end",
    )
    parser.add_argument(
        "--able",
        action="store_true",
        help="of the named providers those that can run here; the others are said at the end",
    )
    parser.add_argument(
        "--catalogue", metavar="NAME", help="only this catalogue (default: every one)"
    )
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="DIR",
        help="fail only on what got worse since this run, or since the newest whole run of the "
        "provider in this folder of runs",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="RUN",
        help="go on with a run that did not finish: its folder, or the name of that; with the "
        "options that it had, and those of pytest that are given now",
    )
    parser.add_argument(
        "--lf",
        "--last-failed",
        dest="last_failed",
        action="store_true",
        help="only the scenarios that violated or were inconclusive in the provider's newest run",
    )
    parser.add_argument(
        "--results-dir",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="where runs are written (default: results)",
    )


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Judge each provider in a process of its own; the severest status counts."""
    if arguments.resume is not None:
        return _go_on(arguments)
    library = load_library()
    packages = [
        catalogue.package
        for catalogue in library.catalogues
        if arguments.catalogue in (None, catalogue.name)
    ]
    if not packages:
        known = ", ".join(catalogue.name for catalogue in library.catalogues)
        raise UsageError(
            f"There is no catalogue {arguments.catalogue!r}",
            hint=" ".join((f"Known: {known}.", *library.broken)),
        )
    if arguments.all and arguments.provider:
        raise UsageError(
            "--all and --provider were both given", hint="--all takes every provider that can run."
        )
    named = readiness.spellings() if arguments.all else (arguments.provider or ["reference"])
    providers, left_out = _able_providers(named) if arguments.all or arguments.able else (named, {})
    rest = ["--results-dir", str(arguments.results_dir), *arguments.rest]
    statuses = set()
    for provider in providers:
        options = ["--provider", provider, *workers(provider, rest), *rest]
        if arguments.last_failed:
            failed = _last_failed(provider, arguments.results_dir)
            if not failed:
                statuses.add(ExitStatus.NOTHING_UNEXPECTED)
                continue
            options += failed
        with baseline.held_against(arguments.baseline, arguments.results_dir) as held:
            statuses.add(held(judge(packages, options)))
    for provider, why in left_out.items():
        console().print(f"not judged: {provider} cannot run here: {why}", markup=False)
    return severest(statuses)


def _last_failed(provider: str, results: Path) -> Sequence[str]:
    """The options that choose what was not as expected in the newest run; of nothing: none."""
    [folder] = newest_of_each(results, [provider])
    failed = {line.scenario for line in read(folder).judgements if line.verdict in UNEXPECTED}
    if not failed:
        console().print(f"{provider}: nothing failed in {folder}", markup=False)
    drawn = ["--drawn"] if any(map(is_of_drawn_programs, failed)) else []
    return [*drawn, *(option for name in sorted(failed) for option in ("--scenario", name))]


def _go_on(arguments: argparse.Namespace) -> ExitStatus:
    """Judge what a run has not judged; one that is whole has the status that it ended with."""
    for name in ("provider", "all", "able", "catalogue", "baseline", "last_failed"):
        if getattr(arguments, name):
            raise UsageError(
                f"--resume and --{name.replace('_', '-')} were both given",
                hint="A run goes on with its own client; compare it by `touchstone compare`.",
            )
    folder = unfinished.folder_of(arguments.resume, arguments.results_dir)
    results = read(folder)
    if results.finished:
        console().print(f"{folder} is complete: nothing is left to judge", markup=False)
        return status_of_run(results)
    options = unfinished.options_of(results, arguments.rest)
    return _in_process([sys.executable, str(PYTEST), *options], {})


def _able_providers(named: Iterable[str]) -> tuple[Sequence[str], Mapping[str, str]]:
    """Those of the providers that can run on this machine, and why the others cannot."""
    obstacles = {name: _obstacle(name) for name in named}
    able = [name for name, why in obstacles.items() if not why]
    if not able:
        raise UsageError(
            f"None of {', '.join(obstacles)} can run on this machine",
            hint="See `touchstone providers`.",
        )
    return able, {name: why for name, why in obstacles.items() if why}


def _obstacle(name: str) -> str:
    """Why the provider cannot run here; one that cannot be loaded hinders no other."""
    try:
        return readiness.obstacle(load_provider(name))
    except HintedError as error:
        return error.what


def workers(provider: str, options: Sequence[str]) -> list[str]:
    """A worker process for a client in Java, unless told otherwise: it dies with its JVM."""
    if any(option.startswith(("-n", "--numprocesses")) for option in options):
        return []
    with suppress(HintedError):  # the run will say it
        if load_provider(provider).transport == "java":
            return ["-n", "1"]
    return []


def judge_into(
    results: Path,
    provider: str,
    packages: Sequence[str],
    options: Sequence[str],
    more: Mapping[str, str] | None = None,
    *,
    on_stderr: bool = False,
) -> tuple[ExitStatus, Path | None]:
    """One run of a provider, as `judge` makes it; its status, and its folder if it made one."""
    before = _runs(results)
    status = judge(
        packages,
        [
            *("--provider", provider, "--results-dir", str(results)),
            *workers(provider, options),
            *options,
        ],
        more,
        on_stderr=on_stderr,
    )
    new = _runs(results) - before
    return status, new.pop() if len(new) == 1 else None


def _runs(results: Path) -> set[Path]:
    return {file.parent for file in results.glob("*/run.json")}


def judge(
    packages: Sequence[str],
    options: Sequence[str],
    more: Mapping[str, str] | None = None,
    *,
    on_stderr: bool = False,
) -> ExitStatus:
    """One run of pytest over the packages; no configuration of the folder it is in counts.

    The run finds `more` variables in its environment, and may say all on standard error.
    """
    return _in_process(command(packages, options), more or {}, on_stderr=on_stderr)


def _in_process(
    line: Sequence[str], more: Mapping[str, str], *, on_stderr: bool = False
) -> ExitStatus:
    with OwnFolder("run") as temporary:
        note, started = temporary / "folder", temporary / "starts.jsonl"
        with note_starts_in(started):
            variables = environment(temporary, {**os.environ, **more, NOTE: str(note)})
        out = sys.__stderr__ if on_stderr else None
        with subprocess.Popen(  # noqa: S603 - ours
            ending_with_us(line), env=variables, stdout=out
        ) as run:
            try:
                return status_of(run.wait())
            except (KeyboardInterrupt, Terminated):
                run.wait()  # it has got Ctrl-C, too, and writes down what there is
                raise
            finally:
                if starts := describe_starts(read_starts(started)):
                    console().print(starts, markup=False)
                if run.poll() is not None and note.exists():
                    unfinished.report_unfinished(Path(note.read_text(encoding="utf-8")))


def command(scenarios: Sequence[str], options: Sequence[str]) -> list[str]:
    """The command line of one run of the scenarios in these packages, or files."""
    return [sys.executable, str(PYTEST), *arguments_of_pytest(scenarios, options)]


def arguments_of_pytest(scenarios: Sequence[str], options: Sequence[str]) -> list[str]:
    """What pytest is given for one run of the scenarios in these packages, or files."""
    return [
        "--pyargs", *scenarios,
        "-c", os.devnull, "--rootdir", os.curdir, "--import-mode=importlib",
        "-p", "no:cacheprovider", "--no-header", "--strict-markers",
        *([] if sys.stdout.isatty() else ["-q"]), *options,
    ]  # fmt: skip


def status_of(code: int) -> ExitStatus:
    """The status for pytest's exit code: its own failures are faults here, and so is its end."""
    if code < 0:
        told = f"The run was ended by {signal.Signals(-code).name}; what was judged can be read"
        console(stderr=True).print(f"touchstone: {told}", markup=False)
    try:
        return ExitStatus(code)
    except ValueError:
        return ExitStatus.FAULT
