"""Legal histories of which a part of the record is lost: no check may accuse.

    python -m histories.lost_records [--seeds N] [--first SEED]

records N legal histories as a workload's sessions do, cuts the record as the crash of a host or a
damaged file cuts it, seals what is left and judges it; prints each accusation. Exits with 1 if
there is one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final
from unittest import mock

from histories.recorded_histories import crash, record, shorten
from histories.small_histories import findings_of
from jms_histories.checks.findings import Finding
from jms_histories.checks.small_history import SmallHistory
from jms_histories.columns import Findings
from jms_histories.definitions import CHECKS, FindingStrength
from jms_histories.history import log, seal
from jms_histories.history.reader import open_history
from jms_histories.kernels.whole import judge
from jms_histories.values import FaultKind
from kernels.edge_histories import crossing
from tiny_provider import legal

WAYS: Final = ("whole", "shortened", "crashed")


def accusations(findings: Findings) -> list[Finding]:
    """The findings that decide."""
    return [
        finding
        for finding in findings_of(findings)
        if not finding.should and CHECKS[finding.check].strength is FindingStrength.MUST
    ]


def judged(run: Path) -> Findings:
    """What is found in the history that seal makes of a recording."""
    shutil.rmtree(run / seal.HISTORY, ignore_errors=True)
    seal.seal(run)
    history = open_history(run / seal.HISTORY)
    return judge(history.all_sends(), history.all_deliveries(), history.spec)


def legal_one(seed: int) -> SmallHistory:
    """A legal history whose deliveries all describe themselves, or one that may be legal.

    No fault of its broker is a lost record: its loss has no end, and would excuse all that follows.
    """
    random = Random(seed)
    if seed % 4 == 3:
        return crossing(random)
    history = legal(random, faults=seed % 2 == 0)
    rows = tuple(replace(row, intact=7) for row in history.deliveries)
    events = tuple(
        replace(event, arg=FaultKind.CUT)
        if event.session < 0 and event.arg == FaultKind.LOST_RECORD
        else event
        for event in history.events
    )
    return replace(history, deliveries=rows, events=events)


def lossy(seed: int, run: Path) -> dict[str, Findings]:
    """What is found in a legal history by its record: the whole of it, and what losses left."""
    history, random = legal_one(seed), Random(f"loss {seed}")
    times = [row.t_enter for row in history.deliveries] + [event.t for event in history.events]
    by_way = {}
    for way in WAYS:
        shutil.rmtree(run, ignore_errors=True)
        record(history, run)
        if way == "shortened":
            shorten(run, random)
        elif way == "crashed":
            crash(run, random, times)
        by_way[way] = judged(run)
    return by_way


@dataclass
class Tried:
    """What came of some seeds: legal records, what was said against them, and what was excused."""

    legal: int = 0
    accused: list[str] = field(default_factory=list)
    shoulds: Counter[str] = field(default_factory=Counter)


def tried(seeds: Iterable[int], run: Path) -> Tried:
    """Judge the legal history of each seed, each with several losses.

    Some have no legal record: acknowledge() covers what the tiny provider had taken back before, or
    a group came out of order between consumers, one of which had ended. They are left out.
    """
    result = Tried()
    with mock.patch.object(log, "PER_SEGMENT", 512), mock.patch.object(os, "fsync"):
        for seed in seeds:
            whole, *lost = lossy(seed, run).values()
            if accusations(whole):
                continue
            result.legal += 1
            for way, findings_of_way in zip(WAYS[1:], lost, strict=True):
                result.shoulds.update(findings_of_way.shoulds)
                result.accused += [
                    f"seed {seed} {way}: {accusation}"
                    for accusation in accusations(findings_of_way)
                ]
    return result


def main() -> int:
    """Try many seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        seeds = range(arguments.first, arguments.first + arguments.seeds)
        tally = tried(seeds, Path(folder) / "run")
    sys.stdout.writelines(f"{accusation}\n" for accusation in tally.accused)
    sys.stdout.write(
        f"{tally.legal} legal histories of {arguments.seeds}, each cut in {len(WAYS) - 1} ways: "
        f"{len(tally.accused)} accusations, {tally.shoulds.total()} shoulds of "
        f"{len(+tally.shoulds)} checks\n"
    )
    return 1 if tally.accused or not tally.legal else 0


if __name__ == "__main__":
    sys.exit(main())
