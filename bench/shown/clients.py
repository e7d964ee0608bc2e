"""What the reference and the adapter cost, and how well they keep what they promise."""

from __future__ import annotations

import argparse
import os
from statistics import median, quantiles

from rich.table import Table

from bench import adapter, destinations, kept, poison, priority, replays, selectors, throughput
from bench.shown.output import OUT, keep
from jms_brokers.shared.settings import BrokerSettings
from touchstone.brokers.broker_set import BrokerSet

_REPLAYED = 50_000
"""Messages of one turn."""


def show_throughput(arguments: argparse.Namespace) -> None:
    """Sends and receives of the reference beside the plain client."""
    with BrokerSet(BrokerSettings()) as brokers:
        results = throughput.measure(brokers.address(), arguments.sends, arguments.rounds)
    table = Table("messages a second", title="Throughput, median of turns", title_justify="left")
    for column in (*throughput.SIDES, "share, median", "middle half", "CPU, µs a message"):
        table.add_column(column, justify="right")
    bare, plain, ours = throughput.SIDES
    for work, comparison in results.items():
        shares = comparison.shares(ours, plain)
        lower, _, upper = quantiles(shares)
        table.add_row(
            work,
            *(f"{comparison.rate(side):,.0f}" for side in throughput.SIDES),
            f"{median(shares):.0%}",
            f"{lower:.0%} to {upper:.0%}",
            " / ".join(f"{comparison.cpu(side):.0f}" for side in throughput.SIDES),
        )
    OUT.print(table)
    price = 1 - median(results["asynchronous send"].shares(plain, bare))
    OUT.print(f"Of asynchronous sends the properties alone cost {price:.0%}, with any client.")


def show_selectors(arguments: argparse.Namespace) -> None:
    """How many evaluations a second a selector takes."""
    OUT.print(f"Selector: {selectors.TEXT}")
    for name, rate in selectors.rates(arguments.rounds):
        OUT.print(f"{rate:,.0f} evaluations a second of CPU time, {name}")


def show_adapter(arguments: argparse.Namespace) -> None:
    """What a call through the adapter for Java clients costs."""
    table = Table("microseconds a call", title="Adapter for Java clients", title_justify="left")
    for column in ("JPype alone", "adapter", "above"):
        table.add_column(column, justify="right")
    costs = adapter.measure(arguments.rounds)
    for cost in costs:
        table.add_row(cost.call, f"{cost.bare:.2f}", f"{cost.adapter:.2f}", f"{cost.above:.2f}")
    OUT.print(table)
    most = max(cost.above for cost in costs)
    OUT.print(f"At most {most:.1f} µs above JPype; the aim is {adapter.LIMIT:.0f} µs or less.")


def show_priority(arguments: argparse.Namespace) -> None:
    """How well consumers keep the order of priority."""
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
    OUT.print(table)
    content = {
        "messages": priority.COUNT,
        "work in seconds": priority.WORK,
        "figures": [
            {**figure._asdict(), "ratio": figure.ratio, "fast_ratio": figure.fast_ratio}
            for figure in figures
        ],
    }
    path = keep("priority", arguments, content, "seed")
    drawing = kept.RESULTS / "priority.svg"
    drawing.write_text(priority.plot(figures))
    OUT.print(f"Kept in {path}, drawn in {drawing}")


def show_replays(arguments: argparse.Namespace) -> None:
    """How often the broker itself sends a message twice."""
    turns = replays.measure(_REPLAYED, arguments.rounds, arguments.seed)
    table = Table("profile", title="Sent twice by the broker itself", title_justify="left")
    for column in ("messages", "deliveries", "sent twice"):
        table.add_column(column, justify="right")
    for turn in turns:
        table.add_row(turn.profile, *(f"{figure:,}" for figure in turn[1:]))
    OUT.print(table)
    content = {"load": os.getloadavg(), "turns": [turn._asdict() for turn in turns]}
    OUT.print(f"Kept in {keep('replays', arguments, content, 'rounds', 'seed')}")


def show_poison(arguments: argparse.Namespace) -> None:
    """What becomes of damaged messages among good ones."""
    poisoned = poison.measure(arguments.provider, arguments.messages, arguments.seed)
    whole = poisoned.whole
    table = Table("read by", title=f"{whole.sent:,} damaged messages", title_justify="left")
    for column in ("sent", "shown", "refused", "gone", "good lost", "good twice", "close() hung"):
        table.add_column(column, justify="right")
    for name, figures in {**poisoned.ways, "all": whole}.items():
        counts = (
            figures.sent,
            figures.shown,
            figures.refused,
            figures.gone,
            figures.good_lost,
            figures.good_repeated,
        )
        table.add_row(name, *(f"{count:,}" for count in (*counts, figures.hung)))
    OUT.print(table)
    thrown = ", ".join(f"{count:,} {name}" for name, count in whole.thrown.most_common())
    OUT.print(f"{len(poisoned.kinds)} kinds of damage; thrown: {thrown or 'nothing'}.")
    OUT.print(
        f"{poisoned.seconds:.0f} s; {poisoned.before:.0f} MiB after the first stream, "
        f"{poisoned.after:.0f} at the end. Kept in "
        f"{keep('poison', arguments, poisoned.described(), 'provider', 'messages', 'seed')}"
    )


def show_destinations(arguments: argparse.Namespace) -> None:
    """Memory and producers of a client that answers to ever new destinations."""
    table = Table("destinations", title="One message to each", title_justify="left")
    for column in ("with a producer at the broker", "client, MiB", "a message, ms"):
        table.add_column(column, justify="right")
    steps = list(destinations.steps(arguments.provider, arguments.destinations, arguments.limit))
    each = steps[0].sent
    for step in steps:
        table.add_row(
            f"{step.sent:,}",
            f"{step.producers:,}",
            f"{step.resident:.0f}",
            f"{1000 * step.seconds / each:.1f}",
        )
    OUT.print(table)
    given = ("provider", "destinations", "limit")
    content = destinations.steps_as_dict(steps)
    OUT.print(f"Kept in {keep('destinations', arguments, content, *given)}")
