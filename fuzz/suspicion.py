"""What one process sees of its inputs: a tally that outlives it, and suspicion.

A process that makes inputs only suspects: earlier ones have left their traces in it, and its code
may be instrumented. What it suspects it asks about, by a line on its output: ASKS and hexadecimal
digits. The answer is GUILTY or another word.
"""

from __future__ import annotations

import mmap
import resource
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import NamedTuple

from fuzz.judging import CPU, MEMORY
from fuzz.targets import Target

ASKS, GUILTY = "? ", "guilty"
_TRIES = 3
_TALLY = struct.Struct("<QdQQ")
"""A tally and the length of the last input, which follows."""
_FILE = "tally"
"""Name in the folder of a run."""


class Tally(NamedTuple):
    """What is known of the inputs so far, also when the process has died."""

    inputs: int = 0
    cpu: float = 0.0
    """The greatest of all, in seconds."""
    memory: int = 0
    """By how many bytes the process grew."""

    def and_then(self, later: Tally) -> Tally:
        """This tally and that of a later process."""
        return Tally(
            self.inputs + later.inputs, max(self.cpu, later.cpu), max(self.memory, later.memory)
        )


def read_tally(folder: Path) -> tuple[Tally, bytes]:
    """The tally of the last process that worked in `folder`, and the last input that it tried."""
    data = (folder / _FILE).read_bytes()
    *tally, length = _TALLY.unpack_from(data)
    return Tally(*tally), data[_TALLY.size : _TALLY.size + length]


class GuiltyError(Exception):
    """An input takes too much time or memory."""


def watch(target: Target, folder: Path) -> Callable[[bytes], None]:
    """The target, with a tally in `folder` of what its inputs take; `GuiltyError` for too much."""
    size = _TALLY.size + target.longest
    path = folder / _FILE
    path.write_bytes(bytes(size))
    with path.open("r+b") as file:
        shared = mmap.mmap(file.fileno(), size)
    began = _peak()
    inputs, most_cpu, most_memory = 0, 0.0, 0
    innocent: set[bytes] = set()

    def cpu_of(data: bytes) -> float:
        before = process_time()
        with suppress(*target.promises):
            target.decode(data)
        return process_time() - before

    def decode(data: bytes) -> None:
        nonlocal inputs, most_cpu, most_memory, began
        inputs += 1
        _TALLY.pack_into(shared, 0, inputs, most_cpu, most_memory, len(data))
        shared[_TALLY.size : _TALLY.size + len(data)] = data
        cpu = cpu_of(data)
        for _ in range(_TRIES - 1):
            if cpu > CPU:
                cpu = min(cpu, cpu_of(data))
        most_cpu = max(most_cpu, cpu)
        memory = _peak() - began
        most_memory = max(most_memory, memory)
        _TALLY.pack_into(shared, 0, inputs, most_cpu, most_memory, len(data))
        if (cpu > CPU or memory > MEMORY) and data not in innocent:
            print(f"{ASKS}{data.hex()}", flush=True)
            if sys.stdin.readline().strip() == GUILTY:
                raise GuiltyError(f"{cpu:.2f} s of CPU time, {memory >> 20} MiB")
            innocent.add(data)
            began = max(began, _peak() - MEMORY)

    return decode


def _peak() -> int:
    """Bytes that the process held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
