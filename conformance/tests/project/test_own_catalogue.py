"""docs/own-catalogue.md is true: followed to the letter it leads to a red build and a green one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from commands.throwaway import Throwaway
from touchstone.fixtures import MODULES

pytestmark = pytest.mark.thorough

PAGE = Path(__file__).parents[3] / "docs" / "own-catalogue.md"
_BLOCK = re.compile(r'(?ms)^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$')


@dataclass(frozen=True)
class Block:
    """A fenced block of the page."""

    language: str
    file: str
    """Where its text is added; empty: nowhere."""
    text: str

    @property
    def commands(self) -> list[tuple[str, int]]:
        """Each line with the status that it has to end with."""
        lines = (line.partition("#") for line in self.text.splitlines())
        return [(line.strip(), int(told.rpartition(" ")[2] or 0)) for line, _, told in lines]


BLOCKS = [Block(*found) for found in _BLOCK.findall(PAGE.read_text(encoding="utf-8"))]


def test_the_page_leads_from_an_empty_folder_to_red_and_to_green(tmp_path: Path) -> None:
    machine = Throwaway(tmp_path)
    ended: list[tuple[str, int]] = []
    printed = ""
    for block in BLOCKS:
        if block.language == "sh":
            for command, status in block.commands:
                done = machine.run(command)
                assert done.returncode == status, f"{command}\n{done.stdout}\n{done.stderr}"
                ended.append((command, status))
                printed = f"{printed}\n{done.stdout}"
        elif block.file:
            with (machine.work / block.file).open("a", encoding="utf-8") as file:
                file.write(block.text)
        elif not block.language and "VIOLATES" in block.text:
            assert block.text.strip() in printed

    runs = [status for command, status in ended if command.startswith("touchstone run")]
    assert runs == [0, 1, 0]
    assert "1 deviates as documented" in printed


def test_what_the_page_shows_of_the_package_stands_in_it(tmp_path: Path) -> None:
    machine = Throwaway(tmp_path)
    machine.do("touchstone init catalogue orders")
    files = [
        file.read_text(encoding="utf-8")
        for file in (machine.work / "orders").rglob("*")
        if file.is_file()
    ]
    shown = [each.text for each in BLOCKS if each.language not in ("", "sh") and not each.file]

    assert len(shown) == 3
    assert [text for text in shown if not any(text in file for file in files)] == []


def test_the_page_names_every_fixture_that_a_catalogue_has() -> None:
    offered = {
        name
        for module in MODULES
        for name, each in vars(import_module(module)).items()
        if isinstance(each, type(pytest.fixture(lambda: None)))
    }
    table = PAGE.read_text(encoding="utf-8").partition("| about | fixtures |")[2]
    named = set(re.findall(r"`(\w+)`", table.partition("\n\n")[0]))

    assert len(offered) > 20
    assert named == offered
