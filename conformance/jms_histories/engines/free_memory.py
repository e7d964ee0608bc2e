"""How much memory is free here."""

from __future__ import annotations

from pathlib import Path


def free_memory_mib() -> int | None:
    """MiB that may be taken without swapping: of the machine, or of the container if that is less.

    None where the system does not say.
    """
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    facts = {
        name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)
    }
    free = facts["MemAvailable"] // 1024
    limit, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if limit.is_file() and used.is_file() and (text := limit.read_text().strip()) != "max":
        free = min(free, max(0, int(text) - int(used.read_text())) // (1 << 20))
    return free
