"""What recording and verifying a history cost."""

from __future__ import annotations

import argparse
import os

from rich.table import Table

from bench import live, recorder, screening, volume, volume_memory, workload
from bench.shown.output import OUT, keep
from jms_brokers.shared.settings import BrokerSettings
from touchstone.brokers.broker_set import BrokerSet
from touchstone.commands.verify import verdict_text


def show_recorder(arguments: argparse.Namespace) -> None:
    """What recording a delivery costs."""
    table = Table("recording a delivery", title_justify="left", title="Recorder")
    for column in ("ns of CPU", "above the clock", "longest pause, ms", "bytes"):
        table.add_column(column, justify="right")
    costs = recorder.measure(arguments.deliveries, arguments.rounds)
    alone = costs[0].nanoseconds
    for cost in costs:
        table.add_row(
            cost.way,
            f"{cost.nanoseconds:.0f}",
            f"{cost.nanoseconds - alone:.0f}",
            f"{cost.pause:.1f}",
            f"{cost.bytes:.0f}",
        )
    OUT.print(table)
    sealed = recorder.measure_sealing(arguments.deliveries)
    OUT.print(
        f"Aims: {recorder.COST:.0f} ns or less, longest pause {recorder.PAUSE:.0f} ms or less. "
        f"Sealing takes {sealed.nanoseconds:.0f} ns of CPU a delivery, which is then "
        f"{sealed.bytes:.1f} bytes."
    )
    content = {
        "load": os.getloadavg(),
        "costs": [cost._asdict() for cost in costs],
        "sealing": sealed._asdict(),
    }
    OUT.print(f"Kept in {keep('recorder', arguments, content, 'deliveries', 'rounds')}")


def show_screening(arguments: argparse.Namespace) -> None:
    """What the first look at a history costs."""
    table = Table("first and second call", title_justify="left", title="First look at a history")
    for column in ("seconds", "of CPU", "ns of CPU a row", "page faults"):
        table.add_column(column, justify="right")
    for what, calls in screening.measure(arguments.deliveries, arguments.seed).items():
        for which, call in zip(("first", "second"), calls, strict=True):
            table.add_row(
                f"{what}, {which}",
                f"{call.seconds:.2f}",
                f"{call.cpu:.2f}",
                f"{call.cpu / call.rows * 1e9:.0f}",
                f"{call.faults:,}",
            )
    OUT.print(table)


def show_workload(arguments: argparse.Namespace) -> None:
    """What recording costs a workload."""
    with BrokerSet(BrokerSettings()) as brokers:
        measured = workload.measure(brokers.address(), arguments.sends, arguments.rounds)
    table = Table("messages a second", title="Workload, by turns", title_justify="left")
    for column in ("wall time", "CPU time"):
        table.add_column(column, justify="right")
    for turn in measured.turns:
        name = "recorded" if turn.recorded else "not recorded"
        table.add_row(name, f"{turn.rate:,.0f}", f"{turn.per_cpu_second:,.0f}")
    OUT.print(table)
    OUT.print(
        f"Recording costs {measured.cpu} of the throughput by CPU time, {measured.wall} by "
        f"wall time (median of pairs and its 90 % interval; the aim is {workload.SHARE:.0%} "
        f"or less). The recorder's own calls, {measured.nanoseconds:.0f} ns each, are "
        f"{measured.calls:.1%} of the CPU time. "
        f"Load {', '.join(f'{load:.1f}' for load in os.getloadavg())}."
    )
    content = {
        "load": os.getloadavg(),
        "turns": [turn._asdict() for turn in measured.turns],
        "cpu": measured.cpu._asdict(),
        "wall": measured.wall._asdict(),
        "nanoseconds": measured.nanoseconds,
        "calls": measured.calls,
    }
    OUT.print(f"Kept in {keep('workload', arguments, content, 'sends', 'rounds')}")


def show_live(arguments: argparse.Namespace) -> None:
    """A workload on a broker that is killed meanwhile, recorded and verified."""
    measured = live.measure(arguments.provider, arguments.messages, arguments.seed)
    table = Table("check", title=f"{arguments.messages:,} messages, live", title_justify="left")
    for column in ("verdict", "violations", "shoulds", "power"):
        table.add_column(column, justify="right")
    for check in measured.checks:
        counts = (f"{check[name]:,}" for name in ("violations", "shoulds", "power"))
        verdict = verdict_text(check["verdict"], promised=check["promised"])
        table.add_row(f"{check['id']} {check['name']}", verdict, *counts)
    OUT.print(table)
    driven, rates = measured.driven, measured.report["settings"]
    OUT.print(
        f"{driven['received']:,} received; {rates['sent_a_second']:,} sent a second for "
        f"{driven['sending_seconds']:.0f} s, drained {driven['draining_seconds']:.0f} s later. "
        f"Wall time: workload run {measured.recording:.0f} s, verify {measured.verifying:.0f} s, "
        f"of {measured.bytes / 2**20:.0f} MiB: {measured.report['verdict']}."
    )
    given = ("provider", "messages", "seed")
    OUT.print(f"Kept in {keep('live', arguments, measured.described(), *given)}")


def show_volume(arguments: argparse.Namespace) -> None:
    """33 checks by each engine."""
    messages, kind = arguments.messages, arguments.preset
    figures = volume.measure(messages, arguments.rounds, arguments.seed, kind)
    table = Table("engine", title=f"{messages:,} messages, {kind}", title_justify="left")
    for column in ("first, process start included, s", "warm, s", "memory, GiB"):
        table.add_column(column, justify="right")
    for figure in figures:
        table.add_row(
            figure.engine, f"{figure.first:.1f}", f"{figure.warm:.2f}", f"{figure.gibibytes:.2f}"
        )
    OUT.print(table)
    for ratio in volume.ratios(messages, figures):
        aim = "" if ratio.target is None else f" (aim: {ratio.target:g} or less)"
        OUT.print(f"{ratio.what}: {ratio.found:.2f}{aim}")
    given = ("messages", "preset", "rounds", "seed")
    path = keep("volume", arguments, volume.figures_as_dict(messages, figures), *given)
    OUT.print(f"Kept in {path}")


def show_memory(arguments: argparse.Namespace) -> None:
    """The memory that checks hold."""
    by_plan = volume_memory.measure(arguments.messages, arguments.seed)
    title = f"{arguments.messages:,} messages, in GiB"
    table = Table("plan", *volume_memory.KINDS, title=title, title_justify="left")
    for column in (f"in all (aim: {volume_memory.AIM:g})", "CPU, s"):
        table.add_column(column)
    for plan, held in by_plan.items():
        parts = (held.parts.get(kind, 0.0) for kind in volume_memory.KINDS)
        table.add_row(plan, *(f"{number:.2f}" for number in (*parts, held.gibibytes, held.seconds)))
    OUT.print(table)
    content = volume_memory.memory_as_dict(by_plan)
    OUT.print(f"Kept in {keep('memory', arguments, content, 'messages', 'seed')}")
