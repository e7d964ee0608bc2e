"""A clock that is set while a scenario runs: what the scenario saw of times accuses nobody."""

from __future__ import annotations

import time

import pytest

from touchstone.scenario.clock import ClockWatch
from touchstone.scenario.judgement import Judgement
from touchstone.verdicts import Verdict

NOW = time.time


@pytest.mark.parametrize(
    ("by", "told"),
    [
        (0.0, None),
        (0.01, None),
        (-3600.0, "the clock was set back by 3600.0 s meanwhile"),
        (0.5, "the clock was set forward by 0.5 s meanwhile"),
    ],
)
def test_a_step_is_told_and_its_size(
    monkeypatch: pytest.MonkeyPatch, by: float, told: str | None
) -> None:
    clock = ClockWatch()
    monkeypatch.setattr(time, "time", lambda: NOW() + by)

    assert clock.was_set() == told


def test_a_failure_counts_while_the_clock_goes_on_evenly_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judgement = Judgement("area/test_it", ("AAA-X-001",))
    failure = AssertionError("it was too early")
    assert judgement.against_the_client(failure).verdict is Verdict.VIOLATES

    monkeypatch.setattr(time, "time", lambda: NOW() - 3600)

    outcome = judgement.against_the_client(failure)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.message == "it was too early; the clock was set back by 3600.0 s meanwhile"
