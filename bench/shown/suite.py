"""How long the suite takes, and how steady its verdicts are, in words and tables."""

from __future__ import annotations

import argparse
import shlex

from rich.table import Table

from bench import (
    broker_start,
    catalogue,
    commands,
    durations,
    generated,
    kept,
    page,
    python_profile,
    real_bugs,
    stability,
    tests,
    timing,
)
from bench.reliability import measuring
from bench.shown.output import OUT
from touchstone.judging.distribution import LONG
from touchstone.verdicts import Verdict

_WORST = 10
_FILES = 60
_THREADS = 20
_PACKAGES = 30


def show_start(arguments: argparse.Namespace) -> None:
    """How long the embedded broker takes to answer, and what it holds."""
    table = Table("embedded broker", title="Start, in seconds", title_justify="left")
    for column in ("prepared", "answering", "message", "ready in all", "memory, MiB"):
        table.add_column(column, justify="right")
    for name, *figures, memory in broker_start.rows(arguments.starts):
        table.add_row(name, *(f"{figure:.2f}" for figure in figures), f"{memory:.0f}")
    OUT.print(table)


def show_catalogue(arguments: argparse.Namespace) -> None:
    """Where the seconds of a whole run go, and the scenarios that spend most on each purpose."""
    figures = catalogue.measure(arguments.provider, arguments.workers, arguments.seed)
    OUT.print(
        f"Catalogue with -n {figures.workers}: {len(figures.scenarios)} scenarios in "
        f"{figures.wall:.1f} s, broker start included; exit status {figures.status}; of the "
        f"workers' seconds {figures.judging:.0f} went to scenarios, {figures.idle:.0f} to none"
    )
    processes = Table("processes", title="CPU time, in seconds", title_justify="left")
    for column in ("started", "seconds"):
        processes.add_column(column, justify="right")
    for kind, took in figures.cpu.items():
        processes.add_row(kind, str(figures.started[kind]), f"{took:.1f}")
    processes.add_row("in all", "", f"{sum(figures.cpu.values()):.1f}")
    OUT.print(processes)
    threads = Table("threads", title="Of brokers by threads, in seconds", title_justify="left")
    threads.add_column("seconds", justify="right")
    for name, took in list(figures.threads.items())[:_THREADS]:
        threads.add_row(name, f"{took:.1f}")
    OUT.print(threads)
    table = Table("spent on", "scenario", title="Seconds of scenarios", title_justify="left")
    table.add_column("seconds", justify="right")
    for what, took in figures.spent.items():
        table.add_section()
        table.add_row(what, "in all", f"{took:.1f}")
        for name, seconds in figures.worst(what, _WORST):
            table.add_row("", name, f"{seconds:.2f}")
    OUT.print(table)
    asked = {"provider": arguments.provider, "workers": figures.workers, "seed": arguments.seed}
    OUT.print(f"Kept in {kept.keep('catalogue', asked, figures.described(_WORST))}")


def show_python(arguments: argparse.Namespace) -> None:
    """What a run's Python spends its CPU time on."""
    profile = python_profile.measure(arguments.provider, arguments.workers, arguments.seed)
    shares = profile.shares(_PACKAGES)
    for title, counted in shares.items():
        table = Table(title, title=f"Of {profile.samples} samples", title_justify="left")
        table.add_column("share", justify="right")
        for name, share in counted.items():
            table.add_row(name, f"{100 * share:.1f} %")
        OUT.print(table)
    asked = {"provider": arguments.provider, "workers": arguments.workers, "seed": arguments.seed}
    OUT.print(f"Kept in {kept.keep('python', asked, {'samples': profile.samples, **shares})}")


def show_tests(arguments: argparse.Namespace) -> None:
    """What the project's own tests cost, by kind of process, and which files take longest."""
    figures = tests.measure(shlex.split(arguments.options))
    OUT.print("\n".join(figures.said), markup=False)
    OUT.print(f"{figures.wall:.0f} s, exit status {figures.status}")
    kinds = Table("processes", title="CPU time, in seconds", title_justify="left")
    kinds.add_column("seconds", justify="right")
    for kind, took in figures.cpu.items():
        kinds.add_row(kind, f"{took:.0f}")
    kinds.add_row("in all", f"{sum(figures.cpu.values()):.0f}")
    OUT.print(kinds)
    table = Table("file", title="Files that take longest", title_justify="left")
    for column in ("tests", "seconds", "CPU"):
        table.add_column(column, justify="right")
    table.add_column("CPU of")
    for file in figures.files[:_FILES]:
        most = sorted(file.cpu.items(), key=lambda each: -each[1])[:3]
        parts = ", ".join(f"{kind} {took:.1f}" for kind, took in most)
        cpu = sum(file.cpu.values())
        table.add_row(file.file, str(file.tests), f"{file.wall:.1f}", f"{cpu:.1f}", parts)
    OUT.print(table)
    described = {
        "options": arguments.options,
        "wall": round(figures.wall, 1),
        "status": figures.status,
        "cpu": {kind: round(took, 1) for kind, took in figures.cpu.items()},
        "files": {file.file: {"wall": file.wall, "cpu": file.cpu} for file in figures.files},
    }
    OUT.print(f"Kept in {kept.keep('tests', {}, described)}")


def show_commands(arguments: argparse.Namespace) -> None:
    """What commands cost that only report something."""
    table = Table("command", title="Commands, in seconds of CPU", title_justify="left")
    for column in ("cold", "warm", "aim"):
        table.add_column(column, justify="right")
    by_command = {}
    for command in commands.measure(arguments.rounds):
        by_command[command.command] = {
            "cold": round(command.cold, 2),
            "warm": round(command.warm, 3),
        }
        aim = commands.AIMS[command.command]
        table.add_row(command.command, f"{command.cold:.2f}", f"{command.warm:.2f}", f"{aim:g}")
    OUT.print(table)
    asked = {"rounds": arguments.rounds}
    OUT.print(f"Kept in {kept.keep('commands', asked, {'seconds': by_command})}")


def show_durations(arguments: argparse.Namespace) -> None:
    """Write the estimate that orders scenarios where a client has not run before."""
    file, count = durations.write(arguments.results_dir)
    OUT.print(f"{count} scenarios take {LONG:g} s and more: {file}")


def show_generated(arguments: argparse.Namespace) -> None:
    """How much is noticed of the reference's code being changed."""
    told = generated.measure(arguments.sample, arguments.at_once, arguments.seed)
    counts = ", ".join(f"{number} {fate}" for fate, number in told["score"].items())
    OUT.print(f"{counts}; kept in {generated.keep(arguments.sample, arguments.seed, told)}")


def show_real_bugs(arguments: argparse.Namespace) -> None:
    """Which bugs of released clients are noticed."""
    chosen = [
        bug
        for bug in real_bugs.bugs(arguments.client)
        if not arguments.bug or bug.tracker in arguments.bug
    ]
    notices = []
    for notice in real_bugs.measure(chosen):
        notices.append(notice)
        bug, by = notice.bug, notice.scenarios
        OUT.print(f"{bug.client} {bug.tracker} ({bug.broken}): {bug.fault}")
        for scenario, requirement, reason in by[:3]:
            OUT.print(f"    {requirement} by {scenario}: {reason[:100]}")
        if not by:
            OUT.print(f"    unnoticed; without a verdict: {', '.join(notice.unjudged) or 'none'}")
    noticed = sum(bool(notice.scenarios) for notice in notices)
    OUT.print(f"{noticed} of {len(notices)} noticed")
    if not arguments.bug:
        OUT.print(f"kept in {real_bugs.keep(arguments.client, notices)}")


def show_stability(arguments: argparse.Namespace) -> None:
    """Whether verdicts stay the same in random order."""
    seen = []
    options = ["--document", arguments.document] if arguments.document else []
    for run in stability.runs(arguments.provider, 2, arguments.runs, options):
        seen.append(run)
        counts = ", ".join(f"{number} {verdict}" for verdict, number in run.counts.items())
        OUT.print(f"seed {run.seed}: {run.seconds:.1f} s, exit status {run.status}: {counts}")
    changing = stability.changing_verdicts(seen)
    for requirement, verdicts in changing.items():
        OUT.print(f"{requirement}: {', '.join(verdicts)}")
    same = "the same in all runs" if not changing else f"{len(changing)} verdicts change"
    OUT.print(
        f"{len(seen)} runs: {same}; kept in "
        f"{stability.keep(arguments.provider, seen, arguments.document)}"
    )


def show_timing(arguments: argparse.Namespace) -> None:
    """Who is accused where the machine is busy; exits with 1 if anybody is."""
    scenarios = arguments.scenario or timing.scenarios_that_judge_time()
    OUT.print(f"{arguments.provider}: {len(scenarios)} scenarios that judge time")
    seen = []
    given = arguments.provider, arguments.load, arguments.runs, arguments.at_once, scenarios
    for load_run in timing.measure(*given):
        seen.append(load_run)
        accused = ", ".join(f"{id_} in {runs}" for id_, runs in load_run.accused.items())
        OUT.print(f"load {load_run.load}: accused: {accused or 'nobody'}")
        for why in load_run.reasons:
            OUT.print(f"  {why}")
    verdicts = [verdict.value for verdict in Verdict]
    table = Table("load", "runs", *verdicts, title="Verdicts on requirements", title_justify="left")
    for load_run in seen:
        counts = (load_run.counts.get(verdict, 0) for verdict in verdicts)
        table.add_row(str(load_run.load), str(len(load_run.runs)), *map(str, counts))
    OUT.print(table)
    OUT.print(
        f"Kept in {timing.keep(arguments.provider, arguments.at_once, arguments.scenario, seen)}"
    )
    if any(load_run.accused for load_run in seen):
        raise SystemExit(1)


def show_page(arguments: argparse.Namespace) -> None:
    """How fast the report of several clients opens and filters."""
    opened = page.measure(arguments.rounds)
    OUT.print(
        f"The matrix of {len(page.CLIENTS)} clients, {opened.rows} requirements and "
        f"{opened.verdicts} verdicts ({opened.kilobytes} KiB) opens in {opened.opens:.2f} s (aim "
        f"{page.OPENS_WITHIN:g} s) and filters in {opened.filters * 1000:.0f} ms (aim "
        f"{page.FILTERS_WITHIN * 1000:.0f} ms) in Chromium."
    )


def show_reliability(arguments: argparse.Namespace) -> None:
    """What becomes of a run when the machine or the harness fails; exits with 1 if it is wrong."""
    injected = []
    for fault_run in measuring.measure(measuring.possible_faults(), arguments.at_once):
        injected.append(fault_run)
        OUT.print(
            f"{fault_run.fault.name}: exit status {fault_run.seen.status}",
            *fault_run.wrong,
            sep="\n  ",
        )
    columns = ("injected", "verdicts", "accused", "lost", "left", "otherwise wrong", "status")
    table = Table("fault", *columns, title="Faults of the harness", title_justify="left")
    for kind, summary in measuring.by_kind(injected).items():
        figures = (summary.injected, summary.judged, summary.accused, summary.lost, summary.left)
        statuses = ", ".join(map(str, sorted(summary.statuses)))
        table.add_row(kind, *map(str, (*figures, summary.otherwise)), statuses)
    OUT.print(table)
    bad = sum(bool(fault_run.wrong) for fault_run in injected)
    OUT.print(f"{len(injected)} faults, {bad} of which something is wrong of.")
    content = measuring.summary_as_dict(injected)
    OUT.print(f"Kept in {kept.keep('reliability', {'faults': len(injected)}, content)}")
    if bad or len(injected) < measuring.LEAST:
        raise SystemExit(1)
