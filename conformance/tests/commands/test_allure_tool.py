"""What gets Allure: without Node or npm, with an old Node, without the network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jms_brokers.machine.findings import CheckState, examine
from touchstone.doctor.checks import allure_page
from touchstone.errors import HarnessError
from touchstone.results import allure_tool as tool

MakeProgram = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, and no programs but those that a test makes."""
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("TOUCHSTONE_OFFLINE", raising=False)


@pytest.fixture
def program(tmp_path: Path) -> MakeProgram:
    """Makes a program of a name, which does what a script says."""

    def make(name: str, script: str) -> Path:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return make


MAKES_ALLURE = "/bin/mkdir -p node_modules/allure && echo made > node_modules/allure/cli.js"


def test_without_node_it_is_said_what_to_do() -> None:
    with pytest.raises(HarnessError, match="there is no command `node`") as caught:
        tool.install()

    assert "Install Node 20 or newer" in caught.value.hint
    assert examine(allure_page).state is CheckState.LACKS


def test_an_old_node_is_named(program: MakeProgram) -> None:
    old = program("node", "echo v18.20.4")

    with pytest.raises(HarnessError, match=rf"{old} says 'v18\.20\.4'"):
        tool.install()

    finding = examine(allure_page)
    assert (finding.state, "v18.20.4" in finding.seen) == (CheckState.LACKS, True)


def test_without_npm_it_is_said_what_to_do(program: MakeProgram) -> None:
    program("node", "echo v22.1.0")

    with pytest.raises(HarnessError, match="there is no command `npm`") as caught:
        tool.install()

    assert "Install npm" in caught.value.hint
    assert examine(allure_page).state is CheckState.LACKS


def test_offline_nothing_is_fetched(program: MakeProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    program("node", "echo v22.1.0")
    program("npm", MAKES_ALLURE)
    monkeypatch.setenv("TOUCHSTONE_OFFLINE", "1")

    with pytest.raises(HarnessError, match="Offline, and Allure is not in"):
        tool.install()


def test_what_npm_says_is_shown_and_nothing_half_made_stays(
    program: MakeProgram, tmp_path: Path
) -> None:
    program("node", "echo v22.1.0")
    program("npm", f"{MAKES_ALLURE}; echo EINTEGRITY allure; exit 7")

    with pytest.raises(HarnessError, match=r"ended with 7:\nEINTEGRITY allure") as caught:
        tool.install()

    assert "npm ping" in caught.value.hint
    assert [each for each in (tmp_path / "cache" / "allure").iterdir() if each.is_dir()] == []


def test_it_is_fetched_once_by_the_lock(program: MakeProgram, tmp_path: Path) -> None:
    program("node", "echo v22.1.0")
    program("npm", f'echo "$@" >>{tmp_path}/asked; /bin/cat package-lock.json >{tmp_path}/lock; '
            f"{MAKES_ALLURE}")  # fmt: skip
    assert tool.installed_tool() is None
    assert examine(allure_page).state is CheckState.LACKS

    assert tool.install() == tool.install() == tool.installed_tool()

    assert (tmp_path / "asked").read_text() == "ci --ignore-scripts --no-audit --no-fund\n"
    lock = Path(tool.__file__).with_name("package-lock.json")
    assert (tmp_path / "lock").read_bytes() == lock.read_bytes()
    finding = examine(allure_page)
    assert (finding.state, finding.advice) == (CheckState.FINE, "")
    assert tool.pinned_version() in finding.seen


def test_an_allure_that_fails_is_told_of(program: MakeProgram, tmp_path: Path) -> None:
    node = program("node", "echo cannot read the results; exit 1")
    entry = tmp_path / "kept" / "node_modules" / "allure" / "cli.js"

    with pytest.raises(HarnessError, match=r"Allure 3 ended with 1:\ncannot read") as caught:
        tool.AllureTool(node, entry, "3").run([], tmp_path)

    assert str(tmp_path / "kept") in caught.value.hint
