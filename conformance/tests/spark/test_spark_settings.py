"""What a Spark job is given, by memory, disk and master; no JVM."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from jms_histories.engines.spark import resources, session
from jms_histories.engines.spark.errors import SparkError
from jms_histories.engines.spark.resources import Machine, Size, choose
from jms_histories.history.bucket import BUCKET_ROWS, buckets_for

ROOMY = Machine(processors=4, memory_mib=64_000, disk_mib=1_000_000)


def size(rows: int) -> Size:
    return Size(rows // 2, rows // 2, rows * 40)


def test_larger_histories_get_more_buckets() -> None:
    small = choose(size(10_000), ROOMY, exact=True, shuffled=True)
    large = choose(size(200_000_000), ROOMY, exact=True, shuffled=True)

    assert (small.buckets, small.partitions) == (1, 4)
    assert large.buckets == 256
    assert large.partitions == 256
    assert small.heap_mib == large.heap_mib


def test_each_task_that_moves_rows_has_room_in_the_heap() -> None:
    few, many = (
        choose(size(200_000_000), replace(ROOMY, processors=tasks), exact=True, shuffled=True)
        for tasks in (2, 16)
    )

    assert few.heap_mib < 1024 < 16 * 128 <= many.heap_mib <= 4096


TWO = replace(ROOMY, processors=2)


SIZES = [1_000, 1_000_000, 20_000_000, 200_000_000, 2_000_000_000]


@pytest.mark.parametrize("rows", SIZES)
def test_every_message_of_any_history_is_judged_in_three_gibibytes(rows: int) -> None:
    """Two tasks, Java and the driver: what is judged at once does not grow with the history."""
    chosen_resources = choose(size(rows), TWO, exact=True, shuffled=True)

    assert chosen_resources.tasks == 2
    assert chosen_resources.memory_mib <= 3 * 1024


@pytest.mark.parametrize("rows", [*SIZES, 2 * 8 * BUCKET_ROWS, 2 * 128 * BUCKET_ROWS])
def test_so_it_is_in_the_buckets_that_are_made_of_it(rows: int) -> None:
    written = buckets_for(size(rows).deliveries)
    chosen_resources = choose(size(rows), TWO, exact=True, shuffled=False, written=written)

    assert chosen_resources.tasks == 2
    assert chosen_resources.memory_mib <= 3 * 1024


def test_the_screening_of_a_hundred_million_messages_fits_into_three_gibibytes() -> None:
    """Two tasks and Java leave some for the driver; Java's share grows with the rows."""
    small, larger = (
        choose(size(rows), TWO, exact=False, shuffled=False)
        for rows in (212_000_000, 1_000_000_000)
    )

    assert small.tasks == 2
    assert small.memory_mib <= 2.5 * 1024
    assert small.heap_mib < larger.heap_mib <= 4096


def test_buckets_as_they_were_written_say_what_a_task_needs() -> None:
    needs = [
        choose(size(20_000_000), ROOMY, exact=True, shuffled=False, written=buckets).task_mib
        for buckets in (16, 4, 1)
    ]

    assert needs[0] < 1024 < needs[1] < needs[2]


@pytest.mark.parametrize("exact", [False, True], ids=["screened", "exact"])
def test_java_gets_and_gives_batches_of_some_mebibytes(exact: bool) -> None:
    """A batch of all that a task has would lie beside Java's heap, as large as the task's rows."""
    chosen = choose(size(200_000_000), ROOMY, exact=exact, shuffled=exact)
    conf = session.settings("local[2]", "r", chosen, shuffled=exact, conf={})

    assert int(conf["spark.sql.execution.arrow.maxBytesPerBatch"]) <= 64 << 20


def test_a_bucket_has_at_most_half_a_mebi_of_deliveries_on_average() -> None:
    for deliveries in (1, 1 << 20, (1 << 20) + 1, 77_000_000):
        chosen_resources = choose(
            Size(deliveries, deliveries, 0), ROOMY, exact=True, shuffled=False
        )
        assert deliveries / chosen_resources.buckets <= 1 << 19


def test_fewer_tasks_run_at_a_time_where_memory_is_short() -> None:
    short = Machine(processors=4, memory_mib=3_000, disk_mib=None)

    assert choose(size(50_000_000), ROOMY, exact=True, shuffled=False).tasks == 4
    assert 1 <= choose(size(50_000_000), short, exact=True, shuffled=False).tasks < 4


def test_too_little_memory_is_said_before_anything_starts() -> None:
    tiny = Machine(processors=2, memory_mib=900, disk_mib=None)

    with pytest.raises(SparkError, match=r"Too little memory .* 900 MiB are free"):
        choose(size(1_000), tiny, exact=False, shuffled=False)


def test_too_little_disk_counts_only_where_rows_move() -> None:
    full = Machine(processors=2, memory_mib=64_000, disk_mib=3_000)

    assert choose(size(100_000_000), full, exact=False, shuffled=False)
    with pytest.raises(SparkError, match=r"Too little disk .* 3000 MiB are free"):
        choose(size(100_000_000), full, exact=True, shuffled=True)


def test_this_machine_has_processors_memory_and_disk(tmp_path: Path) -> None:
    machine = resources.this_machine(tmp_path)

    assert machine.processors >= 1
    assert machine.memory_mib is None or machine.memory_mib > 0
    assert machine.disk_mib is not None
    assert resources.this_machine(tmp_path, 7).processors == 7


def settings(master: str, **conf: str) -> dict[str, str]:
    wanted = choose(size(1_000), ROOMY, exact=False, shuffled=False)
    return session.settings(master, "r", wanted, shuffled=False, conf=conf)


def test_a_local_session_is_reached_by_nobody_else() -> None:
    conf = settings("local[*]")

    assert conf["spark.master"] == "local[4]"
    assert conf["spark.driver.host"] == conf["spark.driver.bindAddress"] == "127.0.0.1"
    assert conf["spark.ui.enabled"] == "false"


def test_a_cluster_reaches_the_driver_wherever_it_is() -> None:
    conf = settings("spark://10.0.0.7:7077")

    assert "spark.driver.host" not in conf
    assert conf["spark.executor.memory"] == conf["spark.driver.memory"]
    assert settings("spark://127.0.0.1:7077")["spark.driver.host"] == "127.0.0.1"


def test_the_users_own_settings_win() -> None:
    assert settings("local[2]", **{"spark.driver.memory": "9g"})["spark.driver.memory"] == "9g"


@pytest.mark.parametrize(
    ("master", "processors"),
    [("local", 1), ("local[3]", 3), ("local[3,2]", 3), ("local[*]", None), ("spark://a:1", None)],
)
def test_masters_name_processors(master: str, processors: int | None) -> None:
    assert session.processor_count(master) == processors


def test_a_master_that_nobody_listens_for_is_named() -> None:
    with pytest.raises(SparkError, match=r"No Spark master can be reached at spark://127\.0\.0\.1"):
        session.require_master("spark://127.0.0.1:1")
    with pytest.raises(SparkError, match="nonsense"):
        session.require_master("spark://nonsense")


@pytest.mark.parametrize("master", ["gibberish", "local[", "local[x]", "localhost:7077", ""])
def test_what_is_no_master_is_named(master: str) -> None:
    """Before a Java process is started that would not know it either."""
    with pytest.raises(SparkError, match=r"is no master of Spark"):
        session.require_master(master)


@pytest.mark.parametrize(
    "master", ["local", "local[*]", "local[2]", "local[2,4]", "yarn", "k8s://a"]
)
def test_masters_are_known(master: str) -> None:
    session.require_master(master)


def test_missing_pyspark_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)

    with (
        pytest.raises(SparkError, match="PySpark cannot be imported") as caught,
        session.session(settings("local[1]")),
    ):
        pytest.fail("there is no session without PySpark")
    assert "jms-touchstone[spark]" in caught.value.hint
