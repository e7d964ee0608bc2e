"""What a run is about to do: known to the process that judges and to the one that writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from jms_clients.errors import ProviderError
from jms_clients.interface import Provider
from jms_clients.readiness import java_version
from jms_clients.registry import Spelling
from touchstone.catalogue import Library
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.items import Scenario
from touchstone.judging.options import RunOptions
from touchstone.judging.selection import Excused
from touchstone.outcomes.lines import Circumstances, verdict_line
from touchstone.scenario.run_settings import RunSettings
from touchstone.verdicts import Outcome, Verdict

_TAKES_AWAY = ("-k ", "-m ", "--deselect ")
"""Options of pytest's that count after the scenarios were chosen."""


@dataclass
class RunPlan:
    """Options, provider, known deviations, and the scenarios by their node ids."""

    options: RunOptions
    library: Library
    provider: Provider
    deviations: Sequence[Deviation]
    scenarios: dict[str, Scenario] = field(default_factory=dict)
    excused: list[Excused] = field(default_factory=list)
    catalogue: dict[str, list[str]] = field(default_factory=dict)
    """Every scenario of the collection with its requirement ids, chosen or not."""
    kept: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The ids that the provider is judged on, per scenario that runs."""
    obstacle: ProviderError | None = None
    """Why the provider cannot run here at all: none of its scenarios can be judged."""
    narrowed_by: list[str] = field(default_factory=list)
    """The options that keep scenarios of the catalogues from being asked for."""
    comparison_only: dict[str, dict[str, str]] = field(default_factory=dict)
    """Scenarios that run for comparison alone: why the provider is not judged, per id."""
    judged: frozenset[str] = frozenset()
    """Scenarios that were chosen, but judged before the run went on."""
    _java: str = ""

    @property
    def java(self) -> str:
        """The version of the Java that the client runs on, if it does and that is here by now."""
        self._java = self._java or java_version(self.provider)
        return self._java

    @property
    def settings(self) -> RunSettings:
        """What the run changes in the settings of its client."""
        options = self.options
        return RunSettings.of(self.provider, as_shipped=options.as_shipped, given=options.settings)

    @property
    def sought(self) -> frozenset[str]:
        """What a client that is wrong on purpose has to break."""
        return self.options.selection.requirements if self.spelling.mutant else frozenset()

    def as_dict(self) -> dict[str, Any]:
        """What a worker found out by collecting, as plain data for its controller."""
        return {
            "scenarios": {node: scenario.as_dict() for node, scenario in self.scenarios.items()},
            "excused": [
                {"scenario": e.scenario.as_dict(), "requirement": e.requirement, "reason": e.reason}
                for e in self.excused
            ],
            "catalogue": self.catalogue,
            "kept": self.kept,
            "narrowed_by": self.narrowed_by,
            "comparison_only": self.comparison_only,
            "judged": sorted(self.judged),
        }

    def update(self, data: Mapping[str, Any]) -> None:
        """Take over what `as_dict` gave."""
        self.scenarios = {node: Scenario.from_dict(row) for node, row in data["scenarios"].items()}
        self.excused = [
            Excused(Scenario.from_dict(row["scenario"]), row["requirement"], row["reason"])
            for row in data["excused"]
        ]
        self.catalogue = data["catalogue"]
        self.kept = {scenario: tuple(ids) for scenario, ids in data["kept"].items()}
        self.narrowed_by = data["narrowed_by"]
        self.comparison_only = data["comparison_only"]
        self.judged = frozenset(data["judged"])

    def selection(self) -> dict[str, Any]:
        """Which scenarios were asked for, as run.json has it.

        Some of the chosen ones may have been taken away since, by an option or a plug-in of pytest.
        """
        running = self.judged.union(scenario.id for scenario in self.scenarios.values())
        taken_away = not running.issuperset((*self.kept, *self.comparison_only))
        told = any(why.startswith(_TAKES_AWAY) for why in self.narrowed_by)
        return {
            "narrowed_by": [
                *self.narrowed_by,
                *["a plug-in of pytest"] * (taken_away and not told),
            ],
            "scenarios": sorted(running | {each.scenario.id for each in self.excused}),
        }

    def unrun_line(self, scenario: Scenario, requirement: str, outcome: Outcome) -> dict[str, Any]:
        """The verdict line of what no worker has run to its end."""
        options = self.options
        circumstances = Circumstances(
            options.provider,
            options.seed,
            options.rerun(scenario.id),
            started=datetime.now(UTC).isoformat(timespec="milliseconds"),
            worker="master",
        )
        return verdict_line(scenario, requirement, outcome, circumstances, self.library)

    def excused_line(self, excused: Excused) -> dict[str, Any]:
        """The verdict line of a requirement that the provider is not judged on."""
        outcome = Outcome(Verdict.NOT_APPLICABLE, excused.reason)
        return self.unrun_line(excused.scenario, excused.requirement, outcome)

    @property
    def spelling(self) -> Spelling:
        """The provider as asked for, in parts."""
        return Spelling.parse(self.options.provider)
