"""Which code implements which requirement; read by `touchstone explain` and the site.

A mark stands on the function, class or row of a table that does what the statement says.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Marked = TypeVar("Marked", bound=Callable[..., object])

_SEVERAL = re.compile(r"(.*-)(\d+)\.\.(\d+)")


@dataclass(frozen=True)
class Implementation:
    """A function, class or row of a table that implements requirements."""

    name: str
    module: str
    requirements: tuple[str, ...]
    statement: str
    """One line that says what it does."""


_IMPLEMENTATIONS: list[Implementation] = []


def implements(*requirements: str) -> Callable[[Marked], Marked]:
    """Mark a function or class as the implementation of requirements.

    They are named by their ids, several in a row by the first and the last number:
    `JMS-PROP-003..010`.
    """

    def mark(marked: Marked) -> Marked:
        statement = (marked.__doc__ or "").strip().partition("\n")[0]
        _register(marked.__qualname__, marked.__module__, requirements, statement)
        return marked

    return mark


def implements_rows(module: str, table: str, rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Register the rows of a table: what each says, and the requirements that it implements."""
    for says, requirements in rows:
        _register(table, module, requirements, says)


def implementations_by_requirement() -> Mapping[str, tuple[Implementation, ...]]:
    """All code of the reference under each requirement that it implements."""
    package = importlib.import_module(__package__)
    for module in pkgutil.walk_packages(package.__path__, f"{__package__}."):
        importlib.import_module(module.name)
    by_requirement: dict[str, list[Implementation]] = defaultdict(list)
    for implementation in _IMPLEMENTATIONS:
        for requirement in implementation.requirements:
            by_requirement[requirement].append(implementation)
    return {
        requirement: tuple(by_requirement[requirement]) for requirement in sorted(by_requirement)
    }


def _register(name: str, module: str, requirements: Iterable[str], statement: str) -> None:
    ids = tuple(id_ for text in requirements for id_ in requirement_ids(text))
    _IMPLEMENTATIONS.append(Implementation(name, module, ids, statement))


def requirement_ids(text: str) -> Iterator[str]:
    """The ids that `text` stands for: itself, or several in a row."""
    several = _SEVERAL.fullmatch(text)
    if several is None:
        yield text
        return
    area, first, last = several.groups()
    yield from (f"{area}{number:03}" for number in range(int(first), int(last) + 1))
