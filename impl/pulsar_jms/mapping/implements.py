"""Which rule of the mapping implements which requirement; read by `touchstone explain`."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

Marked = TypeVar("Marked", bound=Callable[..., object])


@dataclass(frozen=True)
class Implementation:
    """A function, class or row of a table that implements requirements."""

    name: str
    module: str
    requirements: tuple[str, ...]
    statement: str
    """One line that says what the rule does."""


_IMPLEMENTATIONS: list[Implementation] = []
_PACKAGES = ("pulsar_jms.mapping", "pulsar_jms.dialects")


def implements(*requirements: str) -> Callable[[Marked], Marked]:
    """Mark a function or class as the implementation of these requirement ids."""

    def mark(marked: Marked) -> Marked:
        statement = (marked.__doc__ or "").strip().partition("\n")[0]
        _IMPLEMENTATIONS.append(
            Implementation(marked.__qualname__, marked.__module__, requirements, statement)
        )
        return marked

    return mark


def implements_rows(module: str, table: str, rows: Iterable[tuple[str, tuple[str, ...]]]) -> None:
    """Register the rows of a table: what each says, and the requirement ids it implements."""
    _IMPLEMENTATIONS.extend(
        Implementation(table, module, requirements, says) for says, requirements in rows
    )


def implementations_by_requirement() -> Mapping[str, tuple[Implementation, ...]]:
    """Every rule of the mapping under each requirement id that it implements."""
    for name in _PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{name}.{module.name}")
    found: dict[str, list[Implementation]] = defaultdict(list)
    for rule in _IMPLEMENTATIONS:
        for requirement in rule.requirements:
            found[requirement].append(rule)
    return {requirement: tuple(found[requirement]) for requirement in sorted(found)}
