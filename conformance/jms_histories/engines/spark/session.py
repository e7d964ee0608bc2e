"""A Spark session for one verification: its settings, its start, and its end.

A session that the caller gives, or that already runs in this process, is used as it is: neither
reconfigured nor stopped.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile, gettempdir
from typing import TYPE_CHECKING, Any, Final

from jms_histories.engines.spark import ending, java
from jms_histories.engines.spark.errors import SparkError, explain_error
from jms_histories.engines.spark.exchange import BATCH_BYTES
from jms_histories.engines.spark.resources import Resources
from jms_histories.errors import UsageError
from jvm_runtime.own_folders import OwnFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ANSWERS_WITHIN: Final = 10.0
"""Seconds for a master to accept a connection."""
WORKERS_WITHIN: Final = 120.0
"""Seconds for the first worker of a cluster to offer itself."""
_MASTER: Final = re.compile(r"local(-cluster)?(\[[\d*, ]+\])?$|yarn$|(spark|k8s)://")
_LOOPBACK: Final = "127.0.0.1"
_LEAN_JVM: Final = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""The driver's JVM plans and moves small partial results: this starts sooner, in less memory."""
_JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
_SHUFFLING_JVM: Final = "-XX:+UseParallelGC"


def is_local(master: str) -> bool:
    """Whether this master is this process."""
    return master.startswith("local")


def processor_count(master: str) -> int | None:
    """How many processors local[n] names; None for local[*] and for any cluster."""
    if master == "local":
        return 1
    match = re.match(r"local(?:-cluster)?\[(\d+)", master)
    return int(match[1]) if match else None


def settings(
    master: str, run: str, resources: Resources, *, shuffled: bool, conf: Mapping[str, str]
) -> dict[str, str]:
    """All that a session of ours is configured with; conf are the user's own, which win."""
    heap = f"{resources.heap_mib}m"
    chosen = {
        "spark.master": _limit_tasks(master, resources.tasks),
        "spark.app.name": f"touchstone verify {run}",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF" if is_local(master) else "ERROR",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.shuffle.partitions": str(resources.partitions),
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        # Rows are packed bytes of many rows of a history: a batch is bounded by its bytes, or the
        # writer of batches would take all that a task has into one, in memory beside the heap
        "spark.sql.execution.arrow.maxBytesPerBatch": str(BATCH_BYTES),
        "spark.driver.memory": heap,
        "spark.driver.maxResultSize": "0",
        _JAVA_OPTIONS: _SHUFFLING_JVM if shuffled else _LEAN_JVM,
    }
    if _is_here(master):
        chosen |= {"spark.driver.host": _LOOPBACK, "spark.driver.bindAddress": _LOOPBACK}
    if not is_local(master):
        chosen |= {"spark.executor.memory": heap}
    return chosen | dict(conf)


def _is_here(master: str) -> bool:
    """Whether nobody but this machine needs to reach the driver."""
    return is_local(master) or re.match(r"spark://(127\.|localhost:)", master) is not None


def _limit_tasks(master: str, tasks: int) -> str:
    """local[*] with as many tasks at a time as the memory allows; other masters as they are."""
    return f"local[{tasks}]" if master in ("local[*]", "local") else master


@contextmanager
def session(
    configured: Mapping[str, str], given: SparkSession | None = None
) -> Iterator[SparkSession]:
    """The session to work with; one that is started here ends with the block. Raises SparkError."""
    sql = _pyspark_sql()
    running = given or sql.SparkSession.getActiveSession()
    if running is not None:
        if given is None:
            refuse_another(running, configured["spark.master"])
        yield running
        return
    require_master(configured["spark.master"])
    with scratch(configured) as conf:
        started = _start(sql, conf)
        ending.expect_end(started)
        try:
            _await_workers(started, conf["spark.master"])
            yield started
        finally:
            ending.stop(started)


def scratch_folders(conf: Mapping[str, str]) -> list[Path]:
    """Where Spark here writes what it moves between tasks; SparkError if it cannot write there."""
    named = os.environ.get("SPARK_LOCAL_DIRS") or conf.get("spark.local.dir") or gettempdir()
    folders = [Path(name.strip()) for name in named.split(",")]
    for folder in folders:
        try:
            TemporaryFile(dir=folder).close()
        except OSError as error:
            raise SparkError(
                f"spark.local.dir={folder} cannot be written to: {error.strerror}",
                hint="Make it a folder that you may write to, or name another one: "
                "--spark-conf spark.local.dir=FOLDER",
            ) from error
    return folders


@contextmanager
def scratch(configured: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """The settings with folders of this session's own, which go with it however it ends."""
    if not is_local(configured["spark.master"]):
        yield configured
        return
    with ExitStack() as stack:
        own = [
            stack.enter_context(
                TemporaryDirectory(dir=_own_scratch(folder), ignore_cleanup_errors=True)
            )
            for folder in scratch_folders(configured)
        ]
        yield {**configured, "spark.local.dir": ",".join(own)}


@cache
def _own_scratch(scratch: Path) -> Path:
    """What is this process's own in a scratch folder; raises FolderError.

    Spark's Java process outlives the session, and goes on making folders where the first one had
    its own.
    """
    return OwnFolder("spark", scratch).path


def _pyspark_sql() -> Any:
    try:
        import pyspark.sql
    except ImportError as error:
        raise SparkError(
            f"PySpark cannot be imported ({error})",
            hint="pip install 'jms-touchstone[spark]', or verify with --engine local",
        ) from error
    return pyspark.sql


def _start(sql: Any, configured: Mapping[str, str]) -> SparkSession:
    builder = sql.SparkSession.builder
    options = f"{java.options()} {configured.get(_JAVA_OPTIONS, '')}"  # the user's win
    for name, value in {**configured, _JAVA_OPTIONS: options}.items():
        builder = builder.config(name, value)
    changed = {"JAVA_HOME": str(java.java_home()), "PYSPARK_PYTHON": sys.executable}
    if _is_here(configured["spark.master"]):
        changed["SPARK_LOCAL_IP"] = _LOOPBACK
    try:
        with _environment(changed):
            return builder.getOrCreate()
    except Exception as error:  # whatever py4j, the JVM and Spark can think of
        raise explain_error(error) from error


@contextmanager
def _environment(changed: Mapping[str, str]) -> Iterator[None]:
    """Sets variables for the block; those that the user has set stay as they are."""
    ours = {
        name: value
        for name, value in changed.items()
        if name == "JAVA_HOME" or name not in os.environ
    }
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def refuse_another(running: Any, wanted: str) -> None:
    """Raises UsageError where the session that runs is of another master than was asked for."""
    master = running.conf.get("spark.master", "")
    same = master == wanted or (is_local(master or "") and is_local(wanted))
    if not same:
        raise UsageError(
            f"A Spark session of {master} already runs in this process, and {wanted} was asked for",
            hint="Stop it first, or pass it as spark= in order to use it",
        )


def require_master(master: str) -> None:
    """Raises SparkError for what is no master, or a spark:// one that nobody listens for."""
    if not _MASTER.match(master):
        raise SparkError(
            f"{master} is no master of Spark",
            hint="Write local[*], local[2], spark://HOST:PORT, yarn or k8s://…",
        )
    if not master.startswith("spark://"):
        return
    failures = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=_ANSWERS_WITHIN).close()
        except (OSError, ValueError) as error:
            failures.append(f"{address}: {error}")
        else:
            return
    raise SparkError(
        f"No Spark master can be reached at {master} ({'; '.join(failures)})",
        hint="Start it, or correct --master (spark://HOST:PORT, as the master's log says it)",
    )


def _await_workers(started: SparkSession, master: str) -> None:
    """Return when a cluster has given the application an executor; SparkError when it has none."""
    if is_local(master):
        return
    tracker = started.sparkContext._jsc.sc().statusTracker()
    deadline = time.monotonic() + WORKERS_WITHIN
    while len(tracker.getExecutorInfos()) < 2:  # the driver is one of them
        if time.monotonic() > deadline:
            memory = started.conf.get("spark.executor.memory", "")
            raise SparkError(
                f"No worker of {master} offered an executor with {memory} within "
                f"{WORKERS_WITHIN:.0f} s",
                hint="Look whether its workers are alive and free, or ask for less: "
                "--spark-conf spark.executor.memory=512m",
            )
        time.sleep(0.1)
