"""Completion as shells ask for it: by the script that they read, and by variables."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands.made_runs import write_run
from touchstone.catalogue import load_library
from touchstone.cli import COMMANDS
from touchstone.run_options import OF_PYTEST, RUN_OPTIONS

pytestmark = pytest.mark.thorough
TOUCHSTONE = Path(sys.executable).with_name("touchstone")
BASH = """
eval "$(touchstone completion bash)"
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
_python_argcomplete touchstone
printf '%s\\n' "${COMPREPLY[@]}"
"""
LIBRARY = load_library()


def by_bash(line: str, folder: Path) -> list[str]:
    """What bash offers behind `line`, once it has read the script."""
    bash = shutil.which("bash")
    assert bash
    path = f"{TOUCHSTONE.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [bash, "--norc", "-c", BASH, "bash", line],
        capture_output=True, text=True, check=True, cwd=folder, env={**os.environ, "PATH": path},
    )  # fmt: skip
    assert done.stderr == ""
    return [word.strip() for word in done.stdout.splitlines() if word.strip()]


def asked(line: str, folder: Path, shell: str = "bash") -> list[str]:
    """What is answered to the variables that the script of a shell sets."""
    answer = folder / "answer"
    variables = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_SHELL": shell,
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    subprocess.run([TOUCHSTONE], check=True, cwd=folder, env={**os.environ, **variables})
    return answer.read_text("utf-8").splitlines()


def test_bash_completes_an_id_an_area_and_a_client(tmp_path: Path) -> None:
    ids = {id_ for id_ in LIBRARY.requirements if id_.startswith("SLJ-PROP-")}
    assert len(ids) > 3
    assert {*by_bash("touchstone run --requirement SLJ-PROP-", tmp_path)} == ids
    areas = {area for area in LIBRARY.areas if area.startswith("pr")}
    assert "properties" in areas
    assert {*by_bash("touchstone run --provider qpid --area pr", tmp_path)} == areas
    assert "starlight" in by_bash("touchstone run --provider s", tmp_path)


def test_bash_completes_commands_and_actions(tmp_path: Path) -> None:
    assert {*by_bash("touchstone ", tmp_path)} >= {command.name for command in COMMANDS}
    assert by_bash("touchstone expl", tmp_path) == ["explain"]
    assert by_bash("touchstone broker sto", tmp_path) == ["stop"]


@pytest.mark.parametrize("command", ["run", "hunt", "matrix", "history-of qpid 2.10.0"])
def test_a_command_that_passes_options_on_knows_those_of_a_run(
    command: str, tmp_path: Path
) -> None:
    there = {*asked(f"touchstone {command} -", tmp_path)}
    known = {option.name for option in (*RUN_OPTIONS, *OF_PYTEST)}
    assert known - {"--provider"} <= there


def test_options_of_runs_that_no_command_passes_on_are_not_offered(tmp_path: Path) -> None:
    assert "--broker" not in asked("touchstone list --", tmp_path)
    assert "--brokers-of" not in asked("touchstone run --", tmp_path)


@pytest.mark.parametrize("command", ["report ", "compare ", "run --resume ", "run --baseline "])
def test_folders_of_runs_are_offered(command: str, tmp_path: Path) -> None:
    for name in ("20260101-000000-one", "20260102-000000-two"):
        write_run(tmp_path / "results" / name, [])
    (tmp_path / "results" / "no-run").mkdir()

    offered = {*asked(f"touchstone {command}results/", tmp_path)}
    assert offered == {"results/20260101-000000-one", "results/20260102-000000-two"}


def test_folders_of_runs_are_sought_where_the_line_says(tmp_path: Path) -> None:
    write_run(tmp_path / "mine" / "20260101-000000-one", [])
    line = "touchstone report --results-dir mine "
    assert "mine/20260101-000000-one" in asked(line, tmp_path)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("touchstone explain JMS-TX-00", "JMS-TX-001"),
        ("touchstone list --document J", "JMS"),
        ("touchstone run --broker cont", "container"),
        ("touchstone history-of q", "qpid"),
        ("touchstone moving --from rab", "rabbitmq"),
        ("touchstone run --catalogue j", "jms"),
        (
            "touchstone list --scenario order/test_delivery_t",
            "order/test_delivery_times_change_the_order",
        ),
    ],
)
def test_what_a_place_takes_is_offered_there(line: str, offered: str, tmp_path: Path) -> None:
    assert offered in asked(line, tmp_path)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_told_what_an_id_says(shell: str, tmp_path: Path) -> None:
    shown = asked("touchstone explain JMS-TX-001", tmp_path, shell)
    assert [word.partition(":")[0] for word in shown] == ["JMS-TX-001"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_that_is_about_this_program(shell: str) -> None:
    done = subprocess.run(
        [TOUCHSTONE, "completion", shell], capture_output=True, text=True, check=True
    )
    registered = {"bash": "complete ", "zsh": "compdef ", "fish": "complete --command touchstone"}
    [*lines] = (line for line in done.stdout.splitlines() if registered[shell] in line)
    assert any("touchstone" in line for line in lines)


WITHOUT = """
import sys
sys.modules["argcomplete"] = None  # an import of it fails
from touchstone.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run([*command, "completion", "bash"], capture_output=True, text=True)
    assert done.returncode == 3
    assert "jms-touchstone[completion]" in done.stderr

    variables = {"_ARGCOMPLETE": "1", "COMP_LINE": "touchstone ", "COMP_POINT": "11"}
    silent = subprocess.run(command, capture_output=True, env={**os.environ, **variables})
    assert (silent.returncode, silent.stdout, silent.stderr) == (1, b"", b"")


def test_the_help_of_a_run_has_each_option_once_under_its_subject() -> None:
    done = subprocess.run([TOUCHSTONE, "run", "--help"], capture_output=True, text=True, check=True)
    for option in RUN_OPTIONS:
        lines = re.findall(rf"(?m)^  {option.name}\b.*$", done.stdout)
        assert len(lines) == 1, option.name
        heading = done.stdout.partition(lines[0])[0].rpartition(":\n")[0].rpartition("\n")[2]
        assert heading in (option.subject, "options"), option.name
    assert "--brokers-of" not in done.stdout
