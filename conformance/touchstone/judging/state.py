"""What is known of a scenario while it runs."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field

from jms_brokers.machine.spending import Spent
from jms_clients.trace import Trace
from touchstone.catalogue.items import Scenario
from touchstone.scenario.judgement import Judgement
from touchstone.scenario.running import RunningScenario
from touchstone.verdicts import Outcome


@dataclass
class ScenarioState:
    """One scenario on its way through pytest's phases."""

    scenario: Scenario
    judgement: Judgement
    trace: Trace
    running: RunningScenario
    stack: ExitStack
    started: str
    began: float
    spent: Spent
    """Seconds, by what they went to."""
    ended: Outcome | None = None
    """What ended the scenario early, if anything."""
    found: dict[str, Outcome] | None = None
    """The outcome per id, once the scenario has ended: a thread that hangs may still go on."""
    message_suffices: bool = False
    """Whether its message explains it: the traceback goes to the evidence alone."""
    evidence: list[str] = field(default_factory=list)

    def seen(self) -> dict[str, Outcome]:
        """The outcome per id, as it was when first asked for, and what closing made of it."""
        if self.found is None:
            self.found = self.judgement.outcomes(self.ended)
        return self.found
