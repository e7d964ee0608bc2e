"""Functions get other code where they are, whoever holds them; what they reach is recorded."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from jms_clients.mutants.changes import in_place
from jms_clients.mutants.changes.reference import ReferenceSources

SOURCE = """
from functools import cache

class Above:
    def told(self):
        return 1

class Below(Above):
    def told(self):
        return super().told() + 1

    @property
    def value(self):
        return 5

def outer(a):
    def inner():
        return a
    return inner

held = outer(3)

@cache
def kept(a):
    if a:
        return "yes"
    return "no"

def loops(a):
    total = 0
    for x in a:
        total += x
    return total
"""


@pytest.fixture
def module(tmp_path: Path) -> Iterator[tuple[ModuleType, ReferenceSources]]:
    """A module that was imported, and its source."""
    file = tmp_path / "changed_here.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("changed_here", file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["changed_here"] = made
    spec.loader.exec_module(made)
    yield made, ReferenceSources({"changed_here": SOURCE}, {"changed_here": file})
    del sys.modules["changed_here"]


def switch(reference: ReferenceSources, id_: str) -> int:
    return in_place.switch_on(reference, reference.change(f"changed_here:{id_}"))


def test_a_method_of_objects_that_are_there_changes(
    module: tuple[ModuleType, ReferenceSources],
) -> None:
    here, reference = module
    one = here.Below()
    assert switch(reference, "Below.value:number-more:1") == 1
    assert (one.value, one.told()) == (6, 2)


def test_a_function_keeps_cells_that_the_change_has_no_use_for(
    module: tuple[ModuleType, ReferenceSources],
) -> None:
    here, reference = module
    assert switch(reference, "Below.told:returned-none:1") == 1
    assert here.Below().told() is None
    assert switch(reference, "outer:returned-none:1") == 2  # the inner function that is held, too
    assert here.held() is None


def test_what_a_decorator_holds_changes(module: tuple[ModuleType, ReferenceSources]) -> None:
    here, reference = module
    assert switch(reference, "kept:condition-true:1") == 1
    assert here.kept(0) == "yes"


def test_statements_that_are_reached_are_recorded(
    module: tuple[ModuleType, ReferenceSources],
) -> None:
    here, reference = module
    reached: set[tuple[str, int]] = set()
    in_place.record(reference, reached.add)
    lines = SOURCE.splitlines()
    here.kept(1)
    assert {lines[line - 1].strip() for _, line in reached} == {"if a:", 'return "yes"'}
    reached.clear()
    assert here.loops([]) == 0
    assert "total += x" not in {lines[line - 1].strip() for _, line in reached}
