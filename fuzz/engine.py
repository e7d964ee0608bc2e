"""One process of Atheris: inputs for one target until one looks bad, or enough were made.

It only suspects: its code is instrumented, and slower than it is. What it suspects it asks about,
by a line on its output: ASKS and hexadecimal digits. The answer is GUILTY or another word.
"""

from __future__ import annotations

import mmap
import resource
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import NamedTuple

from fuzz.judging import CPU, MEMORY
from fuzz.targets import Target, find

_OURS = ["jmsapi", "pulsar_jms", "touchstone", "touchstone_reports", "jms_scenarios"]
_TRIES = 3
_HANG = 120
"""Seconds of any kind, by the engine's own clock."""
_MOST = 1024
"""MiB that the process may hold."""
_TALLY = struct.Struct("<QdQ")

CORPUS, TALLY = "corpus", "tally"
"""Names in the folder of a run."""
ASKS, GUILTY = "? ", "guilty"


class Tally(NamedTuple):
    """What is known of the inputs so far, also when the process has died."""

    inputs: int = 0
    cpu: float = 0.0
    """The greatest of all, in seconds; the code is instrumented."""
    memory: int = 0
    """By how many bytes the process grew."""

    def and_then(self, later: Tally) -> Tally:
        """This tally and that of a later process."""
        return Tally(
            self.inputs + later.inputs, max(self.cpu, later.cpu), max(self.memory, later.memory)
        )


def read_tally(folder: Path) -> Tally:
    """The tally of the last process that worked in `folder`."""
    return Tally(*_TALLY.unpack_from((folder / TALLY).read_bytes()))


class GuiltyError(Exception):
    """An input takes too much time or memory."""


def main() -> None:
    """Fuzz the target that the command line names until a time by the monotonic clock; then end."""
    import atheris

    name, folder, until, inputs = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    with atheris.instrument_imports(include=_OURS):
        target = find(name)

    def mutated(data: bytes, longest: int, seed: int) -> bytes:
        if target.mutate is None or seed % 2:
            other: bytes = atheris.Mutate(data, longest)
            return other
        return target.mutate(data, Random(seed))[:longest]

    flags = [
        f"-artifact_prefix={folder}/",
        f"-max_len={target.longest}",
        f"-max_total_time={max(int(until - monotonic()), 1)}",
        f"-runs={inputs}",
        f"-timeout={_HANG}",
        f"-rss_limit_mb={_MOST}",
    ]
    folders = [str(folder / CORPUS), str(target.corpus)]
    atheris.Setup([name, *flags, *folders], watched(target, folder), custom_mutator=mutated)
    atheris.Fuzz()


def watched(target: Target, folder: Path) -> Callable[[bytes], None]:
    """The target, with a tally in `folder` of what its inputs take; `GuiltyError` for too much."""
    path = folder / TALLY
    path.write_bytes(bytes(_TALLY.size))
    with path.open("r+b") as file:
        shared = mmap.mmap(file.fileno(), _TALLY.size)
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
        cpu = cpu_of(data)
        for _ in range(_TRIES - 1):
            if cpu > CPU:
                cpu = min(cpu, cpu_of(data))
        most_cpu = max(most_cpu, cpu)
        memory = _peak() - began
        most_memory = max(most_memory, memory)
        _TALLY.pack_into(shared, 0, inputs, most_cpu, most_memory)
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


if __name__ == "__main__":
    main()
