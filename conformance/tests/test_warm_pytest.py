"""A warm process: each run is forked from it, tells its status, and changes nothing for others."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jms_brokers.machine.polling import until
from touchstone.commands.run import arguments_of_pytest, command
from touchstone.errors import HarnessError
from touchstone.judging.warm_pytest import WarmPytest, warm_pytest

TESTS = """
import gc, os, signal
SEEN = []

def test_passes():
    SEEN.append(1)
    assert SEEN == [1]

def test_fails():
    assert SEEN == [2], "of its own"

def test_is_killed():
    os.kill(os.getpid(), signal.SIGKILL)

def test_looks_at_what_it_made_alone():
    assert gc.get_freeze_count() > len(gc.get_objects()) > 0

def test_waits():
    print("waits in", os.getpid(), flush=True)
    signal.pause()
"""


@pytest.fixture
def module(tmp_path: Path) -> str:
    """A module of tests."""
    path = tmp_path / "test_some.py"
    path.write_text(TESTS)
    return str(path)


@pytest.fixture
def warm(module: str, tmp_path: Path) -> Iterator[WarmPytest]:
    """A process that has collected the module."""
    line = command([module], [])
    with warm_pytest(line, os.environ, tmp_path / "log") as process:
        yield process


def test_each_run_has_its_own_status_and_begins_anew(
    warm: WarmPytest, module: str, tmp_path: Path
) -> None:
    out = tmp_path / "printed"
    arguments = {
        name: arguments_of_pytest([module], ["-k", name])
        for name in ("test_passes", "test_fails", "test_is_killed")
    }

    assert warm.run(arguments["test_passes"], out) == 0
    assert warm.run(arguments["test_fails"], out) == 1
    assert warm.run(arguments["test_is_killed"], out) == -signal.SIGKILL
    assert warm.run(arguments["test_passes"], out) == 0
    assert out.read_text().count("1 passed") == 2
    assert "of its own" in out.read_text()


def test_runs_go_on_side_by_side(warm: WarmPytest, module: str, tmp_path: Path) -> None:
    waiting = tmp_path / "waiting"
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(warm.run, arguments_of_pytest([module], ["-s", "-k", "waits"]), waiting)
        child = int(until(lambda: _told(waiting), 60.0))

        for name, status in (("test_passes", 0), ("test_fails", 1)):
            arguments = arguments_of_pytest([module], ["-k", name])
            assert warm.run(arguments, tmp_path / "printed") == status

        assert not long.done()
        os.kill(child, signal.SIGTERM)
        assert long.result(timeout=60) == -signal.SIGTERM


def test_asserts_are_told_as_in_a_run_of_its_own(
    warm: WarmPytest, module: str, tmp_path: Path
) -> None:
    out = tmp_path / "printed"
    warm.run(arguments_of_pytest([module], ["-k", "test_fails"]), out)

    assert "assert [] == [2]" in out.read_text()


def test_a_run_does_not_look_again_at_what_was_there_before(
    warm: WarmPytest, module: str, tmp_path: Path
) -> None:
    out = tmp_path / "printed"

    assert warm.run(arguments_of_pytest([module], ["-k", "made_alone"]), out) == 0, out.read_text()


def test_what_cannot_be_collected_is_said(tmp_path: Path) -> None:
    line = command([str(tmp_path / "test_missing.py")], [])
    with (
        warm_pytest(line, os.environ, tmp_path / "log") as process,
        pytest.raises(HarnessError, match="has ended") as caught,
    ):
        process.run([], tmp_path / "printed")

    assert "test_missing.py" in caught.value.hint


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux ends it")
def test_a_run_does_not_outlive_its_process(module: str, tmp_path: Path) -> None:
    out = tmp_path / "printed"
    with (
        ThreadPoolExecutor(1) as pool,
        warm_pytest(command([module], []), os.environ, tmp_path / "log") as warm,
    ):
        run = pool.submit(warm.run, arguments_of_pytest([module], ["-s", "-k", "waits"]), out)
        child = int(until(lambda: _told(out), 60.0))

        os.kill(int((Path("/proc") / str(child) / "stat").read_text().split()[3]), signal.SIGKILL)

        with pytest.raises(HarnessError, match="has ended"):
            run.result(timeout=60)
        until(lambda: not _runs(child), 60.0)


def _told(out: Path) -> str:
    """What a run printed behind "waits in"."""
    text = out.read_text() if out.exists() else ""
    return text.partition("waits in ")[2].partition("\n")[0]


def _runs(process: int) -> bool:
    """Whether it has not ended, collected or not."""
    try:
        status = (Path("/proc") / str(process) / "stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
