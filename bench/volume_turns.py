"""One engine in a process of its own: it verifies or counts once for each line that it is sent."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from bench.volume_counts import COUNTED, FOUND, POWER, HistoryCounts
from jms_histories.engines.result import VerificationResult
from jms_histories.history.reader import open_history

THREADS: Final = 2
MEMORY: Final = "3GB"
Turn = Callable[[], HistoryCounts]


@contextmanager
def _duckdb(folder: Path) -> Iterator[Turn]:
    from bench.volume_duckdb import DuckDb

    with tempfile.TemporaryDirectory() as scratch:
        engine = DuckDb(folder, threads=THREADS, memory=MEMORY, scratch=Path(scratch))
        yield engine.counts
        engine.close()


@contextmanager
def _polars(folder: Path) -> Iterator[Turn]:
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
    from bench.volume_polars import PolarsFrames

    yield PolarsFrames(folder).counts


@contextmanager
def _local(folder: Path, checks: Sequence[str] | None = None) -> Iterator[Turn]:
    from jms_histories.engines.local.local import judge_locally

    yield lambda: count_findings(folder, judge_locally(open_history(folder), checks=checks))


@contextmanager
def _spark(
    folder: Path, *, exact: bool = False, checks: Sequence[str] | None = None
) -> Iterator[Turn]:
    from jms_histories.engines.spark.engine import verify_on_spark
    from jms_histories.engines.spark.plans import is_bucketed
    from jms_histories.engines.spark.resources import Size, choose, this_machine
    from jms_histories.engines.spark.session import session, settings

    history = open_history(folder)
    size = Size(history.rows("send"), history.rows("delivery"), 0)
    machine = this_machine(Path(tempfile.gettempdir()), THREADS)
    written = history.manifest.buckets if is_bucketed(history) else 0
    moves = exact and not written
    chosen = choose(size, machine, exact=exact, shuffled=moves, written=written)
    wanted = settings(f"local[{THREADS}]", "bench", chosen, shuffled=moves, conf={})
    with session(wanted) as spark:
        yield lambda: count_findings(
            folder, verify_on_spark(open_history(folder), spark=spark, exact=exact, checks=checks)
        )


ENGINES: Final[Mapping[str, Callable[[Path], AbstractContextManager[Turn]]]] = {
    "Spark": _spark,
    "Spark, same counts": partial(_spark, checks=COUNTED),
    "Spark, a tenth": _spark,
    "Spark, every message": partial(_spark, exact=True),
    "Spark, buckets": partial(_spark, exact=True),
    "local": _local,
    "local, same counts": partial(_local, checks=COUNTED),
    "DuckDB": _duckdb,
    "Polars": _polars,
}


def count_findings(folder: Path, judged: VerificationResult) -> HistoryCounts:
    """The counts by which engines are compared, of all that ours has found."""
    findings = judged.findings
    distribution: dict[int, int] = {}
    for (*_, deliveries), messages in judged.statistics.distribution().items():
        distribution[deliveries] = distribution.get(deliveries, 0) + messages
    return HistoryCounts(
        {
            "deliveries": open_history(folder).rows("delivery"),
            **{name: findings.counts[id_] + findings.shoulds[id_] for name, id_ in FOUND.items()},
            **{name: findings.power[id_] for name, id_ in POWER.items()},
        },
        distribution,
        {check: (findings.counts[check], findings.shoulds[check]) for check in findings.power},
    )


def main() -> None:
    """Answer each line with a line: seconds, counts, distribution, and what each check found."""
    engine, folder = sys.argv[1], Path(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    with ENGINES[engine](folder) as turn:
        for _ in sys.stdin:
            begun = time.perf_counter()
            answered = turn()
            seconds = time.perf_counter() - begun
            shape = {str(n): count for n, count in sorted(answered.distribution.items())}
            answer = {
                "seconds": seconds,
                "counts": dict(answered.counts),
                "distribution": shape,
                "found": dict(answered.found),
            }
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
