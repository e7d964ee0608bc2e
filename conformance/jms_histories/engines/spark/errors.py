"""What goes wrong with Spark, in the words of somebody who wants a history verified."""

from __future__ import annotations

import re
from typing import Final

from jms_histories.errors import HistoriesError, HistoryError, VerificationError

_CAUSES: Final = (
    (
        r"No space left on device|Disk quota exceeded|File too large",
        "The disk is full: Spark could not write what it moves between its tasks",
        "Free some space, name another folder with --spark-conf spark.local.dir=FOLDER, or write "
        "the history in buckets (`touchstone history bucket`), which needs no shuffle of rows",
    ),
    (
        r"OutOfMemoryError|MemoryError|ArrowMemoryError|GC overhead limit exceeded"
        r"|SparkOutOfMemoryError|Cannot allocate memory|bad_alloc"
        r"|exceeds? spark\.driver\.maxResultSize|bigger than spark\.driver\.maxResultSize",
        "A task of Spark ran out of memory",
        "Give it more memory (--spark-conf spark.driver.memory=4g, on a cluster "
        "spark.executor.memory), or fewer tasks at a time (--master 'local[1]')",
    ),
    (
        r"No module named '?(?P<name>numpy|pyarrow)",
        "The Python of Spark's workers has no {name}",
        "Install numpy and pyarrow where PYSPARK_PYTHON points on each worker, or send a packed "
        "environment with --spark-conf spark.archives=FILE",
    ),
    (
        r"No module named '?(?P<name>jms_histories[\w.]*)",
        "The Python of Spark's workers has no {name}: our code did not get there",
        "Verify without naming a session of your own, or add the archive of "
        "jms_histories.engines.spark.shipping.archive() to it",
    ),
    (
        r"PYTHON_VERSION_MISMATCH|Python in worker has different version",
        "Spark's workers run another version of Python than this program",
        "Set PYSPARK_PYTHON to the same version of Python on this machine and on each worker",
    ),
    (
        r"Cannot run program \"(?P<name>[^\"]+)\"",
        "Spark's workers have no {name}",
        "Set PYSPARK_PYTHON to a Python that exists on each worker",
    ),
    (
        r"FileNotFoundError:? ?(?P<name>[^\n]+)",
        "A file of the history cannot be read by Spark's workers: {name}",
        "Put the history where all workers see it under the same path, or into an object store",
    ),
    (
        r"Python worker exited unexpectedly|Python worker failed to connect back",
        "A Python process of Spark's workers died",
        "It was killed, mostly for want of memory: give the machine more, or fewer tasks at a time "
        "(--master 'local[1]')",
    ),
    (
        r"JAVA_GATEWAY_EXITED|Java gateway process exited|System memory \d+ must be at least",
        "Spark's Java process did not start",
        "What it said stands above. Mostly it has too little memory (--spark-conf "
        "spark.driver.memory=1g), or JAVA_HOME names a Java that Spark cannot use",
    ),
    (
        r"All masters are unresponsive|Application has been killed|Master removed our application"
        r"|SparkContext was shut ?down|stopped SparkContext",
        "Spark ended the application before it had finished",
        "Look at the logs of its master and workers; nothing was judged",
    ),
)
"""What a message of Spark looks like, what it means, and what to do; {name} is what it names."""


_ENDING: Final = (
    r"SparkContext was shut ?down|stopped SparkContext|Py4JNetworkError|EOFError"
    r"|Answer from Java side is empty|Connection (refused|reset)|Broken pipe"
    r"|An error occurred while calling [\w.]+\Z"  # one that Java threw has more to say
)
"""What is said by those who work with a Java process that is ending or has ended."""
_OUT_OF_MEMORY: Final = 52
_NO_SCRATCH: Final = 53
"""With what status Spark ends its Java process (org.apache.spark.util.SparkExitCode)."""


class SparkError(VerificationError):
    """Spark is absent, cannot be reached or started, or did not finish: nothing was judged."""


def is_ending(error: BaseException) -> bool:
    """Whether an exception of PySpark can come of the end of its Java process."""
    return re.search(_ENDING, _text(error)) is not None


def explain_error(error: BaseException, status: int | None = None) -> HistoriesError:
    """What to say about an exception of PySpark or of its gateway.

    status: of the Java process, if it has ended; negative: by this signal. A HistoryError of a
    worker comes back as one.
    """
    text = _text(error)
    damaged = re.search(r"HistoryError: ([^\n]+)(?:\n\s*hint: ([^\n]+))?", text)
    if damaged:
        return HistoryError(damaged[1], hint=damaged[2] or "")
    if status is not None and is_ending(error):
        return _error_of_status(status)
    for pattern, what, hint in _CAUSES:
        match = re.search(pattern, text)
        if match:
            name = match.groupdict().get("name") or ""
            return SparkError(what.format(name=name), hint=hint)
    return SparkError(
        f"The job failed on Spark, nothing was judged: {_last_words(text)}",
        hint="Run it with --engine local to see whether the history is at fault",
    )


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _error_of_status(status: int) -> SparkError:
    """What to say of a Java process that ended while it was needed."""
    if status == _OUT_OF_MEMORY:
        return SparkError(
            "Spark's Java process ran out of memory and ended: nothing was judged",
            hint="Give it more (--spark-conf spark.driver.memory=4g), or fewer tasks at a time "
            "(--master 'local[1]')",
        )
    if status == _NO_SCRATCH:
        return SparkError(
            "Spark could not make a folder for what it moves between its tasks and ended: nothing "
            "was judged",
            hint="Name one that can be written to: --spark-conf spark.local.dir=FOLDER",
        )
    if status < 0:
        return SparkError(
            f"Spark's Java process was killed by signal {-status}: nothing was judged",
            hint="If nobody meant to, the machine had no memory left (dmesg says so): end what "
            "else runs here, or let fewer tasks run at a time (--master 'local[1]')",
        )
    return SparkError(
        f"Spark's Java process ended with status {status}: nothing was judged",
        hint="What it said stands above, or in the file hs_err_pid*.log of this folder",
    )


def _last_words(text: str) -> str:
    """The line that says most: the last one of a Python traceback, else the first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"[\w.]+(Error|Exception)\b", line)]
    return (errors[-1] if errors else lines[0] if lines else text)[:500]
