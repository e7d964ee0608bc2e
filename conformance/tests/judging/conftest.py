"""A small catalogue of its own and a client in memory, on which the judging itself is tested."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import touchstone.api
import touchstone.judging.wake  # noqa: F401 (loaded here, not anew by every run in this process)

DOCUMENTS = """
[tried]
title = "The text that is tried"

[other]
title = "Another text"
"""
REQUIREMENTS = """
[defaults]
document = "tried"

[[requirement]]
id = "TRY-ONE-001"
area = "ones"
source = [{ section = "One" }]
statement = "One thing holds."

[[requirement]]
id = "TRY-ONE-002"
area = "ones"
source = [{ section = "Two" }]
statement = "Another thing holds."

[[requirement]]
id = "TRY-ONE-003"
area = "ones"
source = [{ section = "Three" }]
statement = "A third thing should hold."
strength = "should"
"""
OTHER_REQUIREMENTS = """
[[requirement]]
id = "OTH-ONE-001"
area = "ones"
source = [{ document = "other", section = "One" }]
statement = "A thing that other clients promise."
"""
PACKAGE = """
from touchstone.api import Catalogue, Document

CATALOGUE = Catalogue(
    name="try",
    package="try_scenarios",
    documents=(
        Document("TRY", "The tried document", "requirements/try.toml"),
        Document("OTH", "The other document", "requirements/other.toml"),
    ),
    areas=("ones",),
)
"""
PROVIDER = """
from contextlib import contextmanager
from dataclasses import dataclass

from jms_clients.interface import VendorConstants


@dataclass
class Client:
    constants = VendorConstants()

    def connection_factory(self, settings):
        raise AssertionError("no scenario of these tests connects")


@dataclass(frozen=True)
class Memory:
    name: str = "memory"
    version: str = "1.2"
    documents: frozenset = frozenset({"TRY"})
    capabilities: frozenset = frozenset()
    broker_family: str = "pulsar"
    transport: str = "native"

    @contextmanager
    def open(self, broker):
        yield Client()


def provider(variant, version):
    return Memory()
"""
CLIENT = """
import threading


def throw(error):
    raise error


def call(listener):
    listener()


def fail_its_own_assertion():
    assert False, "bug"


def hang(while_doing=lambda: None):
    while_doing()
    threading.Event().wait()
"""
CONFTEST = """
import pytest
from touchstone.scenario import running
from touchstone.scenario.judgement import current

class Silent:
    def __init__(self, *messages):
        self.messages = list(messages)

    def receive(self, timeout=None):
        return self.messages.pop(0) if self.messages else None

@pytest.fixture
def silent():
    return Silent()

@pytest.fixture
def working_broker():
    current().control = lambda: None

@pytest.fixture
def broken_broker():
    current().control = current().lost = current().cut_off = lambda: "the broker is gone"
"""
ENTRY_POINTS = """
[touchstone.catalogues]
try = try_scenarios:CATALOGUE
[jms_clients.providers]
memory = try_memory:provider
"""
IMPORTS = """
import os
import threading
import pytest
from jmsapi import JMSException
from touchstone.api import *
from touchstone.api import checks
from try_client import call, fail_its_own_assertion, hang, throw
"""


@dataclass
class Judged:
    """What a run of the small catalogue came to."""

    exit_status: int
    output: str
    folder: Path | None

    @property
    def run(self) -> dict[str, Any]:
        """run.json."""
        assert self.folder is not None, self.output
        facts: dict[str, Any] = json.loads((self.folder / "run.json").read_text())
        return facts

    @property
    def lines(self) -> list[dict[str, Any]]:
        """verdicts.jsonl, or what there is of it."""
        assert self.folder is not None, self.output
        file = next(self.folder.glob("verdicts.jsonl*"))
        return [json.loads(line) for line in file.read_text().splitlines()]

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each requirement; one scenario judges each."""
        return {line["requirement"]: line["verdict"] for line in self.lines}

    @property
    def line(self) -> dict[str, Any]:
        """The only verdict line."""
        (line,) = self.lines
        return line


class SmallCatalogue:
    """Writes the catalogue into pytester's folder and judges the client in memory with it."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.package = pytester.mkpydir("try_scenarios")
        (self.package / "__init__.py").write_text(PACKAGE)
        (self.package / "conftest.py").write_text(CONFTEST)
        for folder in ("requirements", "deviations"):
            (self.package / folder).mkdir()
        (self.package / "documents.toml").write_text(DOCUMENTS)
        (self.package / "requirements/try.toml").write_text(REQUIREMENTS)
        (self.package / "requirements/other.toml").write_text(OTHER_REQUIREMENTS)
        (pytester.path / "try_memory.py").write_text(PROVIDER)
        (pytester.path / "try_client.py").write_text(CLIENT)
        installed = pytester.path / "try_scenarios-0.dist-info"
        installed.mkdir()
        (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: try\nVersion: 0\n")
        (installed / "entry_points.txt").write_text(ENTRY_POINTS)
        pytester.syspathinsert()

    def scenarios(self, text: str, module: str = "test_ones") -> SmallCatalogue:
        """Write a module of scenarios."""
        (self.package / f"{module}.py").write_text(IMPORTS + textwrap.dedent(text))
        return self

    def deviations(self, text: str) -> SmallCatalogue:
        """Write the file of known deviations."""
        (self.package / "deviations/memory.toml").write_text(textwrap.dedent(text))
        return self

    def judge(self, *options: str, subprocess: bool = False) -> Judged:
        """Run pytest on the catalogue."""
        tester = self.pytester
        run = tester.runpytest_subprocess if subprocess else tester.runpytest_inprocess
        arguments = (
            "--provider",
            "memory",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:warnings",
            *options,
        )
        if not any(option.startswith("--pyargs") for option in options):
            arguments = (*arguments, "--pyargs", "try_scenarios")
        result = run(*arguments)
        folders = sorted((self.pytester.path / "results").glob("*"))
        output = result.stdout.str() + result.stderr.str()
        return Judged(int(result.ret), output, folders[-1] if folders else None)


@pytest.fixture
def catalogue(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> SmallCatalogue:
    """A catalogue of three requirements and a client in memory."""
    for name in ("PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.delenv(name, raising=False)
    return SmallCatalogue(pytester)
