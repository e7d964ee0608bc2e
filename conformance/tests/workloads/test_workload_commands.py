"""Workloads on the command line, and what is refused before anything starts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from touchstone import cli
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus
from touchstone.workloads.catalogue import WORKLOADS
from touchstone.workloads.driving import WorkloadRequest, drive


def wanted(results: Path, **changes: Any) -> WorkloadRequest:
    """A run of the workload `queue` that would be small."""
    return WorkloadRequest(
        **{
            "workload": WORKLOADS["queue"],
            "provider": "reference",
            "messages": 100,
            "seed": 1,
            "results": results,
            **changes,
        }
    )


def test_a_workload_with_transactions_is_refused_where_there_are_none(tmp_path: Path) -> None:
    """pulsar-client has no transactions of the broker; the hint names who has."""
    with pytest.raises(UsageError, match="transactions") as caught:
        drive(wanted(tmp_path, workload=WORKLOADS["transactions"]))

    assert "reference-java" in caught.value.hint


def test_a_client_of_another_broker_is_refused(tmp_path: Path) -> None:
    """What needs Pulsar's subscriptions cannot run on AMQP."""
    with pytest.raises(UsageError, match="artemis"):
        drive(wanted(tmp_path, workload=WORKLOADS["key-shared"], provider="qpid"))


def test_a_full_disk_is_told_before_anything_starts(tmp_path: Path) -> None:
    """Nobody has room for as many messages as this."""
    with pytest.raises(UsageError, match="too full"):
        drive(wanted(tmp_path, messages=10**13))


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_starts() -> None:
    with pytest.raises(UsageError, match="cannot be written to /proc/none"):
        drive(wanted(Path("/proc/none")))


def test_unknown_names_end_with_the_status_of_a_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Workload, fault and provider alike; the text says what there is."""
    for options, text in (
        (["--workload", "flagshop"], "flagship"),
        (["--faults", "flood"], "restart"),
        (["--provider", "referense"], "reference"),
    ):
        status = cli.main(["workload", "run", "--results", str(tmp_path), *options])

        assert status == ExitStatus.FAULT
        assert text in capsys.readouterr().err


def test_the_list_names_every_workload(capsys: pytest.CaptureFixture[str]) -> None:
    """With its promises, for programs."""
    assert cli.main(["workload", "list", "--json"]) == ExitStatus.NOTHING_UNEXPECTED
    listed = json.loads(capsys.readouterr().out)["workloads"]

    assert {entry["name"]: set(entry["promises"]) for entry in listed} == {
        workload.name: set(workload.promises) for workload in WORKLOADS.values()
    }


def test_the_help_loads_no_arrays() -> None:
    """NumPy and Arrow are for those who run one."""
    program = (
        "import sys; from touchstone import cli\n"
        "try: cli.main(['workload', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'pyarrow'} & set(sys.modules), 'loaded'"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
