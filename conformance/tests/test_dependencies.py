"""What each package of the wheel imports is declared, where it is needed, and nothing in vain."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = SETTINGS["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
EXTRAS = SETTINGS["project"]["optional-dependencies"]
AT_START = {
    "jms_histories": ("volume", "spark"),
}
"""Packages that may import an extra when they are imported; others do when it is needed."""
NEVER_IMPORTED = {
    "allure-pytest": "a plug-in of pytest, found by its entry point",
    "pytest-xdist": "the same",
    "pandas": "PySpark's own, which does not declare it",
}


def names(requirements: list[str]) -> set[str]:
    """The distributions that some requirements name, those of our own extras included."""
    found = set()
    for one in requirements:
        if own := re.match(r"jms-touchstone\[(\w+)\]", one):
            found |= names(EXTRAS[own[1]])
        elif named := re.match(r"[\w.-]+", one):
            found.add(named[0].lower())
    return found


BROUGHT_BY = packages_distributions()
BASE = names(SETTINGS["project"]["dependencies"])


def imports(node: ast.AST, *, at_start: bool = True) -> Iterator[tuple[str, bool]]:
    """The packages that code imports, and whether it does when it is loaded."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((name.name.partition(".")[0], at_start) for name in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module and not child.level:
            yield child.module.partition(".")[0], at_start
        later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or (
            isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        )
        yield from imports(child, at_start=at_start and not later)


@cache
def distributions(package: str) -> tuple[set[str], set[str]]:
    """What a package of the wheel needs when it is imported, and what it needs at all."""
    own = {Path(folder).name for folder in PACKAGES}
    [folder] = [folder for folder in PACKAGES if Path(folder).name == package]
    at_start, at_all = set(), set()
    for file in (PROJECT / folder).rglob("*.py"):
        for name, first in imports(ast.parse(file.read_text(encoding="utf-8"))):
            if name in sys.stdlib_module_names or name in own:
                continue
            assert name in BROUGHT_BY, f"{file} imports {name}, which nothing here brings"
            needed = BROUGHT_BY[name][0].lower()
            at_all.add(needed)
            if first:
                at_start.add(needed)
    return at_start, at_all


@pytest.mark.parametrize("package", [Path(folder).name for folder in PACKAGES])
def test_what_a_package_imports_is_declared(package: str) -> None:
    at_start, at_all = distributions(package)
    allowed = [one for extra in AT_START.get(package, ()) for one in EXTRAS[extra]]
    assert at_start - BASE <= names(allowed)
    assert at_all - BASE <= names([one for extra in EXTRAS.values() for one in extra])


def test_what_is_declared_is_imported() -> None:
    needed = set().union(*(distributions(Path(folder).name)[1] for folder in PACKAGES))
    declared = BASE | names([one for extra in EXTRAS.values() for one in extra])
    assert declared - needed == set(NEVER_IMPORTED)


def test_histories_alone_need_the_extra_volume() -> None:
    assert names(EXTRAS["volume"]) == {"numpy", "pyarrow"}
    assert BASE.isdisjoint(names(EXTRAS["volume"]))
    needing = {
        Path(folder).name
        for folder in PACKAGES
        if distributions(Path(folder).name)[0] & names(EXTRAS["volume"])
    }
    assert needing == {"jms_histories"}
