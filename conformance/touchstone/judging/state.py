"""What is known of a scenario while it runs."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field

from touchstone.judging.items import Scenario
from touchstone.providers.trace import Trace
from touchstone.scenario.judgement import Judgement
from touchstone.scenario.running import RunningScenario
from touchstone.verdicts import Outcome


@dataclass
class State:
    """One scenario on its way through pytest's phases."""

    scenario: Scenario
    judgement: Judgement
    trace: Trace
    running: RunningScenario
    stack: ExitStack
    started: str
    began: float
    ended: Outcome | None = None
    """What ended the scenario early, if anything."""
    in_words: bool = False
    """Whether that says all in words: the way to it through our code is for the evidence alone."""
    evidence: list[str] = field(default_factory=list)
