"""How many workers `-n auto` takes: scenarios mostly wait, and the project's tests do, too."""

from __future__ import annotations

import argparse
from types import SimpleNamespace
from typing import Any

import pytest

from jms_histories.engines import free_memory
from touchstone import pytest_plugin
from touchstone.pytest_plugin import pytest_xdist_auto_num_workers

TOLD = "PYTEST_XDIST_AUTO_NUM_WORKERS"


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


@pytest.fixture(autouse=True)
def large_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has told a number, nor how much memory is free."""
    monkeypatch.delenv(TOLD, raising=False)
    monkeypatch.setattr(free_memory, "free_memory_mib", lambda: None)


@pytest.mark.parametrize(("processors", "taken"), [(1, 3), (2, 6), (8, 24)])
def test_scenarios_have_three_workers_for_a_processor(processors: int, taken: int) -> None:
    assert workers("jms_scenarios", processors=processors) == taken
    assert workers("jms_scenarios.core::test_x", processors=processors) == taken


@pytest.mark.parametrize(
    ("provider", "taken"), [("starlight", 4), ("reference-java", 4), ("nobody's", 6)]
)
def test_a_client_in_java_has_two(provider: str, taken: int) -> None:
    assert workers("jms_scenarios", provider=provider) == taken


@pytest.mark.parametrize(("free", "taken"), [(0, 1), (1, 1), (4, 4), (7, 6)])
def test_a_worker_has_a_gibibyte(monkeypatch: pytest.MonkeyPatch, free: int, taken: int) -> None:
    monkeypatch.setattr(free_memory, "free_memory_mib", lambda: free * 1024 + 1023)
    assert workers("jms_scenarios") == taken


def test_other_tests_have_what_xdist_gives() -> None:
    assert workers("conformance/tests") == 2


def test_a_number_that_is_told_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOLD, "5")
    assert workers("jms_scenarios", processors=5) == 5
