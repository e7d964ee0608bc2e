"""What `make` does on a machine: which Python it takes, and what it says of those that are none.

And that the image has what a wheel has.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from containers.recipes import SOURCES

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "containers" / "touchstone" / "Dockerfile"
INSTALLS = """\
#!/bin/sh
case "$1" in
--version) echo Python 3.13.1 ;;
-m) echo "venv $*" >>"$INSTALLED"
    mkdir -p "$4/bin"
    printf '#!/bin/sh\\necho "pip $*" >>"$INSTALLED"\\n' >"$4/bin/pip"
    chmod +x "$4/bin/pip" ;;
esac
"""
"""A Python that is new enough, and makes environments whose pip installs nothing."""
TOO_OLD = "#!/bin/sh\nexit 1\n"


class Machine:
    """A machine that has the shell's commands and these Pythons alone."""

    def __init__(self, folder: Path) -> None:
        self.commands = folder / "commands"
        self.commands.mkdir()
        self.venv = folder / "venv"
        self._installed = folder / "installed"
        for name in ("make", "sh", "git", "grep", "touch", "mkdir", "chmod", "echo"):
            if found := shutil.which(name):
                (self.commands / name).symlink_to(found)

    def has(self, name: str, program: str) -> None:
        """Put a program where commands are looked for."""
        (self.commands / name).write_text(program)
        (self.commands / name).chmod(0o755)

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `make` in the project, for an environment of this machine's own."""
        environment = {"PATH": str(self.commands), "INSTALLED": str(self._installed)}
        return subprocess.run(
            ["make", f"VENV={self.venv}", *arguments],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    @property
    def installed(self) -> list[str]:
        """What was made and installed, a line each."""
        return self._installed.read_text().splitlines() if self._installed.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """One without any Python."""
    return Machine(tmp_path)


@pytest.mark.parametrize(
    ("pythons", "taken"),
    [
        ({"python3.11": INSTALLS, "python3.13": INSTALLS, "python3": INSTALLS}, "python3.13"),
        ({"python3.14": TOO_OLD, "python3.12": INSTALLS}, "python3.12"),
        ({"python3": INSTALLS}, "python3"),
        ({"python3": TOO_OLD}, ""),
        ({}, ""),
    ],
)
def test_the_newest_python_that_runs_is_taken(
    machine: Machine, pythons: dict[str, str], taken: str
) -> None:
    for name, program in pythons.items():
        machine.has(name, program)

    assert machine.make("--eval=taken: ; @echo $(PYTHON)", "taken").stdout == f"{taken}\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "No Python 3.11 or newer. "),
        (("PYTHON=old",), "No Python 3.11 or newer: old is none. "),
    ],
)
def test_without_a_python_that_is_new_enough_one_line_says_what_to_do(
    machine: Machine, arguments: tuple[str, ...], told: str
) -> None:
    machine.has("old", TOO_OLD)

    done = machine.make(f"{machine.venv}/.base", *arguments)

    line, stopped = done.stderr.splitlines()
    assert line.startswith(told)
    assert line.endswith("make PYTHON=/path/to/python3")
    assert "Error 1" in stopped
    assert machine.installed == []


def test_each_step_of_an_installation_is_said(machine: Machine) -> None:
    machine.has("python3.13", INSTALLS)

    done = machine.make(f"{machine.venv}/.base")

    made, packages = done.stdout.splitlines()
    assert made == f"Python 3.13.1: making {machine.venv}"
    assert packages.startswith("Installing the suite from locks/base.txt: ")
    assert [line.partition(" --")[0] for line in machine.installed] == [
        "venv -m venv",
        "pip install",
        "pip install",
    ]
    assert machine.make(f"{machine.venv}/.base").stdout.endswith("is up to date.\n")


def test_uv_installs_where_it_is_there(machine: Machine) -> None:
    machine.has("python3.13", INSTALLS)
    machine.has("uv", '#!/bin/sh\necho "uv $*" >>"$INSTALLED"\n')

    assert machine.make(f"{machine.venv}/.base").returncode == 0

    made, *installed = machine.installed
    assert made.startswith("venv -m venv")
    into = f"uv pip install --quiet --compile-bytecode --python {machine.venv}/bin/python "
    assert [line.removeprefix(into)[:10] for line in installed] == ["--require-", "--no-deps "]


def test_an_environment_half_made_is_made_anew_and_one_that_works_is_kept(
    machine: Machine,
) -> None:
    machine.has("python3.13", INSTALLS)
    (machine.venv / "bin").mkdir(parents=True)
    assert "making" in machine.make(f"{machine.venv}/.base").stdout

    (machine.venv / ".base").unlink()

    assert "making" not in machine.make(f"{machine.venv}/.base").stdout
    assert os.access(machine.venv / ".base", os.F_OK)


def _packages() -> set[str]:
    """The packages of both distributions, from the root of the project."""
    packages: set[str] = set()
    for folder in ("", "impl/"):
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())
        wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
        packages.update(f"{folder}{package}" for package in wheel["packages"])
    return packages


def _is_of(package: str, folders: Iterable[str]) -> bool:
    return any(f"{package}/".startswith(f"{folder.rstrip('/')}/") for folder in folders)


def test_the_image_has_every_package_of_a_wheel() -> None:
    copied = re.findall(r"^COPY (\S+) ", DOCKERFILE.read_text(), re.MULTILINE)
    sent = re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    packages = _packages()
    assert "conformance/touchstone" in packages
    for folders in (copied, sent, SOURCES):
        assert {package for package in packages if not _is_of(package, folders)} == set()
