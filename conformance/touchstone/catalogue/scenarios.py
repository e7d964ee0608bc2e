"""Every scenario of the catalogues, found by collecting them and running none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from touchstone.catalogue.items import Scenario, scenario_of
from touchstone.catalogue.registry import Library
from touchstone.errors import HarnessError


@dataclass(eq=False)
class _Collector:
    """A pytest plug-in that keeps what was collected, before anybody chooses among it."""

    library: Library
    scenarios: list[Scenario] = field(default_factory=list)
    modules: list[Path] = field(default_factory=list)
    """Where each of the scenarios stands."""
    failures: list[str] = field(default_factory=list)

    @pytest.hookimpl(wrapper=True)  # only a wrapper is called before the plug-in, which chooses
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        self.scenarios = [scenario_of(item, self.library) for item in items]
        self.modules = [item.path for item in items]
        items.clear()
        yield

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failures.append(f"{report.nodeid}: {report.longrepr}")


def collect_scenarios(library: Library) -> tuple[Scenario, ...]:
    """Every scenario by area and name; `HarnessError` when a module cannot be collected."""
    order = {area: index for index, area in enumerate(library.areas)}
    return tuple(sorted(_collected(library).scenarios, key=lambda s: (order[s.area], s.id)))


def modules_by_requirement(library: Library) -> Mapping[str, frozenset[Path]]:
    """The modules whose scenarios judge each requirement; raises as `collect_scenarios` does."""
    collected = _collected(library)
    found: dict[str, set[Path]] = {}
    for scenario, module in zip(collected.scenarios, collected.modules, strict=True):
        for requirement in scenario.requirements:
            found.setdefault(requirement, set()).add(module)
    return {requirement: frozenset(modules) for requirement, modules in found.items()}


def by_requirement(scenarios: tuple[Scenario, ...]) -> Mapping[str, tuple[Scenario, ...]]:
    """The scenarios that judge each requirement."""
    found: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        for requirement in scenario.requirements:
            found.setdefault(requirement, []).append(scenario)
    return {requirement: tuple(judges) for requirement, judges in found.items()}


def _collected(library: Library) -> _Collector:
    collector = _Collector(library)
    packages = [catalogue.package for catalogue in library.catalogues]
    code = pytest.main(
        ["--collect-only", "-p", "no:terminal", "-p", "no:cacheprovider", "-c", os.devnull,
         "--import-mode=importlib", "--strict-markers", "--pyargs", *packages],
        plugins=[collector],
    )  # fmt: skip
    if collector.failures or code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise HarnessError(
            "\n".join([f"The catalogue cannot be collected ({code})", *collector.failures]),
            hint="`touchstone run` shows the same with more detail.",
        )
    return collector
