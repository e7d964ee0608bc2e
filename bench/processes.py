"""CPU time of the processes below this one, by their kinds: what has ended counts as last seen.

Of brokers also by their threads: compiling, collecting garbage, and what serves.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_FOLDER_OF_A_BROKER = re.compile(r"/([a-z-]+)-\d+-\w{8}/")
_KINDS = {
    "die_with_parent": "controller",
    "own_pytest": "controller",
    "execnet": "workers",
    "sys.stdin.readline": "workers",
    "other_process_child": "other processes of the client",
}
_BROKER = "broker "
_NUMBERED = re.compile(r"[-#\d]*$")


@dataclass(frozen=True)
class ProcessSample:
    """A process, or a thread of one, as it was seen last."""

    kind: str
    """Of a thread its name."""
    cpu: float
    """Seconds."""


class Processes:
    """The processes below one, by default this one; distinguished by number and start."""

    def __init__(self, above: int | None = None, proc: Path = Path("/proc")) -> None:
        self._above = above or os.getpid()
        self._proc = proc
        self._seen: dict[tuple[int, str], ProcessSample] = {}
        self._threads: dict[tuple[int, str], ProcessSample] = {}

    def look(self) -> None:
        """Take down what each of them has used up to now."""
        by_pid: dict[int, tuple[int, str, float]] = {}
        for folder in self._proc.glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            by_pid[int(folder.name)] = int(fields[1]), fields[19], _cpu(fields)
        for pid, (_, start, cpu) in by_pid.items():
            if self._is_below(pid, by_pid):
                self._seen[pid, start] = ProcessSample(self._kind(pid, start), cpu)

    @property
    def cpu(self) -> Mapping[str, float]:
        """Seconds by kind, the most first."""
        return _sum_by_kind(self._seen.values())

    def look_at_threads(self) -> None:
        """Take down what each thread of a broker has used up to now."""
        for pid, start in [
            key for key, sample in self._seen.items() if sample.kind.startswith(_BROKER)
        ]:
            for task in self._proc.glob(f"{pid}/task/[0-9]*"):
                try:
                    stat = (task / "stat").read_text()
                except OSError:
                    continue  # it has ended
                name, fields = stat.partition("(")[2].rpartition(")")[::2]
                used = ProcessSample(_NUMBERED.sub("", name), _cpu(fields.split()))
                self._threads[int(task.name), start] = used

    @property
    def cpu_of_threads(self) -> Mapping[str, float]:
        """Seconds of the brokers' threads by name without its number, the most first."""
        return _sum_by_kind(self._threads.values())

    @property
    def started(self) -> Mapping[str, int]:
        """How many of each kind there were."""
        return Counter(sample.kind for sample in self._seen.values())

    def _is_below(self, pid: int, by_pid: Mapping[int, tuple[int, str, float]]) -> bool:
        while pid in by_pid:
            pid = by_pid[pid][0]
            if pid == self._above:
                return True
        return False

    def _kind(self, pid: int, start: str) -> str:
        try:
            line = (self._proc / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            line = ""
        kind = kind_of(line)
        known = self._seen.get((pid, start))
        return known.kind if known is not None and kind == "others" else kind


def _cpu(fields: Sequence[str]) -> float:
    """Seconds, from what `stat` has behind the name of a process or a thread."""
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _sum_by_kind(seen: Iterable[ProcessSample]) -> Mapping[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for sample in seen:
        sums[sample.kind] += sample.cpu
    return dict(sorted(sums.items(), key=lambda each: -each[1]))


def kind_of(line: str) -> str:
    """What kind of process has this command line: brokers are distinguished by their profiles."""
    program = line.partition(" ")[0]
    if program.endswith("/java"):
        folders = _FOLDER_OF_A_BROKER.findall(line)  # of the run, and in it of the broker
        return f"{_BROKER}{folders[-1]}" if folders else "java"
    return next((kind for part, kind in _KINDS.items() if part in line), "others")
