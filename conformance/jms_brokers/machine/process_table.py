"""What the kernel says of a process, in Linux's /proc; a process that is gone is no error."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LISTEN = "0A"
"""The state of a listening socket in /proc/net (proc(5))."""


def ancestors(pid: int) -> list[int]:
    """The process numbers from `pid`'s parent up to the first process; empty if it has ended."""
    pids: list[int] = []
    while pid > 1:
        fields = _stat(Path(f"/proc/{pid}/stat"))
        if not fields:
            break
        pid = int(fields[1])
        pids.append(pid)
    return pids


def children(pid: int) -> list[int]:
    """The processes that `pid` has started and that have not been waited for; empty if it ended."""
    pids: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
            pids += map(int, (task / "children").read_text().split())
    return pids


def cpu_seconds(pid: int) -> float:
    """Seconds of CPU that the process and those below it have used; 0 if it has ended."""
    fields = _stat(Path(f"/proc/{pid}/stat"))
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # with children that ended
    return own + sum(map(cpu_seconds, children(pid)))


def running() -> list[int]:
    """The numbers of all processes that there are."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def control_groups(pid: int) -> str:
    """The control groups of the process, a line each (cgroups(7)); empty if it has ended or is not
    ours to see.

    Those of a process in a container name the container's id.
    """
    try:
        return Path(f"/proc/{pid}/cgroup").read_text()
    except (FileNotFoundError, PermissionError, ProcessLookupError):
        return ""


def all_stopped(pid: int) -> bool:
    """Whether every thread of the process is stopped."""
    states = [_stat(task / "stat") for task in Path(f"/proc/{pid}/task").glob("*")]
    return all(fields[0] == "T" for fields in states if fields)


def began(pid: int) -> int | None:
    """When the process began, in ticks since boot; None if it has ended.

    With the number of the process it names one process, also after the number is used again.
    """
    fields = _stat(Path(f"/proc/{pid}/stat"))
    return None if not fields or fields[0] in "ZX" else int(fields[19])


def listening(pid: int) -> list[str]:
    """Where the process listens for TCP, each as `ADDRESS:PORT` in the kernel's hexadecimal."""
    sockets = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            sockets.add(str(link.readlink()))
    addresses = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTEN and f"socket:[{fields[9]}]" in sockets:
                addresses.append(fields[1])
    return addresses


def _stat(path: Path) -> list[str]:
    """The fields of a stat file from the state on (proc(5)); empty when the process has ended."""
    try:
        return path.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
