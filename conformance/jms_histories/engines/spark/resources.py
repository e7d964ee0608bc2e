"""How much of everything a job gets, chosen from the size of its history and shown to the user."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from jms_histories.engines.free_memory import free_memory_mib
from jms_histories.engines.spark.errors import SparkError

MIB: Final = 1 << 20
ROWS_PER_BUCKET: Final = 1 << 19
"""Deliveries that one task judges at once: some hundred MiB with the temporaries of its sorts."""
_ROWS_REDUCED: Final = 1 << 20
"""Deliveries whose bits one task reduces."""
_ROW_BYTES: Final = 200
"""A row of a send or delivery in memory: its columns, none compressed."""
_COPIES_JUDGED: Final = 2
"""How many copies of its rows the exact kernels hold at their peak: measured 1.9; the screening
holds one."""
_SPREAD_BYTES: Final = 110
"""What moving one row through a shuffle writes to disk, compressed: measured."""
_PARTIAL_BYTES: Final = 24
"""What the screening moves of a row that is not plain, and of the bits of one that is."""
_COLLECTED_BYTES: Final = 2
"""Of each row, what comes to the driver or goes out to all tasks: suspects, bits of messages."""
_PYTHON_MIB: Final = 200
"""A Python worker with NumPy and pyarrow, before any row."""
JVM_MIB: Final = 300
"""What a JVM of Spark holds beside its heap: classes, code, the batches on their way to Python."""
DRIVER_MIB: Final = 130
"""The process of the driver, which sees summaries and findings only."""
_SMALLEST_HEAP_MIB: Final = 768
_HEAP_SHARED_MIB: Final = 384
_HEAP_TASK_MIB: Final = 128
"""Of the heap, what Spark keeps to itself, and for each task: rows that move cross it in batches
of some MiB, sorted by what there is room for, whatever the size of the history."""
_LARGEST_HEAP_MIB: Final = 4096


@dataclass(frozen=True)
class Size:
    """How large a history is: rows of its sends and deliveries, and their bytes on disk."""

    sends: int
    deliveries: int
    bytes: int

    @property
    def rows(self) -> int:
        """Sends and deliveries together."""
        return self.sends + self.deliveries


@dataclass(frozen=True)
class Machine:
    """What there is to run on: processors, MiB of memory and of disk that are free.

    None means not known, as for the workers of a cluster.
    """

    processors: int
    memory_mib: int | None
    disk_mib: int | None


@dataclass(frozen=True)
class Resources:
    """What a job is given.

    tasks run at the same time; partitions is into how many the shuffle divides; buckets is into how
    many the messages are divided in order to be judged; heap_mib belongs to the JVM of the driver,
    task_mib is what the Python process of a task may need.
    """

    tasks: int
    partitions: int
    buckets: int
    heap_mib: int
    task_mib: int

    @property
    def memory_mib(self) -> int:
        """What all processes on a machine together need: driver, Java, as many tasks at once."""
        return _memory(self.heap_mib, self.tasks, self.task_mib)

    def as_dict(self) -> dict[str, int]:
        """For the plan of a report."""
        return asdict(self)


def choose(
    size: Size, machine: Machine, *, exact: bool, shuffled: bool, written: int = 0
) -> Resources:
    """What a history of this size gets on this machine.

    exact: each row is judged, none is screened out. shuffled: for that the rows have to move.
    written: into how many buckets the history is divided already, which are judged as they are.
    Raises SparkError where memory or disk cannot do.
    """
    tasks = max(1, machine.processors)
    buckets = buckets_for(size.deliveries)
    at_once = min(2 * ROWS_PER_BUCKET, size.rows)
    if exact and written:
        at_once = -(-size.rows // written)
    task_mib = _PYTHON_MIB + at_once * _ROW_BYTES * (_COPIES_JUDGED if exact else 1) // MIB
    moved = size.rows * (_SPREAD_BYTES if shuffled else _PARTIAL_BYTES)
    if exact:
        heap = max(_SMALLEST_HEAP_MIB, _HEAP_SHARED_MIB + tasks * _HEAP_TASK_MIB)
    else:
        heap = _SMALLEST_HEAP_MIB + size.rows * _COLLECTED_BYTES // MIB
    heap = min(heap, _LARGEST_HEAP_MIB)
    reduced = min(buckets_for(size.deliveries, _ROWS_REDUCED), 16 * tasks)
    partitions = max(tasks, buckets if exact else reduced)
    resources = Resources(tasks, partitions, buckets, heap, task_mib)
    return _fit_to_memory(resources, machine, moved // MIB)


def buckets_for(deliveries: int, each: int | None = None) -> int:
    """Into how many buckets so many deliveries are divided: a power of two.

    each: how many deliveries a bucket has at most, on average; as many as are judged at once.
    """
    buckets = 1
    while buckets * (each or ROWS_PER_BUCKET) < deliveries:
        buckets *= 2
    return buckets


def _fit_to_memory(wanted: Resources, machine: Machine, moved_mib: int) -> Resources:
    """The same with less heap and fewer tasks at a time, as far as the memory asks for it."""
    if machine.disk_mib is not None and moved_mib > machine.disk_mib:
        raise SparkError(
            f"Too little disk for the shuffle: it writes about {moved_mib} MiB, "
            f"{machine.disk_mib} MiB are free",
            hint="Free some space, name another folder with --spark-conf spark.local.dir=FOLDER, "
            "or write the history in buckets first (`touchstone history bucket`)",
        )
    if machine.memory_mib is None:
        return wanted
    heap = min(wanted.heap_mib, max(_SMALLEST_HEAP_MIB, machine.memory_mib // 2))
    tasks = min(wanted.tasks, (machine.memory_mib - _memory(heap, 0, 0)) // wanted.task_mib)
    if tasks < 1:
        raise SparkError(
            f"Too little memory for Spark: it needs {_memory(heap, 1, wanted.task_mib)} MiB for "
            f"one task at a time, {machine.memory_mib} MiB are free",
            hint="End what else runs here, verify with --engine local, or use a cluster (--master)",
        )
    return Resources(tasks, wanted.partitions, wanted.buckets, heap, wanted.task_mib)


def _memory(heap_mib: int, tasks: int, task_mib: int) -> int:
    return DRIVER_MIB + heap_mib + JVM_MIB + tasks * task_mib


def this_machine(shuffle_folder: Path, processors: int | None = None) -> Machine:
    """What is free here now; processors: how many the master names, else all."""
    return Machine(
        processors or len(os.sched_getaffinity(0)),
        free_memory_mib(),
        shutil.disk_usage(shuffle_folder).free // MIB,
    )
