"""Prints the benchmarks that are named; without a name all but those that take long."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from statistics import median, quantiles

from rich.table import Table

from bench import (
    adapter,
    broker_start,
    catalogue,
    kept,
    live,
    page,
    poison,
    priority,
    recorder,
    replays,
    screening,
    selectors,
    stability,
    throughput,
    volume,
    volume_memory,
    workload,
)
from bench.reliability import measuring
from touchstone.commands.output import DiscreetConsole
from touchstone.commands.verify import verdict_text
from touchstone.families.broker_set import BrokerSet
from touchstone.families.settings import BrokerSettings
from touchstone.machine.secrecy import hidden

_OUT = DiscreetConsole(highlight=False, markup=False, width=120)


def main() -> None:
    """Run the benchmarks in turn."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("what", nargs="*", choices=[[], *_BENCHMARKS], help="default: all")
    parser.add_argument("--sends", type=int, default=20_000, help="asynchronous sends a round")
    parser.add_argument("--deliveries", type=int, default=1_000_000, help="for recorder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--starts", type=int, default=5, help="warm starts of the broker")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--provider", default="reference", help="for catalogue, live, poison, stability"
    )
    parser.add_argument("--document", help="for stability: only scenarios of this document")
    parser.add_argument("--runs", type=int, default=10, help="how often for stability")
    parser.add_argument(
        "--messages", type=int, default=10_000_000, help="for live, memory, poison, volume"
    )
    parser.add_argument("--preset", choices=("plain", "hard"), default="plain", help="for volume")
    parser.add_argument("--at-once", type=int, default=2, help="faults at a time for reliability")
    arguments = parser.parse_args()
    named = arguments.what or [name for name in _BENCHMARKS if name not in _LONG]
    for name, least in _LEAST.items():
        if name in named and arguments.messages < least:
            parser.error(
                f"--messages {arguments.messages}: {name} needs {least:,} or more, in which there "
                "is room for an anomaly of each kind"
            )
    rounds = workload.LEAST_ROUNDS if "workload" in named else 1
    if arguments.rounds < rounds:
        parser.error(f"--rounds {arguments.rounds}: of fewer than {rounds} nothing can be told")
    try:
        for name in named:
            _BENCHMARKS[name](arguments)
    except Exception:
        sys.stderr.write(hidden(traceback.format_exc()))
        raise SystemExit(1) from None


def _start(arguments: argparse.Namespace) -> None:
    table = Table("embedded broker", title="Start, in seconds", title_justify="left")
    for column in ("prepared", "answering", "message", "ready in all", "memory, MiB"):
        table.add_column(column, justify="right")
    for name, *figures, memory in broker_start.rows(arguments.starts):
        table.add_row(name, *(f"{figure:.2f}" for figure in figures), f"{memory:.0f}")
    _OUT.print(table)


def _catalogue(arguments: argparse.Namespace) -> None:
    for workers in (1, 2, 3):
        figures = catalogue.measure(arguments.provider, workers, arguments.seed)
        _OUT.print(
            f"Catalogue with -n {workers}: {len(figures.scenarios)} scenarios in "
            f"{figures.wall:.1f} s ({figures.cpu:.0f} s of CPU time), broker start included; "
            f"{figures.overhead * 1000:.0f} ms overhead a scenario; exit status {figures.status}"
        )
    table = Table("slowest scenarios", title_justify="left")
    table.add_column("seconds", justify="right")
    table.add_column("where the time went")
    for name, one in figures.slowest(10):
        table.add_row(name, f"{one.seconds:.2f}", one.reason)
    _OUT.print(table)


def _stability(arguments: argparse.Namespace) -> None:
    seen = []
    options = ["--document", arguments.document] if arguments.document else []
    for one in stability.runs(arguments.provider, 2, arguments.runs, options):
        seen.append(one)
        counts = ", ".join(f"{number} {verdict}" for verdict, number in one.counts.items())
        _OUT.print(f"seed {one.seed}: {one.seconds:.1f} s, exit status {one.status}: {counts}")
    changing = stability.changing(seen)
    for requirement, verdicts in changing.items():
        _OUT.print(f"{requirement}: {', '.join(verdicts)}")
    same = "the same in all runs" if not changing else f"{len(changing)} verdicts change"
    _OUT.print(
        f"{len(seen)} runs: {same}; kept in "
        f"{stability.keep(arguments.provider, seen, arguments.document)}"
    )


def _throughput(arguments: argparse.Namespace) -> None:
    with BrokerSet(BrokerSettings()) as brokers:
        results = throughput.measure(brokers.address(), arguments.sends, arguments.rounds)
    table = Table("messages a second", title="Throughput, median of turns", title_justify="left")
    for column in (*throughput.SIDES, "share, median", "middle half", "CPU, µs a message"):
        table.add_column(column, justify="right")
    bare, plain, ours = throughput.SIDES
    for work, found in results.items():
        shares = found.shares(ours, plain)
        lower, _, upper = quantiles(shares)
        table.add_row(
            work,
            *(f"{found.rate(side):,.0f}" for side in throughput.SIDES),
            f"{median(shares):.0%}",
            f"{lower:.0%} to {upper:.0%}",
            " / ".join(f"{found.cpu(side):.0f}" for side in throughput.SIDES),
        )
    _OUT.print(table)
    price = 1 - median(results["asynchronous send"].shares(plain, bare))
    _OUT.print(f"Of asynchronous sends the properties alone cost {price:.0%}, with any client.")


def _selectors(arguments: argparse.Namespace) -> None:
    _OUT.print(f"Selector: {selectors.TEXT}")
    for name, rate in selectors.rates(arguments.rounds):
        _OUT.print(f"{rate:,.0f} evaluations a second of CPU time, {name}")


def _adapter(arguments: argparse.Namespace) -> None:
    table = Table("microseconds a call", title="Adapter for Java clients", title_justify="left")
    for column in ("JPype alone", "adapter", "above"):
        table.add_column(column, justify="right")
    costs = adapter.measure(arguments.rounds)
    for one in costs:
        table.add_row(one.call, f"{one.bare:.2f}", f"{one.adapter:.2f}", f"{one.above:.2f}")
    _OUT.print(table)
    most = max(one.above for one in costs)
    _OUT.print(f"At most {most:.1f} µs above JPype; the aim is {adapter.LIMIT:.0f} µs or less.")


def _recorder(arguments: argparse.Namespace) -> None:
    table = Table("recording a delivery", title_justify="left", title="Recorder")
    for column in ("ns of CPU", "above the clock", "longest pause, ms", "bytes"):
        table.add_column(column, justify="right")
    costs = recorder.measure(arguments.deliveries, arguments.rounds)
    alone = costs[0].nanoseconds
    for one in costs:
        table.add_row(
            one.way,
            f"{one.nanoseconds:.0f}",
            f"{one.nanoseconds - alone:.0f}",
            f"{one.pause:.1f}",
            f"{one.bytes:.0f}",
        )
    _OUT.print(table)
    sealed = recorder.sealing(arguments.deliveries)
    _OUT.print(
        f"Aims: {recorder.COST:.0f} ns or less, longest pause {recorder.PAUSE:.0f} ms or less. "
        f"Sealing takes {sealed.nanoseconds:.0f} ns of CPU a delivery, which is then "
        f"{sealed.bytes:.1f} bytes."
    )
    content = {
        "load": os.getloadavg(),
        "costs": [one._asdict() for one in costs],
        "sealing": sealed._asdict(),
    }
    _OUT.print(f"Kept in {_kept('recorder', arguments, content, 'deliveries', 'rounds')}")


def _page(arguments: argparse.Namespace) -> None:
    found = page.measure(arguments.rounds)
    _OUT.print(
        f"The matrix of {len(page.CLIENTS)} clients, {found.rows} requirements and "
        f"{found.verdicts} verdicts ({found.kilobytes} KiB) opens in {found.opens:.2f} s (aim "
        f"{page.OPENS_WITHIN:g} s) and filters in {found.filters * 1000:.0f} ms (aim "
        f"{page.FILTERS_WITHIN * 1000:.0f} ms) in Chromium."
    )


def _priority(arguments: argparse.Namespace) -> None:
    figures = []
    table = Table(
        "partitions",
        title=f"Inversions of priority, {priority.COUNT:,} messages, switched on relative to off",
        title_justify="left",
    )
    columns = ("receiver queue", "off", "on", "ratio", "at most", "ratio when fast")
    for column in columns:
        table.add_column(column, justify="right")
    with BrokerSet(BrokerSettings()) as brokers:
        for figure in priority.measure(brokers.address(), arguments.seed):
            figures.append(figure)
            limit = priority.LIMITS[figure.partitions]
            table.add_row(
                str(figure.partitions),
                f"{figure.queue:,}",
                f"{figure.off:.3f}",
                f"{figure.on:.4f}",
                f"{figure.ratio:.3f}",
                f"{limit:.2f}" if figure.queue == priority.DEFAULT_QUEUE else "",
                f"{figure.fast_ratio:.3f}",
            )
    _OUT.print(table)
    content = {
        "messages": priority.COUNT,
        "work in seconds": priority.WORK,
        "figures": [
            {**figure._asdict(), "ratio": figure.ratio, "fast_ratio": figure.fast_ratio}
            for figure in figures
        ],
    }
    path = _kept("priority", arguments, content, "seed")
    drawing = kept.RESULTS / "priority.svg"
    drawing.write_text(priority.plot(figures))
    _OUT.print(f"Kept in {path}, drawn in {drawing}")


def _volume(arguments: argparse.Namespace) -> None:
    messages, kind = arguments.messages, arguments.preset
    figures = volume.measure(messages, arguments.rounds, arguments.seed, kind)
    table = Table("engine", title=f"{messages:,} messages, {kind}", title_justify="left")
    for column in ("first, process start included, s", "warm, s", "memory, GiB"):
        table.add_column(column, justify="right")
    for one in figures:
        table.add_row(one.engine, f"{one.first:.1f}", f"{one.warm:.2f}", f"{one.gibibytes:.2f}")
    _OUT.print(table)
    for ratio in volume.ratios(messages, figures):
        aim = "" if ratio.target is None else f" (aim: {ratio.target:g} or less)"
        _OUT.print(f"{ratio.what}: {ratio.found:.2f}{aim}")
    given = ("messages", "preset", "rounds", "seed")
    path = _kept("volume", arguments, volume.described(messages, figures), *given)
    _OUT.print(f"Kept in {path}")


def _memory(arguments: argparse.Namespace) -> None:
    found = volume_memory.measure(arguments.messages, arguments.seed)
    title = f"{arguments.messages:,} messages, in GiB"
    table = Table("plan", *volume_memory.KINDS, title=title, title_justify="left")
    for column in (f"in all (aim: {volume_memory.AIM:g})", "CPU, s"):
        table.add_column(column)
    for plan, held in found.items():
        parts = (held.parts.get(kind, 0.0) for kind in volume_memory.KINDS)
        table.add_row(plan, *(f"{one:.2f}" for one in (*parts, held.gibibytes, held.seconds)))
    _OUT.print(table)
    content = volume_memory.described(found)
    _OUT.print(f"Kept in {_kept('memory', arguments, content, 'messages', 'seed')}")


_REPLAYED = 50_000
"""Messages of one turn."""
_LONG = ("stability", "volume", "memory", "replays", "live", "poison", "reliability")
_LEAST = {"volume": volume.LEAST, "memory": volume.FOR_EACH}
"""Messages."""


def _screening(arguments: argparse.Namespace) -> None:
    table = Table("first and second call", title_justify="left", title="First look at a history")
    for column in ("seconds", "of CPU", "ns of CPU a row", "page faults"):
        table.add_column(column, justify="right")
    for what, calls in screening.measure(arguments.deliveries, arguments.seed).items():
        for which, one in zip(("first", "second"), calls, strict=True):
            table.add_row(
                f"{what}, {which}",
                f"{one.seconds:.2f}",
                f"{one.cpu:.2f}",
                f"{one.cpu / one.rows * 1e9:.0f}",
                f"{one.faults:,}",
            )
    _OUT.print(table)


def _workload(arguments: argparse.Namespace) -> None:
    with BrokerSet(BrokerSettings()) as brokers:
        found = workload.measure(brokers.address(), arguments.sends, arguments.rounds)
    table = Table("messages a second", title="Workload, by turns", title_justify="left")
    for column in ("wall time", "CPU time"):
        table.add_column(column, justify="right")
    for turn in found.turns:
        name = "recorded" if turn.recorded else "not recorded"
        table.add_row(name, f"{turn.rate:,.0f}", f"{turn.per_cpu_second:,.0f}")
    _OUT.print(table)
    _OUT.print(
        f"Recording costs {found.cpu} of the throughput by CPU time, {found.wall} by wall time "
        f"(median of pairs and its 90 % interval; the aim is {workload.SHARE:.0%} or less). The "
        f"recorder's own calls, {found.nanoseconds:.0f} ns each, are {found.calls:.1%} of the "
        f"CPU time. Load {', '.join(f'{load:.1f}' for load in os.getloadavg())}."
    )
    content = {
        "load": os.getloadavg(),
        "turns": [turn._asdict() for turn in found.turns],
        "cpu": found.cpu._asdict(),
        "wall": found.wall._asdict(),
        "nanoseconds": found.nanoseconds,
        "calls": found.calls,
    }
    _OUT.print(f"Kept in {_kept('workload', arguments, content, 'sends', 'rounds')}")


def _replays(arguments: argparse.Namespace) -> None:
    turns = replays.measure(_REPLAYED, arguments.rounds, arguments.seed)
    table = Table("profile", title="Sent twice by the broker itself", title_justify="left")
    for column in ("messages", "deliveries", "sent twice"):
        table.add_column(column, justify="right")
    for turn in turns:
        table.add_row(turn.profile, *(f"{figure:,}" for figure in turn[1:]))
    _OUT.print(table)
    content = {"load": os.getloadavg(), "turns": [turn._asdict() for turn in turns]}
    _OUT.print(f"Kept in {_kept('replays', arguments, content, 'rounds', 'seed')}")


def _live(arguments: argparse.Namespace) -> None:
    found = live.measure(arguments.provider, arguments.messages, arguments.seed)
    table = Table("check", title=f"{arguments.messages:,} messages, live", title_justify="left")
    for column in ("verdict", "violations", "shoulds", "power"):
        table.add_column(column, justify="right")
    for one in found.checks:
        counts = (f"{one[name]:,}" for name in ("violations", "shoulds", "power"))
        verdict = verdict_text(one["verdict"], promised=one["promised"])
        table.add_row(f"{one['id']} {one['name']}", verdict, *counts)
    _OUT.print(table)
    driven, rates = found.driven, found.report["settings"]
    _OUT.print(
        f"{driven['received']:,} received; {rates['sent_a_second']:,} sent a second for "
        f"{driven['sending_seconds']:.0f} s, drained {driven['draining_seconds']:.0f} s later. "
        f"Wall time: workload run {found.recording:.0f} s, verify {found.verifying:.0f} s, of "
        f"{found.bytes / 2**20:.0f} MiB: {found.report['verdict']}."
    )
    given = ("provider", "messages", "seed")
    _OUT.print(f"Kept in {_kept('live', arguments, found.described(), *given)}")


def _reliability(arguments: argparse.Namespace) -> None:
    injected = []
    for one in measuring.measure(measuring.possible(), arguments.at_once):
        injected.append(one)
        _OUT.print(f"{one.fault.name}: exit status {one.seen.status}", *one.wrong, sep="\n  ")
    columns = ("injected", "verdicts", "accused", "lost", "left", "otherwise wrong", "status")
    table = Table("fault", *columns, title="Faults of the harness", title_justify="left")
    for kind, found in measuring.by_kind(injected).items():
        figures = (found.injected, found.judged, found.accused, found.lost, found.left)
        statuses = ", ".join(map(str, sorted(found.statuses)))
        table.add_row(kind, *map(str, (*figures, found.otherwise)), statuses)
    _OUT.print(table)
    bad = sum(bool(one.wrong) for one in injected)
    _OUT.print(f"{len(injected)} faults, {bad} of which something is wrong of.")
    content = measuring.described(injected)
    _OUT.print(f"Kept in {kept.keep('reliability', {'faults': len(injected)}, content)}")
    if bad or len(injected) < measuring.LEAST:
        raise SystemExit(1)


def _poison(arguments: argparse.Namespace) -> None:
    found = poison.measure(arguments.provider, arguments.messages, arguments.seed)
    whole = found.whole
    table = Table("read by", title=f"{whole.sent:,} damaged messages", title_justify="left")
    for column in ("sent", "shown", "refused", "gone", "good lost", "good twice", "close() hung"):
        table.add_column(column, justify="right")
    for name, one in {**found.ways, "all": whole}.items():
        counts = (one.sent, one.shown, one.refused, one.gone, one.good_lost, one.good_repeated)
        table.add_row(name, *(f"{count:,}" for count in (*counts, one.hung)))
    _OUT.print(table)
    thrown = ", ".join(f"{count:,} {name}" for name, count in whole.thrown.most_common())
    _OUT.print(f"{len(found.kinds)} kinds of damage; thrown: {thrown or 'nothing'}.")
    _OUT.print(
        f"{found.seconds:.0f} s; {found.before:.0f} MiB after the first stream, {found.after:.0f} "
        f"at the end. Kept in "
        f"{_kept('poison', arguments, found.described(), 'provider', 'messages', 'seed')}"
    )


def _kept(
    name: str, arguments: argparse.Namespace, content: Mapping[str, object], *given: str
) -> Path:
    """The file of a result, named by those of the arguments that it heeds."""
    return kept.keep(name, {one: getattr(arguments, one) for one in given}, content)


_BENCHMARKS = {
    "start": _start,
    "catalogue": _catalogue,
    "throughput": _throughput,
    "selectors": _selectors,
    "priority": _priority,
    "stability": _stability,
    "adapter": _adapter,
    "page": _page,
    "volume": _volume,
    "memory": _memory,
    "recorder": _recorder,
    "screening": _screening,
    "workload": _workload,
    "replays": _replays,
    "live": _live,
    "reliability": _reliability,
    "poison": _poison,
}

if __name__ == "__main__":
    main()
