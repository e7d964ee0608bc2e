"""Prints the benchmarks that are named; without a name all but those that take long."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

from bench import volume, workload
from bench.shown import clients, histories, suite
from jms_brokers.machine.secrecy import hide_secrets

BENCHMARKS = {
    "start": suite.show_start,
    "catalogue": suite.show_catalogue,
    "python": suite.show_python,
    "tests": suite.show_tests,
    "commands": suite.show_commands,
    "durations": suite.show_durations,
    "throughput": clients.show_throughput,
    "selectors": clients.show_selectors,
    "priority": clients.show_priority,
    "real-bugs": suite.show_real_bugs,
    "stability": suite.show_stability,
    "timing": suite.show_timing,
    "generated": suite.show_generated,
    "adapter": clients.show_adapter,
    "page": suite.show_page,
    "volume": histories.show_volume,
    "memory": histories.show_memory,
    "recorder": histories.show_recorder,
    "screening": histories.show_screening,
    "workload": histories.show_workload,
    "replays": clients.show_replays,
    "live": histories.show_live,
    "reliability": suite.show_reliability,
    "poison": clients.show_poison,
    "destinations": clients.show_destinations,
}
_LONG = (
    "python",
    "tests",
    "durations",
    "real-bugs",
    "stability",
    "timing",
    "generated",
    "volume",
    "memory",
    "replays",
    "live",
    "poison",
    "reliability",
    "destinations",
)
_LEAST = {"volume": volume.LEAST, "memory": volume.FOR_EACH}
"""Messages."""


def main() -> None:
    """Run the benchmarks in turn."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("what", nargs="*", choices=[[], *BENCHMARKS], help="default: all")
    parser.add_argument("--sends", type=int, default=20_000, help="asynchronous sends a round")
    parser.add_argument("--deliveries", type=int, default=1_000_000, help="for recorder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--starts", type=int, default=5, help="warm starts of the broker")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--provider",
        default="reference",
        help="for catalogue, destinations, live, poison, stability, timing",
    )
    parser.add_argument("--client", help="for real-bugs: those of one client")
    parser.add_argument("--bug", nargs="+", default=[], help="for real-bugs: only these, by id")
    parser.add_argument("--workers", type=int, default=6, help="for catalogue, python")
    parser.add_argument("--results-dir", type=Path, default=Path("results"), help="for durations")
    parser.add_argument("--document", help="for stability: only scenarios of this document")
    parser.add_argument("--runs", type=int, default=10, help="how often for stability, timing")
    parser.add_argument(
        "--load", type=int, nargs="+", default=[1, 8, 20], help="busy processes beside timing"
    )
    parser.add_argument("--scenario", nargs="+", default=[], help="for timing: only these, by id")
    parser.add_argument(
        "--messages", type=int, default=10_000_000, help="for live, memory, poison, volume"
    )
    parser.add_argument("--preset", choices=("plain", "hard"), default="plain", help="for volume")
    parser.add_argument(
        "--at-once",
        type=int,
        default=2,
        help="at a time: faults for reliability, for generated; runs for timing",
    )
    parser.add_argument("--destinations", type=int, default=10_000, help="for destinations")
    parser.add_argument(
        "--limit", type=int, default=1000, help="for destinations: jms.maxNumOfProducers"
    )
    parser.add_argument(
        "--options",
        default="-n auto --dist loadfile --no-loadscope-reorder",
        help="for tests: those of pytest",
    )
    parser.add_argument("--sample", type=int, help="changes for generated, drawn by the commit")
    arguments = parser.parse_args()
    named = arguments.what or [name for name in BENCHMARKS if name not in _LONG]
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
            BENCHMARKS[name](arguments)
    except Exception:
        sys.stderr.write(hide_secrets(traceback.format_exc()))
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
