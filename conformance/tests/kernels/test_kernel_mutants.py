"""Wrong kernels are noticed: a sample of those that kernel_mutants.py makes when run by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kernels import kernel_changes, kernel_mutants
from kernels.kernel_agreement import agrees

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("screening", [False, True], ids=["exact", "screened"])
def test_the_kernels_as_they_are_survive(screening: bool) -> None:
    """With small limits, too, in any order of rows, and with numbers beyond those that are bits."""
    assert all(agrees(history, screening=screening) for history in kernel_mutants.shown(80))


def test_a_sample_of_wrong_kernels_is_noticed() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            kernel_mutants.__name__,
            "--every",
            "3",
            "predicates.rows",
            "predicates.fault_windows",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(kernel_mutants.__file__).parents[1],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 survived" in done.stdout


def test_the_equivalents_that_are_argued_for_are_mutants() -> None:
    names = {
        mutant.name
        for module in (*kernel_mutants.EXACT, *kernel_mutants.SCREENING)
        for mutant in kernel_changes.mutants(module)
    }
    argued = kernel_mutants.equivalents()
    assert set(argued) <= names
    assert all(argued.values())


def test_every_kernel_has_mutants() -> None:
    without = {"messages.judging"}  # calls others only
    for module in {*kernel_mutants.EXACT, *kernel_mutants.SCREENING} - without:
        assert kernel_changes.mutants(module), module
