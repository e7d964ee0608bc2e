"""An engine in a process of its own, and what that and all processes below it hold and use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

_EVERY: Final = 0.2
"""Seconds between two looks."""


@dataclass
class Held:
    """Proportional set sizes by kind of process, in GiB, when they were largest together."""

    parts: dict[str, float] = field(default_factory=dict)
    cpu: dict[int, float] = field(default_factory=dict)
    """Seconds of processor time, by process, when it was last seen."""

    @property
    def gibibytes(self) -> float:
        """Of all processes together."""
        return sum(self.parts.values())

    @property
    def seconds(self) -> float:
        """Processor time of all processes."""
        return sum(self.cpu.values())

    def look(self, pid: int) -> None:
        """Look at a process and all below it."""
        parts: dict[str, float] = {}
        for process_id in _family(pid):
            try:
                kind, size, seconds = (
                    _kind(process_id),
                    _proportional_bytes(process_id),
                    _cpu_seconds(process_id),
                )
            except OSError:  # it has just ended
                continue
            parts[kind] = parts.get(kind, 0.0) + size / 2**30
            self.cpu[process_id] = seconds
        if sum(parts.values()) > self.gibibytes:
            self.parts = parts


@contextmanager
def start_engine(engine: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process of `bench.volume_turns`, which ends with the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "bench.volume_turns", engine, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


def run_turn(process: subprocess.Popen[str]) -> Any:
    """Let it verify or count once; gives its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} ended with status {process.wait()}")
    return json.loads(line)


@contextmanager
def watch_memory(process: subprocess.Popen[str]) -> Iterator[Held]:
    """Look at the memory of the process and all below it while the block runs."""
    held, over = Held(), threading.Event()

    def look() -> None:
        while not over.wait(_EVERY):
            held.look(process.pid)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield held
    finally:
        over.set()
        watcher.join()


def _family(pid: int) -> list[int]:
    pids = [pid]
    for parent in pids:
        for file in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                pids += map(int, file.read_text().split())
            except OSError:
                continue
    return pids


def _kind(pid: int) -> str:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    if command[0].endswith(b"/java"):
        return "Java"
    return "workers" if b"pyspark.daemon" in command else "driver"


def _proportional_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
