"""Spark finds what the kernels find: on many small histories as one table, in one session."""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from histories.object_store import object_store
from histories.recorded_histories import record
from histories.small_histories import findings_of
from histories.written_histories import changed_table, write
from jms_brokers.machine.polling import until
from jms_histories.checks.small_history import SmallHistory
from jms_histories.columns import Findings
from jms_histories.definitions import CHECKS
from jms_histories.engines.local.local import judge_locally
from jms_histories.engines.spark import engine, plans, progress, resources, tasks
from jms_histories.engines.spark.engine import verify_on_spark
from jms_histories.engines.spark.errors import SparkError
from jms_histories.engines.spark.source import HistorySource
from jms_histories.errors import HistoryError
from jms_histories.history.bucket import bucket
from jms_histories.history.reader import open_history
from jms_histories.history.seal import HISTORY, seal
from jms_histories.history.simulation.faults import fault_counts
from jms_histories.history.simulation.making import make_history
from jms_histories.history.simulation.settings import preset
from jms_histories.kernels.links.merging import restricted
from jms_histories.kernels.whole import judge
from jms_histories.verdicts import HistoryVerdict
from jms_histories.verification.verification import verify
from spark.three_engines import agreed, judge_legal, small_session

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A caller's own session, small; it ends with this file, its JVM with the process."""
    with small_session() as started:
        yield started


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(changed_table(200, seed=6), tmp_path_factory.mktemp("histories") / "changed")


@pytest.fixture
def many_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small history is divided as a large one is."""
    monkeypatch.setattr(resources, "ROWS_PER_BUCKET", 1 << 8)
    monkeypatch.setattr(plans, "LINKED_TOGETHER", 1 << 10)
    monkeypatch.setattr(tasks, "READ_ROWS", 1 << 9)
    monkeypatch.setattr(engine, "MANY_SUSPECTS", 1.0)


def in_process(folder: Path) -> Findings:
    history = open_history(folder)
    return judge(history.all_sends(), history.all_deliveries(), history.spec)


def agree(actual: Findings, expected: Findings) -> None:
    assert actual.counts == expected.counts
    assert actual.shoulds == expected.shoulds
    assert actual.power == expected.power
    assert findings_of(actual) == findings_of(expected)


@pytest.mark.usefixtures("many_tasks")
@pytest.mark.parametrize("exact", [False, True], ids=["screened", "exact"])
def test_spark_finds_what_the_kernels_find(spark: SparkSession, changed: Path, exact: bool) -> None:
    result = verify_on_spark(open_history(changed), spark=spark, exact=exact)
    expected = in_process(changed)

    agree(result.findings, expected)
    noticed = [check for check in CHECKS if expected.counts[check] + expected.shoulds[check]]
    assert len(noticed) >= 30
    assert result.plan.name == ("exact" if exact else "screened")
    assert 0 < result.plan.suspects <= result.plan.sends


@pytest.mark.usefixtures("many_tasks")
@pytest.mark.parametrize("exact", [False, True], ids=["screened", "exact"])
def test_rows_in_buckets_give_the_same(
    spark: SparkSession, changed: Path, tmp_path: Path, exact: bool
) -> None:
    bucket(changed, tmp_path / "buckets", 4, chunk_rows=1_000)
    result = verify_on_spark(open_history(tmp_path / "buckets"), spark=spark, exact=exact)

    agree(result.findings, in_process(changed))


@pytest.mark.usefixtures("many_tasks")
def test_some_checks_are_judged_as_among_all(spark: SparkSession, changed: Path) -> None:
    some = ["D01", "D08", "D09", "D20", "D32"]
    result = verify_on_spark(open_history(changed), spark=spark, checks=some)

    assert sorted(result.findings.power) == some
    agree(result.findings, restricted(in_process(changed), some))


def test_a_history_of_suspects_is_judged_exactly(
    spark: SparkSession, changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That shows when it was screened; its rows are divided as for the exact plan all the same."""
    monkeypatch.setattr(resources, "ROWS_PER_BUCKET", 1 << 9)
    divided: list[int] = []
    moved = plans.Plans._moved

    def noted(self: plans.Plans, frame: Any, into: int) -> Any:
        divided.append(into)
        return moved(self, frame, into)

    monkeypatch.setattr(plans.Plans, "_moved", noted)
    result = verify_on_spark(open_history(changed), spark=spark)

    agree(result.findings, in_process(changed))
    assert result.plan.name == "exact"
    buckets = result.plan.settings["buckets"]
    assert isinstance(buckets, int)
    assert buckets > 2
    assert result.plan.settings["partitions"] == buckets
    assert buckets in divided


def test_too_little_disk_is_told_also_where_that_is_seen_late(
    spark: SparkSession, changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_SPREAD_BYTES", 1 << 50)

    with pytest.raises(SparkError, match="Too little disk for the shuffle"):
        verify_on_spark(open_history(changed), spark=spark)


def test_the_statistics_are_those_of_the_local_engine(spark: SparkSession, changed: Path) -> None:
    history = open_history(changed)
    for exact in (False, True):
        statistics = verify_on_spark(history, spark=spark, exact=exact).statistics
        expected = judge_locally(history, exact=exact).statistics
        assert statistics.distribution() == expected.distribution()
        assert statistics.pack() == expected.pack()


def test_a_thousand_legal_histories_raise_no_alarm(spark: SparkSession, tmp_path: Path) -> None:
    said = judge_legal(1_000, tmp_path / "legal", spark)

    deliveries, powerful = map(int, re.findall(r"(\d+) deliveries, (\d+) checks", said)[0])
    assert deliveries > 5_000
    assert powerful >= 31


@pytest.mark.usefixtures("many_tasks")
def test_three_engines_agree(spark: SparkSession, tmp_path: Path) -> None:
    result = agreed(changed_table(12, seed=1), tmp_path / "agreed", spark)
    assert len({finding.check for finding in result}) >= 28


def test_a_history_without_rows_is_judged_to_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """Neither files without rows nor no files at all, as they are sealed, keep it from an end."""
    record(SmallHistory(), tmp_path)
    seal(tmp_path)
    for folder in (write(SmallHistory(), tmp_path / "empty"), tmp_path / HISTORY):
        for exact in (False, True):
            findings = verify_on_spark(open_history(folder), spark=spark, exact=exact).findings
            assert findings.power == dict.fromkeys(CHECKS, 0)


def test_the_callers_session_stays_as_it_is(spark: SparkSession, changed: Path) -> None:
    before = spark.conf.getAll
    result = verify_on_spark(
        open_history(changed), spark=spark, conf={"spark.sql.ansi.enabled": "x"}
    )

    assert spark.conf.getAll == before
    assert spark.range(3).count() == 3
    assert result.plan.master == "local[2]"


def test_a_terminal_shows_how_many_tasks_are_done(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four tasks, the last of which waits until the bar has told of the others."""
    monkeypatch.setattr(progress, "_EVERY", 0.05)
    terminal, seen = io.StringIO(), tmp_path / "seen"

    def wait_for_the_last(arrived: Iterator[Any]) -> Iterator[Any]:
        for batch in arrived:
            while batch.column("id")[0].as_py() == 3 and not seen.exists():
                time.sleep(0.05)
            yield batch

    def look() -> None:
        frame = spark.range(0, 4, 1, 4).mapInArrow(wait_for_the_last, "id long")
        assert len(frame.collect()) == 4

    with progress.show_progress(spark, "verifying", Console(file=terminal, force_terminal=True)):
        working = threading.Thread(target=look)
        working.start()
        try:
            until(lambda: re.search(r"verifying.*3/4", terminal.getvalue()), within=120)
        finally:
            seen.touch()
            working.join()

    on_a_file = io.StringIO()
    with progress.show_progress(spark, "verifying", Console(file=on_a_file)):
        assert spark.range(3).count() == 3
    assert on_a_file.getvalue() == ""


def test_rows_are_a_data_source(spark: SparkSession, changed: Path) -> None:
    spark.dataSource.register(HistorySource)
    history = open_history(changed)
    for view, rows in (("sends", history.all_sends()), ("deliveries", history.all_deliveries())):
        frame = spark.read.format("touchstone").option("view", view).option("rows", 512)
        table = frame.load(str(changed)).toArrow()
        assert table.num_rows == len(rows["uid"])
        for name, values in rows.items():
            column: Any = table.column(name).to_numpy()
            assert np.array_equal(np.sort(column), np.sort(values)), name


def test_a_damaged_history_is_refused_by_the_worker_that_reads_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = write(changed_table(20, seed=1), tmp_path / "damaged")
    file = folder / open_history(folder).manifest.of("delivery")[0].path
    content = bytearray(file.read_bytes())
    content[200:1200] = bytes(1000)  # within the rows: the footer is as it was
    file.write_bytes(content)

    with pytest.raises(HistoryError, match=r"damaged|ridx|clock"):
        verify_on_spark(open_history(folder), spark=spark)


def test_all_anomalies_of_a_simulated_history_are_found(
    spark: SparkSession, tmp_path: Path
) -> None:
    planted = fault_counts({"all": 12})
    make_history(tmp_path / "simulated", preset("plain", 60_000, 4), planted)
    history = open_history(tmp_path / "simulated")
    result = verify_on_spark(history, spark=spark)

    agree(result.findings, judge_locally(history).findings)
    assert result.plan.name == "screened"
    assert result.findings.counts["D27"] == 12


def test_a_history_in_an_object_store_is_read_by_the_workers(
    spark: SparkSession, changed: Path
) -> None:
    """Nothing of it but footers and the small tables is read here; its address says all."""
    with object_store(changed.parent.parent) as address:
        url = f"s3://key:secret@{changed.parent.name}/{changed.name}"
        asked = f"?endpoint_override={address.removeprefix('http://')}&scheme=http&region=us-east-1"
        result = verify_on_spark(open_history(url + asked), spark=spark)

    agree(result.findings, in_process(changed))


def test_touchstone_verify_reports_what_spark_found(
    spark: SparkSession, changed: Path, tmp_path: Path
) -> None:
    here = verify(changed, "local")
    there = verify(changed, "spark", spark=spark)

    assert there.verdict is here.verdict is HistoryVerdict.VIOLATES
    assert there.findings.equals(here.findings)
    assert there.counts == here.counts
    assert there.statistics == here.statistics
    assert there.plan["engine"] == "spark"
    assert there.write(tmp_path / "spark").is_file()
    assert (tmp_path / "spark" / "findings.parquet").is_file()
