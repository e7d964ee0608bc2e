"""What is about the catalogue alone loads no client: not even the reference, and no Pulsar."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
for name in ("pulsar", "_pulsar", "pulsar_jms", "jpype"):
    sys.modules[name] = None  # an import of it fails
from touchstone.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "command",
    [("list", "--area", "headers"), ("workload", "list"), ("interop", "--help"), ("run", "--help")],
    ids=" ".join,
)
def test_a_command_that_runs_nothing_loads_no_client(command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout
