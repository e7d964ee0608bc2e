"""A machine with Python and git alone: what needs more is left out and said, all else runs.

It has no npm, no Chromium, no rabbitmq-server, no other Java and no container engine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from project import untested

ROOT = Path(__file__).parents[3]
PROGRAMS = ("sh", "env", "grep", "cut", "git", "make")
"""What the Makefile itself calls, beside Python."""
LEFT_OUT = [
    "conformance/tests/project/test_workflows.py::test_actionlint_finds_nothing_in_the_workflows",
    "conformance/tests/brokers/test_rabbitmq.py::test_a_broker_tells_who_it_is",
    "reports/tests/test_volume_page.py::test_names_never_become_markup",
]
RUN = "reports/tests/test_volume_page.py::test_a_torn_report_is_refused"


@pytest.fixture
def bare(tmp_path: Path) -> Mapping[str, str]:
    """The environment on such a machine."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3.11").symlink_to(sys.executable)
    for name in PROGRAMS:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    of_tests = ("CI", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "TOUCHSTONE_JAVA", "JAVA_HOME")
    rest = {name: value for name, value in os.environ.items() if name not in of_tests}
    absent = {"TOUCHSTONE_RABBITMQ_SERVER": str(tmp_path / "rabbitmq-server")}
    absent["DOCKER_HOST"] = f"unix://{tmp_path / 'docker.sock'}"
    return {**rest, **absent, "PATH": str(folder)}


def planned(target: str, environment: Mapping[str, str]) -> list[str]:
    """What make would run; what npm brings counts as out of date."""
    done = subprocess.run(
        ["make", "--dry-run", "--what-if=.github/lint/package-lock.json", target],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_make_test_runs_all_but_npm(bare: Mapping[str, str]) -> None:
    lines = planned("test", bare)
    npm = Path(bare["PATH"], "npm")
    npm.write_text("#!/bin/sh\nexit 1\n")
    npm.chmod(0o700)
    whole = planned("test", bare)

    [added] = [line for line in whole if line.startswith("npm ")]
    position = whole.index(added)
    assert [*whole[:position], *whole[position + 2 :]] == lines, "and the folder is touched"
    assert [line.rpartition("/")[2].split()[0] for line in lines if "/pytest " in line] == [
        "pytest"
    ]
    assert sum("touchstone run " in line for line in lines) == 2
    assert "untested.py " in lines[-1], "what was left out comes last"


def test_make_conformance_asks_for_nothing_that_it_lacks(bare: Mapping[str, str]) -> None:
    lines = planned("conformance", {**bare, "MAKEFLAGS": "VENV=none"})

    programs = {line.removeprefix("@").split()[0] for line in lines}
    assert "none/bin/touchstone run --provider reference --drawn -n auto" in lines
    assert not programs & {"npm", "node", "apt-get", "docker", "chromium", "sudo"}
    assert [line for line in lines if "pip install" in line], "it installs from its lock"


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_tests_that_need_more_are_left_out_with_what_brings_it(
    bare: Mapping[str, str], ci: str, status: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *LEFT_OUT, RUN],
        cwd=ROOT, env={**bare, "CI": ci}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    table = done.stdout.partition("not tested on this machine")[2]
    assert f"    1 test: {untested.NO_CHROMIUM}\n" in table
    assert f"    1 test: {untested.NO_NPM}\n" in table
    assert "    1 test: TOUCHSTONE_RABBITMQ_SERVER names " in table
    assert "apt-get install rabbitmq-server" in table
    assert "1 passed, 3 skipped" in table
    assert ("CI is set" in table) is bool(ci)
    assert done.returncode == status


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_the_last_words_are_one_table_of_what_was_not_tested(
    bare: Mapping[str, str], ci: str, status: int
) -> None:
    done = subprocess.run(
        [sys.executable, untested.__file__, "rabbitmq", "openmq", "qpid+on:brokerj"],
        cwd=ROOT, env={**bare, "CI": ci}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    head, *rows = done.stdout.splitlines()
    assert head.strip("=") == " not tested on this machine "
    assert [row.partition("  ")[0] for row in rows[:4]] == [
        "pages in a browser",
        "workflows",
        "scenarios on rabbitmq",
        "scenarios on qpid+on:brokerj",
    ]
    assert ["brings it" in row for row in rows[:2]] == [True, True]
    assert "apt-get install rabbitmq-server" in rows[2]
    assert "name it with TOUCHSTONE_JAVA" in rows[3]
    assert rows[4:] == (["CI is set: there nothing may be lacking"] if ci else [])
    assert (done.returncode, done.stderr) == (status, "")


def test_where_nothing_lacks_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(untested, "CHROMIUM", "/usr/bin/chromium")
    monkeypatch.setattr(untested, "NPM", "/usr/bin/npm")

    assert untested.main(["openmq"]) == 0
    assert capsys.readouterr().out == ""
