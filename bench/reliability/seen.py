"""What was seen of a run with a fault in it, and what is wrong with that: pure functions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from bench.reliability.catalogue import GUILTY
from bench.reliability.faults import Fault
from touchstone.verdicts import Verdict

Judged = tuple[str, str]
"""A scenario and its verdict."""


@dataclass(frozen=True)
class FaultRun:
    """One run with a fault in it."""

    happened: bool
    """Whether the run came to the point of the fault."""
    status: int
    """That the command ended with; negative where a signal ended it."""
    output: str
    reported: Collection[Judged]
    """What the owner of the run had taken down, as it said itself."""
    written: Collection[Judged]
    """What the results folder says."""
    unreadable: str
    """Why the results folder cannot be read; empty where it can."""
    processes: Collection[str]
    """The names of those that were left."""
    folders: Collection[str]
    """Temporary files that nobody removes."""


def accusations(seen: FaultRun) -> list[str]:
    """The scenarios that hold, and that the client is said to violate."""
    return sorted(
        scenario
        for scenario, verdict in {*seen.reported, *seen.written}
        if verdict == Verdict.VIOLATES and scenario not in GUILTY
    )


def lost_verdicts(seen: FaultRun) -> list[str]:
    """The verdicts that were taken down and are not in the folder."""
    return sorted(
        f"{scenario} {verdict}" for scenario, verdict in {*seen.reported} - {*seen.written}
    )


def problems(fault: Fault, seen: FaultRun) -> Iterator[str]:
    """All that is wrong with a run, in words."""
    if not seen.happened:
        yield f"it did not happen: no {fault.at}"
    yield from (f"accused: {accusation}" for accusation in accusations(seen))
    if not fault.takes_results:
        yield from (f"lost: {id_}" for id_ in lost_verdicts(seen))
    if seen.unreadable:
        yield f"not to be read: {seen.unreadable}"
    if seen.status not in fault.statuses:
        yield f"exit status {seen.status}, not {' or '.join(map(str, sorted(fault.statuses)))}"
    if "INTERNALERROR" in seen.output or "Traceback" in seen.output:
        yield "a traceback instead of a reason"
    if not re.search(fault.says, " ".join(seen.output.split())):
        yield f"it does not say {fault.says!r}"
    yield from (f"left running: {process}" for process in seen.processes)
    yield from (f"left in the temporary folder: {folder}" for folder in seen.folders)
