"""A pytest plug-in: it breaks something at one point of a run, and reports what has been judged.

The environment says what (`FAULT`, as JSON). It is written as a plug-in since faults are to happen
inside: between two steps of the process that is at work there, not some time later.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from jms_brokers.brokers import child_process
from jms_brokers.families.pulsar import readiness
from jms_brokers.machine.process_table import began
from jvm_runtime import launch
from touchstone.results import reporting
from touchstone.results.run_folder import RunFolder
from touchstone.scenario.clock import ClockWatch

FAULT: Final = "TOUCHSTONE_BENCH_FAULT"
_RESULT: Final = "touchstone result"
_told: Final = json.loads(os.environ.get(FAULT, "{}"))
_seen: Final = Counter[str]()


def reach(point: str) -> None:
    """A run has come to `point`; the fault happens at the nth time, once in all processes."""
    _seen[point] += 1
    if not _told or point != _told["at"] or _seen[point] != _told["nth"]:
        return
    try:
        Path(_told["place"], "happened").touch(exist_ok=False)
    except FileExistsError:
        return
    ACTIONS[_told["act"]]()


def processes(mark: str) -> dict[int, str]:
    """The processes that `mark` is in the environment of, with their names."""
    names = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                names[int(entry.name)] = (entry / "comm").read_text().strip()
        except OSError:
            continue  # it has ended
    return {pid: name for pid, name in names.items() if began(pid) is not None}


def _kill_broker() -> None:
    for pid, name in processes(_told["place"]).items():
        if name == "java":
            os.kill(pid, signal.SIGKILL)
            while began(pid) is not None:
                time.sleep(0.01)


def _to_command(number: signal.Signals) -> Callable[[], None]:
    def act() -> None:
        os.kill(os.getpgid(0), number)  # the command leads the group
        threading.Event().wait(60)

    return act


def _fill() -> None:
    with (Path(_told["results"]) / "filler").open("wb", buffering=0) as filler:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while filler.write(b"x" * size) == size:
                    pass
            except OSError:
                continue


def _remount(how: str) -> Callable[[], None]:
    def act() -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", _told["results"]], check=True)

    return act


def _clock(seconds: int) -> Callable[[], None]:
    def act() -> None:
        now, now_ns = time.time, time.time_ns
        time.time = lambda: now() + seconds
        time.time_ns = lambda: now_ns() + seconds * 10**9

    return act


def _limit_memory() -> None:
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 28), resource.RLIM_INFINITY))
    bytearray(1 << 29)


def _damage_a_jar() -> None:
    jar = max(Path(_told["cache"]).glob("jars/**/pulsar-broker-4*.jar"))
    jar.write_bytes(jar.read_bytes()[: jar.stat().st_size // 2])


def _tear_a_line() -> None:
    (part,) = Path(_told["results"]).glob("*/*.part")
    with part.open("a") as verdicts:
        verdicts.write('{"format": 1, "scenario": "ones/te')
    os.kill(os.getpid(), signal.SIGKILL)


def _limit_files() -> None:
    used = max(int(fd.name) for fd in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (used, used))


ACTIONS: Final[dict[str, Callable[[], object]]] = {
    "kill this process": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "kill the command": _to_command(signal.SIGKILL),
    "SIGTERM to the command": _to_command(signal.SIGTERM),
    "Ctrl-C": lambda: os.killpg(os.getpgid(0), signal.SIGINT),
    "kill the broker": _kill_broker,
    "fill the disk": _fill,
    "limit the size of files": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    "make the disk read-only": _remount("ro"),
    "remove the results": lambda: shutil.rmtree(_told["results"]),
    "damage a jar": _damage_a_jar,
    "tear a line": _tear_a_line,
    "set the clock back": _clock(-3600),
    "set the clock forward": _clock(3600),
    "no more memory": _limit_memory,
    "no more open files": _limit_files,
}


def _write_late() -> None:
    """Verdicts are written when the run ends, and not when they are given."""
    add, finish = RunFolder.add, RunFolder.finish
    given: list[tuple[Any, ...]] = []

    def late(folder: RunFolder, *lines: Any) -> None:
        given.append(lines)

    def at_the_end(folder: RunFolder, *how: Any, **named: Any) -> None:
        for lines in given:
            add(folder, *lines)
        finish(folder, *how, **named)

    RunFolder.add = late  # type: ignore[method-assign, assignment]
    RunFolder.finish = at_the_end  # type: ignore[method-assign, assignment]


def _trust_the_clock() -> None:
    """Nobody asks whether the clock was set."""
    ClockWatch.was_set = lambda self: None  # type: ignore[method-assign]


GUARDS: Final[dict[str, Callable[[], None]]] = {"clock": _trust_the_clock, "writing": _write_late}


def _reach_before(owner: Any, name: str, point: str) -> None:
    """Have every call of `owner.name` reach `point` first."""
    called = getattr(owner, name)

    def passing(*given: Any, **named: Any) -> Any:
        reach(point)
        return called(*given, **named)

    setattr(owner, name, passing)


def pytest_configure(config: pytest.Config) -> None:
    """Put the points where no hook of pytest is."""
    if _told.get("without"):
        GUARDS[_told["without"]]()
    _reach_before(RunFolder, "add", "writing")
    _reach_before(RunFolder, "finish", "finishing")
    for name in ("junit", "allure", "markdown", "matrix"):
        _reach_before(getattr(reporting, name), "write", name)
    _reach_before(launch, "spawn", "broker starts")
    _reach_before(child_process.Starting, "until", "broker is awaited")
    _reach_before(readiness, "pass_a_message", "broker answers")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Journal())
    reach("configured")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish() -> None:
    """Scenarios are chosen, the results folder is not there yet."""
    reach("collected")


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish() -> None:
    """Between two scenarios, in a worker."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        reach("between")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """A scenario is judged, and nothing has been reported yet."""
    report = yield
    if call.when == "teardown":
        reach("reporting")
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    """Every scenario has run."""
    reach("ended")


class _Journal:
    """What the owner of the run has taken down, distinguished from its own files.

    By a pipe that is open beforehand: no full disk and no limit reaches it.
    """

    def __init__(self) -> None:
        self._pipe = Path(_told["journal"]).open("w")  # noqa: SIM115 - open as long as the process

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        result = dict(report.user_properties).get(_RESULT)
        if result is None:
            return
        lines = json.loads(str(result))["lines"]
        told = "".join(f"{line['scenario']} {line['verdict']}\n" for line in lines)
        self._pipe.write(told)
        self._pipe.flush()
        reach("judged")
