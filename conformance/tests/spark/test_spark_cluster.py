"""A real standalone cluster gives the same findings; one of its executors may die meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from histories.small_histories import findings_of
from histories.written_histories import changed_table, write
from jms_histories.columns import Findings
from jms_histories.engines.local.local import judge_locally
from jms_histories.engines.spark import engine, session
from jms_histories.engines.spark.engine import verify_on_spark
from jms_histories.engines.spark.errors import SparkError
from jms_histories.history.reader import History, open_history
from spark.spark_cluster import LEAN, Cluster, cluster

pytestmark = pytest.mark.thorough

SMALL = {
    "spark.executor.memory": "512m",
    "spark.driver.memory": "768m",
    "spark.driver.extraJavaOptions": LEAN,
}
"""Each worker and executor is a JVM of its own."""


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers of one core each."""
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as made:
        yield made


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    folder = tmp_path_factory.mktemp("histories") / "changed"
    return open_history(write(changed_table(100, seed=7), folder))


@pytest.fixture(scope="module")
def expected(history: History) -> Findings:
    return judge_locally(history).findings


def agree(actual: Findings, expected: Findings) -> None:
    assert findings_of(actual) == findings_of(expected)
    assert actual.counts == expected.counts
    assert actual.shoulds == expected.shoulds
    assert actual.power == expected.power


def test_a_cluster_finds_the_same(
    standalone: Cluster, history: History, expected: Findings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a history that is named by a relative path: workers have folders of their own."""
    monkeypatch.setattr(engine, "MANY_SUSPECTS", 1.0)
    folder = Path(history.location.folder)
    monkeypatch.chdir(folder.parent)
    result = verify_on_spark(open_history(folder.name), master=standalone.master, conf=SMALL)

    agree(result.findings, expected)
    assert result.plan.master == standalone.master
    assert result.plan.name == "screened"
    assert result.plan.settings["shipped"] is True


def test_an_executor_that_is_killed_in_mid_job_costs_time_only(
    standalone: Cluster,
    history: History,
    expected: Findings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first Python that an executor starts, for its first task, kills that executor."""
    killed = tmp_path / "killed"
    deadly = tmp_path / "python"
    deadly.write_text(
        "#!/bin/sh\n"
        "if grep -q CoarseGrainedExecutorBackend /proc/$PPID/cmdline && "
        f"mkdir '{killed}' 2>/dev/null; then\n"
        f"    echo $PPID > '{killed}/pid'\n"
        "    kill -9 $PPID\n"
        "fi\n"
        f"exec '{sys.executable}' \"$@\"\n"
    )
    deadly.chmod(0o755)
    monkeypatch.setenv("PYSPARK_PYTHON", str(deadly))

    result = verify_on_spark(history, master=standalone.master, conf=SMALL)

    agree(result.findings, expected)
    victim = (killed / "pid").read_text().strip()
    assert not Path(f"/proc/{victim}").exists()


def test_a_master_without_workers_is_named(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "WORKERS_WITHIN", 3.0)
    with (
        cluster(tmp_path / "empty", workers=0) as made,
        pytest.raises(SparkError, match="No worker of spark://"),
    ):
        verify_on_spark(history, master=made.master, conf=SMALL)


def test_workers_without_numpy_are_told_apart(
    standalone: Cluster, history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{Path(sys.executable).resolve()}" -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setenv("PYSPARK_PYTHON", str(bare))

    with pytest.raises(SparkError, match=r"has no (numpy|pyarrow|touchstone)"):
        verify_on_spark(history, master=standalone.master, conf=SMALL)
