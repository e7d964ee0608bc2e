"""What is typed each time, from a file in the current folder: what counts, and what is refused."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pytest

from commands.made_runs import a_line, write_run
from jms_clients import readiness
from touchstone.cli import COMMANDS, main, parser
from touchstone.commands import run as run_command
from touchstone.commands.defaults import KEYS, OWN_FILE, PROJECT_FILE
from touchstone.run_options import RUN_OPTIONS
from touchstone.verdicts import ExitStatus

WHOLE = """
provider = ["qpid", "reference"]
java = 21
broker = ["pulsar=embedded:4.2.4", "artemis=embedded"]
workers = 3
results-dir = "elsewhere"
seed = 7
draw = 50
timeout = 90.5
"""
OF_WHOLE = [
    *("--java=21", "--broker=pulsar=embedded:4.2.4", "--broker=artemis=embedded"),
    *("--numprocesses=3", "--touchstone-seed=7", "--draw=50", "--touchstone-timeout=90.5"),
]


class Asked:
    """The runs that `touchstone run` would have made, each by its options."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder, self._capsys = folder, capsys
        self.runs: list[Sequence[str]] = []

    def judge(self, packages: Sequence[str], options: Sequence[str]) -> ExitStatus:
        """What is called in place of a run."""
        self.runs.append(list(options))
        return ExitStatus.NOTHING_UNEXPECTED

    def write(self, text: str, name: str = OWN_FILE) -> None:
        """Write a file of the current folder."""
        (self._folder / name).write_text(text)

    def run(self, *line: str, status: int = 0) -> str:
        """`touchstone run` with this line; what it says on standard error."""
        self.runs.clear()
        assert main(["run", *line]) == status
        return self._capsys.readouterr().err


@pytest.fixture
def asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Asked:
    """`touchstone run` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = Asked(tmp_path, capsys)
    monkeypatch.setattr(run_command, "judge", made.judge)
    return made


def options(provider: str, results: str, *more: str) -> list[str]:
    return ["--provider", provider, "--results-dir", results, *more]


def test_without_a_file_nothing_is_added_and_nothing_said(asked: Asked) -> None:
    assert asked.run("--area", "headers") == ""
    assert asked.runs == [options("reference", "results", "--area", "headers")]


@pytest.mark.parametrize(
    ("file", "head", "told"),
    [
        (OWN_FILE, "", "touchstone.toml"),
        (PROJECT_FILE, "[tool.touchstone]", "[tool.touchstone] in pyproject.toml"),
    ],
)
def test_a_run_takes_defaults_and_says_from_which_file(
    file: str, head: str, told: str, asked: Asked
) -> None:
    asked.write(head + WHOLE, file)
    said = asked.run("--area", "headers")
    assert said.splitlines() == [
        f"defaults from {told}: results-dir, provider, java, broker, workers, seed, draw, timeout"
    ]
    assert asked.runs == [
        options(name, "elsewhere", *OF_WHOLE, "--area", "headers") for name in ("qpid", "reference")
    ]


def test_the_other_tables_of_a_project_are_nobodys_business(asked: Asked) -> None:
    asked.write(
        '[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-p evil"', PROJECT_FILE
    )
    assert asked.run() == ""
    assert asked.runs == [options("reference", "results")]


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        (["--java", "17"], ["--java=21"]),
        (["--java=17"], ["--java=21"]),
        (["-n", "1"], ["--numprocesses=3"]),
        (["-n1"], ["--numprocesses=3"]),
        (["--numprocesses=1"], ["--numprocesses=3"]),
        (["--touchstone-seed", "8"], ["--touchstone-seed=7"]),
        (["--draw", "1"], ["--draw=50"]),
        (["--sample", "1"], ["--draw=50"]),
        (["--scenario", "headers/test_x"], ["--draw=50"]),
        (["--requirement", "JMS-TX-001"], ["--draw=50"]),
        (["--touchstone-timeout=1"], ["--touchstone-timeout=90.5"]),
        (["--broker", "container"], OF_WHOLE[1:3]),
    ],
    ids=lambda given: given[0],
)
def test_an_option_on_the_command_line_wins(line: list[str], gone: list[str], asked: Asked) -> None:
    asked.write(WHOLE)
    said = asked.run("--provider", "reference", *line)
    left = [word for word in OF_WHOLE if word not in gone]
    assert asked.runs == [options("reference", "elsewhere", *left, *line)]
    assert "provider" not in said


@pytest.mark.parametrize("line", ["--results-dir here", "--results-dir=here", "--results here"])
def test_the_folder_of_runs_on_the_command_line_wins(line: str, asked: Asked) -> None:
    asked.write('results-dir = "elsewhere"')
    assert asked.run(*line.split()) == ""
    assert asked.runs == [options("reference", "here")]


def test_the_usual_folder_that_is_named_wins_too(asked: Asked) -> None:
    asked.write('results-dir = "elsewhere"')
    asked.run("--results-dir", "results")
    assert asked.runs == [options("reference", "results")]


@pytest.mark.parametrize(
    "line", [["--token-file", "token.txt"], ["--admin-url=http://h:1"], ["--tls-trust-certs", "c"]]
)
def test_no_token_goes_to_a_broker_that_a_file_named(line: list[str], asked: Asked) -> None:
    asked.write('broker = "pulsar://elsewhere:6650"\nadmin-url = "http://elsewhere:8080"')
    asked.run(*line)
    assert asked.runs == [options("reference", "results", *line)]


def test_no_config_ignores_the_file_whatever_is_in_it(asked: Asked) -> None:
    for text in (WHOLE, "seed = [", "unknown = 1"):
        asked.write(text)
        assert asked.run("--no-config") == ""
        assert asked.runs == [options("reference", "results")]


def test_only_the_current_folder_is_looked_into(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked.write(WHOLE)
    asked.write("[tool.touchstone]\nseed = 1", PROJECT_FILE)
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert asked.run() == ""
    assert asked.runs == [options("reference", "results")]


def test_all_clients_are_asked_for_on_the_command_line_alone(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "spellings", lambda: ("reference",))
    monkeypatch.setattr(readiness, "obstacle", lambda _: "")
    asked.write('provider = "qpid"')
    asked.run("--all")
    assert asked.runs == [options("reference", "results")]


NOT_KNOWN = (
    *("addopts", "plugins", "python", "catalogue", "deviations", "setting", "token-file"),
    *("allow-inconclusive", "baseline", "strict-should", "results_dir", "numprocesses", "-p"),
)


@pytest.mark.parametrize("key", NOT_KNOWN)
def test_an_unknown_key_is_one_error_that_names_file_and_key_and_what_is_known(
    key: str, asked: Asked
) -> None:
    asked.write(f'"{key}" = "x"')
    said = asked.run(status=ExitStatus.FAULT)
    assert f"touchstone.toml has an unknown key: {key}\n" in said
    assert all(f"{name} (" in said for name in KEYS)
    assert "--no-config" in said
    assert len(said.splitlines()) == 2
    assert asked.runs == []


@pytest.mark.parametrize(
    "line",
    [
        *('seed = "7"', "seed = 7.0", "seed = true", "seed = -1", "draw = 0", "sample = [1]"),
        *("java = true", 'java = "21"', 'workers = "many"', "workers = -1", "workers = true"),
        *("timeout = 0", "timeout = inf", "timeout = nan", 'timeout = "9"', "results-dir = 1"),
        *('results-dir = ""', 'results-dir = "-p"', 'broker = ""', "broker = []", "broker = [1]"),
        *('broker = "--token-file=x"', 'admin-url = ["a"]', 'broker = { url = "x" }'),
        *("provider = 1", 'provider = ["qpid", 1]', 'provider = "-x"', 'provider = "a b"'),
    ],
)
def test_a_wrong_value_is_one_error_that_names_file_and_key_and_what_it_has_to_be(
    line: str, asked: Asked
) -> None:
    asked.write(line)
    said = asked.run(status=ExitStatus.FAULT)
    name = line.partition(" ")[0]
    assert f"{name} in touchstone.toml has to be {KEYS[name].kind}\n" in said
    assert len(said.splitlines()) == 2
    assert asked.runs == []


@pytest.mark.parametrize(
    "spelling", ["python:os:system", "python:evil:Provider+mutant:x", "./evil.py"]
)
def test_code_is_named_by_nobody_but_the_command_line(spelling: str, asked: Asked) -> None:
    asked.write(f'provider = ["reference", "{spelling}"]')
    assert "provider in touchstone.toml has to be an installed" in asked.run(status=3)
    assert asked.runs == []


def test_no_key_is_for_an_option_that_loads_or_excuses_something() -> None:
    refused = {"--deviations", "--allow-inconclusive", "--token-file", "--setting"}
    assert refused <= {option.name for option in RUN_OPTIONS}
    known = {option.name for option in RUN_OPTIONS} | {"--numprocesses"}
    assert {key.option for key in KEYS.values()} <= known - refused


def test_two_files_are_refused(asked: Asked) -> None:
    asked.write("seed = 1")
    asked.write("[tool.touchstone]\nseed = 1", PROJECT_FILE)
    said = asked.run(status=ExitStatus.FAULT)
    assert "touchstone.toml and [tool.touchstone] in pyproject.toml both have defaults" in said


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (OWN_FILE, "seed = ", "touchstone.toml cannot be read"),
        (OWN_FILE, "seed = " + "[" * 5000, "touchstone.toml cannot be read"),
        (PROJECT_FILE, "[tool", "pyproject.toml cannot be read"),
        (PROJECT_FILE, "tool.touchstone = 1", "in pyproject.toml has to be a table"),
    ],
    ids=["half a line", "deep", "project", "no table"],
)
def test_a_file_that_is_no_such_thing_is_named(
    name: str, text: str, told: str, asked: Asked
) -> None:
    asked.write(text, name)
    assert told in asked.run(status=ExitStatus.FAULT)
    assert asked.runs == []


def test_a_run_that_goes_on_has_its_own_options(asked: Asked, tmp_path: Path) -> None:
    asked.write(WHOLE)
    write_run(tmp_path / "elsewhere" / "one", [a_line()])
    assert asked.run("--resume", "one") == "defaults from touchstone.toml: results-dir\n"


def test_every_command_with_a_folder_of_runs_takes_that_from_the_file(
    asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked.write(WHOLE)
    write_run(tmp_path / "elsewhere" / "one", [a_line()])
    assert main(["coverage", "--json"]) == 0
    shown = capsys.readouterr()
    assert '"run": "elsewhere/one"' in shown.out
    assert shown.err == "defaults from touchstone.toml: results-dir\n"
    assert main(["coverage", "--json", "--no-config"]) == 0
    assert '"run": null' in capsys.readouterr().out


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_each_such_command_can_be_told_to_ignore_the_file(name: str) -> None:
    actions = parser([name])._actions
    [commands] = (one for one in actions if isinstance(one, argparse._SubParsersAction))
    known = commands.choices[name]._option_string_actions
    assert ("--results-dir" in known) == ("--no-config" in known)
