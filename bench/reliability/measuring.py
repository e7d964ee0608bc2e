"""Every fault once, and what was seen of each kind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.reliability.faults import Fault
from bench.reliability.injecting import inject
from bench.reliability.seen import FaultRun, accusations, lost_verdicts, problems
from bench.reliability.table import faults
from jms_brokers.families.pulsar.embedded import prepare
from jvm_runtime.cache import cache_folder

LEAST: Final = 50
"""Faults that have to happen."""


@dataclass(frozen=True)
class Injected:
    """A fault, what was seen of it, and what is wrong with that."""

    fault: Fault
    seen: FaultRun
    wrong: Sequence[str]


@dataclass
class FaultSummary:
    """All faults of one kind, in numbers."""

    injected: int = 0
    judged: int = 0
    """Verdicts that were taken down before the run ended."""
    accused: int = 0
    lost: int = 0
    left: int = 0
    """Processes and temporary files."""
    otherwise: int = 0
    """Runs of which something else is wrong: status, words, a folder that cannot be read."""
    statuses: set[int] = field(default_factory=set)


def measure(chosen: Sequence[Fault], at_once: int) -> Iterator[Injected]:
    """Inject the faults, several at once; those that change the cache in turn, on one of their own.

    Jars are taken from the cache of this user, which stays as it is.
    """
    prepare()
    with tempfile.TemporaryDirectory(prefix="touchstone-faults-") as folder:
        alone = [fault for fault in chosen if fault.kind.startswith("cache")]
        others = [fault for fault in chosen if fault not in alone]
        cache = _copy_cache(Path(folder) / "shared")
        with ThreadPoolExecutor(at_once) as pool:
            pending = (
                [pool.submit(_inject_in_turn, alone, Path(folder) / "changed")] if alone else []
            )
            pending += [pool.submit(_inject_each, [fault], cache) for fault in others]
            for future in as_completed(pending):
                yield from future.result()


def _inject_in_turn(chosen: Sequence[Fault], folder: Path) -> list[Injected]:
    return _inject_each(chosen, _copy_cache(folder))


def _inject_each(chosen: Sequence[Fault], cache: Path) -> list[Injected]:
    seen = [(fault, inject(fault, cache)) for fault in chosen]
    return [Injected(fault, each, list(problems(fault, each))) for fault, each in seen]


def _copy_cache(folder: Path) -> Path:
    """A copy of the jars, with quick starts of its own: these are made for one place."""
    shutil.copytree(cache_folder() / "jars", folder / "jars")
    subprocess.run(
        [
            sys.executable,
            "-c",
            "from jms_brokers.families.pulsar.embedded import prepare; prepare()",
        ],
        env={**os.environ, "TOUCHSTONE_CACHE": str(folder)},
        check=True,
    )
    return folder


def possible_faults() -> list[Fault]:
    """The faults that can be injected here: root alone makes disks that are small or read-only."""
    known = faults()
    if os.geteuid() == 0:
        return list(known)
    return [
        fault
        for fault in known
        if not (fault.own_disk or fault.own_temporary or "only" in fault.kind)
    ]


def by_kind(injected: Sequence[Injected]) -> dict[str, FaultSummary]:
    """The figures of each kind, in the order of the table of faults."""
    order = list(dict.fromkeys(fault.kind for fault in faults()))
    kinds = {name: FaultSummary() for name in order if any(i.fault.kind == name for i in injected)}
    for fault_run in injected:
        kind, seen = kinds[fault_run.fault.kind], fault_run.seen
        kind.injected += seen.happened
        kind.judged += len(seen.reported)
        kind.accused += len(accusations(seen))
        kind.lost += 0 if fault_run.fault.takes_results else len(lost_verdicts(seen))
        kind.left += len(seen.processes) + len(seen.folders)
        kind.otherwise += bool(fault_run.wrong)
        kind.statuses.add(seen.status)
    return kinds


def summary_as_dict(injected: Sequence[Injected]) -> dict[str, Any]:
    """What is kept."""
    return {
        "load": os.getloadavg(),
        "faults": [
            {
                "fault": fault_run.fault.name,
                "status": fault_run.seen.status,
                "judged": len(fault_run.seen.reported),
                "written": len(fault_run.seen.written),
                "wrong": list(fault_run.wrong),
            }
            for fault_run in injected
        ],
    }
