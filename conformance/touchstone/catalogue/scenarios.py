"""Every scenario of the catalogues: they are collected when one of their files has changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from touchstone.catalogue.items import Scenario
from touchstone.catalogue.kept import Passing, kept_result
from touchstone.catalogue.registry import Library


def collect_scenarios(library: Library) -> tuple[Scenario, ...]:
    """Every scenario by area and name; `HarnessError` when a module cannot be collected."""
    order = {area: index for index, area in enumerate(library.areas)}
    scenarios = (Scenario.from_dict(data) for data, _ in _collected_scenarios(library))
    return tuple(sorted(scenarios, key=lambda s: (order[s.area], s.id)))


def modules_by_requirement(library: Library) -> Mapping[str, frozenset[Path]]:
    """The modules whose scenarios judge each requirement; raises as `collect_scenarios` does."""
    modules_of: dict[str, set[Path]] = {}
    for data, module in _collected_scenarios(library):
        for requirement in data["requirements"]:
            modules_of.setdefault(requirement, set()).add(Path(module))
    return {requirement: frozenset(modules) for requirement, modules in modules_of.items()}


def by_requirement(scenarios: tuple[Scenario, ...]) -> Mapping[str, tuple[Scenario, ...]]:
    """The scenarios that judge each requirement."""
    judges_of: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        for requirement in scenario.requirements:
            judges_of.setdefault(requirement, []).append(scenario)
    return {requirement: tuple(judges) for requirement, judges in judges_of.items()}


def _collected_scenarios(library: Library) -> list[tuple[dict[str, Any], str]]:
    """Each scenario as plain data, with its module."""

    def find_out() -> list[tuple[dict[str, Any], str]]:
        # pytest takes longer to import than most commands to answer.
        from touchstone.catalogue.collecting import collect

        found = [(scenario.as_dict(), str(module)) for scenario, module in collect(library)]
        if library.broken:
            raise Passing(found)
        return found

    collected: list[tuple[dict[str, Any], str]] = kept_result("scenarios", find_out)
    return collected
