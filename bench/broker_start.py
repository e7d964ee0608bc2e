"""How long the embedded broker takes to be ready, cold and warm, and what memory it holds."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from jms_brokers.families.pulsar.embedded import StartFigures, measure_start

_MEASURE = "from bench.broker_start import print_one; print_one()"
Row = tuple[str, float, float, float, float, float]


def print_one() -> None:
    """Measure one start in this process and print its figures, for `cold`."""
    figures = measure_start()
    timings = figures.timings
    sys.stdout.write(
        f"{timings.prepared} {timings.answering} {timings.message} "
        f"{figures.resident_bytes} {figures.stop_seconds}\n"
    )


def rows(warm_starts: int) -> Iterator[Row]:
    """Name, seconds to fetch and prepare, to answer, to a message, in all; MiB of memory."""
    yield _measure_cold_start()
    starts = sorted(
        (measure_start() for _ in range(warm_starts)), key=lambda start: start.timings.total
    )
    for name, index in (("fastest", 0), ("median", warm_starts // 2), ("slowest", -1)):
        yield (f"warm, {name}", *_figures(starts[index]))


def _measure_cold_start() -> Row:
    """A start with an empty cache: jars fetched, the AOT cache made."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as empty:
        done = subprocess.run(
            [sys.executable, "-c", _MEASURE],
            env={**os.environ, "TOUCHSTONE_CACHE": empty},
            capture_output=True,
            text=True,
            check=True,
        )
    prepared, answering, message, resident, _ = map(float, done.stdout.split())
    return (
        "cold",
        prepared,
        answering,
        message,
        prepared + answering + message,
        resident / 2**20,
    )


def _figures(start: StartFigures) -> tuple[float, float, float, float, float]:
    timings = start.timings
    return (
        timings.prepared,
        timings.answering,
        timings.message,
        timings.total,
        start.resident_bytes / 2**20,
    )
