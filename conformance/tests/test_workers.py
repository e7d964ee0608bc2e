"""How many workers `-n auto` takes: scenarios mostly wait, and the project's tests do, too."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from touchstone.pytest_plugin import pytest_xdist_auto_num_workers


def workers(*arguments: str, processors: int = 2) -> int:
    """What is taken for these arguments of pytest where xdist counts so many processors."""
    config: Any = SimpleNamespace(option=SimpleNamespace(pyargs=True), args=arguments, stash={})
    asked = pytest_xdist_auto_num_workers(config)
    next(asked)
    with pytest.raises(StopIteration) as answered:
        asked.send(processors)
    return int(answered.value.value)


@pytest.mark.parametrize(("processors", "taken"), [(1, 2), (2, 3), (8, 12)])
def test_scenarios_have_half_as_many_again_as_processors(
    monkeypatch: pytest.MonkeyPatch, processors: int, taken: int
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    assert workers("jms_scenarios", processors=processors) == taken
    assert workers("jms_scenarios.core::test_x", processors=processors) == taken


def test_other_tests_have_what_xdist_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    assert workers("conformance/tests") == 2


def test_a_number_that_is_told_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "5")
    assert workers("jms_scenarios", processors=5) == 5
