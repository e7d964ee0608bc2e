"""Starts of brokers are noted for whoever asks, of every process, with what they cost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.starts import (
    VARIABLE,
    Start,
    describe_starts,
    note,
    note_starts_in,
    read_starts,
)
from jms_brokers.machine.process_table import cpu_seconds

ADDRESS = BrokerAddress("echo://127.0.0.1:7", "", "plain", "embedded", "", "echo")
_TICK = 1 / os.sysconf("SC_CLK_TCK")
NOTING = f"""
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.starts import note

note({ADDRESS!r}, 1.5)
"""


@pytest.fixture(autouse=True)
def nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What these tests note is none of the starts of their session."""
    monkeypatch.delenv(VARIABLE, raising=False)


def test_starts_of_all_processes_are_in_every_file_that_asks(tmp_path: Path) -> None:
    session, run = tmp_path / "session", tmp_path / "run"
    with note_starts_in(session):
        note(ADDRESS, 1.0)
        with note_starts_in(run):
            subprocess.run([sys.executable, "-c", NOTING], check=True)

    assert [start.seconds for start in read_starts(session)] == [1.0, 1.5]
    assert [start.seconds for start in read_starts(run)] == [1.5]


def test_nothing_is_noted_where_nobody_asks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    note(ADDRESS, 1.0)
    with note_starts_in(tmp_path / "asked"):
        pass

    assert VARIABLE not in os.environ
    assert read_starts(tmp_path / "asked") == []


def test_starts_are_counted_by_family_and_profile() -> None:
    starts = [
        Start("pulsar", "plain", 5.0, 8.0),
        Start("rabbitmq", "plain", 2.0, 3.0),
        Start("pulsar", "plain", 4.4, 7.0),
        Start("pulsar", "auth", 5.0, 8.0),
    ]

    assert describe_starts(starts) == (
        "4 broker starts (1 pulsar auth, 2 pulsar plain, 1 rabbitmq plain): 16 s, 26 s of CPU"
    )
    assert describe_starts(starts[:1]) == "1 broker start (1 pulsar plain): 5 s, 8 s of CPU"
    assert describe_starts([]) == ""


def test_what_a_process_used_counts_those_below_it() -> None:
    below = "subprocess.run([sys.executable, '-c', 'sum(i * i for i in range(3_000_000))'])"
    used = "resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime"
    program = f"import resource, subprocess, sys; {below}; print({used}, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        used_below = float(process.stdout.readline())

        assert cpu_seconds(process.pid) >= used_below - _TICK > 0
        process.communicate(b"\n")
    assert cpu_seconds(process.pid) == 0.0
