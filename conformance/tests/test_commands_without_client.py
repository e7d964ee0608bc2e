"""What is about the catalogue alone loads no client: not even the reference, and no Pulsar."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.commands import AIMS

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
import os, shlex, sys
before = set(sys.modules)
from touchstone.cli import main
with open(os.devnull, "w") as sys.stdout:
    for line in sys.argv[1:]:
        try:
            assert main(shlex.split(line)) == 0
        except SystemExit as end:
            assert end.code == 0
print(*set(sys.modules) - before, file=sys.stderr)
"""
HEAVY = {
    *("_pytest", "hypothesis", "jinja2", "jsonschema", "pytest"),
    *("asyncio", "cryptography", "docker", "jpype", "jwt", "numpy", "pyarrow"),
    *("jms_scenarios", "touchstone.api", "touchstone.mutants.core"),
}
CLIENTS = {"httpx", "lark", "pulsar", "pulsar_jms"}
"""The providers bring them, and nothing else that only tells something."""


def imported_by(*commands: str, folder: Path | None = None) -> set[str]:
    """The modules that these commands import, one after the other in a process."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *commands],
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    return set(done.stderr.split())


def test_help_imports_no_command_and_nothing_of_others() -> None:
    imported = imported_by("--help")
    packages = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names
    own = [name for name in imported if name.partition(".")[0] in packages]
    assert "touchstone.cli" in own
    assert packages == {
        "touchstone",
        "touchstone_reports",
        "jms_brokers",
        "jms_histories",
        "jvm_runtime",
    }
    assert not [name for name in own if name.startswith("touchstone.commands")]
    assert len(own) <= 18
    assert imported.isdisjoint({*HEAVY, *CLIENTS, "rich"})


def test_what_only_tells_something_imports_little_once_the_catalogue_is_known(
    tmp_path: Path,
) -> None:
    others = [line for line in AIMS if line != "providers"]
    imported_by(*others, folder=tmp_path)

    assert imported_by(*others, folder=tmp_path).isdisjoint(HEAVY | CLIENTS)
    assert imported_by("providers", folder=tmp_path).isdisjoint(HEAVY)
