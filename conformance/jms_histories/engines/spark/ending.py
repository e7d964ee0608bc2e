"""The end of Spark's Java process: as we want it, or before."""

from __future__ import annotations

import subprocess
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ENDS_WITHIN: Final = 30.0
"""Seconds in which a Java process that does not answer any more, or is ending, has ended."""


def java_exit_status(*, soon: bool) -> int | None:
    """The status of this process's Java process if it has ended, negative: by this signal.

    soon: it is known to be ending, which takes a while. None: it lives, or is not of this process.
    """
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is None:
        return None
    try:
        status: int = process.wait(_ENDS_WITHIN if soon else 0)
    except subprocess.TimeoutExpired:
        return None
    return status


def expect_end(started: SparkSession) -> None:
    """Let a session say nothing if its Java process ends early: whoever asked for something will.

    PySpark's server for accumulators would print the traceback of a connection that has ended.
    """
    server = getattr(started.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


def stop(started: SparkSession) -> None:
    """Stop a session. One whose Java process has died is forgotten: another can be started."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # that it had died is no news
        try:
            started.stop()
        except Exception:  # whatever py4j says of a Java process that is not there
            _forget()


def _forget() -> None:
    """Make PySpark start a Java process when it next needs one."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        with suppress(OSError):  # nobody reads it any more
            process.stdin.close()
    SparkContext._active_spark_context = None
    SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
