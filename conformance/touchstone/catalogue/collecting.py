"""Collects the scenarios of the catalogues by pytest, and runs none."""

from __future__ import annotations

import os
from collections.abc import Iterator
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
    scenarios: list[tuple[Scenario, Path]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @pytest.hookimpl(wrapper=True)  # only a wrapper is called before the plug-in, which chooses
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        self.scenarios = [(scenario_of(item, self.library), item.path) for item in items]
        items.clear()
        yield

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failures.append(f"{report.nodeid}: {report.longrepr}")


def collect(library: Library) -> list[tuple[Scenario, Path]]:
    """Every scenario, and the module that it stands in; `HarnessError` where one cannot be read."""
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
    return collector.scenarios
