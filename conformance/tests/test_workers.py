"""How many workers `-n auto` takes: scenarios mostly wait, and the project's tests do, too."""

from __future__ import annotations

import argparse
import os
from types import SimpleNamespace
from typing import Any

import pytest

from touchstone import pytest_plugin
from touchstone.pytest_plugin import pytest_xdist_auto_num_workers


def workers(*arguments: str, processors: int = 2, provider: str = "reference") -> int:
    """What is taken for these arguments of pytest where xdist counts so many processors."""
    parser = pytest.Parser(_ispytest=True)
    pytest_plugin.pytest_addoption(parser)
    option = parser.parse(["--provider", provider], argparse.Namespace(pyargs=True))
    config: Any = SimpleNamespace(option=option, args=arguments, stash={})
    asked = pytest_xdist_auto_num_workers(config)
    next(asked)
    with pytest.raises(StopIteration) as answered:
        asked.send(processors)
    return int(answered.value.value)


@pytest.mark.parametrize(("processors", "taken"), [(1, 3), (2, 6), (8, 24)])
def test_scenarios_have_three_workers_for_a_processor(
    monkeypatch: pytest.MonkeyPatch, processors: int, taken: int
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    monkeypatch.setattr(pytest_plugin, "_free_gibibytes", lambda: 100)
    assert workers("jms_scenarios", processors=processors) == taken
    assert workers("jms_scenarios.core::test_x", processors=processors) == taken


@pytest.mark.parametrize(
    ("provider", "taken"), [("starlight", 4), ("reference-java", 4), ("nobody's", 6)]
)
def test_a_client_in_java_has_two(
    monkeypatch: pytest.MonkeyPatch, provider: str, taken: int
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    monkeypatch.setattr(pytest_plugin, "_free_gibibytes", lambda: 100)
    assert workers("jms_scenarios", provider=provider) == taken


@pytest.mark.parametrize(("free", "taken"), [(0, 1), (1, 1), (4, 4), (7, 6)])
def test_a_worker_has_a_gibibyte(monkeypatch: pytest.MonkeyPatch, free: int, taken: int) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    monkeypatch.setattr(pytest_plugin, "_free_gibibytes", lambda: free)
    assert workers("jms_scenarios") == taken


def test_linux_says_how_much_memory_is_free() -> None:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 <= pytest_plugin._free_gibibytes() <= pages // 2**30


def test_other_tests_have_what_xdist_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    assert workers("conformance/tests") == 2


def test_a_number_that_is_told_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "5")
    assert workers("jms_scenarios", processors=5) == 5
