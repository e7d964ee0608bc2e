"""Signals to processes of our own."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jms_brokers.faults.process import OwnedProcess
from jms_brokers.faults.rules import FaultError
from jms_brokers.machine.process_table import all_stopped, ancestors

_SELECT_REACHES = 1024
"""The number of descriptors that select() knows; a worker with a client in Java may have more."""
TICKING = "import time\nwhile True: print('tick', flush=True); time.sleep(0.01)"


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", TICKING], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        yield child
        child.kill()


def test_a_paused_process_stands_still_until_it_is_resumed(child: subprocess.Popen[bytes]) -> None:
    with OwnedProcess(child.pid) as process:
        process.pause()
        assert all_stopped(child.pid)
        assert (process.alive, process.paused) == (True, True)
        process.resume()
        assert not all_stopped(child.pid)
        assert (process.alive, process.paused) == (True, False)


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    """Whatever is opened meanwhile has a number beyond those that select() knows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4 * _SELECT_REACHES, hard), hard))
    opened: list[int] = []
    try:
        while not opened or opened[-1] < _SELECT_REACHES:
            opened.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_descriptors")
def test_signals_reach_a_process_however_many_files_are_open(
    child: subprocess.Popen[bytes],
) -> None:
    with OwnedProcess(child.pid) as process:
        assert process.alive
        process.kill()
        assert not process.alive


def test_a_process_paused_at_the_end_goes_on(child: subprocess.Popen[bytes]) -> None:
    process = OwnedProcess(child.pid)
    process.pause()
    process.close()
    process.close()
    assert not all_stopped(child.pid)


def test_kill_returns_when_the_process_has_ended(child: subprocess.Popen[bytes]) -> None:
    with OwnedProcess(child.pid) as process:
        process.pause()
        process.kill()
        assert not process.alive
        assert child.wait(0) == -9
        with pytest.raises(FaultError, match="SIGSTOP cannot reach it"):
            process.pause()


def test_grandchildren_are_ours_too() -> None:
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {TICKING!r}])"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        (grandchild,) = map(int, children_of(child.pid))
        assert ancestors(grandchild)[:2] == [child.pid, os.getpid()]
        with OwnedProcess(grandchild) as process:
            process.kill()
        child.wait(10)


def children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_processes_of_others_are_refused() -> None:
    for pid in (1, os.getppid(), os.getpid()):
        with pytest.raises(FaultError, match="not started by this one"):
            OwnedProcess(pid)


def test_a_process_that_has_ended_is_refused() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        pass
    with pytest.raises(FaultError, match="no process"):
        OwnedProcess(child.pid)
