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


IMPORTED = """
import sys
before = set(sys.modules)
from touchstone.cli import main
try:
    main(["--help"])
except SystemExit:
    print(*set(sys.modules) - before, file=sys.stderr)
"""


def test_help_imports_no_command_and_nothing_of_others() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True
    )
    imported = done.stderr.split()
    packages = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names
    own = [name for name in imported if name.partition(".")[0] in packages]
    assert "touchstone.cli" in own
    assert packages == {"touchstone", "touchstone_reports", "jms_histories", "jvm_runtime"}
    assert not [name for name in own if name.startswith("touchstone.commands")]
    assert len(own) <= 17
