"""Runs the command with one fault in it, and looks at what is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from bench.reliability import catalogue
from bench.reliability.before import FILLER
from bench.reliability.faults import Fault, Place
from bench.reliability.points import FAULT, processes
from bench.reliability.seen import FaultRun, Judged
from jvm_runtime import own_folders
from touchstone_reports.records import ResultsError
from touchstone_reports.results import read

_ROOT: Final = Path(__file__).parents[2]
_GONE_WITHIN: Final = 20.0
"""Seconds in which the kernel and the engine of workers end what has lost its parent."""
_HANGS_AFTER: Final = 400.0
HUNG: Final = 124
"""The status of a command that did not end."""
_SIZE: Final = "3m"
"""Of the disk with the results."""


def inject(fault: Fault, cache: Path) -> FaultRun:
    """Judge the small catalogue while `fault` happens; jars and quick starts are in `cache`."""
    with _place(fault, cache) as place, ExitStack() as pretended:
        variables = pretended.enter_context(fault.before(place))
        journal = os.open(place.journal, os.O_RDWR | os.O_NONBLOCK)
        pretended.callback(os.close, journal)
        status, output, left = _command(fault, place, variables)
        own_folders.sweep(own_folders.place(place.temporary))
        left_there = [path.name for path in place.temporary.rglob("*") if path.is_file()]
        told = b""
        with suppress(BlockingIOError):
            told = os.read(journal, 1 << 16)
        verdicts, unreadable = _verdicts(place.results)
        return FaultRun(
            happened=not fault.at or (place.folder / "happened").exists(),
            status=status,
            output=output,
            reported=_judged_of(told.decode()),
            written=verdicts,
            unreadable=unreadable,
            processes=left,
            folders=tuple(name for name in left_there if name != FILLER),
        )


@contextmanager
def _place(fault: Fault, cache: Path) -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="touchstone-fault-") as name, ExitStack() as mounted:
        folder = Path(name)
        catalogue.write(folder, fault.scenarios)
        place = Place(folder, folder / "results", folder / "tmp", cache, folder / "journal")
        os.mkfifo(place.journal)
        for disk, own in ((place.results, fault.own_disk), (place.temporary, fault.own_temporary)):
            disk.mkdir()
            if own:
                _on_a_disk_of_its_own(disk, mounted)
        yield place


def _on_a_disk_of_its_own(folder: Path, mounted: ExitStack) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "touchstone-fault", str(folder)]
    subprocess.run(mount, check=True)
    mounted.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=True)


def _command(
    fault: Fault, place: Place, more: Mapping[str, str]
) -> tuple[int, str, tuple[str, ...]]:
    """Status and output of `touchstone run` with the fault, and the processes that it left."""
    told = {
        "at": fault.at,
        "nth": fault.nth,
        "act": fault.act,
        "without": fault.without,
        "place": str(place.folder),
        "results": str(place.results),
        "journal": str(place.journal),
        "cache": str(place.cache),
    }
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(place.folder), str(_ROOT))),
        "TMPDIR": str(place.temporary),
        "TOUCHSTONE_CACHE": str(place.cache),
        FAULT: json.dumps(told),
        **fault.environment,
        **more,
    }
    command = [
        *(
            "env",
            "--default-signal=INT",
            sys.executable,
            "-m",
            "touchstone",
            "run",
            "--catalogue",
            "try",
        ),
        *("--provider", f"python:try_clients:{fault.client}"),
        *("--results-dir", str(place.results), "-p", "bench.reliability.points"),
        *("--touchstone-timeout", "60", *fault.options),
        *(["--offline"] if fault.offline else []),
    ]
    run = subprocess.Popen(
        fault.through(command),
        cwd=place.folder,
        env={name: value for name, value in variables.items() if value},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="backslashreplace",
        start_new_session=True,
    )
    assert run.stdout is not None
    output: list[str] = []
    reading = threading.Thread(target=output.extend, args=(run.stdout,), daemon=True)
    reading.start()
    try:
        status = run.wait(_HANGS_AFTER)
    except subprocess.TimeoutExpired:
        status = HUNG
    left = _processes_left(place, 0 if status == HUNG else _GONE_WITHIN)
    run.wait()
    reading.join()
    return status, "".join(output), left


def _processes_left(place: Place, within: float) -> tuple[str, ...]:
    """The processes of the run that do not end in so many seconds; they are ended."""
    until = time.monotonic() + within
    while (left := processes(str(place.folder))) and time.monotonic() < until:
        time.sleep(0.1)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, 9)
    return tuple(left.values())


def _judged_of(told: str) -> frozenset[Judged]:
    parts = (line.rpartition(" ") for line in told.splitlines())
    return frozenset((scenario, verdict) for scenario, _, verdict in parts)


def _verdicts(results: Path) -> tuple[frozenset[Judged], str]:
    """What the folders of the runs say, and why one of them cannot be read."""
    judged: set[Judged] = set()
    for folder in results.iterdir() if results.exists() else ():
        if not folder.is_dir():
            continue
        try:
            run = read(folder)
        except ResultsError as error:
            return frozenset(judged), str(error)
        judged |= {(judgement.scenario, judgement.verdict.value) for judgement in run.judgements}
    return frozenset(judged), ""
