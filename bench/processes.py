"""CPU time of the processes below this one, by their kinds: what has ended counts as last seen."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
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


@dataclass(frozen=True)
class Seen:
    """A process as it was seen last."""

    kind: str
    cpu: float
    """Seconds."""


class Processes:
    """The processes below one, by default this one; told apart by number and start."""

    def __init__(self, above: int | None = None, proc: Path = Path("/proc")) -> None:
        self._above = above or os.getpid()
        self._proc = proc
        self._seen: dict[tuple[int, str], Seen] = {}

    def look(self) -> None:
        """Take down what each of them has used up to now."""
        found: dict[int, tuple[int, str, float]] = {}
        for folder in self._proc.glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            cpu = (int(fields[11]) + int(fields[12])) / _TICKS
            found[int(folder.name)] = int(fields[1]), fields[19], cpu
        for pid, (_, start, cpu) in found.items():
            if self._is_below(pid, found):
                self._seen[pid, start] = Seen(self._kind(pid, start), cpu)

    @property
    def cpu(self) -> Mapping[str, float]:
        """Seconds by kind, the most first."""
        sums: dict[str, float] = defaultdict(float)
        for one in self._seen.values():
            sums[one.kind] += one.cpu
        return dict(sorted(sums.items(), key=lambda each: -each[1]))

    @property
    def started(self) -> Mapping[str, int]:
        """How many of each kind there were."""
        return Counter(one.kind for one in self._seen.values())

    def _is_below(self, pid: int, found: Mapping[int, tuple[int, str, float]]) -> bool:
        while pid in found:
            pid = found[pid][0]
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


def kind_of(line: str) -> str:
    """What kind of process has this command line: brokers are told apart by their profiles."""
    program = line.partition(" ")[0]
    if program.endswith("/java"):
        folders = _FOLDER_OF_A_BROKER.findall(line)  # of the run, and in it of the broker
        return f"broker {folders[-1]}" if folders else "java"
    return next((kind for part, kind in _KINDS.items() if part in line), "others")
