"""Three engines judge the same: the kernels here, the kernels on Spark, and the slow oracle.

    python -m spark.three_engines [--legal N] [--faulty N] [--each N]

judges N legal histories as one table in one Spark job, in which nothing may be found, and N random
ones with faults, changes and offences, in tables of some, which all engines must judge alike.
Prints what was judged; ends with an error at the first difference. Needs Java, as Spark does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from histories.small_histories import findings_of, legal_table
from histories.written_histories import changed_table, numbered, write
from jms_histories.checks import judge as judge_slowly
from jms_histories.checks.findings import Finding
from jms_histories.checks.small_history import SmallHistory
from jms_histories.columns import Findings
from jms_histories.engines.spark import resources, session
from jms_histories.engines.spark.engine import verify_on_spark
from jms_histories.history.reader import open_history
from jms_histories.kernels.whole import judge


@contextmanager
def small_session() -> Iterator[SparkSession]:
    """A caller's own session, small."""
    wanted = resources.Resources(tasks=2, partitions=3, buckets=1, heap_mib=768, task_mib=300)
    conf = session.settings("local[2]", "tests", wanted, shuffled=False, conf={})
    with session.session(conf) as started:
        yield started


def told(findings: Findings) -> tuple[list[Finding], dict[str, int], int, int]:
    """What an engine says: findings, power, and how many decide and are shoulds."""
    counts = sum(findings.counts.values()), sum(findings.shoulds.values())
    return findings_of(findings), findings.power, *counts


def agreed(history: SmallHistory, folder: Path, spark: SparkSession) -> list[Finding]:
    """What all engines find in a history. Raises AssertionError if one differs."""
    findings, power = judge_slowly(history)
    shoulds = sum(finding.should for finding in findings)
    expected = findings, power, len(findings) - shoulds, shoulds
    written = open_history(write(history, folder))
    assert told(judge(written.all_sends(), written.all_deliveries(), written.spec)) == expected
    for exact in (False, True):
        assert told(verify_on_spark(written, spark=spark, exact=exact).findings) == expected
    return findings


def judge_legal(count: int, folder: Path, spark: SparkSession) -> str:
    """So many legal histories as one table, in one job. Raises AssertionError at a false alarm."""
    table = numbered(legal_table(count, seed=3))
    history = open_history(write(table, folder, files=4, row_group=1 << 14))
    judged = verify_on_spark(history, spark=spark)
    alarms = Counter(judged.findings.counts) + Counter(judged.findings.shoulds)
    assert not alarms, alarms
    powerful = [check for check, power in judged.findings.power.items() if power]
    return (
        f"{count} legal histories as one table, one Spark job: {judged.plan.sends} sends, "
        f"{judged.plan.deliveries} deliveries, {len(powerful)} checks with power, no finding"
    )


def judge_faulty(count: int, each: int, folder: Path, spark: SparkSession) -> str:
    """So many histories with faults and changes, in tables. AssertionError if engines differ."""
    counts: Counter[str] = Counter()
    shoulds = 0
    tables = -(-count // each)
    for number in range(tables):
        some = min(each, count - number * each)
        findings = agreed(changed_table(some, seed=number), folder / str(number), spark)
        counts.update(finding.check for finding in findings)
        shoulds += sum(finding.should for finding in findings)
    return (
        f"{count} histories with faults and changes in {tables} tables: oracle, kernels here and "
        f"kernels on Spark agree on {counts.total()} findings ({shoulds} shoulds) of {len(counts)} "
        "checks, and on the power of all"
    )


def main() -> int:
    """Judge as many as are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--legal", type=int, default=1000)
    parser.add_argument("--faulty", type=int, default=1000)
    parser.add_argument("--each", type=int, default=50, help="histories of a table")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder, small_session() as spark:
        sys.stdout.write(judge_legal(arguments.legal, Path(folder) / "legal", spark) + "\n")
        sys.stdout.flush()
        faulty = judge_faulty(arguments.faulty, arguments.each, Path(folder), spark)
        sys.stdout.write(faulty + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
