"""What each package of a wheel imports is declared, where it is needed, and nothing in vain."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[3]
AT_START = {
    "jms_histories": ("volume", "spark"),
    "jvm_runtime": ("java",),
}
"""Packages that may import an extra when they are imported; others do when it is needed."""
NEVER_IMPORTED = {
    "pandas": "PySpark's own, which does not declare it",
}


@dataclass(frozen=True)
class Distribution:
    """What a pyproject.toml declares of the wheel that is made from it."""

    name: str
    version: str
    base: tuple[Requirement, ...]
    extras: dict[str, tuple[Requirement, ...]]
    packages: tuple[Path, ...]

    def names(self, requirements: Iterable[Requirement]) -> set[str]:
        """The distributions that requirements name; for its own extras what these name."""
        found = set()
        for one in requirements:
            if one.name == self.name:
                found |= self.extra(*one.extras)
            else:
                found.add(one.name)
        return found

    def extra(self, *names: str) -> set[str]:
        """The distributions that some of its extras bring."""
        return set().union(*(self.names(self.extras[name]) for name in names))


def read(folder: Path) -> Distribution:
    settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    return Distribution(
        project["name"],
        project["version"],
        tuple(map(Requirement, project["dependencies"])),
        {
            name: tuple(map(Requirement, extra))
            for name, extra in project["optional-dependencies"].items()
        },
        tuple(
            folder / package
            for package in settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
        ),
    )


SUITE, REFERENCE = read(PROJECT), read(PROJECT / "impl")
OURS = {package.name: one.name for one in (SUITE, REFERENCE) for package in one.packages}
BROUGHT_BY = {
    package: brought[0].lower() for package, brought in metadata.packages_distributions().items()
} | OURS
PACKAGES = [
    pytest.param(one, package, id=package.name)
    for one in (SUITE, REFERENCE)
    for package in one.packages
]


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
def needed(package: Path) -> tuple[set[str], set[str]]:
    """The distributions that a package needs when it is imported, and those it needs at all."""
    at_start, at_all = set(), set()
    for file in package.rglob("*.py"):
        for name, first in imports(ast.parse(file.read_text(encoding="utf-8"))):
            if name in sys.stdlib_module_names:
                continue
            assert name in BROUGHT_BY, f"{file} imports {name}, which nothing here brings"
            at_all.add(BROUGHT_BY[name])
            if first:
                at_start.add(BROUGHT_BY[name])
    own = {OURS[package.name]}
    return at_start - own, at_all - own


@pytest.mark.parametrize(("distribution", "package"), PACKAGES)
def test_what_a_package_imports_is_declared(distribution: Distribution, package: Path) -> None:
    at_start, at_all = needed(package)
    base = distribution.names(distribution.base)
    assert at_start - base <= distribution.extra(*AT_START.get(package.name, ()))
    assert at_all - base <= distribution.extra(*distribution.extras)


@pytest.mark.parametrize("distribution", [SUITE, REFERENCE], ids=lambda one: one.name)
def test_what_is_declared_is_imported(distribution: Distribution) -> None:
    imported = set().union(*(needed(package)[1] for package in distribution.packages))
    declared = distribution.names(distribution.base) | distribution.extra(*distribution.extras)
    assert declared - imported == set(NEVER_IMPORTED) & declared


def test_the_suite_takes_the_reference_of_its_own_version() -> None:
    [wanted] = [one for one in SUITE.base if one.name == REFERENCE.name]
    assert str(wanted) == f"{REFERENCE.name}[java]=={REFERENCE.version}"
    assert REFERENCE.version == SUITE.version


def test_what_both_need_is_needed_in_the_same_versions() -> None:
    of_reference = {
        one.name: one.specifier
        for some in (REFERENCE.base, *REFERENCE.extras.values())
        for one in some
    }
    both = {one.name: one.specifier for one in SUITE.base if one.name in of_reference}
    assert {"httpx", "pulsar-client", "rich"} <= both.keys()
    assert both == {name: of_reference[name] for name in both}


def test_the_reference_alone_brings_ten_distributions() -> None:
    found: set[str] = set()
    waiting = [one.name for one in REFERENCE.base]
    while waiting:
        name = waiting.pop().lower()
        if name not in found:
            found.add(name)
            wanted = map(Requirement, metadata.requires(name) or ())
            waiting += [
                one.name
                for one in wanted
                if one.marker is None or one.marker.evaluate({"extra": ""})
            ]
    assert {"certifi", "idna"} <= found
    assert len(found) <= 10, sorted(found)


def test_histories_alone_need_the_extra_volume() -> None:
    volume = SUITE.extra("volume")
    assert volume == {"numpy", "pyarrow"}
    assert volume.isdisjoint(SUITE.names(SUITE.base))
    needing = {package.name for package in SUITE.packages if needed(package)[0] & volume}
    assert needing == {"jms_histories"}


def test_one_module_knows_the_private_parts_of_pytest() -> None:
    knowing = {
        str(file.relative_to(PROJECT))
        for package in SUITE.packages
        for file in package.rglob("*.py")
        if "_pytest" in dict(imports(ast.parse(file.read_text(encoding="utf-8"))))
    }
    assert knowing == {"conformance/touchstone/scenario/pytest_internals.py"}
    [bounded] = [one for one in SUITE.base if one.name == "pytest"]
    assert "<" in str(bounded.specifier)
